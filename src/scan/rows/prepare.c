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

/* Completes what is known of keys, clauses and columns. */
static void
complete(WaScanState *state)
{
	state->group_keys = palloc0(sizeof(WaGroupKey) * (state->nkeys + 1));
	for (int i = 0; i < state->nkeys; i++)
	{
		WaGroupKey *key = &state->group_keys[i];

		key->type = getBaseType(exprType((Node *) state->keys[i].expression));
		if (!wa_gather_kind(key->type, &key->kind))
			elog(ERROR, "unexpected type %u of a key", key->type);
	}
	state->nfilters = list_length(state->filter_clauses);
	state->filters = palloc(sizeof(WaScanFilter) * (state->nfilters + 1));
	for (int i = 0; i < state->ncolumns; i++)
	{
		WaScanColumn *column = &state->columns[i];

		column->plan.many = true;
		wa_plan_complete(&column->plan, CurrentMemoryContext);
	}
	for (int i = 0; i < state->nresults; i++)
		if (state->results[i].shift != NULL)
			wa_plan_complete(&state->results[i].shift->plan,
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

/* Compiles an expression. */
static int
compile(WaCompiler *compiler, Expr *expression)
{
	return check(compiler, wa_compile(compiler, expression));
}

/* Compiles the argument of a column. */
static int
compile_argument(WaCompiler *compiler, const WaScanColumn *column)
{
	if (column->argument == NULL)
		return -1;
	return check(compiler,
				 wa_compile_argument(compiler, column->argument, column->filter,
									 column->plan.key.ops == 0));
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
	compiler = wa_compiler_make(state->varno, all, &refusal);
	if (compiler == NULL)
		elog(ERROR, "warpagg cannot read the table any more: %s", refusal);
	/* What the planner tried was longer, by what is added to shared columns. */
	compiler->nspare = WA_MAX_REGISTERS;
	for (int i = 0; i < state->nfilters; i++)
	{
		WaScanFilter *filter = &state->filters[i];

		compiler->stage = i;
		filter->begin = compiler->ninstructions;
		filter->number =
			compile(compiler, (Expr *) list_nth(state->filter_clauses, i));
		filter->end = compiler->ninstructions;
		wa_compiler_forget(compiler);
	}
	compiler->stage = state->nfilters;
	state->begin = compiler->ninstructions;
	for (int i = 0; i < state->nkeys; i++)
		state->keys[i].number = check(
			compiler, wa_compile_key(compiler, state->keys[i].expression));
	for (int i = 0; i < state->ncolumns; i++)
	{
		WaScanColumn *column = &state->columns[i];

		column->argument_register = compile_argument(compiler, column);
		column->kind = column->argument_register < 0
						   ? WA_VECTOR_BOOL
						   : compiler->kinds[column->argument_register];
		column->filter_register =
			column->filter == NULL ? -1 : compile(compiler, column->filter);
	}
	state->end = compiler->ninstructions;
	return compiler;
}

/* Notes that a step uses the columns of an expression, which may be NULL. */
static void
note_uses(const WaScanState *state, Expr *expression, int step, int ncolumns,
		  WaGatherUse *uses)
{
	Bitmapset *attnums = NULL;

	pull_varattnos((Node *) expression, state->varno, &attnums);
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
make_gather(const WaScanState *state, const WaCompiler *compiler)
{
	int ncolumns = compiler->ncolumns;
	WaGatherUse *uses = palloc(sizeof(WaGatherUse) * (ncolumns + 1));
	int last = state->nfilters;

	for (int i = 0; i < ncolumns; i++)
		uses[i] =
			(WaGatherUse){.attnum = compiler->attnums[i],
						  .first = last,
						  .wide = compiler->kinds[i] == WA_VECTOR_DECIMAL};
	for (int i = 0; i < state->nfilters; i++)
		note_uses(state, list_nth(state->filter_clauses, i), i, ncolumns, uses);
	for (int i = 0; i < state->nkeys; i++)
		note_uses(state, state->keys[i].expression, last, ncolumns, uses);
	for (int i = 0; i < state->ncolumns; i++)
	{
		note_uses(state, state->columns[i].argument, last, ncolumns, uses);
		note_uses(state, state->columns[i].filter, last, ncolumns, uses);
	}
	return wa_gather_make(RelationGetDescr(state->relation), ncolumns, uses);
}

/* Makes what a batch of rows needs. */
static void
make_memory(WaScanState *state, const WaCompiler *compiler)
{
	char *ones = palloc0(wa_vector_bytes(WA_VECTOR_BOOL) + 64);

	state->interpreter = wa_interpreter_make(
		compiler, state->css.ss.ps.state->es_param_list_info);
	state->key_vectors = palloc(sizeof(WaVector *) * (state->nkeys + 1));
	for (int i = 0; i < state->nkeys; i++)
		state->key_vectors[i] =
			wa_interpreter_register(state->interpreter, state->keys[i].number);
	state->gather = make_gather(state, compiler);
	state->attnums = compiler->attnums;
	wa_vector_place(&state->ones, WA_VECTOR_BOOL, (void *) TYPEALIGN(64, ones));
	memset(state->ones.values, 1, WA_VECTOR_ROWS);
	state->keep = palloc(WA_VECTOR_ROWS);
	state->group_numbers = palloc(sizeof(uint32) * WA_VECTOR_ROWS);
	state->selection = palloc(sizeof(uint16_t) * WA_VECTOR_ROWS);
	state->rows = palloc(sizeof(WaRow) * WA_VECTOR_ROWS);
	state->pace.rows = WA_VECTOR_ROWS;
	state->group_context = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg groups", ALLOCSET_DEFAULT_SIZES);
}

void
wa_scan_prepare_program(WaScanState *state)
{
	complete(state);
	make_memory(state, compile_all(state));
}

void
wa_scan_prepare(WaScanState *state)
{
	wa_scan_prepare_program(state);
	state->rowwise = wa_rowwise_make(state);
}
