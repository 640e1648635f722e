/*
 * node.c
 *		The node of the scan tier: from its plan to its tuples.
 */
#include "postgres.h"

#include "catalog/objectaccess.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "scan/node/explain.h"
#include "scan/node/fill.h"
#include "scan/output/output.h"
#include "scan/output/shifted.h"
#include "scan/output/top.h"
#include "scan/rows/prepare.h"
#include "scan/spill/group_store.h"
#include "scan/spill/spill.h"
#include "scan/state/plan.h"
#include "scan/state/scan_state.h"
#include "scan/state/shared_instrument.h"

/* Groups of a dashboard's query take less than twice as many bytes. */
#define KEPT_BYTES (1024 * 1024)

/*
 * Has malloc keep twice KEPT_BYTES that are free for the session's next query, as it does
 * for a program that has freed a piece of KEPT_BYTES (mallopt(3) of glibc, dynamic
 * M_MMAP_THRESHOLD); it keeps 128 kB else.  A query of 1,000 groups took 24 to 75 fresh
 * pages each time, and of two virtual machines one took 2 us for each, the other 45.
 */
static void
keep_free_memory(void)
{
	static bool kept;

	if (!kept)
		pfree(palloc(KEPT_BYTES));
	kept = true;
}

/* Checks that the user may call an aggregate or a function. */
static void
check_permission(Oid function, ObjectType type)
{
	AclResult result = proc_aclcheck_compat(function, ACL_EXECUTE);

	if (result != ACLCHECK_OK)
		aclcheck_error(result, type, get_func_name(function));
	InvokeFunctionExecuteHook(function);
}

/* Tells whether two aggregates can share a column. */
static bool
shares_column(const WaScanColumn *column, const WaAggregateCall *call,
			  uint32 hash)
{
	return column->hash == hash && equal(column->argument, call->argument) &&
		   equal(column->filter, call->filter) &&
		   column->plan.collation == call->collation;
}

/*
 * Returns the number of the column for an aggregate that needs the operations;
 * it may add one.
 */
static int
find_column(WaScanState *state, const WaAggregateCall *call, WaOpSet ops)
{
	const uint32 hash = wa_column_hash(call->argument, call->filter);
	WaScanColumn *column;
	int number = 0;

	while (number < state->ncolumns &&
		   !shares_column(&state->columns[number], call, hash))
		number++;
	column = &state->columns[number];
	if (number == state->ncolumns)
	{
		state->ncolumns++;
		memset(column, 0, sizeof(*column));
		column->argument = call->argument;
		column->filter = call->filter;
		column->hash = hash;
		column->plan.collation = call->collation;
		column->plan.key.argument_type =
			call->argument == NULL ? BOOLOID : call->argument_type;
	}
	column->plan.key.ops |= ops;
	return number;
}

/* Finds out what is aggregated. */
static void
read_aggregates(WaScanState *state, const CustomScan *plan)
{
	int naggregates = wa_plan_number(plan, WA_PLAN_AGGREGATES);

	state->columns = palloc(sizeof(WaScanColumn) * (naggregates + 1));
	state->results = palloc(sizeof(WaScanResult) * (naggregates + 1));
	for (int i = 0; i < naggregates; i++)
	{
		const Aggref *aggref =
			castNode(Aggref, wa_plan_target(plan, state->nkeys + i));
		WaScanResult *result = &state->results[i];
		WaAggregateCall call;
		WaOpSet operations;

		check_permission(aggref->aggfnoid, OBJECT_AGGREGATE);
		/* warpagg.accelerate is as it was when the plan was made. */
		if (wa_aggregate_describe(aggref, &call) != NULL)
			elog(ERROR, "unexpected aggregate %u", aggref->aggfnoid);
		state->is_ours |= !call.builtin;
		result->aggregate = call.aggregate;
		result->output = call.output;
		operations = wa_aggregate_operations(call.aggregate);
		result->shift = wa_shift_make(&call);
		if (result->shift != NULL)
		{
			check_permission(result->shift->function, OBJECT_FUNCTION);
			operations |= result->shift->checks;
		}
		result->column = find_column(state, &call, operations);
	}
	state->nresults = naggregates;
}

/* Finds out by what is grouped. */
static void
read_keys(WaScanState *state, const CustomScan *plan)
{
	state->nkeys = wa_plan_number(plan, WA_PLAN_KEYS);
	state->keys = palloc(sizeof(WaScanKey) * (state->nkeys + 1));
	for (int i = 0; i < state->nkeys; i++)
		state->keys[i].expression = wa_plan_target(plan, i);
}

/* Checks that the user may compare the keys, as PostgreSQL does for its groups. */
static void
check_keys(const WaScanState *state)
{
	for (int i = 0; i < state->nkeys; i++)
	{
		Oid type = exprType((Node *) state->keys[i].expression);

		check_permission(
			get_opcode(lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr),
			OBJECT_FUNCTION);
	}
}

/*
 * Takes the table from the executor's part of the node.  What has one there is a
 * scan whose current row WHERE CURRENT OF looks for; this has no such row.
 */
static void
take_relation(WaScanState *state)
{
	state->relation = state->css.ss.ss_currentRelation;
	state->css.ss.ss_currentRelation = NULL;
}

static void
begin_scan(CustomScanState *node, EState *estate, int eflags)
{
	WaScanState *state = (WaScanState *) node;
	CustomScan *plan = castNode(CustomScan, node->ss.ps.plan);
	WaPlanTop top;

	take_relation(state);
	state->varno = plan->scan.scanrelid;
	state->nworkers = wa_plan_number(plan, WA_PLAN_WORKERS);
	state->planned_batches = wa_plan_number(plan, WA_PLAN_BATCHES);
	state->planned_groups = wa_plan_number(plan, WA_PLAN_GROUPS);
	state->planned_combinations = wa_plan_number(plan, WA_PLAN_COMBINATIONS);
	state->planned_spared = wa_plan_number(plan, WA_PLAN_SPARED);
	state->block_cost = wa_plan_block_cost(plan);
	read_keys(state, plan);
	state->filter_clauses = wa_plan_filters(plan);
	state->one_time_clauses = wa_plan_one_time_filters(plan);
	read_aggregates(state, plan);
	if ((eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0)
		return;
	keep_free_memory();
	check_keys(state);
	wa_scan_prepare(state);
	state->one_time_filter =
		ExecInitQual(state->one_time_clauses, &node->ss.ps);
	state->clock.is_on = (estate->es_instrument & INSTRUMENT_TIMER) != 0;
	if (wa_plan_top(plan, &top))
		state->top = wa_top_make(state, &top);
	wa_shared_instrument_make(state);
}

/*
 * Computes the groups of the next batch, and which of them to return; returns
 * false if none is left.
 */
static bool
fill(WaScanState *state)
{
	if (!wa_scan_fill(state))
		return false;
	wa_shifted_check(state);
	if (state->top != NULL)
		wa_top_choose(state->top);
	return true;
}

/* Stores the number of the next group; returns false if there is none. */
static bool
next_group(WaScanState *state, uint32 *group)
{
	uint32 ngroups;

	if (!state->is_started)
	{
		wa_scan_start(state);
		if (!fill(state))
			return false;
	}
	for (;;)
	{
		ngroups = state->top != NULL ? wa_top_count(state->top)
									 : wa_scan_groups(state);
		if (state->next < ngroups)
			break;
		if (!fill(state))
			return false;
	}
	*group = state->next++;
	if (state->top != NULL)
		*group = wa_top_group(state->top, *group);
	return true;
}

static TupleTableSlot *
exec_scan(CustomScanState *node)
{
	WaScanState *state = (WaScanState *) node;
	PlanState *ps = &node->ss.ps;
	ExprContext *econtext = ps->ps_ExprContext;
	uint32 group;

	while (next_group(state, &group))
	{
		MemoryContext old;

		CHECK_FOR_INTERRUPTS();
		ResetExprContext(econtext);
		old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
		econtext->ecxt_scantuple = wa_output_store(state, group, NULL);
		MemoryContextSwitchTo(old);
		if (!ExecQual(ps->qual, econtext))
		{
			InstrCountFiltered1(node, 1);
			continue;
		}
		return ps->ps_ProjInfo == NULL ? econtext->ecxt_scantuple
									   : ExecProject(ps->ps_ProjInfo);
	}
	return NULL;
}

static void
end_scan(CustomScanState *node)
{
	WaScanState *state = (WaScanState *) node;

	wa_shared_instrument_leave(state);
	if (state->heap != NULL)
		wa_heap_end(state->heap);
	state->heap = NULL;
	wa_spill_end(state);
}

static void
rescan(CustomScanState *node)
{
	WaScanState *state = (WaScanState *) node;

	state->next = 0;
	if (node->ss.ps.chgParam == NULL && state->batches <= 1)
		return; /* no group has been given up yet */
	state->is_started = false;
	if (node->ss.ps.chgParam != NULL)
		wa_interpreter_reset(state->interpreter);
}

Node *
wa_scan_create_state(CustomScan *plan)
{
	static const CustomExecMethods methods = {
		.CustomName = "WarpAgg",
		.BeginCustomScan = begin_scan,
		.ExecCustomScan = exec_scan,
		.EndCustomScan = end_scan,
		.ReScanCustomScan = rescan,
		.ExplainCustomScan = wa_scan_explain,
	};
	WaScanState *state = palloc0(sizeof(WaScanState));

	NodeSetTag(state, T_CustomScanState);
	state->css.methods = &methods;
	return (Node *) state;
}
