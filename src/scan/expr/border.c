/*
 * border.c
 *		Comparisons of times of two types; see border.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/int.h"
#include "datatype/timestamp.h"
#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "pgtime.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "core/program.h"
#include "scan/expr/border.h"

/* The same time of two zones is not further apart. */
#define FAR_USECS (3 * USECS_PER_DAY)

/* The comparisons that depend on the time zone. */
static const struct
{
	Oid function;
	uint32 comparison; /* of the left argument with the right one */
} functions[] = {
	{F_TIMESTAMP_LT_TIMESTAMPTZ, WA_LESS},
	{F_TIMESTAMP_LE_TIMESTAMPTZ, WA_LESS_OR_EQUAL},
	{F_TIMESTAMP_GT_TIMESTAMPTZ, WA_GREATER},
	{F_TIMESTAMP_GE_TIMESTAMPTZ, WA_GREATER_OR_EQUAL},
	{F_TIMESTAMPTZ_LT_TIMESTAMP, WA_LESS},
	{F_TIMESTAMPTZ_LE_TIMESTAMP, WA_LESS_OR_EQUAL},
	{F_TIMESTAMPTZ_GT_TIMESTAMP, WA_GREATER},
	{F_TIMESTAMPTZ_GE_TIMESTAMP, WA_GREATER_OR_EQUAL},
	{F_DATE_LT_TIMESTAMPTZ, WA_LESS},
	{F_DATE_LE_TIMESTAMPTZ, WA_LESS_OR_EQUAL},
	{F_DATE_GT_TIMESTAMPTZ, WA_GREATER},
	{F_DATE_GE_TIMESTAMPTZ, WA_GREATER_OR_EQUAL},
	{F_TIMESTAMPTZ_LT_DATE, WA_LESS},
	{F_TIMESTAMPTZ_LE_DATE, WA_LESS_OR_EQUAL},
	{F_TIMESTAMPTZ_GT_DATE, WA_GREATER},
	{F_TIMESTAMPTZ_GE_DATE, WA_GREATER_OR_EQUAL},
};

bool
wa_border_describe(Oid function, List *args, bool is_right, WaBorder *border)
{
	for (int i = 0; i < lengthof(functions); i++)
	{
		const uint32 comparison = functions[i].comparison;

		if (functions[i].function != function)
			continue;
		*border =
			(WaBorder){.function = function,
					   .type = getBaseType(
						   exprType((Node *) list_nth(args, is_right ? 1 : 0))),
					   .is_right = is_right,
					   .limit_type = getBaseType(
						   exprType((Node *) list_nth(args, is_right ? 0 : 1))),
					   .comparison = is_right ? wa_comparison_turned(comparison)
											  : comparison};
		return true;
	}
	return false;
}

/* Returns how many microseconds a value of a type is one of. */
static int64
unit_of(Oid type)
{
	return type == DATEOID ? USECS_PER_DAY : 1;
}

/* Returns a time as a value of a type; it is counted in the unit of that. */
static Datum
make_value(Oid type, int64 time)
{
	return type == DATEOID ? DateADTGetDatum((DateADT) time)
						   : TimestampGetDatum(time);
}

/* Tells whether a limit is infinite, and stores which infinity it is. */
static bool
is_infinite(const WaBorder *border, Datum limit, Datum *value)
{
	const bool is_date = border->limit_type == DATEOID;
	const bool is_first = is_date
							  ? DATE_IS_NOBEGIN(DatumGetDateADT(limit))
							  : TIMESTAMP_IS_NOBEGIN(DatumGetTimestamp(limit));
	const bool is_last = is_date ? DATE_IS_NOEND(DatumGetDateADT(limit))
								 : TIMESTAMP_IS_NOEND(DatumGetTimestamp(limit));

	if (border->type == DATEOID)
		*value = DateADTGetDatum(is_first ? DATEVAL_NOBEGIN : DATEVAL_NOEND);
	else
		*value = TimestampGetDatum(is_first ? DT_NOBEGIN : DT_NOEND);
	return is_first || is_last;
}

/* Tells whether a time of UTC lies as far behind a point as clocks were put forward there. */
static bool
is_after_gap(int64 usecs)
{
	const pg_time_t time = timestamptz_to_time_t(usecs);
	pg_time_t from = timestamptz_to_time_t(usecs - FAR_USECS);

	for (;;)
	{
		pg_time_t boundary;
		long before;
		long after;
		int before_isdst;
		int after_isdst;
		const int found =
			pg_next_dst_boundary(&from, &before, &before_isdst, &boundary,
								 &after, &after_isdst, session_timezone);

		if (found == 0 || (found > 0 && boundary > time))
			return false;
		if (found < 0 || time - boundary <= after - before)
			return true;
		from = boundary;
	}
}

/* Has PostgreSQL compare a time with the limit. */
static bool
compare(const WaBorder *border, int64 time, Datum limit)
{
	const Datum value = make_value(border->type, time);

	return DatumGetBool(border->is_right
							? OidFunctionCall2(border->function, limit, value)
							: OidFunctionCall2(border->function, value, limit));
}

/* Returns the first time, after one and no later than another, that compares as that. */
static int64
find_first(const WaBorder *border, int64 before, int64 last, Datum limit)
{
	const bool wanted = compare(border, last, limit);

	while (last - before > 1)
	{
		const int64 middle = before + (last - before) / 2;

		if (compare(border, middle, limit) == wanted)
			last = middle;
		else
			before = middle;
	}
	return last;
}

bool
wa_border_find(const WaBorder *border, Datum limit, Datum *value)
{
	const int64 unit = unit_of(border->type);
	const bool is_first_counted = border->comparison == WA_LESS ||
								  border->comparison == WA_GREATER_OR_EQUAL;
	int64 usecs;
	int64 first;

	if (is_infinite(border, limit, value))
		return true;
	if (border->limit_type != DATEOID)
		usecs = DatumGetTimestamp(limit);
	else if (pg_mul_s64_overflow(DatumGetDateADT(limit), USECS_PER_DAY, &usecs))
		return false;
	if (usecs < MIN_TIMESTAMP + 2 * FAR_USECS ||
		usecs > END_TIMESTAMP - 2 * FAR_USECS ||
		(border->limit_type == TIMESTAMPTZOID && is_after_gap(usecs)))
		return false;
	first = find_first(border, (usecs - FAR_USECS) / unit - 1,
					   (usecs + FAR_USECS) / unit + 1, limit);
	*value = make_value(border->type, is_first_counted ? first : first - 1);
	return true;
}
