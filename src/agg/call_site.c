/*
 * call_site.c
 *		How the aggregates of one call site are evaluated; see call_site.h.
 *
 * All aggregates of the family have the same transition function, so that
 * PostgreSQL lets those over the same column share one state.  The state keeps
 * only the components that somebody will ask for.  Who that is, is seen from
 * the plan node: each aggregate's final function tells its operations.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_proc.h"
#include "nodes/execnodes.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "agg/call_site.h"
#include "agg/final.h"

#define EXTREMES (WA_OP_BIT(WA_OP_MIN) | WA_OP_BIT(WA_OP_MAX))

/* Returns what one of our aggregates asks of its state; others ask for nothing. */
static WaOpSet
operations_of(Oid aggregate)
{
	HeapTuple tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
	Oid finalfn;
	FmgrInfo function;

	if (!HeapTupleIsValid(tuple))
		return 0; /* a window function that is no aggregate */
	finalfn = ((Form_pg_aggregate) GETSTRUCT(tuple))->aggfinalfn;
	ReleaseSysCache(tuple);
	if (!OidIsValid(finalfn))
		return 0;
	fmgr_info(finalfn, &function);
	return wa_aggregate_operations(wa_final_aggregate(function.fn_addr));
}

/* Returns what the aggregates ask for that share this call's state. */
static WaOpSet
shared_operations(AggState *node, const Aggref *caller)
{
	WaOpSet ops = 0;
	ListCell *cell;

	foreach (cell, node->aggs)
	{
		const Aggref *aggref = (const Aggref *) lfirst(cell);

		if (aggref->aggtransno == caller->aggtransno)
			ops |= operations_of(aggref->aggfnoid);
	}
	return ops;
}

/*
 * Returns what all window functions of the node ask for over a column of the type:
 * which of them is calling cannot be told.
 */
static WaOpSet
window_operations(WindowAggState *node, Oid type)
{
	WaOpSet ops = 0;
	ListCell *cell;

	foreach (cell, node->funcs)
	{
		const WindowFunc *function =
			((WindowFuncExprState *) lfirst(cell))->wfunc;

		if (list_length(function->args) == 1 &&
			exprType((Node *) linitial(function->args)) == type)
			ops |= operations_of(function->winfnoid);
	}
	return ops;
}

/* Makes an empty plan for a call site. */
static WaAggPlan *
make_plan(FunctionCallInfo fcinfo)
{
	WaAggPlan *plan =
		MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(WaAggPlan));

	plan->collation = PG_GET_COLLATION();
	return plan;
}

const WaAggPlan *
wa_plan_transition(FunctionCallInfo fcinfo, bool moving)
{
	WaAggPlan *plan = (WaAggPlan *) fcinfo->flinfo->fn_extra;
	Aggref *caller;
	WaOpSet ops;

	if (plan != NULL)
		return plan;
	plan = make_plan(fcinfo);
	plan->key.argument_type = get_fn_expr_argtype(fcinfo->flinfo, 1);
	plan->moving = moving;
	caller = AggGetAggref(fcinfo);
	if (caller != NULL)
	{
		AggState *node = castNode(AggState, fcinfo->context);

		ops = shared_operations(node, caller);
		plan->many =
			node->aggstrategy == AGG_HASHED || node->aggstrategy == AGG_MIXED;
		plan->may_use_device = true;
	}
	else
		ops = window_operations(castNode(WindowAggState, fcinfo->context),
								plan->key.argument_type);
	/* What cannot be taken away again nobody reads from a moving state. */
	plan->key.ops = moving ? ops & ~EXTREMES : ops;
	wa_plan_complete(plan, fcinfo->flinfo->fn_mcxt);
	fcinfo->flinfo->fn_extra = plan;
	return plan;
}

const WaAggPlan *
wa_plan_states(FunctionCallInfo fcinfo, const WaPlanKey *key)
{
	WaAggPlan *plan = (WaAggPlan *) fcinfo->flinfo->fn_extra;

	if (plan != NULL)
		return plan;
	plan = make_plan(fcinfo);
	plan->key = *key;
	wa_plan_complete(plan, fcinfo->flinfo->fn_mcxt);
	fcinfo->flinfo->fn_extra = plan;
	return plan;
}
