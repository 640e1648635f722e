/*
 * choose_rows.c
 *		Choosing the first rows of a table while they are read; see choose_rows.h.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"

#include "query/message/partial_groups.h"
#include "query/run/first_rows.h"
#include "scan/base/context_arena.h"
#include "scan/plan/top_n.h"
#include "scan/rows/choose_rows.h"
#include "scan/rows/merge.h"
#include "scan/spill/spill.h"

/* Bytes that a row takes which is wanted, twice, with those of a few keys. */
#define ROW_BYTES 512

typedef struct WaChosenRows
{
	MemoryContext context; /* its own: a batch's rows are no memory of groups */
	WaArena arena;
	WaQuery query; /* with what is wanted of it */
	WaFirstRows *first;
} WaChosenRows;

void
wa_choose_rows_begin(WaScanState *state)
{
	WaQuery query = state->query.compiled;
	MemoryContext context;
	MemoryContext old;
	WaChosenRows *rows;

	if (state->batch.chosen != NULL)
		MemoryContextDelete(state->batch.chosen->context);
	state->batch.chosen = NULL;
	if (!wa_compiler_has_places(state->query.compiler))
		return;
	query.program = state->query.interpreter->program;
	wa_top_n_describe(&state->query, &state->css.ss.ps, state->top,
					  &query.top_n);
	if (!wa_first_rows_are_wanted(&query) ||
		query.top_n.limit * ROW_BYTES > get_hash_memory_limit())
		return;
	context =
		AllocSetContextCreate(state->sources.estate->es_query_cxt,
							  "warpagg first rows", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	rows = palloc(sizeof(WaChosenRows));
	rows->context = context;
	rows->query = query;
	wa_context_arena_init(&rows->arena, context);
	rows->first = wa_first_rows_make(&rows->arena, &rows->query,
									 get_hash_memory_limit() / ROW_BYTES);
	state->batch.chosen = rows;
	MemoryContextSwitchTo(old);
}

bool
wa_choose_rows_take(WaScanState *state, size_t nrows)
{
	return state->batch.chosen != NULL && !wa_spill_is_reading(&state->store) &&
		   wa_first_rows_take(state->batch.chosen->first,
							  state->batch.key_vectors, nrows);
}

/* Writes a message of the rows as groups. */
static void
write_groups(const WaChosenRows *rows, size_t nrows, WaWriter *writer)
{
	const WaPartialShape shape = {.nkeys = (int) rows->query.nkeys,
								  .keys = rows->query.keys};

	wa_partial_begin(writer, &shape);
	for (size_t row = 0; row < nrows; row++)
	{
		const WaQueryValue *values = wa_first_rows_keys(rows->first, row);

		for (int i = 0; i < shape.nkeys; i++)
			wa_partial_put_key(writer, &shape.keys[i], &values[i]);
	}
	wa_partial_end(writer, (uint32) nrows);
}

/* They are merged as those of other processes are, which spills what has no room. */
void
wa_choose_rows_finish(WaScanState *state)
{
	WaChosenRows *rows = state->batch.chosen;
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	WaWriter writer;
	MemoryContext old;
	size_t nrows;

	if (rows == NULL)
		return;
	nrows = wa_first_rows_finish(rows->first);
	if (nrows == 0)
		return;
	ResetExprContext(econtext);
	old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	wa_writer_init(&writer, &rows->arena);
	write_groups(rows, nrows, &writer);
	wa_scan_merge_groups(&state->store, writer.words,
						 writer.nwords * sizeof(uint64_t));
	wa_arena_free(&rows->arena, writer.words);
	wa_first_rows_forget(rows->first);
	MemoryContextSwitchTo(old);
}
