/*
 * node.c
 *		The node of the scan tier: from its plan to its tuples.
 */
#include "postgres.h"

#include "catalog/objectaccess.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "scan/gather.h"
#include "scan/node.h"
#include "scan/plan.h"

/* Returns a number of the plan. */
static int
plan_number(const CustomScan *plan, WaPlanNumber number)
{
	return intVal(list_nth(plan->custom_private, number));
}

/* Returns the expression of a column of the scan tuple. */
static Expr *
target_expression(const CustomScan *plan, int number)
{
	return list_nth_node(TargetEntry, plan->custom_scan_tlist, number)->expr;
}

/* Replaces references to the scan tuple by what they refer to. */
static Node *
restore_columns(Node *node, void *plan)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && ((Var *) node)->varno == INDEX_VAR)
		return copyObject((Node *) target_expression(
			(const CustomScan *) plan, ((Var *) node)->varattno - 1));
	return expression_tree_mutator(node, restore_columns, plan);
}

/* Checks that the user may call an aggregate. */
static void
check_permission(const Aggref *aggref)
{
	AclResult result =
		pg_proc_aclcheck(aggref->aggfnoid, GetUserId(), ACL_EXECUTE);

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_AGGREGATE,
					   get_func_name(aggref->aggfnoid));
	InvokeFunctionExecuteHook(aggref->aggfnoid);
}

/* Tells whether two aggregates can share a column. */
static bool
shares_column(const WaScanColumn *column, const WaAggregateCall *call)
{
	return equal(column->argument, call->argument) &&
		   equal(column->filter, call->filter) &&
		   column->plan.collation == call->collation &&
		   (!OidIsValid(column->plan.key.extreme_type) ||
			!OidIsValid(call->extreme_type) ||
			column->plan.key.extreme_type == call->extreme_type);
}

/* Returns the number of the column for an aggregate, which it may add. */
static int
find_column(WaScanState *state, const WaAggregateCall *call)
{
	WaScanColumn *column;
	int number = 0;

	while (number < state->ncolumns &&
		   !shares_column(&state->columns[number], call))
		number++;
	column = &state->columns[number];
	if (number == state->ncolumns)
	{
		state->ncolumns++;
		memset(column, 0, sizeof(*column));
		column->argument = call->argument;
		column->filter = call->filter;
		column->plan.collation = call->collation;
		column->plan.many = true;
		column->plan.key.argument_type =
			call->argument == NULL ? BOOLOID : call->argument_type;
		column->kind = WA_VECTOR_BOOL;
		if (call->argument != NULL)
			(void) wa_gather_kind(call->argument_type, &column->kind);
	}
	column->plan.key.ops |= wa_aggregate_operations(call->aggregate);
	if (OidIsValid(call->extreme_type))
		column->plan.key.extreme_type = call->extreme_type;
	return number;
}

/* Finds out what is aggregated. */
static void
read_aggregates(WaScanState *state, const CustomScan *plan)
{
	int naggregates = plan_number(plan, WA_PLAN_AGGREGATES);

	state->columns = palloc(sizeof(WaScanColumn) * (naggregates + 1));
	state->results = palloc(sizeof(WaScanResult) * (naggregates + 1));
	for (int i = 0; i < naggregates; i++)
	{
		const Aggref *aggref =
			castNode(Aggref, target_expression(plan, state->nkeys + i));
		WaAggregateCall call;

		check_permission(aggref);
		/* The settings are those of the time when the plan was made. */
		(void) wa_aggregate_describe(aggref, &call);
		state->is_ours |= !call.builtin;
		state->results[i].aggregate = call.aggregate;
		state->results[i].column = find_column(state, &call);
	}
	state->nresults = naggregates;
	for (int i = 0; i < state->ncolumns; i++)
		wa_plan_complete(&state->columns[i].plan, CurrentMemoryContext);
}

/* Finds out by what is grouped. */
static void
read_keys(WaScanState *state, const CustomScan *plan)
{
	state->nkeys = plan_number(plan, WA_PLAN_KEYS);
	state->keys = palloc(sizeof(WaScanKey) * (state->nkeys + 1));
	state->key_vectors = palloc(sizeof(WaVector *) * (state->nkeys + 1));
	state->group_keys = palloc(sizeof(WaGroupKey) * (state->nkeys + 1));
	for (int i = 0; i < state->nkeys; i++)
	{
		Expr *key = target_expression(plan, i);

		state->keys[i].expression = key;
		state->group_keys[i].type = exprType((Node *) key);
		(void) wa_gather_kind(state->group_keys[i].type,
							  &state->group_keys[i].kind);
	}
}

/* Finds out what rows have to fulfil. */
static void
read_filters(WaScanState *state, CustomScan *plan)
{
	int nfilters = plan_number(plan, WA_PLAN_FILTERS);

	state->filter_clauses = (List *) restore_columns(
		(Node *) list_truncate(list_copy(plan->custom_exprs), nfilters), plan);
	state->nfilters = nfilters;
	state->filters = palloc(sizeof(WaScanFilter) * (nfilters + 1));
}

/* Compiles an expression that the planner has found to be covered. */
static int
compile(WaCompiler *compiler, Expr *expression)
{
	int number = wa_compile(compiler, expression);

	if (number < 0)
		elog(ERROR, "warpagg cannot compile an expression any more: %s",
			 compiler->refusal);
	return number;
}

/* Makes the query program. */
static WaCompiler *
compile_all(WaScanState *state)
{
	List *all = list_copy(state->filter_clauses);
	const char *refusal = NULL;
	WaCompiler *compiler;

	for (int i = 0; i < state->nkeys; i++)
		all = lappend(all, state->keys[i].expression);
	for (int i = 0; i < state->ncolumns; i++)
		all = list_concat(all, list_make2(state->columns[i].argument,
										  state->columns[i].filter));
	compiler = wa_compiler_make(((Scan *) state->css.ss.ps.plan)->scanrelid,
								all, &refusal);
	if (compiler == NULL)
		elog(ERROR, "warpagg cannot read the table any more: %s", refusal);
	for (int i = 0; i < state->nfilters; i++)
	{
		WaScanFilter *filter = &state->filters[i];

		filter->begin = compiler->ninstructions;
		filter->number =
			compile(compiler, (Expr *) list_nth(state->filter_clauses, i));
		filter->end = compiler->ninstructions;
		wa_compiler_forget(compiler);
	}
	state->begin = compiler->ninstructions;
	for (int i = 0; i < state->nkeys; i++)
		state->keys[i].number = compile(compiler, state->keys[i].expression);
	for (int i = 0; i < state->ncolumns; i++)
	{
		WaScanColumn *column = &state->columns[i];

		column->argument_register =
			column->argument == NULL ? -1 : compile(compiler, column->argument);
		column->filter_register =
			column->filter == NULL ? -1 : compile(compiler, column->filter);
	}
	state->end = compiler->ninstructions;
	return compiler;
}

/* Makes what a batch of rows needs. */
static void
make_memory(WaScanState *state, const WaCompiler *compiler)
{
	char *ones = palloc0(wa_vector_bytes(WA_VECTOR_BOOL) + 64);

	state->runner =
		wa_runner_make(compiler, state->css.ss.ps.state->es_param_list_info);
	for (int i = 0; i < state->nkeys; i++)
		state->key_vectors[i] =
			wa_runner_register(state->runner, state->keys[i].number);
	state->gather =
		wa_gather_make(RelationGetDescr(state->css.ss.ss_currentRelation),
					   compiler->ncolumns, compiler->attnums);
	wa_vector_place(&state->ones, WA_VECTOR_BOOL, (void *) TYPEALIGN(64, ones));
	memset(state->ones.values, 1, WA_VECTOR_ROWS);
	state->keep = palloc(WA_VECTOR_ROWS);
	state->group_numbers = palloc(sizeof(uint32) * WA_VECTOR_ROWS);
	state->selection = palloc(sizeof(uint16_t) * WA_VECTOR_ROWS);
	state->rows = palloc(sizeof(WaRow) * WA_VECTOR_ROWS);
	state->group_context = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg groups", ALLOCSET_DEFAULT_SIZES);
}

static void
begin_scan(CustomScanState *node, EState *estate, int eflags)
{
	WaScanState *state = (WaScanState *) node;
	CustomScan *plan = castNode(CustomScan, node->ss.ps.plan);

	read_keys(state, plan);
	read_filters(state, plan);
	read_aggregates(state, plan);
	if ((eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0)
		return;
	make_memory(state, compile_all(state));
	state->rowwise = wa_rowwise_make(state);
}

/* Stores a group in the node's scan tuple. */
static TupleTableSlot *
store_group(WaScanState *state, uint32 group)
{
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;

	ExecClearTuple(slot);
	memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts);
	for (int i = 0; i < state->nkeys; i++)
		slot->tts_values[i] =
			wa_groups_key(state->groups, group, i, &slot->tts_isnull[i]);
	for (int i = 0; i < state->nresults; i++)
	{
		const WaScanResult *result = &state->results[i];
		WaAggState *rows = wa_accumulator_state(
			state->columns[result->column].accumulator, group);

		slot->tts_values[state->nkeys + i] = wa_aggregate_result(
			result->aggregate, rows, &slot->tts_isnull[state->nkeys + i]);
	}
	return ExecStoreVirtualTuple(slot);
}

static TupleTableSlot *
exec_scan(CustomScanState *node)
{
	WaScanState *state = (WaScanState *) node;
	PlanState *ps = &node->ss.ps;
	ExprContext *econtext = ps->ps_ExprContext;

	if (!state->is_done)
		wa_scan_fill(state);
	while (state->next < wa_scan_groups(state))
	{
		MemoryContext old;

		CHECK_FOR_INTERRUPTS();
		ResetExprContext(econtext);
		old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
		econtext->ecxt_scantuple = store_group(state, state->next++);
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

	if (state->heap != NULL)
		wa_heap_end(state->heap);
	state->heap = NULL;
}

static void
rescan(CustomScanState *node)
{
	WaScanState *state = (WaScanState *) node;

	state->next = 0;
	if (node->ss.ps.chgParam == NULL)
		return; /* the groups are the same */
	state->is_done = false;
	wa_runner_reset(state->runner);
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
