/*
 * times.c
 *		What functions do to times; see times.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "pgtime.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/formatting.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "scan/expr/functions.h"
#include "scan/expr/times.h"

/* An interval is moderate if it is not longer than so. */
#define MODERATE_MONTHS (12 * 500)
#define MODERATE_DAYS   (365 * 500)
#define MODERATE_USECS  (INT64CONST(86400000000) * MODERATE_DAYS)

/* What a function does to a time. */
typedef enum Role
{
	/* It moves it */
	ADDS_INTERVAL,
	MOVES_TO_ZONE,    /* that the first argument names */
	MOVES_TO_OFFSET,  /* an interval */
	MOVES_IN_SESSION, /* by the session's time zone */
	BEGINS_DATE,

	/* It brings it to steps */
	TRUNCATES,
	TRUNCATES_IN_ZONE, /* that the last argument names */
	BINS,
	BINS_FOR_TIMESCALEDB,
	TAKES_DATE,
	EXTRACTS,
	EXTRACTS_OF_DATE
} Role;

static const struct
{
	Oid function;
	Role role;
} functions[] = {
	{F_TIMESTAMP_PL_INTERVAL, ADDS_INTERVAL},
	{F_TIMESTAMP_MI_INTERVAL, ADDS_INTERVAL},
	{F_TIMESTAMPTZ_PL_INTERVAL, ADDS_INTERVAL},
	{F_TIMESTAMPTZ_MI_INTERVAL, ADDS_INTERVAL},
	{F_DATE_PL_INTERVAL, ADDS_INTERVAL},
	{F_DATE_MI_INTERVAL, ADDS_INTERVAL},
	{F_TIMEZONE_TEXT_TIMESTAMP, MOVES_TO_ZONE},
	{F_TIMEZONE_TEXT_TIMESTAMPTZ, MOVES_TO_ZONE},
	{F_TIMEZONE_INTERVAL_TIMESTAMP, MOVES_TO_OFFSET},
	{F_TIMEZONE_INTERVAL_TIMESTAMPTZ, MOVES_TO_OFFSET},
	{F_TIMESTAMPTZ_TIMESTAMP, MOVES_IN_SESSION},
	{F_TIMESTAMP_TIMESTAMPTZ, MOVES_IN_SESSION},
	{F_TIMESTAMP_DATE, BEGINS_DATE},
	{F_TIMESTAMPTZ_DATE, BEGINS_DATE},
	{F_DATE_TRUNC_TEXT_TIMESTAMP, TRUNCATES},
	{F_DATE_TRUNC_TEXT_TIMESTAMPTZ, TRUNCATES},
	{F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT, TRUNCATES_IN_ZONE},
	{F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP, BINS},
	{F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ, BINS},
	{F_DATE_TIMESTAMP, TAKES_DATE},
	{F_DATE_TIMESTAMPTZ, TAKES_DATE},
	{F_EXTRACT_TEXT_TIMESTAMP, EXTRACTS},
	{F_EXTRACT_TEXT_TIMESTAMPTZ, EXTRACTS},
	{F_DATE_PART_TEXT_TIMESTAMP, EXTRACTS},
	{F_DATE_PART_TEXT_TIMESTAMPTZ, EXTRACTS},
	{F_EXTRACT_TEXT_DATE, EXTRACTS_OF_DATE},
};

/* The units that all of date_trunc, and of extract, know, spelt like that. */
static const char *const truncated_units[] = {
	"microseconds", "milliseconds", "second",     "minute",  "hour",
	"day",          "week",         "month",      "quarter", "year",
	"decade",       "century",      "millennium",
};
static const char *const extracted_units[] = {
	"dow", "doy", "epoch", "isodow", "isoyear", "julian",
};

/* Those of them that are shorter than a day, which dates do not have. */
static const char *const short_units[] = {
	"microseconds", "milliseconds", "second", "minute", "hour",
};

/* Tells whether a function belongs to an extension. */
static bool
is_of_extension(Oid function, const char *name)
{
	const Oid extension = getExtensionOfObject(ProcedureRelationId, function);
	const char *found =
		OidIsValid(extension) ? get_extension_name(extension) : NULL;

	return found != NULL && strcmp(found, name) == 0;
}

/*
 * Tells whether a function is TimescaleDB's time_bucket of a timestamp, with an interval,
 * and perhaps an origin.  With an offset of months it may go back.
 */
static bool
is_time_bucket(Oid function)
{
	HeapTuple tuple;
	Form_pg_proc form;
	const Oid *types;
	bool result;

	if (function < FirstNormalObjectId)
		return false;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", function);
	form = (Form_pg_proc) GETSTRUCT(tuple);
	types = form->proargtypes.values;
	result = strcmp(NameStr(form->proname), "time_bucket") == 0 &&
			 form->prolang == ClanguageId &&
			 form->provolatile == PROVOLATILE_IMMUTABLE &&
			 (form->pronargs == 2 ||
			  (form->pronargs == 3 && types[2] == form->prorettype)) &&
			 types[0] == INTERVALOID && types[1] == form->prorettype &&
			 (form->prorettype == TIMESTAMPOID ||
			  form->prorettype == TIMESTAMPTZOID);
	ReleaseSysCache(tuple);
	return result && is_of_extension(function, "timescaledb");
}

/* Finds what a function does; returns false if that is not known. */
static bool
find_role(Oid function, Role *role)
{
	for (int i = 0; i < lengthof(functions); i++)
		if (functions[i].function == function)
		{
			*role = functions[i].role;
			return true;
		}
	*role = BINS_FOR_TIMESCALEDB;
	return is_time_bucket(function);
}

/* Returns the only argument that varies; NULL: there is no such thing. */
static Node *
varying_argument(Node *node)
{
	Node *found = NULL;
	ListCell *cell;

	if (IsA(node, RelabelType))
		return (Node *) ((RelabelType *) node)->arg;
	if (!IsA(node, FuncExpr) && !IsA(node, OpExpr))
		return NULL;
	foreach (cell, wa_arguments_of(node))
	{
		if (!contain_var_clause((Node *) lfirst(cell)))
			continue;
		if (found != NULL)
			return NULL;
		found = (Node *) lfirst(cell);
	}
	return found;
}

bool
wa_is_time(Oid type)
{
	return type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID;
}

/* Returns the time in the zone by which a function steps, or else as it is. */
static Node *
in_zone(Node *moved, Node *step, Role role)
{
	if (role != TRUNCATES_IN_ZONE)
		return moved;
	return (Node *) makeFuncExpr(
		F_TIMEZONE_TEXT_TIMESTAMPTZ, TIMESTAMPOID,
		list_make2(llast(wa_arguments_of(step)), moved), InvalidOid, InvalidOid,
		COERCE_EXPLICIT_CALL);
}

/* Tells whether one of some words stands in a text. */
static bool
has_word(const char *text, const char *const *words, int nwords)
{
	for (int i = 0; i < nwords; i++)
		if (strstr(text, words[i]) != NULL)
			return true;
	return false;
}

/*
 * Returns the shortest unit of time that to_char shows by a format, or a shorter one,
 * as the word may be part of another one, or of a text; NULL: it may be a second.
 */
static const char *
unit_of_format(const char *format)
{
	static const char *const seconds[] = {"SS", "MS", "US", "FF", "TZ", "OF"};
	static const char *const minutes[] = {"MI"};
	static const char *const hours[] = {"HH", "AM", "PM", "A.M", "P.M"};
	const char *text = str_toupper(format, strlen(format), C_COLLATION_OID);

	if (has_word(text, seconds, lengthof(seconds)))
		return NULL;
	if (has_word(text, minutes, lengthof(minutes)))
		return "minute";
	return has_word(text, hours, lengthof(hours)) ? "hour" : "day";
}

/*
 * Returns the step that to_char brings a time to: the shortest unit that it shows;
 * NULL: it is not to_char, or none is known.
 */
static Node *
step_of_format(Node *node)
{
	const Oid function = wa_function_of(node);
	const bool is_local = function == F_TO_CHAR_TIMESTAMP_TEXT;
	List *args;
	const char *format;
	const char *unit;

	if (!is_local && function != F_TO_CHAR_TIMESTAMPTZ_TEXT)
		return NULL;
	args = wa_arguments_of(node);
	format = wa_constant_text(lsecond(args));
	unit = format == NULL ? NULL : unit_of_format(format);
	if (unit == NULL)
		return NULL;
	return (Node *) makeFuncExpr(
		is_local ? F_DATE_TRUNC_TEXT_TIMESTAMP : F_DATE_TRUNC_TEXT_TIMESTAMPTZ,
		is_local ? TIMESTAMPOID : TIMESTAMPTZOID,
		list_make2(makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1,
							 CStringGetTextDatum(unit), false, false),
				   linitial(args)),
		InvalidOid, DEFAULT_COLLATION_OID, COERCE_EXPLICIT_CALL);
}

/* Tells whether functions, one of the other, are NULL where the innermost is. */
static bool
are_strict(const List *chain)
{
	ListCell *cell;

	for_each_from(cell, chain, 1)
	{
		Node *node = (Node *) lfirst(cell);

		if (!IsA(node, RelabelType) && !func_strict(wa_function_of(node)))
			return false;
	}
	return true;
}

bool
wa_time_steps(Node *expression, WaTimeSteps *steps)
{
	List *chain = NIL; /* from the inside to the outside */
	Role role;
	ListCell *cell;

	memset(steps, 0, sizeof(*steps));
	for (Node *node = expression; node != NULL; node = varying_argument(node))
		chain = lcons(node, chain);
	while (chain != NIL && !wa_is_time(exprType((Node *) linitial(chain))))
		chain = list_delete_first(chain);
	if (list_length(chain) < 2 || !are_strict(chain))
		return false;
	steps->base = (Node *) linitial(chain);
	if (exprType(steps->base) == DATEOID)
		return true;
	steps->moved = steps->base;
	for_each_from(cell, chain, 1)
	{
		Node *node = (Node *) lfirst(cell);

		steps->step = step_of_format(node);
		if (steps->step != NULL)
			return true;
		if (!find_role(wa_function_of(node), &role))
			return false;
		if (role >= TRUNCATES)
		{
			steps->step = node;
			steps->moved = in_zone(steps->moved, node, role);
			return true;
		}
		steps->moved = node;
	}
	return false;
}

/* Tells whether a word is among some. */
static bool
is_among(const char *const *words, int nwords, const char *word)
{
	for (int i = 0; i < nwords; i++)
		if (strcmp(words[i], word) == 0)
			return true;
	return false;
}

/* Tells whether an argument is a unit that functions know. */
static bool
is_known_unit(Node *node, bool extracted)
{
	const char *word = wa_constant_text(node);

	return word != NULL &&
		   (is_among(truncated_units, lengthof(truncated_units), word) ||
			(extracted &&
			 is_among(extracted_units, lengthof(extracted_units), word)));
}

/* Tells whether an argument is a unit that extract knows of dates. */
static bool
is_known_date_unit(Node *node)
{
	return is_known_unit(node, true) &&
		   !is_among(short_units, lengthof(short_units),
					 wa_constant_text(node));
}

/* Tells whether an argument is an interval of less than some centuries. */
static bool
is_moderate(Node *node)
{
	const Const *constant = wa_constant_of(node, INTERVALOID);
	const Interval *interval;

	if (constant == NULL)
		return false;
	interval = DatumGetIntervalP(constant->constvalue);
	return llabs(interval->month) <= MODERATE_MONTHS &&
		   llabs(interval->day) <= MODERATE_DAYS &&
		   interval->time <= MODERATE_USECS &&
		   interval->time >= -MODERATE_USECS;
}

/* Tells whether an argument is an interval that date_bin takes. */
static bool
is_stride(Node *node)
{
	const Const *constant = wa_constant_of(node, INTERVALOID);
	const Interval *interval;

	if (constant == NULL || !is_moderate(node))
		return false;
	interval = DatumGetIntervalP(constant->constvalue);
	return interval->month == 0 &&
		   interval->day * USECS_PER_DAY + interval->time > 0;
}

/* Tells whether an argument is a timestamp that wa_time_is_safe holds for. */
static bool
is_safe_time(Node *node)
{
	const Const *constant = (const Const *) node;

	return IsA(node, Const) && !constant->constisnull &&
		   (constant->consttype == TIMESTAMPOID ||
			constant->consttype == TIMESTAMPTZOID) &&
		   wa_time_is_safe(constant->consttype,
						   DatumGetTimestamp(constant->constvalue));
}

/* Tells whether an argument is the name of a time zone. */
static bool
is_known_zone(Node *node)
{
	const char *name = wa_constant_text(node);

	return name != NULL && strlen(name) <= TZ_STRLEN_MAX &&
		   pg_tzset(name) != NULL;
}

bool
wa_time_function_is_safe(Oid function, List *args)
{
	Role role;

	if (!find_role(function, &role))
		return false;
	switch (role)
	{
		case ADDS_INTERVAL:
			/* As often as there may be nested ones, a few centuries each. */
			return is_moderate((Node *) lsecond(args));
		case MOVES_TO_ZONE:
			return is_known_zone((Node *) linitial(args));
		case MOVES_IN_SESSION:
		case BEGINS_DATE:
		case TAKES_DATE:
			return true;
		case TRUNCATES_IN_ZONE:
			if (!is_known_zone((Node *) lthird(args)))
				return false;
			pg_fallthrough;
		case TRUNCATES:
			return is_known_unit((Node *) linitial(args), false);
		case EXTRACTS:
			return is_known_unit((Node *) linitial(args), true);
		case EXTRACTS_OF_DATE:
			return is_known_date_unit((Node *) linitial(args));
		case BINS:
			return is_stride((Node *) linitial(args)) &&
				   is_safe_time((Node *) lthird(args));
		default:
			return false;
	}
}

bool
wa_time_step_ascends(Oid function)
{
	Role role;

	return find_role(function, &role) && role >= TRUNCATES &&
		   role <= TAKES_DATE;
}

/*
 * Counts the changing offsets that a time zone stands for: none, one, or, where
 * the user says when it changes, two: it may do so twice a day.
 */
static int
count_offsets(const char *zone)
{
	if (pg_strcasecmp(zone, "UTC") == 0)
		return 0;
	return strchr(zone, ',') == NULL ? 1 : 2;
}

/* The same of the zone of a function that moves a time, or of its own. */
static int
count_offsets_of(Node *node)
{
	const char *zone = wa_constant_text(linitial(wa_arguments_of(node)));
	Role role;

	if (!find_role(wa_function_of(node), &role))
		return 2;
	switch (role)
	{
		case MOVES_TO_OFFSET:
			return 0;
		case MOVES_TO_ZONE:
			return zone == NULL ? 2 : count_offsets(zone);
		case MOVES_IN_SESSION:
			return count_offsets(pg_get_timezone_name(session_timezone));
		default:
			return 2;
	}
}

bool
wa_time_is_shifted(Node *moved)
{
	Node *node = moved;
	int noffsets = 0;

	if (exprType(moved) == TIMESTAMPTZOID)
		noffsets = count_offsets(pg_get_timezone_name(session_timezone));
	for (; node != NULL && !IsA(node, Var); node = varying_argument(node))
		noffsets += IsA(node, FuncExpr) ? count_offsets_of(node) : 2;
	return node != NULL && noffsets <= 1;
}

bool
wa_time_is_safe(Oid type, int64 value)
{
	const int64 unit = type == DATEOID ? 1 : USECS_PER_DAY;

	return !wa_is_time(type) || (value >= WA_SAFE_FIRST_DAY * unit &&
								 value < (WA_SAFE_LAST_DAY + 1) * unit);
}
