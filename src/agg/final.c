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

#include "agg/final.h"
#include "client/client.h"

PG_FUNCTION_INFO_V1(warpagg_count_final);
PG_FUNCTION_INFO_V1(warpagg_sum_final);
PG_FUNCTION_INFO_V1(warpagg_avg_final);
PG_FUNCTION_INFO_V1(warpagg_min_final);
PG_FUNCTION_INFO_V1(warpagg_max_final);
PG_FUNCTION_INFO_V1(warpagg_var_pop_final);
PG_FUNCTION_INFO_V1(warpagg_var_samp_final);
PG_FUNCTION_INFO_V1(warpagg_stddev_pop_final);
PG_FUNCTION_INFO_V1(warpagg_stddev_samp_final);

WaAggregate
wa_final_aggregate(PGFunction function)
{
	static const PGFunction functions[WA_AGGREGATE_COUNT] = {
		[WA_COUNT] = warpagg_count_final,
		[WA_SUM] = warpagg_sum_final,
		[WA_AVG] = warpagg_avg_final,
		[WA_MIN] = warpagg_min_final,
		[WA_MAX] = warpagg_max_final,
		[WA_VAR_POP] = warpagg_var_pop_final,
		[WA_VAR_SAMP] = warpagg_var_samp_final,
		[WA_STDDEV_POP] = warpagg_stddev_pop_final,
		[WA_STDDEV_SAMP] = warpagg_stddev_samp_final,
	};
	WaAggregate aggregate = 0;

	while (aggregate < WA_AGGREGATE_COUNT && functions[aggregate] != function)
		aggregate++;
	return aggregate;
}

/* Returns the result over the state argument. */
static Datum
result(FunctionCallInfo fcinfo, WaAggregate aggregate)
{
	WaAggState *state = NULL;

	if (PG_ARGISNULL(0))
		wa_client_finish();
	else
	{
		state = (WaAggState *) PG_GETARG_POINTER(0);
		wa_state_collect(state);
	}
	return wa_aggregate_result(aggregate, state, &fcinfo->isnull);
}

/*
 * warpagg_count_final(state internal) returns bigint: the number of rows that
 * are not NULL.
 */
Datum
warpagg_count_final(PG_FUNCTION_ARGS)
{
	return result(fcinfo, WA_COUNT);
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
	return result(fcinfo, WA_SUM);
}

/*
 * warpagg_avg_final(state internal) returns what avg over the type returns:
 * numeric for integers and numeric, double precision for floats, interval.
 * Raises "interval out of range" if the sum of intervals does not fit.
 */
Datum
warpagg_avg_final(PG_FUNCTION_ARGS)
{
	return result(fcinfo, WA_AVG);
}

/*
 * warpagg_min_final(state internal, anyelement) returns anyelement, and the
 * same with max: the smallest or largest value.  The second argument is always
 * NULL and only tells the type.
 */
Datum
warpagg_min_final(PG_FUNCTION_ARGS)
{
	return result(fcinfo, WA_MIN);
}

Datum
warpagg_max_final(PG_FUNCTION_ARGS)
{
	return result(fcinfo, WA_MAX);
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
	return result(fcinfo, WA_VAR_POP);
}

Datum
warpagg_var_samp_final(PG_FUNCTION_ARGS)
{
	return result(fcinfo, WA_VAR_SAMP);
}

Datum
warpagg_stddev_pop_final(PG_FUNCTION_ARGS)
{
	return result(fcinfo, WA_STDDEV_POP);
}

Datum
warpagg_stddev_samp_final(PG_FUNCTION_ARGS)
{
	return result(fcinfo, WA_STDDEV_SAMP);
}
