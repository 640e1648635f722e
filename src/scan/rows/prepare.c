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
#include "scan/rows/prepare.h"
#include "scan/rows/rowwise.h"
#include "scan/state/scan_state.h"

/* Completes what is known of keys and columns. */
static void
complete(WaScanQuery *query)
{
	query->group_keys = palloc0(sizeof(WaGroupKey) * (query->nkeys + 1));
	for (int i = 0; i < query->nkeys; i++)
	{
		WaGroupKey *key = &query->group_keys[i];

		key->type = getBaseType(exprType((Node *) query->keys[i]));
		key->by_image = query->by_image;
		if (!wa_gather_kind(key->type, &key->kind))
			elog(ERROR, "unexpected type %u of a key", key->type);
	}
	for (int i = 0; i < query->ncolumns; i++)
	{
		WaAggPlan *plan = &query->columns[i].plan;

		plan->many = true;
		wa_plan_complete(plan, CurrentMemoryContext);
	}
	for (int i = 0; i < query->nresults; i++)
		if (query->results[i].shift != NULL)
			wa_plan_complete(&query->results[i].shift->plan,
							 CurrentMemoryContext);
}

/* Returns the register of what the planner has found to be covered. */
static int
check(const WaCompiler *compiler, int number)
{
	if (number < 0)
		elog(ERROR, "warpagg cannot compile an expression any more: %s",
			 compiler->refusal);
	return number;
}

/* Compiles the clauses of WHERE. */
static void
compile_filters(WaCompiler *compiler, const WaScanQuery *query, WaQuery *to)
{
	const int nfilters = list_length(query->filter_clauses);
	WaQueryFilter *filters = palloc(sizeof(WaQueryFilter) * (nfilters + 1));

	for (int i = 0; i < nfilters; i++)
	{
		compiler->stage = i;
		filters[i].begin = (uint32) compiler->ninstructions;
		filters[i].number = (uint16) check(
			compiler,
			wa_compile(compiler, (Expr *) list_nth(query->filter_clauses, i)));
		filters[i].end = (uint32) compiler->ninstructions;
		wa_compiler_forget(compiler);
	}
	to->nfilters = (uint32) nfilters;
	to->filters = filters;
}

/* Compiles the keys. */
static void
compile_keys(WaCompiler *compiler, const WaScanQuery *query, WaQuery *to)
{
	WaQueryKey *keys = palloc(sizeof(WaQueryKey) * (query->nkeys + 1));
	uint16 *numbers = palloc(sizeof(uint16) * (query->nkeys + 1));

	for (int i = 0; i < query->nkeys; i++)
	{
		keys[i] = wa_group_key_query(&query->group_keys[i]);
		numbers[i] =
			(uint16) check(compiler, wa_compile_key(compiler, query->keys[i]));
	}
	to->nkeys = (uint32) query->nkeys;
	to->keys = keys;
	to->key_numbers = numbers;
}

/* Compiles an aggregated column. */
static WaQueryColumn
compile_column(WaCompiler *compiler, const WaScanColumn *column)
{
	const WaOpSet ops = column->plan.key.ops;
	WaQueryColumn compiled = {
		.argument = -1, .filter = -1, .kind = WA_VECTOR_BOOL, .ops = ops};

	if (column->argument != NULL)
	{
		compiled.argument =
			check(compiler, wa_compile_argument(compiler, column->argument,
												column->filter, ops == 0));
		compiled.kind = compiler->kinds[compiled.argument];
	}
	if (column->filter != NULL)
		compiled.filter = check(compiler, wa_compile(compiler, column->filter));
	return compiled;
}

/* Compiles the aggregated columns. */
static void
compile_columns(WaCompiler *compiler, const WaScanQuery *query, WaQuery *to)
{
	WaQueryColumn *columns =
		palloc(sizeof(WaQueryColumn) * (query->ncolumns + 1));

	for (int i = 0; i < query->ncolumns; i++)
		columns[i] = compile_column(compiler, &query->columns[i]);
	to->ncolumns = (uint32) query->ncolumns;
	to->columns = columns;
}

/* Begins the program. */
static WaCompiler *
make_compiler(const WaScanQuery *query)
{
	List *all = list_copy(query->filter_clauses);
	const char *refusal = NULL;
	WaCompiler *compiler;

	for (int i = 0; i < query->nkeys; i++)
		all = lappend(all, query->keys[i]);
	for (int i = 0; i < query->ncolumns; i++)
		all = list_concat(all, list_make2(query->columns[i].argument,
										  query->columns[i].filter));
	compiler = wa_compiler_make(query->varno, all, &refusal);
	if (compiler == NULL)
		elog(ERROR, "warpagg cannot read the table any more: %s", refusal);
	/* What the planner tried was longer, by what is added to shared columns. */
	compiler->nspare = WA_MAX_REGISTERS;
	return compiler;
}

/* Makes the program. */
static WaCompiler *
compile_all(WaScanQuery *query)
{
	WaCompiler *compiler = make_compiler(query);
	WaQuery *compiled = &query->compiled;

	compile_filters(compiler, query, compiled);
	compiler->stage = (int) compiled->nfilters;
	compiled->begin = (uint32) compiler->ninstructions;
	compile_keys(compiler, query, compiled);
	compile_columns(compiler, query, compiled);
	compiled->end = (uint32) compiler->ninstructions;
	return compiler;
}

/* Notes that a step uses the columns of an expression, which may be NULL. */
static void
note_uses(const WaScanQuery *query, Expr *expression, int step, int ncolumns,
		  WaGatherUse *uses)
{
	Bitmapset *attnums = NULL;

	pull_varattnos((Node *) expression, query->varno, &attnums);
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
 * Prepares to gather the columns.  Each clause of WHERE is a step; keys and
 * aggregates are the last one.
 */
static WaGather *
make_gather(const WaScanQuery *query, const WaCompiler *compiler,
			Relation relation)
{
	int ncolumns = compiler->ncolumns;
	WaGatherUse *uses = palloc(sizeof(WaGatherUse) * (ncolumns + 1));
	const int last = list_length(query->filter_clauses);

	for (int i = 0; i < ncolumns; i++)
		uses[i] =
			(WaGatherUse){.attnum = compiler->attnums[i],
						  .first = last,
						  .wide = compiler->kinds[i] == WA_VECTOR_DECIMAL};
	for (int i = 0; i < last; i++)
		note_uses(query, list_nth(query->filter_clauses, i), i, ncolumns, uses);
	for (int i = 0; i < query->nkeys; i++)
		note_uses(query, query->keys[i], last, ncolumns, uses);
	for (int i = 0; i < query->ncolumns; i++)
	{
		note_uses(query, query->columns[i].argument, last, ncolumns, uses);
		note_uses(query, query->columns[i].filter, last, ncolumns, uses);
	}
	return wa_gather_make(RelationGetDescr(relation), ncolumns, uses);
}

/* Makes what a batch of rows needs. */
static void
make_batch(WaScanBatch *batch, const WaScanQuery *query)
{
	char *ones = palloc0(wa_vector_bytes(WA_VECTOR_BOOL) + 64);

	batch->key_vectors = palloc(sizeof(WaVector *) * (query->nkeys + 1));
	for (int i = 0; i < query->nkeys; i++)
		batch->key_vectors[i] = wa_interpreter_register(
			query->interpreter, query->compiled.key_numbers[i]);
	wa_vector_place(&batch->ones, WA_VECTOR_BOOL, (void *) TYPEALIGN(64, ones));
	memset(batch->ones.values, 1, WA_VECTOR_ROWS);
	batch->keep = palloc(WA_VECTOR_ROWS);
	batch->group_numbers = palloc(sizeof(uint32) * WA_VECTOR_ROWS);
	batch->selection = palloc(sizeof(uint16_t) * WA_VECTOR_ROWS);
	batch->rows = palloc(sizeof(WaRow) * WA_VECTOR_ROWS);
	batch->pace.rows = WA_VECTOR_ROWS;
}

/* Makes the program of a query; returns its compiler. */
static WaCompiler *
make_program(WaScanQuery *query, ParamListInfo parameters)
{
	WaCompiler *compiler;

	complete(query);
	compiler = compile_all(query);
	query->interpreter = wa_interpreter_make(compiler, parameters);
	query->attnums = compiler->attnums;
	return compiler;
}

/* Makes room for the groups of a query over a table. */
static void
make_store(WaScanStore *store, const WaScanQuery *query,
		   const WaScanSource *source)
{
	store->query = query;
	store->source = source;
	store->columns = palloc(sizeof(WaAccumulator *) * (query->ncolumns + 1));
	store->context = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg groups", ALLOCSET_DEFAULT_SIZES);
}

void
wa_scan_prepare_query(WaScanQuery *query, const WaScanSource *source,
					  WaScanStore *store)
{
	(void) make_program(query, source->estate->es_param_list_info);
	make_store(store, query, source);
}

void
wa_scan_prepare(WaScanState *state)
{
	WaScanQuery *query = &state->query;
	WaScanSource *source = &state->source;
	const WaCompiler *compiler =
		make_program(query, source->estate->es_param_list_info);

	source->gather = make_gather(query, compiler, source->relation);
	make_batch(&state->batch, query);
	make_store(&state->store, query, source);
	state->batch.rowwise =
		wa_rowwise_make(&state->store, state->css.ss.ps.ps_ExprContext);
}
