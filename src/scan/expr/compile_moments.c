/*
 * compile_moments.c
 *		Functions of times that are computed by what there are instructions for, as those
 *		of compile_others.c are.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "scan/expr/compile_internal.h"
#include "scan/expr/functions.h"

/* Seconds from 1970 to 2000. */
#define EPOCH_SECONDS \
	((int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY)

/* From here on not all integers are doubles, as a power of two. */
#define DOUBLE_BITS 53

/*
 * Emits an integer as it is, which traps where it is less than first or more than last:
 * it is moved to the ends of what an integer has.
 */
static int
emit_guarded(WaCompiler *compiler, int time, int64 first, int64 last)
{
	const int64 above = PG_INT64_MAX - last;
	const int64 below = first - PG_INT64_MIN;
	const int raised = wa_emit_int(compiler, WA_CODE_INT_ADD, time,
								   wa_constant_int(compiler, above));
	const int unraised = wa_emit_int(compiler, WA_CODE_INT_SUBTRACT, raised,
									 wa_constant_int(compiler, above));
	const int lowered = wa_emit_int(compiler, WA_CODE_INT_SUBTRACT, unraised,
									wa_constant_int(compiler, below));

	return wa_emit_int(compiler, WA_CODE_INT_ADD, lowered,
					   wa_constant_int(compiler, below));
}

/* Compiles a timestamp; it traps where that is infinite. */
static int
compile_finite(WaCompiler *compiler, Expr *time)
{
	return emit_guarded(compiler, wa_compile(compiler, time), PG_INT64_MIN + 1,
						PG_INT64_MAX - 1);
}

/* Returns the arguments of the difference of two timestamps, or NIL. */
static List *
difference_of(Node *node)
{
	const Oid function = wa_function_of(node);

	if (function != F_TIMESTAMP_MI && function != F_TIMESTAMPTZ_MI)
		return NIL;
	return wa_arguments_of(node);
}

/* Compiles the difference of two timestamps in microseconds. */
static int
compile_difference(WaCompiler *compiler, List *times)
{
	return wa_emit_int(compiler, WA_CODE_INT_SUBTRACT,
					   compile_finite(compiler, linitial(times)),
					   compile_finite(compiler, lsecond(times)));
}

/* A part of a time that extract and date_trunc know: so many units, less whole ones above. */
typedef struct Part
{
	const char *name;
	int64 usecs; /* of the unit */
	int64 above; /* microseconds of what it is a part of; 0: it is none */
} Part;

static const Part parts[] = {
	{"second", USECS_PER_SEC, USECS_PER_MINUTE},
	{"minute", USECS_PER_MINUTE, USECS_PER_HOUR},
	{"hour", USECS_PER_HOUR, USECS_PER_DAY},
	{"day", USECS_PER_DAY, 0},
};

/* Finds the part that a constant text names; NULL: there is no such thing. */
static const Part *
find_part(Node *node)
{
	const char *name = wa_constant_text(node);

	for (int i = 0; name != NULL && i < lengthof(parts); i++)
		if (strcmp(parts[i].name, name) == 0)
			return &parts[i];
	return NULL;
}

/* Tells whether a constant text is "epoch". */
static bool
is_epoch(Node *node)
{
	const char *name = wa_constant_text(node);

	return name != NULL && strcmp(name, "epoch") == 0;
}

/* Emits integers as what extract, a numeric, or date_part, a double, returns. */
static int
emit_number(WaCompiler *compiler, WaVectorKind kind, int number)
{
	return kind == WA_VECTOR_FLOAT
			   ? wa_compiler_emit(compiler, WA_CODE_INT_TO_FLOAT, kind, number,
								  0, 0, sizeof(float8))
			   : wa_emit_one(compiler, WA_CODE_INT_TO_DECIMAL, kind, number);
}

/* Emits microseconds as seconds, a numeric of six digits after the point. */
static int
emit_decimal_seconds(WaCompiler *compiler, int usecs)
{
	return wa_emit_decimal(compiler, WA_CODE_DECIMAL_MULTIPLY,
						   emit_number(compiler, WA_VECTOR_DECIMAL, usecs),
						   wa_constant_power(compiler, -6));
}

/* The same as doubles, of less than a day, as interval_part computes them. */
static int
emit_float_seconds(WaCompiler *compiler, int usecs)
{
	return wa_emit_float(compiler, WA_CODE_FLOAT_DIVIDE,
						 emit_number(compiler, WA_VECTOR_FLOAT, usecs),
						 wa_constant_float(compiler, 1000000.0));
}

/* Emits a number divided by a constant, or what remains. */
static int
emit_division(WaCompiler *compiler, WaOpcode code, int number, int64 by)
{
	return wa_emit_int(compiler, code, number, wa_constant_int(compiler, by));
}

/*
 * Compiles the epoch of a difference.  It has days, of 86400 seconds, and a time, of
 * which date_part adds the doubles.
 */
static int
compile_epoch(WaCompiler *compiler, List *times, WaVectorKind kind)
{
	const int usecs = compile_difference(compiler, times);
	int days;
	int rest;

	if (kind == WA_VECTOR_DECIMAL)
		return emit_decimal_seconds(compiler, usecs);
	days = emit_division(compiler, WA_CODE_INT_DIVIDE, usecs, USECS_PER_DAY);
	rest = emit_division(compiler, WA_CODE_INT_REMAINDER, usecs, USECS_PER_DAY);
	return wa_emit_float(
		compiler, WA_CODE_FLOAT_ADD, emit_float_seconds(compiler, rest),
		wa_emit_float(compiler, WA_CODE_FLOAT_MULTIPLY,
					  emit_number(compiler, kind, days),
					  wa_constant_float(compiler, (float8) SECS_PER_DAY)));
}

/*
 * Emits a part of a time of day, or of a difference, both in microseconds.  Seconds
 * have a fraction, which date_part adds to them.
 */
static int
emit_part(WaCompiler *compiler, int usecs, const Part *part, WaVectorKind kind)
{
	int rest = usecs;
	int units;

	if (part->above != 0)
		rest =
			emit_division(compiler, WA_CODE_INT_REMAINDER, usecs, part->above);
	if (part->usecs == USECS_PER_SEC && kind == WA_VECTOR_DECIMAL)
		return emit_decimal_seconds(compiler, rest);
	units = emit_division(compiler, WA_CODE_INT_DIVIDE, rest, part->usecs);
	if (part->usecs != USECS_PER_SEC)
		return emit_number(compiler, kind, units);
	return wa_emit_float(
		compiler, WA_CODE_FLOAT_ADD, emit_number(compiler, kind, units),
		emit_float_seconds(compiler,
						   emit_division(compiler, WA_CODE_INT_REMAINDER, rest,
										 USECS_PER_SEC)));
}

/* Emits what is left, not negative, of a time that is divided by a unit. */
static int
emit_rest(WaCompiler *compiler, int time, int64 unit)
{
	const int rest = emit_division(compiler, WA_CODE_INT_REMAINDER, time, unit);
	const int above = wa_emit_int(compiler, WA_CODE_INT_ADD, rest,
								  wa_constant_int(compiler, unit));
	const int negative =
		wa_emit_comparison(compiler, WA_CODE_COMPARE_INT, rest,
						   wa_constant_int(compiler, 0), WA_LESS);

	return wa_emit_choice(compiler, WA_VECTOR_INT, negative, above, rest);
}

/* Emits whether a timestamp is infinite. */
static int
emit_is_infinite(WaCompiler *compiler, int time)
{
	const int first =
		wa_emit_comparison(compiler, WA_CODE_COMPARE_INT, time,
						   wa_constant_int(compiler, DT_NOBEGIN), WA_EQUAL);
	const int last =
		wa_emit_comparison(compiler, WA_CODE_COMPARE_INT, time,
						   wa_constant_int(compiler, DT_NOEND), WA_EQUAL);

	return wa_emit_bool(compiler, WA_CODE_OR, first, last);
}

/* Emits the time of day of a timestamp without time zone; NULL of infinite ones. */
static int
emit_time_of_day(WaCompiler *compiler, int time)
{
	return wa_emit_choice(compiler, WA_VECTOR_INT,
						  emit_is_infinite(compiler, time),
						  wa_constant_null(compiler, INT8OID),
						  emit_rest(compiler, time, USECS_PER_DAY));
}

/*
 * Compiles date_trunc of a timestamp without time zone: what is left when it is divided is
 * taken off.  The infinities stay as they are.
 */
static int
compile_truncation(WaCompiler *compiler, Expr *argument, int64 unit)
{
	const int time = wa_compile(compiler, argument);
	const int rest = wa_emit_choice(
		compiler, WA_VECTOR_INT, emit_is_infinite(compiler, time),
		wa_constant_int(compiler, 0), emit_rest(compiler, time, unit));

	return wa_emit_int(compiler, WA_CODE_INT_SUBTRACT, time, rest);
}

/*
 * Returns the integer that is made a double, if no double is between it and the next;
 * NULL: there is no such thing.
 */
static Expr *
integer_of(Node *node)
{
	switch (wa_function_of(node))
	{
		case F_FLOAT8_INT2:
		case F_FLOAT8_INT4:
		case F_FLOAT8_INT8:
			return linitial(wa_arguments_of(node));
		default:
			return NULL;
	}
}

/*
 * Compiles to_timestamp of seconds since 1970.  Of integers it is exact as long as
 * PostgreSQL's doubles are, beyond which a product traps.
 */
static int
compile_to_timestamp(WaCompiler *compiler, Expr *argument)
{
	Expr *integer = integer_of((Node *) argument);
	int number;

	if (integer != NULL)
	{
		const int64 spare = INT64CONST(1) << (63 - DOUBLE_BITS);

		number = wa_emit_int(compiler, WA_CODE_INT_SUBTRACT,
							 wa_compile(compiler, integer),
							 wa_constant_int(compiler, EPOCH_SECONDS));
		number = wa_emit_int(compiler, WA_CODE_INT_MULTIPLY, number,
							 wa_constant_int(compiler, spare * USECS_PER_SEC));
		return emit_division(compiler, WA_CODE_INT_DIVIDE, number, spare);
	}
	number = wa_emit_float(compiler, WA_CODE_FLOAT_SUBTRACT,
						   wa_compile(compiler, argument),
						   wa_constant_float(compiler, (float8) EPOCH_SECONDS));
	number = wa_emit_float(compiler, WA_CODE_FLOAT_MULTIPLY, number,
						   wa_constant_float(compiler, (float8) USECS_PER_SEC));
	number = wa_compiler_emit(compiler, WA_CODE_FLOAT_TO_INT, WA_VECTOR_INT,
							  number, 0, 0, sizeof(int64));
	return emit_guarded(compiler, number, MIN_TIMESTAMP, END_TIMESTAMP - 1);
}

/* Compiles the sum of a date and a time of day. */
static int
compile_sum_of_day(WaCompiler *compiler, Expr *date, Expr *time)
{
	const int midnight = wa_emit_one(compiler, WA_CODE_DATE_TO_TIMESTAMP,
									 WA_VECTOR_INT, wa_compile(compiler, date));

	return emit_guarded(compiler,
						wa_emit_int(compiler, WA_CODE_INT_ADD, midnight,
									wa_compile(compiler, time)),
						MIN_TIMESTAMP, END_TIMESTAMP - 1);
}

/* Finds the comparison that a function of intervals is; false: it is none. */
static bool
find_interval_comparison(Oid function, uint32 *comparison)
{
	static const Oid functions[] = {
		[WA_EQUAL] = F_INTERVAL_EQ,   [WA_NOT_EQUAL] = F_INTERVAL_NE,
		[WA_LESS] = F_INTERVAL_LT,    [WA_LESS_OR_EQUAL] = F_INTERVAL_LE,
		[WA_GREATER] = F_INTERVAL_GT, [WA_GREATER_OR_EQUAL] = F_INTERVAL_GE,
	};

	for (*comparison = 0; *comparison < lengthof(functions); (*comparison)++)
		if (functions[*comparison] == function)
			return true;
	return false;
}

/*
 * Finds for how many microseconds PostgreSQL takes a constant interval when it
 * compares; returns false if that is not one, or too long.
 */
static bool
find_span(Node *node, int64 *span)
{
	const Const *constant = wa_constant_of(node, INTERVALOID);
	const Interval *interval;
	int128 usecs;

	if (constant == NULL)
		return false;
	interval = DatumGetIntervalP(constant->constvalue);
	usecs = ((int128) interval->month * DAYS_PER_MONTH + interval->day) *
				USECS_PER_DAY +
			interval->time;
	*span = (int64) usecs;
	return usecs == *span;
}

/*
 * Compiles the comparison of a difference of timestamps with a constant interval.
 * Returns false if it is none.
 */
static bool
compile_interval_comparison(WaCompiler *compiler, Oid function, List *args,
							int *number)
{
	uint32 comparison;
	List *times;
	int64 span;

	if (!find_interval_comparison(function, &comparison))
		return false;
	if (find_span(lsecond(args), &span))
		times = difference_of(linitial(args));
	else if (find_span(linitial(args), &span))
	{
		times = difference_of(lsecond(args));
		comparison = wa_comparison_turned(comparison);
	}
	else
		return false;
	if (times == NIL)
		return false;
	*number = wa_emit_comparison(compiler, WA_CODE_COMPARE_INT,
								 compile_difference(compiler, times),
								 wa_constant_int(compiler, span), comparison);
	return true;
}

/*
 * Compiles the comparison of a time with a constant one of another type; returns false if
 * it is none.
 */
static bool
compile_border_comparison(WaCompiler *compiler, Oid function, List *args,
						  int *number)
{
	bool is_right;
	WaBorder border;

	if (list_length(args) != 2)
		return false;
	is_right = !wa_varies(compiler, linitial(args));
	if (wa_varies(compiler, list_nth(args, is_right ? 0 : 1)) ||
		!wa_border_describe(function, args, is_right, &border))
		return false;
	*number = wa_emit_comparison(
		compiler, WA_CODE_COMPARE_INT,
		wa_compile(compiler, list_nth(args, is_right ? 1 : 0)),
		wa_compile_border(compiler, list_nth(args, is_right ? 0 : 1), &border),
		border.comparison);
	return true;
}

/* Compiles the epoch of a timestamp. */
static int
compile_timestamp_epoch(WaCompiler *compiler, Expr *time, WaVectorKind kind)
{
	return wa_emit_one(compiler,
					   kind == WA_VECTOR_DECIMAL ? WA_CODE_TIMESTAMP_TO_DECIMAL
												 : WA_CODE_TIMESTAMP_TO_FLOAT,
					   kind, wa_compile(compiler, time));
}

/* Tells whether a function is date_part, which returns doubles. */
static bool
is_date_part(Oid function)
{
	return function == F_DATE_PART_TEXT_INTERVAL ||
		   function == F_DATE_PART_TEXT_TIMESTAMP ||
		   function == F_DATE_PART_TEXT_TIMESTAMPTZ ||
		   function == F_DATE_PART_TEXT_TIME;
}

/*
 * Compiles extract, date_part or date_trunc; returns false if it is none of these.  Of
 * whole hours and days there are few enough for tables, of minutes and seconds are not.
 */
static bool
compile_part(WaCompiler *compiler, Oid function, List *args, int *number)
{
	const WaVectorKind kind =
		is_date_part(function) ? WA_VECTOR_FLOAT : WA_VECTOR_DECIMAL;
	const Part *part = find_part(linitial(args));
	List *times;
	Part of_time;

	switch (function)
	{
		case F_EXTRACT_TEXT_INTERVAL:
		case F_DATE_PART_TEXT_INTERVAL:
			times = difference_of(lsecond(args));
			if (times == NIL || (part == NULL && !is_epoch(linitial(args))))
				return false;
			*number =
				part == NULL
					? compile_epoch(compiler, times, kind)
					: emit_part(compiler, compile_difference(compiler, times),
								part, kind);
			return true;
		case F_EXTRACT_TEXT_TIME:
		case F_DATE_PART_TEXT_TIME:
			if (part == NULL || part->above == 0)
				return false;
			of_time = *part;
			/* There is an hour 24. */
			if (part->usecs == USECS_PER_HOUR)
				of_time.above = 0;
			*number = emit_part(compiler, wa_compile(compiler, lsecond(args)),
								&of_time, kind);
			return true;
		case F_EXTRACT_TEXT_TIMESTAMP:
		case F_DATE_PART_TEXT_TIMESTAMP:
			if (part != NULL && part->usecs < USECS_PER_HOUR)
			{
				*number = emit_part(
					compiler,
					emit_time_of_day(compiler,
									 wa_compile(compiler, lsecond(args))),
					part, kind);
				return true;
			}
			pg_fallthrough;
		case F_EXTRACT_TEXT_TIMESTAMPTZ:
		case F_DATE_PART_TEXT_TIMESTAMPTZ:
			if (!is_epoch(linitial(args)))
				return false;
			*number = compile_timestamp_epoch(compiler, lsecond(args), kind);
			return true;
		case F_DATE_TRUNC_TEXT_TIMESTAMP:
			if (part == NULL || !IsA(lsecond(args), Var))
				return false;
			*number = compile_truncation(compiler, lsecond(args), part->usecs);
			return true;
		default:
			return false;
	}
}

bool
wa_compile_moment(WaCompiler *compiler, Oid function, List *args, int *number)
{
	switch (function)
	{
		case F_TO_TIMESTAMP_FLOAT8:
			*number = compile_to_timestamp(compiler, linitial(args));
			return true;
		case F_TIME_TIMESTAMP:
			*number = emit_time_of_day(compiler,
									   wa_compile(compiler, linitial(args)));
			return true;
		case F_DATETIME_PL:
			*number =
				compile_sum_of_day(compiler, linitial(args), lsecond(args));
			return true;
		case F_TIMEDATE_PL:
			*number =
				compile_sum_of_day(compiler, lsecond(args), linitial(args));
			return true;
		default:
			return compile_part(compiler, function, args, number) ||
				   compile_interval_comparison(compiler, function, args,
											   number) ||
				   compile_border_comparison(compiler, function, args, number);
	}
}
