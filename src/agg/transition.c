/*
 * transition.c
 *		The transition functions, which all aggregates of the family share.
 *
 * The first runs once a row and is kept to a handful of instructions: what
 * happens once a group or once a buffer lies in a function that is called last
 * and not inlined, so that the usual path saves no registers.
 */
#include "postgres.h"

#include "fmgr.h"

#include "agg/call_site.h"
#include "client/client.h"
#include "state/state.h"

PG_FUNCTION_INFO_V1(warpagg_transition);
PG_FUNCTION_INFO_V1(warpagg_moving_transition);
PG_FUNCTION_INFO_V1(warpagg_moving_inverse);

/* Makes the state at the first row of a group that needs one. */
static WaAggState *
make_state(FunctionCallInfo fcinfo, bool moving)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "warpagg transition function called in a context that is "
					"not an aggregate");
	if (fcinfo->flinfo->fn_extra == NULL)
		wa_client_begin();
	return wa_state_make(context, wa_plan_transition(fcinfo, moving));
}

/* Takes a value for which there is no state, or no room, yet. */
static pg_noinline Datum
take_with_care(FunctionCallInfo fcinfo)
{
	WaAggState *state = PG_ARGISNULL(0) ? make_state(fcinfo, false)
										: (WaAggState *) PG_GETARG_POINTER(0);

	wa_state_take(state, PG_GETARG_DATUM(1));
	PG_RETURN_POINTER(state);
}

/*
 * warpagg_transition(state internal, value "any") returns internal: takes one
 * value into the state; NULLs leave it as it is.
 */
Datum
warpagg_transition(PG_FUNCTION_ARGS)
{
	WaAggState *state;

	if (PG_ARGISNULL(1))
	{
		fcinfo->isnull = PG_ARGISNULL(0);
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	if (unlikely(PG_ARGISNULL(0)))
		return take_with_care(fcinfo);
	state = (WaAggState *) PG_GETARG_POINTER(0);
	if (state->nvalues == state->capacity)
		return take_with_care(fcinfo);
	wa_state_put(state, PG_GETARG_DATUM(1));
	PG_RETURN_POINTER(state);
}

/*
 * warpagg_moving_transition(state internal, value "any") returns internal: the
 * same for window frames whose start moves.  It must not return NULL.
 */
Datum
warpagg_moving_transition(PG_FUNCTION_ARGS)
{
	WaAggState *state = PG_ARGISNULL(0) ? make_state(fcinfo, true)
										: (WaAggState *) PG_GETARG_POINTER(0);

	if (!PG_ARGISNULL(1))
		wa_state_take(state, PG_GETARG_DATUM(1));
	PG_RETURN_POINTER(state);
}

/*
 * warpagg_moving_inverse(state internal, value "any") returns internal: takes
 * a value away again that warpagg_moving_transition took, exactly.
 */
Datum
warpagg_moving_inverse(PG_FUNCTION_ARGS)
{
	WaAggState *state;

	if (!AggCheckCallContext(fcinfo, NULL) || PG_ARGISNULL(0))
		elog(ERROR, "warpagg_moving_inverse called without a state");
	state = (WaAggState *) PG_GETARG_POINTER(0);
	if (!PG_ARGISNULL(1))
		wa_state_drop(state, PG_GETARG_DATUM(1));
	PG_RETURN_POINTER(state);
}
