/*
 * interval.c
 *		Columns of intervals: exact sums of months, days and microseconds.
 *
 * The fields are added apart from one another, as interval_pl does, but in
 * words that do not overflow; only the result has to fit.
 */
#include "postgres.h"

#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "state/column.h"

typedef struct IntervalSum
{
	WaInt128 time; /* microseconds */
	int64 days;
	int64 months;
	int64 plus_infinities;
	int64 minus_infinities;
} IntervalSum;

static inline IntervalSum *
sum_of(const WaAggState *state)
{
	return (IntervalSum *) wa_state_component(state, WA_OP_SUM);
}

static void
interval_add(WaAggState *state, Datum value, int sign)
{
	const Interval *interval = DatumGetIntervalP(value);
	IntervalSum *sum = sum_of(state);
	int infinite = interval_infinity_compat(interval);

	if (infinite > 0)
		sum->plus_infinities += sign;
	else if (infinite < 0)
		sum->minus_infinities += sign;
	else
	{
		wa_int128_add(&sum->time, (__int128) interval->time * sign);
		sum->days += (int64) interval->day * sign;
		sum->months += (int64) interval->month * sign;
	}
}

static void
interval_merge(WaAggState *into, const WaAggState *from)
{
	IntervalSum *sum = sum_of(into);
	const IntervalSum *other = sum_of(from);

	wa_int128_add(&sum->time, wa_int128_get(other->time));
	sum->days += other->days;
	sum->months += other->months;
	sum->plus_infinities += other->plus_infinities;
	sum->minus_infinities += other->minus_infinities;
}

/* Raises the error for a sum that is no interval. */
static void
report_out_of_range(void)
{
	ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
					errmsg("interval out of range")));
}

static Datum
sum_result(WaAggState *state)
{
	const IntervalSum *sum = sum_of(state);
	Interval *result = palloc0(sizeof(Interval));

	if (sum->plus_infinities > 0 && sum->minus_infinities > 0)
		report_out_of_range();
	if (sum->plus_infinities > 0 || sum->minus_infinities > 0)
		interval_set_infinity_compat(result, sum->plus_infinities > 0 ? 1 : -1);
	else
	{
		result->day = (int32) sum->days;
		result->month = (int32) sum->months;
		if (!wa_int128_to_int64(sum->time, &result->time) ||
			result->day != sum->days || result->month != sum->months ||
			interval_infinity_compat(result) != 0)
			report_out_of_range();
	}
	return IntervalPGetDatum(result);
}

static Datum
average_result(WaAggState *state)
{
	return DirectFunctionCall2(interval_div, sum_result(state),
							   Float8GetDatum((float8) state->rows));
}

const WaColumnKind wa_interval_column = {
	.sum_bytes = sizeof(IntervalSum),
	.add = interval_add,
	.merge = interval_merge,
	.sum = sum_result,
	.average = average_result,
};
