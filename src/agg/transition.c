/*
 * transition.c
 *		The transition function, which all aggregates of the family share.
 *
 * It runs once a row and is kept to a handful of instructions: what happens
 * once a group or once a buffer lies in a function that is called last and not
 * inlined, so that the usual path saves no registers.
 */
#include "postgres.h"

#include "fmgr.h"

#include "agg/operation.h"
#include "agg/state.h"
#include "exec/reduce.h"

PG_FUNCTION_INFO_V1(warpagg_transition);

/* Makes the state at the first row of a group that is not NULL. */
static WaAggState *
make_state(FunctionCallInfo fcinfo)
{
	WaAggPlan *plan = (WaAggPlan *) fcinfo->flinfo->fn_extra;
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "warpagg_transition called in a context that is not an "
					"aggregate");
	if (plan == NULL)
	{
		wa_exec_begin();
		plan = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(WaAggPlan));
		wa_operation_plan(fcinfo, plan);
		fcinfo->flinfo->fn_extra = plan;
	}
	return wa_state_make(context, plan->type, plan->ops, plan->many,
						 plan->may_use_device);
}

/* Puts a value at the end of the buffer, which has room for it. */
static inline void
put_value(WaAggState *state, Datum value)
{
	switch (state->width)
	{
		case sizeof(int64):
			((int64 *) state->values)[state->nvalues++] = DatumGetInt64(value);
			break;
		case sizeof(int32):
			((int32 *) state->values)[state->nvalues++] = DatumGetInt32(value);
			break;
		default:
			((int16 *) state->values)[state->nvalues++] = DatumGetInt16(value);
			break;
	}
}

/* Takes a value for which there is no state, or no room, yet. */
static pg_noinline Datum
take_with_care(FunctionCallInfo fcinfo)
{
	WaAggState *state = PG_ARGISNULL(0) ? make_state(fcinfo)
										: (WaAggState *) PG_GETARG_POINTER(0);

	if (state->nvalues == state->capacity)
		wa_state_make_room(state);
	put_value(state, PG_GETARG_DATUM(1));
	PG_RETURN_POINTER(state);
}

/*
 * warpagg_transition(state internal, value "any") returns internal: takes one
 * value of a type of WA_TYPE_LIST into the state; NULLs leave it as it is.
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
	if (unlikely(state->nvalues == state->capacity))
		return take_with_care(fcinfo);
	put_value(state, PG_GETARG_DATUM(1));
	PG_RETURN_POINTER(state);
}
