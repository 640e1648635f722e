/*
 * integer.c
 *		Columns of integers, and of types stored as integers: exact sums in
 *		128 bits, exact sums of squares in 192.
 */
#include "postgres.h"

#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "state/column.h"
#include "state/numeric_format.h"
#include "state/numeric_variance.h"

/* Returns a value of SQL, widened. */
static inline int64
integer_value(const WaAggState *state, Datum value)
{
	switch (state->width)
	{
		case sizeof(int64):
			return DatumGetInt64(value);
		case sizeof(int32):
			return DatumGetInt32(value);
		default:
			return DatumGetInt16(value);
	}
}

static inline WaInt128 *
sum_of(const WaAggState *state)
{
	return (WaInt128 *) wa_state_component(state, WA_OP_SUM);
}

static inline WaUint192 *
squares_of(const WaAggState *state)
{
	return (WaUint192 *) wa_state_component(state, WA_OP_SQUARES);
}

static void
integer_add(WaAggState *state, Datum value, int sign)
{
	int64 number = integer_value(state, value);

	wa_int128_add(sum_of(state), (__int128) number * sign);
	if (!wa_state_has(state, WA_OP_SQUARES))
		return;
	if (sign > 0)
		wa_uint192_add(squares_of(state),
					   wa_uint192_make(wa_int64_square(number)));
	else
		wa_uint192_subtract(squares_of(state),
							wa_uint192_make(wa_int64_square(number)));
}

static void
integer_absorb(WaAggState *state, const WaPartial *partial)
{
	wa_int128_add(sum_of(state), wa_int128_get(partial->sum));
	if (wa_state_has(state, WA_OP_SQUARES))
		wa_uint192_add(squares_of(state), partial->squares);
}

static void
integer_merge(WaAggState *into, const WaAggState *from)
{
	wa_int128_add(sum_of(into), wa_int128_get(*sum_of(from)));
	if (wa_state_has(into, WA_OP_SQUARES))
		wa_uint192_add(squares_of(into), *squares_of(from));
}

/* Returns a sum as an int8, or raises the error for one that does not fit. */
static Datum
int128_to_int8(WaInt128 number, const char *error)
{
	int64 result;

	if (!wa_int128_to_int64(number, &result))
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("%s", error)));
	return Int64GetDatum(result);
}

static Datum
sum_result(WaAggState *state)
{
	switch (state->plan->type)
	{
		case WA_INT2:
		case WA_INT4:
			return int128_to_int8(*sum_of(state), "bigint out of range");
		case WA_MONEY:
			return int128_to_int8(*sum_of(state), "money out of range");
		case WA_INT8:
			return NumericGetDatum(
				wa_numeric_from_int128(*sum_of(state), 0, 0));
		default:
			elog(ERROR, "unexpected type %d of a sum", state->plan->type);
	}
}

static Datum
average_result(WaAggState *state)
{
	return DirectFunctionCall2(
		numeric_div,
		NumericGetDatum(wa_numeric_from_int128(*sum_of(state), 0, 0)),
		NumericGetDatum(int64_to_numeric(state->rows)));
}

static Datum
variance_result(WaAggState *state, bool sample, bool root)
{
	return wa_numeric_variance(state->rows,
							   wa_numeric_numerator(state->rows, *sum_of(state),
													*squares_of(state), 0, 0),
							   sample, root);
}

const WaColumnKind wa_integer_column = {
	.sum_bytes = sizeof(WaInt128),
	.squares_bytes = sizeof(WaUint192),
	.by_device = true,
	.add = integer_add,
	.absorb = integer_absorb,
	.merge = integer_merge,
	.sum = sum_result,
	.average = average_result,
	.variance = variance_result,
};
