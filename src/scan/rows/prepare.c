/*
 * prepare.c
 *		From the expressions of a node to all that an execution needs, in the
 *		leader and in its workers alike.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "heap/gather.h"
#include "scan/base/context_arena.h"
#include "scan/rows/prepare.h"
#include "scan/rows/rowwise.h"
#include "scan/state/rolled_query.h"
#include "scan/state/scan_state.h"

/* Completes what is known of the states of results over x + c. */
static void
complete_shifts(const WaScanQuery *query)
{
	for (int i = 0; i < query->nresults; i++)
		if (query->results[i].shift != NULL)
			wa_plan_complete(&query->results[i].shift->plan,
							 CurrentMemoryContext);
}

/* Notes that a step uses the columns of an expression, which may be NULL. */
static void
note_uses(const WaScanQuery *query, Expr *expression, int step, int ncolumns,
		  WaGatherUse *uses)
{
	Bitmapset *attnums = NULL;

	wa_joins_pull_attnums(&query->joins, (Node *) expression, query->varno,
						  &attnums);
	for (int i = 0; i < ncolumns; i++)
		if (bms_is_member(uses[i].attnum - FirstLowInvalidHeapAttributeNumber,
						  attnums))
		{
			uses[i].first = Min(uses[i].first, step);
			uses[i].last = step;
		}
	bms_free(attnums);
}

/*
 * Returns what uses the columns.  Each clause of WHERE is a step; keys and
 * aggregates are the last one.
 */
static WaGatherUse *
find_uses(const WaScanQuery *query)
{
	const WaCompiler *compiler = query->compiler;
	int ncolumns = compiler->ncolumns;
	WaGatherUse *uses = palloc(sizeof(WaGatherUse) * (ncolumns + 1));
	const int last = list_length(query->where);
	ListCell *cell;

	for (int i = 0; i < ncolumns; i++)
		uses[i] = (WaGatherUse){.attnum = compiler->attnums[i], .first = last};
	for (int i = 0; i < last; i++)
		note_uses(query, list_nth(query->where, i), i, ncolumns, uses);
	foreach (cell, wa_scan_query_behind_where(query))
		note_uses(query, lfirst(cell), last, ncolumns, uses);
	return uses;
}

/* Makes what a batch of rows needs. */
static void
make_batch(WaScanBatch *batch, const WaScanQuery *query)
{
	WaArena arena;

	batch->key_vectors = palloc(sizeof(WaVector *) * (query->nkeys + 1));
	for (int i = 0; i < query->nkeys; i++)
		batch->key_vectors[i] =
			&query->interpreter->registers[query->compiled.key_numbers[i]];
	wa_context_arena_init(&arena, CurrentMemoryContext);
	batch->query = wa_query_batch_make(&arena, &query->compiled,
									   query->interpreter->registers);
	batch->group_numbers = palloc(sizeof(uint32) * WA_VECTOR_ROWS);
	batch->rows = palloc(sizeof(WaRow) * WA_VECTOR_ROWS);
	batch->pace.rows = WA_VECTOR_ROWS;
}

void
wa_scan_prepare_store(WaScanQuery *query, WaScanSources *sources,
					  WaScanStore *store)
{
	for (int i = 0; i < query->ncolumns; i++)
	{
		WaAggPlan *plan = &query->columns[i].plan;

		plan->many = true;
		wa_plan_complete(plan, CurrentMemoryContext);
	}
	store->query = query;
	store->sources = sources;
	store->columns = palloc(sizeof(WaAccumulator *) * (query->ncolumns + 1));
	store->context = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg groups", ALLOCSET_DEFAULT_SIZES);
}

/* Returns the inputs of an aggregate that its own functions compute. */
static WaTransitionInput *
make_inputs(const WaScanQuery *query, const WaScanTransition *transition)
{
	WaTransitionInput *inputs = palloc0(
		sizeof(WaTransitionInput) * (list_length(transition->arguments) + 1));
	ListCell *cell;

	foreach (cell, transition->arguments)
	{
		WaTransitionInput *input = &inputs[foreach_current_index(cell)];
		const int number = transition->numbers[foreach_current_index(cell)];
		const Const *constant = (const Const *) lfirst(cell);

		if (number < 0)
		{
			input->constant.value = constant->constvalue;
			input->constant.isnull = constant->constisnull;
			continue;
		}
		input->vector = &query->interpreter->registers[number];
		input->form =
			wa_datum_form(getBaseType(exprType((Node *) lfirst(cell))),
						  query->compiler->kinds[number]);
	}
	return inputs;
}

/* Prepares the aggregates that their own functions compute. */
static void
prepare_transitions(const WaScanQuery *query, EState *estate,
					WaScanStore *store)
{
	store->transitions =
		palloc(sizeof(WaTransitions *) * (query->ntransitions + 1));
	for (int i = 0; i < query->ntransitions; i++)
	{
		const WaScanTransition *transition = &query->transitions[i];

		store->transitions[i] =
			wa_transitions_make(estate, transition->aggref, query->nkeys > 0,
								make_inputs(query, transition));
	}
}

const char *
wa_scan_prepare_query(WaScanQuery *query, WaScanSources *sources,
					  WaScanStore *store)
{
	/* Workers may find values of parameters to be the same, and have less to compute. */
	const char *reason = wa_scan_query_compile(query, WA_MAX_REGISTERS);

	if (reason != NULL)
		return reason;
	complete_shifts(query);
	if (query->rolled != NULL)
		wa_rolled_query_complete(query);
	query->interpreter = wa_interpreter_make(
		query->compiler, sources->estate->es_param_list_info);
	wa_scan_prepare_store(query, sources, store);
	prepare_transitions(query, sources->estate, store);
	return NULL;
}

void
wa_scan_prepare_joins(WaScanQuery *query, EState *estate)
{
	WaInterpreter *interpreter = query->interpreter;

	if (query->joins.list == NIL)
		return;
	interpreter->joined = wa_join_tables_make(&query->joins, estate);
	interpreter->program.tables = interpreter->joined->tables;
}

void
wa_scan_prepare_reading(WaScanState *state, Relation table)
{
	const WaScanQuery *query = &state->query;

	wa_sources_make(&state->sources, state->sources.estate, table,
					query->compiler->ncolumns, find_uses(query),
					query->interpreter->columns);
	make_batch(&state->batch, query);
}

void
wa_scan_prepare(WaScanState *state, EState *estate, Relation table)
{
	WaScanQuery *query = &state->query;
	const char *reason;

	state->sources.estate = estate;
	reason = wa_scan_prepare_query(query, &state->sources, &state->store);
	/* The planner has compiled the same. */
	if (reason != NULL)
		elog(ERROR, "warpagg cannot compile an expression any more: %s",
			 reason);
	wa_scan_prepare_joins(query, estate);
	wa_scan_prepare_reading(state, table);
	state->batch.rowwise =
		wa_rowwise_make(&state->store, state->css.ss.ps.ps_ExprContext);
}
