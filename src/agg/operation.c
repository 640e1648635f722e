/*
 * operation.c
 *		What the aggregates that share a transition state ask of it.
 *
 * All aggregates of the family have the same transition function, so that
 * PostgreSQL lets those over the same column share one state.  The state keeps
 * only the components that somebody will ask for.  Who that is, is seen from
 * the plan node: each aggregate's final function tells its operation.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/execnodes.h"
#include "utils/syscache.h"

#include "agg/final.h"
#include "agg/operation.h"

/* Returns the column type of a call of the transition function. */
static WaType
argument_type(FunctionCallInfo fcinfo)
{
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, 1);

	switch (type)
	{
#define X(name, sql, storage) \
	case name##OID:           \
		return WA_##name;
		WA_TYPE_LIST(X)
#undef X
		default:
			elog(ERROR, "warpagg has no reductions over type %u", type);
	}
}

/* Returns the operation of one of our aggregates; the empty set for others. */
static WaOpSet
aggregate_operation(Oid aggregate)
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
	return wa_final_operation(function.fn_addr);
}

/* Collects the operations of the aggregates that share this call's state. */
static WaOpSet
shared_operations(AggState *node, const Aggref *caller)
{
	WaOpSet ops = 0;
	ListCell *cell;

	foreach (cell, node->aggs)
	{
		const Aggref *aggref = (const Aggref *) lfirst(cell);

		if (aggref->aggtransno == caller->aggtransno)
			ops |= aggregate_operation(aggref->aggfnoid);
	}
	return ops;
}

/*
 * Collects the operations that any window function of the node has over the
 * type: which of them is calling cannot be told.
 */
static WaOpSet
window_operations(WindowAggState *node, WaType type)
{
	WaOpSet ops = 0;
	ListCell *cell;

	foreach (cell, node->funcs)
		ops |= aggregate_operation(
			((WindowFuncExprState *) lfirst(cell))->wfunc->winfnoid);
	for (int op = 0; op < WA_OP_COUNT; op++)
		if (!wa_aggregate_exists((WaOp) op, type))
			ops &= ~WA_OP_BIT(op);
	return ops;
}

void
wa_operation_plan(FunctionCallInfo fcinfo, WaAggPlan *plan)
{
	Aggref *caller = AggGetAggref(fcinfo);

	plan->type = argument_type(fcinfo);
	if (caller != NULL)
	{
		AggState *node = castNode(AggState, fcinfo->context);

		plan->ops = shared_operations(node, caller);
		plan->many =
			node->aggstrategy == AGG_HASHED || node->aggstrategy == AGG_MIXED;
		plan->may_use_device = true;
	}
	else
	{
		plan->ops = window_operations(castNode(WindowAggState, fcinfo->context),
									  plan->type);
		plan->many = true;
		plan->may_use_device = false;
	}
	if (plan->ops == 0 ||
		!wa_reductions_exist(plan->ops, wa_type_storage(plan->type)))
		elog(ERROR, "warpagg aggregates are declared wrongly");
}
