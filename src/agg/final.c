/*
 * final.c
 *		The final functions: from a state to a result of SQL.
 *
 * A group without rows that are not NULL has no state and gives NULL.  Each may
 * be called again after more transitions.  Each leaves nothing under way on a
 * device, whether it has a state or not: the row that it makes may go to the
 * client, who may take a long time to ask for the next one.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/cash.h"
#include "utils/float.h"
#include "utils/numeric.h"

#include "agg/final.h"
#include "agg/state.h"
#include "exec/reduce.h"

PG_FUNCTION_INFO_V1(warpagg_sum_final);
PG_FUNCTION_INFO_V1(warpagg_min_final);

WaOpSet
wa_final_operation(PGFunction function)
{
	if (function == warpagg_sum_final)
		return WA_OP_BIT(WA_OP_SUM);
	if (function == warpagg_min_final)
		return WA_OP_BIT(WA_OP_MIN);
	return 0;
}

/* Returns the state argument with all its rows reduced, or NULL. */
static WaAggState *
flush_argument(FunctionCallInfo fcinfo)
{
	WaAggState *state;

	if (PG_ARGISNULL(0))
	{
		wa_exec_finish();
		return NULL;
	}
	state = (WaAggState *) PG_GETARG_POINTER(0);
	wa_state_flush(state);
	return state;
}

/* Returns a 128-bit sum as a numeric of display scale 0. */
static Datum
int128_to_numeric(WaInt128 number)
{
	char digits[44]; /* a sign, at most 39 digits, a zero byte */
	char *digit = digits + sizeof(digits) - 1;
	__int128 value = wa_int128_get(number);
	unsigned __int128 magnitude =
		value < 0 ? -(unsigned __int128) value : (unsigned __int128) value;
	int64 small;

	if (wa_int128_to_int64(number, &small))
		return NumericGetDatum(int64_to_numeric(small));
	*digit = '\0';
	for (; magnitude != 0; magnitude /= 10)
		*--digit = (char) ('0' + (int) (magnitude % 10));
	if (value < 0)
		*--digit = '-';
	return DirectFunctionCall3(numeric_in, CStringGetDatum(digit),
							   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
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

/* Returns the rounded float sum, or raises the built-in's overflow error. */
static Datum
exact_to_float(const WaPartial *partial, WaType type)
{
	bool overflow;
	Datum result;

	if (type == WA_FLOAT4)
		result = Float4GetDatum(
			wa_exact_to_float(partial->exact, partial->rows, &overflow));
	else
		result = Float8GetDatum(
			wa_exact_to_double(partial->exact, partial->rows, &overflow));
	if (overflow)
		float_overflow_error();
	return result;
}

/*
 * warpagg_sum_final(state internal) returns what sum over the type returns:
 * bigint for smallint and integer, numeric for bigint, the type itself for
 * real, double precision and money.  Raises "bigint out of range", "money out
 * of range" or "value out of range: overflow" if the sum does not fit.
 */
Datum
warpagg_sum_final(PG_FUNCTION_ARGS)
{
	WaAggState *state = flush_argument(fcinfo);

	if (state == NULL)
		PG_RETURN_NULL();
	switch ((WaType) state->type)
	{
		case WA_INT2:
		case WA_INT4:
			return int128_to_int8(state->partial.sum, "bigint out of range");
		case WA_MONEY:
			return int128_to_int8(state->partial.sum, "money out of range");
		case WA_INT8:
			return int128_to_numeric(state->partial.sum);
		case WA_FLOAT4:
		case WA_FLOAT8:
			return exact_to_float(&state->partial, (WaType) state->type);
		default:
			elog(ERROR, "unexpected type %d of a sum", state->type);
	}
}

/*
 * warpagg_min_final(state internal, anyelement) returns anyelement: the
 * smallest value, of the column's type.  The second argument is always NULL
 * and only tells the type.
 */
Datum
warpagg_min_final(PG_FUNCTION_ARGS)
{
	WaAggState *state = flush_argument(fcinfo);

	if (state == NULL)
		PG_RETURN_NULL();
	switch (wa_type_storage((WaType) state->type))
	{
		case WA_I16:
			return Int16GetDatum((int16) state->partial.min.i);
		case WA_I32:
			return Int32GetDatum((int32) state->partial.min.i);
		case WA_I64:
			return Int64GetDatum(state->partial.min.i);
		case WA_U32:
			return UInt32GetDatum((uint32) state->partial.min.i);
		case WA_F32:
			return Float4GetDatum((float4) state->partial.min.f);
		case WA_F64:
			return Float8GetDatum(state->partial.min.f);
		default:
			elog(ERROR, "unexpected type %d of a minimum", state->type);
	}
}
