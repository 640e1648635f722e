/*
 * group_estimate.c
 *		How many groups a query is likely to have; see group_estimate.h.
 *
 * A function of one argument has no more values than this.  Some have fewer: a year has
 * twelve months, and a range of days so many of each.
 *
 * The planner takes a computed key to have as many values as its columns, which is
 * far from true of the days and price ranges that charts are made of.  It is true
 * of what is added to a constant, of md5 and the like.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/timestamp.h"

#include "scan/base/datum.h"
#include "scan/expr/functions.h"
#include "scan/plan/group_estimate.h"

/* Values that a computed key is thought to have at most, and each further one. */
#define COMPUTED_KEY_VALUES 10000
#define FURTHER_KEY_VALUES  100

/* A key that is known to have no more values is thought to have all of them. */
#define FEW_VALUES 1000

/* A unit of time: how many there are of it as a part, and its length in days. */
typedef struct Unit
{
	const char *name;
	double parts; /* 0: no limit */
	double days;  /* 0: it is no unit that times are brought to */
} Unit;

static const Unit units[] = {
	{"minute", 60, 1.0 / (24 * 60)},
	{"hour", 24, 1.0 / 24},
	{"day", 31, 1},
	{"dow", 7, 0},
	{"isodow", 7, 0},
	{"doy", 366, 0},
	{"week", 53, 7},
	{"month", 12, 28},
	{"quarter", 4, 90},
	{"year", 0, 365},
};

/* Finds the unit that a constant text names; NULL: there is no such thing. */
static const Unit *
find_unit(Node *node)
{
	const char *name = wa_constant_text(node);

	for (int i = 0; name != NULL && i < lengthof(units); i++)
		if (strcmp(units[i].name, name) == 0)
			return &units[i];
	return NULL;
}

/* Returns an integer as a number, or a time as days; false: it is neither. */
static bool
to_number(Oid type, Datum value, double *number)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case DATEOID:
			*number = (double) wa_integer_of_datum(type, value);
			return true;
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			*number =
				(double) DatumGetTimestamp(value) / (double) USECS_PER_DAY;
			return true;
		default:
			return false;
	}
}

/*
 * Returns how far the values of an expression are apart, those of times in days, by the
 * histogram that ANALYZE has made; 0: there is none.
 */
static double
find_span(PlannerInfo *root, Node *node)
{
	VariableStatData data;
	AttStatsSlot slot;
	double first = 0;
	double last = 0;

	examine_variable(root, node, 0, &data);
	if (HeapTupleIsValid(data.statsTuple) &&
		get_attstatsslot(&slot, data.statsTuple, STATISTIC_KIND_HISTOGRAM,
						 InvalidOid, ATTSTATSSLOT_VALUES))
	{
		if (!to_number(slot.valuetype, slot.values[0], &first) ||
			!to_number(slot.valuetype, slot.values[slot.nvalues - 1], &last))
			first = last = 0;
		free_attstatsslot(&slot);
	}
	ReleaseVariableStats(data);
	return last - first;
}

/* Returns how many steps of a width there are in a span; 0: that is not known. */
static double
count_steps(double span, double width)
{
	return span <= 0 || width == 0 ? 0 : ceil(span / fabs(width)) + 1;
}

/* The same of the steps of a time; the unit may be NULL. */
static double
count_units(PlannerInfo *root, Node *time, const Unit *unit)
{
	return unit == NULL ? 0 : count_steps(find_span(root, time), unit->days);
}

/* Returns how many values a function has whatever its argument is; 0: no limit. */
static double
values_of_function(PlannerInfo *root, Oid function, List *args)
{
	static const Unit day = {"day", 0, 1};
	const int code = wa_function_code(function);
	const Unit *unit;
	int64 by;

	if (code == WA_CODE_INT_REMAINDER || code == WA_CODE_INT_DIVIDE)
	{
		if (!wa_constant_integer(lsecond(args), &by))
			return 0;
		return code == WA_CODE_INT_REMAINDER
				   ? fabs((double) by)
				   : count_steps(find_span(root, linitial(args)), (double) by);
	}
	switch (function)
	{
		case F_SIGN_NUMERIC:
		case F_SIGN_FLOAT8:
			return 3;
		case F_SCALE:
			/* As a rule those of a column have as many digits. */
			return 1;
		case F_EXTRACT_TEXT_DATE:
		case F_EXTRACT_TEXT_TIME:
		case F_EXTRACT_TEXT_TIMESTAMP:
		case F_EXTRACT_TEXT_TIMESTAMPTZ:
		case F_DATE_PART_TEXT_TIME:
		case F_DATE_PART_TEXT_TIMESTAMP:
		case F_DATE_PART_TEXT_TIMESTAMPTZ:
			unit = find_unit(linitial(args));
			if (unit == NULL || unit->parts > 0)
				return unit == NULL ? 0 : unit->parts;
			return count_units(root, lsecond(args), unit);
		case F_DATE_TRUNC_TEXT_TIMESTAMP:
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
			return count_units(root, lsecond(args), find_unit(linitial(args)));
		case F_DATE_TIMESTAMP:
		case F_DATE_TIMESTAMPTZ:
			return count_units(root, linitial(args), &day);
		default:
			return 0;
	}
}

/* Returns what an expression has no values but by; NIL: there is no such thing. */
static List *
parts_of(Node *node)
{
	switch (nodeTag(node))
	{
		case T_RelabelType:
			return list_make1(((RelabelType *) node)->arg);
		case T_CoerceViaIO:
			return list_make1(((CoerceViaIO *) node)->arg);
		case T_CoalesceExpr:
			return ((CoalesceExpr *) node)->args;
		case T_MinMaxExpr:
			return ((MinMaxExpr *) node)->args;
		default:
			return wa_arguments_of(node);
	}
}

static double estimate_values(PlannerInfo *root, Node *expression, double rows);

/* Returns how many combinations of values some parts have; 0: not known. */
static double
values_of_parts(PlannerInfo *root, List *parts, double rows)
{
	double values = 1;
	ListCell *cell;

	foreach (cell, parts)
		values *= estimate_values(root, (Node *) lfirst(cell), rows);
	return parts == NIL ? 0 : values;
}

/*
 * Returns about how many values an expression over one table has at most, of so many
 * rows, as far as its form and statistics of its columns tell; 0: that is not known.
 */
static double
estimate_values(PlannerInfo *root, Node *expression, double rows)
{
	double own;
	double by_parts;

	if (!contain_var_clause(expression))
		return 1;
	if (IsA(expression, Var))
		return estimate_num_groups(root, list_make1(expression), rows, NULL,
								   NULL);
	if (exprType(expression) == BOOLOID)
		return 2;
	own = OidIsValid(wa_function_of(expression))
			  ? values_of_function(root, wa_function_of(expression),
								   wa_arguments_of(expression))
			  : 0;
	by_parts = values_of_parts(root, parts_of(expression), rows);
	if (own == 0 || by_parts == 0)
		return Max(own, by_parts);
	return Min(own, by_parts);
}

/* Tells whether an expression has about as many values as its parts. */
static bool
keeps_values(Node *node)
{
	if (IsA(node, RelabelType) || IsA(node, CoerceViaIO))
		return true;
	switch (wa_function_of(node))
	{
		case F_MD5_TEXT:
		case F_TEXTCAT:
		case F_UPPER_TEXT:
		case F_LOWER_TEXT:
		case F_INT8_INT4:
			return true;
		default:
			break;
	}
	switch (wa_function_code(wa_function_of(node)))
	{
		case WA_CODE_INT_ADD:
		case WA_CODE_INT_SUBTRACT:
		case WA_CODE_DECIMAL_ADD:
		case WA_CODE_DECIMAL_SUBTRACT:
		case WA_CODE_INT_TO_DECIMAL:
			return true;
		default:
			return false;
	}
}

/* Tells whether a key has about as many values as its columns. */
static bool
has_all_values(Node *key)
{
	ListCell *cell;

	if (IsA(key, Var) || IsA(key, Const))
		return true;
	foreach (cell, parts_of(key))
		if (!has_all_values((Node *) lfirst(cell)))
			return false;
	return keeps_values(key);
}

/* Returns how many values a computed key is thought to have; most: at most, or 0. */
static double
values_of_key(double most, bool is_further)
{
	const double values = is_further ? FURTHER_KEY_VALUES : COMPUTED_KEY_VALUES;

	return most > 0 ? Min(most, values) : values;
}

double
wa_estimate_groups(PlannerInfo *root, List *keys, double rows)
{
	List *columns = NIL;
	double computed = 1;
	double few = 1; /* of keys that are known to have few values */
	ListCell *cell;

	if (keys == NIL)
		return 1;
	foreach (cell, keys)
	{
		Node *key = (Node *) lfirst(cell);
		const double most = estimate_values(root, key, rows);

		if (has_all_values(key))
			columns = lappend(columns, key);
		else if (most > 0 && most <= FEW_VALUES)
			few *= most;
		else
			computed *= values_of_key(most, computed > 1);
	}
	computed *= few;
	if (columns != NIL)
		computed *= estimate_num_groups(root, columns, rows, NULL, NULL);
	return Min(computed, estimate_num_groups(root, keys, rows, NULL, NULL));
}
