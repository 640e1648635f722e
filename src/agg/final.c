/*
 * final.c
 *		The final functions: from a state to a result of SQL.
 *
 * A group without rows that are not NULL gives NULL, and 0 where rows are
 * counted; it may have no state.  Each may be called again after more
 * transitions.  Each leaves nothing under way on a device, whether it has a
 * state or not: the row that it makes may go to the client, who may take a long
 * time to ask for the next one.
 */
#include "postgres.h"

#include "fmgr.h"

#include "agg/column.h"
#include "agg/extreme.h"
#include "agg/final.h"
#include "exec/reduce.h"

PG_FUNCTION_INFO_V1(warpagg_count_final);
PG_FUNCTION_INFO_V1(warpagg_sum_final);
PG_FUNCTION_INFO_V1(warpagg_avg_final);
PG_FUNCTION_INFO_V1(warpagg_min_final);
PG_FUNCTION_INFO_V1(warpagg_max_final);
PG_FUNCTION_INFO_V1(warpagg_var_pop_final);
PG_FUNCTION_INFO_V1(warpagg_var_samp_final);
PG_FUNCTION_INFO_V1(warpagg_stddev_pop_final);
PG_FUNCTION_INFO_V1(warpagg_stddev_samp_final);

#define SUM     WA_OP_BIT(WA_OP_SUM)
#define SQUARES WA_OP_BIT(WA_OP_SQUARES)

WaOpSet
wa_final_operations(PGFunction function)
{
	static const struct
	{
		PGFunction function;
		WaOpSet ops;
	} needs[] = {
		{warpagg_sum_final, SUM},
		{warpagg_avg_final, SUM},
		{warpagg_min_final, WA_OP_BIT(WA_OP_MIN)},
		{warpagg_max_final, WA_OP_BIT(WA_OP_MAX)},
		{warpagg_var_pop_final, SUM | SQUARES},
		{warpagg_var_samp_final, SUM | SQUARES},
		{warpagg_stddev_pop_final, SUM | SQUARES},
		{warpagg_stddev_samp_final, SUM | SQUARES},
	};

	for (int i = 0; i < lengthof(needs); i++)
		if (needs[i].function == function)
			return needs[i].ops;
	return 0;
}

/* Returns the state argument with all rows in its components, if it has any. */
static WaAggState *
collect_argument(FunctionCallInfo fcinfo)
{
	WaAggState *state;

	if (PG_ARGISNULL(0))
	{
		wa_exec_finish();
		return NULL;
	}
	state = (WaAggState *) PG_GETARG_POINTER(0);
	wa_state_collect(state);
	return state->rows > 0 ? state : NULL;
}

/*
 * warpagg_count_final(state internal) returns bigint: the number of rows that
 * are not NULL.
 */
Datum
warpagg_count_final(PG_FUNCTION_ARGS)
{
	WaAggState *state = collect_argument(fcinfo);

	PG_RETURN_INT64(state == NULL ? 0 : state->rows);
}

/*
 * warpagg_sum_final(state internal) returns what sum over the type returns:
 * bigint for smallint and integer, numeric for bigint, the type itself for the
 * others.  Raises "bigint out of range", "money out of range", "interval out
 * of range", "value out of range: overflow" or "value overflows numeric
 * format" if the sum does not fit.
 */
Datum
warpagg_sum_final(PG_FUNCTION_ARGS)
{
	WaAggState *state = collect_argument(fcinfo);

	if (state == NULL)
		PG_RETURN_NULL();
	return state->plan->kind->sum(state);
}

/*
 * warpagg_avg_final(state internal) returns what avg over the type returns:
 * numeric for integers and numeric, double precision for floats, interval.
 * Raises "interval out of range" if the sum of intervals does not fit.
 */
Datum
warpagg_avg_final(PG_FUNCTION_ARGS)
{
	WaAggState *state = collect_argument(fcinfo);

	if (state == NULL)
		PG_RETURN_NULL();
	return state->plan->kind->average(state);
}

/*
 * warpagg_min_final(state internal, anyelement) returns anyelement, and the
 * same with max: the smallest or largest value.  The second argument is always
 * NULL and only tells the type.
 */
Datum
warpagg_min_final(PG_FUNCTION_ARGS)
{
	WaAggState *state = collect_argument(fcinfo);

	if (state == NULL)
		PG_RETURN_NULL();
	return wa_extreme_result(state, WA_OP_MIN);
}

Datum
warpagg_max_final(PG_FUNCTION_ARGS)
{
	WaAggState *state = collect_argument(fcinfo);

	if (state == NULL)
		PG_RETURN_NULL();
	return wa_extreme_result(state, WA_OP_MAX);
}

/* Returns a variance or its square root; NULL without enough rows. */
static Datum
variance(FunctionCallInfo fcinfo, bool sample, bool root)
{
	WaAggState *state = collect_argument(fcinfo);

	if (state == NULL || (sample && state->rows == 1))
		PG_RETURN_NULL();
	return state->plan->kind->variance(state, sample, root);
}

/*
 * warpagg_var_pop_final(state internal) returns numeric, or double precision
 * for floats: the population variance.  The others likewise: the sample
 * variance, and the square root of either.  Raise "value out of range:
 * overflow" if the result over floats is too large.
 */
Datum
warpagg_var_pop_final(PG_FUNCTION_ARGS)
{
	return variance(fcinfo, false, false);
}

Datum
warpagg_var_samp_final(PG_FUNCTION_ARGS)
{
	return variance(fcinfo, true, false);
}

Datum
warpagg_stddev_pop_final(PG_FUNCTION_ARGS)
{
	return variance(fcinfo, false, true);
}

Datum
warpagg_stddev_samp_final(PG_FUNCTION_ARGS)
{
	return variance(fcinfo, true, true);
}
