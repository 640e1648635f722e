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

/* What an aggregate asks of the state that it shares. */
typedef struct Wish
{
	WaOpSet ops;
	Oid extreme_type;
} Wish;

/* Adds the wish of one of our aggregates; others have none. */
static void
add_wish(Wish *wish, Oid aggregate)
{
	HeapTuple tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
	Oid finalfn;
	FmgrInfo function;
	WaOpSet ops;

	if (!HeapTupleIsValid(tuple))
		return; /* a window function that is no aggregate */
	finalfn = ((Form_pg_aggregate) GETSTRUCT(tuple))->aggfinalfn;
	ReleaseSysCache(tuple);
	if (!OidIsValid(finalfn))
		return;
	fmgr_info(finalfn, &function);
	ops = wa_aggregate_operations(wa_final_aggregate(function.fn_addr));
	wish->ops |= ops;
	if ((ops & EXTREMES) != 0)
	{
		Oid *types;
		int ntypes;

		(void) get_func_signature(aggregate, &types, &ntypes);
		wish->extreme_type = types[0];
		pfree(types);
	}
}

/* Collects the wishes of the aggregates that share this call's state. */
static Wish
shared_wish(AggState *node, const Aggref *caller)
{
	Wish wish = {0, InvalidOid};
	ListCell *cell;

	foreach (cell, node->aggs)
	{
		const Aggref *aggref = (const Aggref *) lfirst(cell);

		if (aggref->aggtransno == caller->aggtransno)
			add_wish(&wish, aggref->aggfnoid);
	}
	return wish;
}

/*
 * Collects the wishes that any window function of the node has over a column
 * of the type: which of them is calling cannot be told.
 */
static Wish
window_wish(WindowAggState *node, Oid type)
{
	Wish wish = {0, InvalidOid};
	ListCell *cell;

	foreach (cell, node->funcs)
	{
		const WindowFunc *function =
			((WindowFuncExprState *) lfirst(cell))->wfunc;

		if (list_length(function->args) == 1 &&
			exprType((Node *) linitial(function->args)) == type)
			add_wish(&wish, function->winfnoid);
	}
	return wish;
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
	Wish wish;

	if (plan != NULL)
		return plan;
	plan = make_plan(fcinfo);
	plan->key.argument_type = get_fn_expr_argtype(fcinfo->flinfo, 1);
	plan->moving = moving;
	caller = AggGetAggref(fcinfo);
	if (caller != NULL)
	{
		AggState *node = castNode(AggState, fcinfo->context);

		wish = shared_wish(node, caller);
		plan->many =
			node->aggstrategy == AGG_HASHED || node->aggstrategy == AGG_MIXED;
		plan->may_use_device = true;
	}
	else
		wish = window_wish(castNode(WindowAggState, fcinfo->context),
						   plan->key.argument_type);
	/* What cannot be taken away again nobody reads from a moving state. */
	plan->key.ops = moving ? wish.ops & ~EXTREMES : wish.ops;
	plan->key.extreme_type = wish.extreme_type;
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
