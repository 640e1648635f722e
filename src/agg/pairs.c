/*
 * pairs.c
 *		The aggregates of pairs (y, x): correlation, covariances, linear regression.
 *
 * They are PostgreSQL's over double precision, but computed exactly and rounded once.  A pair
 * one of which is NULL is none.
 */
#include "postgres.h"

#include "fmgr.h"
#include "libpq/pqformat.h"
#include "nodes/execnodes.h"

#include "agg/final.h"
#include "client/client.h"
#include "state/pairs.h"

PG_FUNCTION_INFO_V1(warpagg_pair_transition);
PG_FUNCTION_INFO_V1(warpagg_pair_moving_transition);
PG_FUNCTION_INFO_V1(warpagg_pair_moving_inverse);
PG_FUNCTION_INFO_V1(warpagg_pair_combine);
PG_FUNCTION_INFO_V1(warpagg_pair_serialize);
PG_FUNCTION_INFO_V1(warpagg_pair_deserialize);
PG_FUNCTION_INFO_V1(warpagg_pair_part);

/* What a call site does with states. */
typedef enum Use
{
	TAKE_PAIRS,
	MOVE, /* take pairs, and take them away again */
	TAKE_STATES
} Use;

/* Returns the plans of the states of a call site, which are made once. */
static const WaPairPlans *
find_plans(FunctionCallInfo fcinfo, Use use)
{
	WaPairPlans *plans = (WaPairPlans *) fcinfo->flinfo->fn_extra;

	if (plans != NULL)
		return plans;
	plans =
		MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(WaPairPlans));
	plans->numbers.moving = use == MOVE;
	if (use == TAKE_PAIRS && AggGetAggref(fcinfo) != NULL)
	{
		const AggState *node = castNode(AggState, fcinfo->context);

		plans->numbers.many =
			node->aggstrategy == AGG_HASHED || node->aggstrategy == AGG_MIXED;
		plans->numbers.may_use_device = true;
	}
	wa_pair_plans_complete(plans, fcinfo->flinfo->fn_mcxt);
	fcinfo->flinfo->fn_extra = plans;
	return plans;
}

/* Makes the state at the first pair of a group. */
static WaPairState *
make_state(FunctionCallInfo fcinfo, Use use)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "warpagg pair transition function called in a context that "
					"is not an aggregate");
	if (fcinfo->flinfo->fn_extra == NULL)
		wa_client_begin();
	return wa_pair_state_make(context, find_plans(fcinfo, use));
}

/*
 * warpagg_pair_transition(state internal, y double precision, x double precision) returns
 * internal: takes one pair into the state; NULLs leave it as it is.
 */
Datum
warpagg_pair_transition(PG_FUNCTION_ARGS)
{
	WaPairState *state;

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
	{
		fcinfo->isnull = PG_ARGISNULL(0);
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	state = PG_ARGISNULL(0) ? make_state(fcinfo, TAKE_PAIRS)
							: (WaPairState *) PG_GETARG_POINTER(0);
	wa_pair_state_take(state, PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2));
	PG_RETURN_POINTER(state);
}

/*
 * warpagg_pair_moving_transition(state internal, y double precision, x double precision) returns
 * internal: the same for window frames whose start moves.  It must not return NULL.
 */
Datum
warpagg_pair_moving_transition(PG_FUNCTION_ARGS)
{
	WaPairState *state = PG_ARGISNULL(0) ? make_state(fcinfo, MOVE)
										 : (WaPairState *) PG_GETARG_POINTER(0);

	if (!PG_ARGISNULL(1) && !PG_ARGISNULL(2))
		wa_pair_state_take(state, PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2));
	PG_RETURN_POINTER(state);
}

/*
 * warpagg_pair_moving_inverse(state internal, y double precision, x double precision) returns
 * internal: takes a pair away again that warpagg_pair_moving_transition took, exactly.
 */
Datum
warpagg_pair_moving_inverse(PG_FUNCTION_ARGS)
{
	WaPairState *state;

	if (!AggCheckCallContext(fcinfo, NULL) || PG_ARGISNULL(0))
		elog(ERROR, "warpagg_pair_moving_inverse called without a state");
	state = (WaPairState *) PG_GETARG_POINTER(0);
	if (!PG_ARGISNULL(1) && !PG_ARGISNULL(2))
		wa_pair_state_drop(state, PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2));
	PG_RETURN_POINTER(state);
}

/*
 * warpagg_pair_combine(into internal, from internal) returns internal: the state of the pairs
 * of both, either of which may be NULL for no pairs.
 */
Datum
warpagg_pair_combine(PG_FUNCTION_ARGS)
{
	WaPairState *into;
	WaPairState *from;
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "warpagg_pair_combine called in a context that is not an "
					"aggregate");
	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	from = (WaPairState *) PG_GETARG_POINTER(1);
	wa_pair_state_collect(from);
	into = PG_ARGISNULL(0)
			   ? wa_pair_state_make(context, find_plans(fcinfo, TAKE_STATES))
			   : (WaPairState *) PG_GETARG_POINTER(0);
	wa_pair_state_merge(into, from);
	PG_RETURN_POINTER(into);
}

/*
 * warpagg_pair_serialize(state internal) returns bytea, and
 * warpagg_pair_deserialize(bytea, internal) returns internal: as warpagg_serialize and
 * warpagg_deserialize.
 */
Datum
warpagg_pair_serialize(PG_FUNCTION_ARGS)
{
	WaPairState *state;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "warpagg_pair_serialize called in a context that is not "
					"an aggregate");
	if (PG_ARGISNULL(0))
	{
		wa_client_finish(); /* as final functions do */
		PG_RETURN_NULL();
	}
	state = (WaPairState *) PG_GETARG_POINTER(0);
	wa_pair_state_collect(state);
	PG_RETURN_BYTEA_P(wa_pair_state_write(state));
}

Datum
warpagg_pair_deserialize(PG_FUNCTION_ARGS)
{
	bytea *serial;
	StringInfoData buffer;
	WaPairState *state;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "warpagg_pair_deserialize called in a context that is not "
					"an aggregate");
	serial = PG_GETARG_BYTEA_PP(0);
	initStringInfo(&buffer);
	appendBinaryStringInfo(&buffer, VARDATA_ANY(serial),
						   VARSIZE_ANY_EXHDR(serial));
	state = wa_pair_state_read(&buffer, find_plans(fcinfo, TAKE_STATES));
	pq_getmsgend(&buffer);
	pfree(buffer.data);
	PG_RETURN_POINTER(state);
}

/* Returns the result over the state argument. */
static Datum
result(FunctionCallInfo fcinfo, WaAggregate aggregate)
{
	static WaAggState *const no_rows[WA_PAIR_COLUMNS];
	WaPairState *state;

	if (PG_ARGISNULL(0))
	{
		wa_client_finish();
		return wa_pair_result(aggregate, no_rows, &fcinfo->isnull);
	}
	state = (WaPairState *) PG_GETARG_POINTER(0);
	wa_pair_state_collect(state);
	return wa_pair_result(aggregate, state->columns, &fcinfo->isnull);
}

/*
 * warpagg_*_final(state internal) returns double precision, warpagg_regr_count_final bigint:
 * what PostgreSQL's aggregate of the name returns for the pairs.  Raise "value out of range:
 * overflow" if the result is too large.
 */
#define DEFINE_FINAL(name, aggregate)     \
	PG_FUNCTION_INFO_V1(name);            \
	Datum name(PG_FUNCTION_ARGS)          \
	{                                     \
		return result(fcinfo, aggregate); \
	}

DEFINE_FINAL(warpagg_regr_count_final, WA_REGR_COUNT)
DEFINE_FINAL(warpagg_corr_final, WA_CORR)
DEFINE_FINAL(warpagg_covar_pop_final, WA_COVAR_POP)
DEFINE_FINAL(warpagg_covar_samp_final, WA_COVAR_SAMP)
DEFINE_FINAL(warpagg_regr_avgx_final, WA_REGR_AVGX)
DEFINE_FINAL(warpagg_regr_avgy_final, WA_REGR_AVGY)
DEFINE_FINAL(warpagg_regr_sxx_final, WA_REGR_SXX)
DEFINE_FINAL(warpagg_regr_syy_final, WA_REGR_SYY)
DEFINE_FINAL(warpagg_regr_sxy_final, WA_REGR_SXY)
DEFINE_FINAL(warpagg_regr_slope_final, WA_REGR_SLOPE)
DEFINE_FINAL(warpagg_regr_intercept_final, WA_REGR_INTERCEPT)
DEFINE_FINAL(warpagg_regr_r2_final, WA_REGR_R2)

/*
 * warpagg_pair_part(y double precision, x double precision, part integer) returns double
 * precision: what is summed up for a pair in the column of the number (state/pairs.h), NULL if
 * that is nothing.
 */
Datum
warpagg_pair_part(PG_FUNCTION_ARGS)
{
	const float8 y = PG_GETARG_FLOAT8(0);
	const float8 x = PG_GETARG_FLOAT8(1);
	const int32 part = PG_GETARG_INT32(2);
	double value;

	if (part == WA_PAIR_Y)
		PG_RETURN_FLOAT8(y);
	if (part == WA_PAIR_X)
		PG_RETURN_FLOAT8(x);
	if (part < WA_PAIR_PRODUCTS || part >= WA_PAIR_COLUMNS ||
		!wa_product_part(y, x, (WaProductPart) (part - WA_PAIR_PRODUCTS),
						 &value))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(value);
}
