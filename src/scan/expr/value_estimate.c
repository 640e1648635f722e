/*
 * value_estimate.c
 *		How many values an expression has at most; see value_estimate.h.
 *
 * A function of one argument has no more values than this.  Some have fewer: a year has
 * twelve months, and a range of days so many of each.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/timestamp.h"

#include "scan/expr/compile_internal.h"
#include "scan/expr/value_estimate.h"

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

/* Returns the value of an integer that is a constant; 0: it is none, or not known. */
static double
constant_value(Node *node)
{
	const Const *value = (const Const *) node;

	if (!IsA(node, Const) || value->constisnull)
		return 0;
	switch (value->consttype)
	{
		case INT2OID:
			return DatumGetInt16(value->constvalue);
		case INT4OID:
			return DatumGetInt32(value->constvalue);
		case INT8OID:
			return (double) DatumGetInt64(value->constvalue);
		default:
			return 0;
	}
}

/* Returns an integer as a number, or a time as days; false: it is neither. */
static bool
to_number(Oid type, Datum value, double *number)
{
	switch (type)
	{
		case INT2OID:
			*number = DatumGetInt16(value);
			return true;
		case INT4OID:
			*number = DatumGetInt32(value);
			return true;
		case INT8OID:
			*number = (double) DatumGetInt64(value);
			return true;
		case DATEOID:
			*number = DatumGetDateADT(value);
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
	const Unit *unit;

	switch (function)
	{
		case F_INT2MOD:
		case F_INT4MOD:
		case F_INT8MOD:
		case F_MOD_INT2_INT2:
		case F_MOD_INT4_INT4:
		case F_MOD_INT8_INT8:
			return fabs(constant_value(lsecond(args)));
		case F_INT2DIV:
		case F_INT4DIV:
		case F_INT8DIV:
		case F_INT84DIV:
			return count_steps(find_span(root, linitial(args)),
							   constant_value(lsecond(args)));
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

/* Returns the arguments of what has no values but by them; NIL: there are none. */
static List *
arguments_of(Node *node)
{
	switch (nodeTag(node))
	{
		case T_FuncExpr:
			return ((FuncExpr *) node)->args;
		case T_OpExpr:
			return ((OpExpr *) node)->args;
		case T_RelabelType:
			return list_make1(((RelabelType *) node)->arg);
		case T_CoerceViaIO:
			return list_make1(((CoerceViaIO *) node)->arg);
		case T_CoalesceExpr:
			return ((CoalesceExpr *) node)->args;
		case T_MinMaxExpr:
			return ((MinMaxExpr *) node)->args;
		default:
			return NIL;
	}
}

/* Returns how many combinations of values some arguments have; 0: not known. */
static double
values_of_arguments(PlannerInfo *root, List *args, double rows)
{
	double values = 1;
	ListCell *cell;

	foreach (cell, args)
		values *= wa_estimate_values(root, (Node *) lfirst(cell), rows);
	return args == NIL ? 0 : values;
}

double
wa_estimate_values(PlannerInfo *root, Node *expression, double rows)
{
	double own;
	double by_arguments;

	if (!contain_var_clause(expression))
		return 1;
	if (IsA(expression, Var))
		return estimate_num_groups(root, list_make1(expression), rows, NULL,
								   NULL);
	if (exprType(expression) == BOOLOID)
		return 2;
	own = OidIsValid(wa_function_of(expression))
			  ? values_of_function(root, wa_function_of(expression),
								   arguments_of(expression))
			  : 0;
	by_arguments = values_of_arguments(root, arguments_of(expression), rows);
	if (own == 0 || by_arguments == 0)
		return Max(own, by_arguments);
	return Min(own, by_arguments);
}
