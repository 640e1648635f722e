/*
 * query_runner.c
 *		The CPU device's runner: query programs over extents; see runner.h.
 *
 * Where a program may trap, the rows of an extent go through it in batches of
 * whole blocks, so that what traps leaves out blocks, which the backend then reads
 * itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/column/dictionary.h"
#include "daemon/gpu/gpu_runner.h"
#include "daemon/run/made_tables.h"
#include "daemon/run/query_runner.h"
#include "daemon/run/query_tables.h"
#include "daemon/run/run_budget.h"
#include "query/message/query_wire.h"
#include "query/run/run_parts.h"

/* Memory that a query may take as such. */
#define QUERY_BYTES ((size_t) 64 << 20)

typedef struct Query
{
	const WaRunRequest *request;
	WaArena arena;
	WaTableUses kept;
	const WaQuery *asked;
	const WaNumberedQuery *numbered;
	const WaQuery *query; /* the same without texts */
	bool may_trap;
	WaTextCodes texts[WA_MAX_QUERY_COLUMNS]; /* of TEXT */
	WaArena message_arena;
	WaWriter message;  /* the groups, once the run is finished */
	WaQueryRun **runs; /* of the states, if they are merged by parts; then: */
	unsigned nruns;
	uint32_t nparts;
	WaArena *part_arenas;
	WaWriter *part_messages;
	size_t parts_bytes;  /* of the messages; changed atomically */
	bool is_useless;     /* some part is (see is_useless); atomically */
	WaMadeTables *made;  /* where rows become tables; or NULL */
	WaGpuRows *gpu_rows; /* that GPUs have handed over for these */
} Query;

typedef struct State
{
	WaArena arena;
	WaArena vectors; /* of the groups' arena */
	WaQueryRun *run;
	WaColumnRows rows[WA_MAX_QUERY_COLUMNS]; /* of the batch at hand */
} State;

/* Writes a text to error and returns the status. */
static WaStatus
fail(char *error, WaStatus status, const char *text)
{
	(void) snprintf(error, WA_MAX_ERROR_BYTES, "%s", text);
	return status;
}

/* Returns the status that an outcome other than a trap comes to. */
static WaStatus
status_of(WaRunOutcome outcome, char *error)
{
	switch (outcome)
	{
		case WA_RUN_NO_MEMORY:
			return fail(error, WA_OUT_OF_MEMORY,
						"not enough memory for groups");
		case WA_RUN_OVERFLOWED:
			return fail(error, WA_UNSUPPORTED, "a sum is too large");
		default:
			return WA_OK;
	}
}

/* Tells whether the inputs of a query are the columns of the request. */
static bool
matches_request(const WaQuery *query, const WaRunRequest *request)
{
	if (query->ninputs != request->ncolumns ||
		(query->nrest > 0) != (request->rest_blocks != NULL))
		return false;
	for (uint32_t i = 0; i < request->ncolumns; i++)
		if (query->program.kinds[i] != request->columns[i].kind)
			return false;
	return true;
}

/*
 * Tells whether there is a use in an answer over the extents: a query may want
 * only its first groups, which can be told if no other rows belong to them, and its
 * tables may be of another time.
 */
static bool
has_use(const WaQuery *query, const WaRunRequest *request)
{
	return (request->is_complete || !query->only_wanted) &&
		   wa_tables_are_current(query, request);
}

/* Tells whether a run has more groups than the query has a use for. */
static bool
has_too_many(const Query *query, const WaQueryRun *run)
{
	return query->query->max_groups > 0 &&
		   wa_query_run_groups(run) > query->query->max_groups;
}

/* Tells whether nobody will want an answer: there are too many groups. */
static bool
is_useless(const Query *query, const State *state)
{
	return has_too_many(query, state->run) ||
		   __atomic_load_n(&query->is_useless, __ATOMIC_RELAXED);
}

/* Notes that nobody will want an answer. */
static void
give_up(Query *query)
{
	__atomic_store_n(&query->is_useless, true, __ATOMIC_RELAXED);
}

/* Notes the texts that the columns have. */
static void
find_texts(Query *query)
{
	const WaRunRequest *request = query->request;

	for (uint32_t i = 0; i < request->ncolumns; i++)
		if (request->dictionaries[i] != NULL)
		{
			query->texts[i] = wa_dictionary_codes(request->dictionaries[i]);
			query->texts[i].is_padded = request->columns[i].typmod >= 0;
		}
}

static void
query_end(void *run)
{
	Query *query = run;

	for (uint32_t i = 0; i < query->nparts; i++)
		wa_arena_reset(&query->part_arenas[i]);
	wa_made_tables_end(query->made);
#ifdef WA_WITH_CUDA
	wa_gpu_rows_free(query->gpu_rows);
#endif
	wa_table_uses_end(&query->kept);
	wa_arena_reset(&query->message_arena);
	wa_arena_reset(&query->arena);
	free(query);
}

/* Ends a query that could not be read, and tells why. */
static WaStatus
refuse(Query *query, char *error)
{
	const bool lacks_memory = query->arena.failed;
	const bool lacks_table = query->kept.lacks_one;

	query_end(query);
	if (lacks_memory)
		return fail(error, WA_OUT_OF_MEMORY, "not enough memory for a query");
	return lacks_table ? fail(error, WA_NOT_KEPT, "a table is not kept")
					   : fail(error, WA_BAD_REQUEST, "the query is not sound");
}

static WaStatus
query_begin(const WaRunRequest *request, void **run, char *error)
{
	Query *query = calloc(1, sizeof(*query));
	const WaTableFinder finder = {.find = wa_table_uses_find,
								  .context = &query->kept};

	if (query == NULL)
		return fail(error, WA_OUT_OF_MEMORY, "not enough memory for a query");
	wa_run_arena_init(&query->arena, request->budget, QUERY_BYTES);
	wa_run_arena_init_groups(&query->message_arena, request->budget);
	query->request = request;
	wa_table_uses_begin(&query->kept, request->tables, &query->arena);
	query->asked = wa_query_read_with(&query->arena, request->query,
									  request->query_bytes, &finder);
	if (query->asked == NULL || !matches_request(query->asked, request))
		return refuse(query, error);
	*run = NULL;
	find_texts(query);
	if (has_use(query->asked, request))
		query->numbered =
			wa_query_number_texts(&query->arena, query->asked, query->texts);
	/* There may be too many texts. */
	if (query->numbered == NULL)
	{
		query_end(query);
		return WA_OK;
	}
	query->query = &query->numbered->query;
	query->may_trap = wa_query_may_trap(query->query);
	*run = query;
	return WA_OK;
}

static void
query_free_state(void *run, void *state)
{
	State *own = state;

	(void) run;
	wa_arena_reset(&own->arena);
	wa_arena_reset(&own->vectors);
	free(own);
}

static WaStatus
query_make_state(void *run, void **state, char *error)
{
	const Query *query = run;
	State *own = calloc(1, sizeof(*own));

	if (own == NULL)
		return fail(error, WA_OUT_OF_MEMORY, "not enough memory for a query");
	wa_run_arena_init(&own->arena, query->request->budget, WA_RUN_GROUPS_BYTES);
	wa_run_arena_init(&own->vectors, query->request->budget,
					  WA_RUN_GROUPS_BYTES);
	own->arena.vectors = &own->vectors;
	own->run = wa_query_run_make(&own->arena, query->numbered);
	if (own->run != NULL)
	{
		wa_run_arena_begin_groups(&own->arena);
		*state = own;
		return WA_OK;
	}
	query_free_state(run, own);
	return fail(error, WA_OUT_OF_MEMORY, "not enough memory for a query");
}

/* Says where the rows of an extent's columns lie, from a row on. */
static void
find_rows(const Query *query, State *state, const WaRunExtent *extent,
		  size_t first)
{
	for (uint32_t i = 0; i < query->request->ncolumns; i++)
	{
		const WaColumn *column = extent->columns[i];
		const WaColumnRows rows = {.form = column->form,
								   .scale = column->scale,
								   .values = column->values,
								   .validity = column->validity,
								   .display = column->display};

		state->rows[i] = wa_column_rows_after(&rows, first);
	}
}

/* Sets the bits of blocks first_block to end_block - 1. */
static void
leave_out(uint64_t *left_out, uint32_t first_block, uint32_t end_block)
{
	for (uint32_t block = first_block; block < end_block; block++)
		left_out[block / 64] |= (uint64_t) 1 << (block % 64);
}

/*
 * Takes the rows of blocks first_block to end_block - 1, which are in one batch.
 * If they trap, they are taken block by block, and what traps is left out.
 */
static WaStatus
take_blocks(const Query *query, State *state, const WaRunExtent *extent,
			uint32_t first_block, uint32_t end_block, uint64_t *left_out,
			char *error)
{
	const uint32_t first = wa_first_row(extent->row_end, first_block);
	const size_t nrows = extent->row_end[end_block - 1] - first;
	WaRunOutcome outcome;
	WaStatus status = WA_OK;

	if (nrows == 0)
		return WA_OK;
	find_rows(query, state, extent, first);
	outcome = wa_query_run_take(state->run, state->rows, nrows);
	if (outcome != WA_RUN_TRAPPED)
		return status_of(outcome, error);
	if (end_block - first_block == 1)
		leave_out(left_out, first_block, end_block);
	else
		for (uint32_t block = first_block; block < end_block && status == WA_OK;
			 block++)
			status = take_blocks(query, state, extent, block, block + 1,
								 left_out, error);
	return status;
}

/* Takes the rows of a range in batches of whole blocks. */
static WaStatus
take_by_blocks(const Query *query, State *state, const WaRunExtent *extent,
			   const WaRowRange *range, uint64_t *left_out, char *error)
{
	uint32_t row = range->begin;
	uint32_t block = wa_run_block_of_row(extent, row);

	while (row < range->end && !is_useless(query, state))
	{
		uint32_t end_block = block + 1;
		WaStatus status;

		while (end_block < extent->nblocks &&
			   extent->row_end[end_block - 1] < range->end &&
			   extent->row_end[end_block] - row <= WA_VECTOR_ROWS)
			end_block++;
		status = take_blocks(query, state, extent, block, end_block, left_out,
							 error);
		if (status != WA_OK)
			return status;
		block = end_block;
		row = extent->row_end[end_block - 1];
	}
	return WA_OK;
}

/* Takes the rows of a range, which do not trap. */
static WaStatus
take_rows(const Query *query, State *state, const WaRunExtent *extent,
		  const WaRowRange *range, char *error)
{
	const uint32_t most = wa_query_run_is_plain(state->run)
							  ? range->end - range->begin
							  : WA_VECTOR_ROWS;
	WaStatus status = WA_OK;

	for (uint32_t row = range->begin;
		 row < range->end && status == WA_OK && !is_useless(query, state);)
	{
		const uint32_t left = range->end - row;
		const uint32_t nrows = left < most ? left : most;

		find_rows(query, state, extent, row);
		status =
			status_of(wa_query_run_take(state->run, state->rows, nrows), error);
		row += nrows;
	}
	return status;
}

static WaStatus
query_process(void *run, void *state, const WaRunExtent *extent,
			  uint64_t *left_out, char *error)
{
	Query *query = run;
	WaStatus status = WA_OK;

	for (uint32_t i = 0; i < extent->nranges && status == WA_OK; i++)
		status =
			query->may_trap
				? take_by_blocks(query, state, extent, &extent->ranges[i],
								 left_out, error)
				: take_rows(query, state, extent, &extent->ranges[i], error);
	/* Other threads are to know before their groups are as many. */
	if (has_too_many(query, ((const State *) state)->run) ||
		wa_query_run_is_odd(((const State *) state)->run))
		give_up(query);
	return status;
}

static WaStatus
query_merge(void *run, void *into, void *from, char *error)
{
	const Query *query = run;

	if (query->query->made != NULL ||
		__atomic_load_n(&query->is_useless, __ATOMIC_RELAXED))
		return WA_OK;
	return status_of(
		wa_query_merge(((State *) into)->run, ((State *) from)->run), error);
}

/* Makes room for parts; returns false if there is not enough memory. */
static bool
make_parts(Query *query, uint32_t nparts)
{
	WaArena *arena = &query->arena;

	query->part_arenas = wa_arena_alloc(arena, nparts * sizeof(WaArena));
	query->part_messages = wa_arena_alloc(arena, nparts * sizeof(WaWriter));
	if (arena->failed)
		return false;
	for (uint32_t i = 0; i < nparts; i++)
	{
		wa_run_arena_init_groups(&query->part_arenas[i],
								 query->request->budget);
		wa_writer_init(&query->part_messages[i], &query->part_arenas[i]);
	}
	query->nparts = nparts;
	return true;
}

/* Begins the tables that the rows of the runs become. */
static WaStatus
divide_tables(Query *query, uint32_t *nparts, char *error)
{
	const WaStatus status =
		wa_made_tables_begin(query->request, query->numbered, query->runs,
							 query->nruns, &query->made, nparts, error);

	if (*nparts == 0)
		give_up(query);
	return status;
}

static WaStatus
query_divide(void *run, void *const *states, unsigned nstates, uint32_t *nparts,
			 char *error)
{
	Query *query = run;

	if (!has_use(query->asked, query->request) ||
		__atomic_load_n(&query->is_useless, __ATOMIC_RELAXED))
		return WA_OK;
	query->runs = wa_arena_alloc(&query->arena, nstates * sizeof(WaQueryRun *));
	if (query->runs == NULL)
		return fail(error, WA_OUT_OF_MEMORY, "not enough memory for a query");
	for (unsigned i = 0; i < nstates; i++)
		query->runs[i] = ((State *) states[i])->run;
	query->nruns = nstates;
	if (query->query->made != NULL)
		return divide_tables(query, nparts, error);
	*nparts = wa_run_parts_choose(query->runs, nstates);
	if (*nparts > 0 && !make_parts(query, *nparts))
		return fail(error, WA_OUT_OF_MEMORY, "not enough memory for a query");
	return WA_OK;
}

static WaStatus
query_sort(void *run, void *state, char *error)
{
	const Query *query = run;

	if (query->made != NULL)
		wa_made_tables_sort(query->made, ((State *) state)->run);
	else if (!wa_run_parts_sort(((State *) state)->run, query->nparts))
		return fail(error, WA_OUT_OF_MEMORY, "not enough memory for groups");
	return WA_OK;
}

/* Writes the message of groups, or of the first ones if others are not wanted. */
static WaStatus
write_message(const Query *query, WaQueryRun *groups, WaWriter *message,
			  char *error)
{
	uint32_t next = 0;

	if (query->request->is_complete && !wa_query_run_choose(groups))
		return fail(error, WA_OUT_OF_MEMORY, "not enough memory for groups");
	wa_query_run_write(groups, &next, SIZE_MAX, message);
	if (message->arena->failed)
		return fail(error, WA_OUT_OF_MEMORY, "not enough memory for groups");
	return WA_OK;
}

/* Notes how long a part's message is; together they may be as long as one. */
static WaStatus
count_bytes(Query *query, const WaWriter *message, char *error)
{
	const size_t bytes = message->nwords * sizeof(uint64_t);

	if (__atomic_add_fetch(&query->parts_bytes, bytes, __ATOMIC_RELAXED) >
		WA_RUN_GROUPS_BYTES)
		return fail(error, WA_OUT_OF_MEMORY, "not enough memory for groups");
	return WA_OK;
}

static WaStatus
query_merge_part(void *run, uint32_t part, char *error)
{
	Query *query = run;
	WaWriter *message;
	void *state;
	WaQueryRun *groups;
	WaStatus status;

	if (query->made != NULL)
	{
		wa_made_tables_fill(query->made, part);
		return WA_OK;
	}
	message = &query->part_messages[part];
	status = query_make_state(run, &state, error);
	if (status != WA_OK)
		return status;
	groups = ((State *) state)->run;
	status = status_of(
		wa_run_parts_merge(groups, query->runs, query->nruns, part), error);
	if (status == WA_OK)
		status = write_message(query, groups, message, error);
	if (status == WA_OK)
		status = count_bytes(query, message, error);
	if (is_useless(query, state))
		give_up(query);
	query_free_state(run, state);
	return status;
}

/* Tells what will be written of the parts. */
static void
finish_parts(const Query *query, WaRunResult *result)
{
	result->groups_bytes =
		wa_run_parts_words(query->runs[0], query->part_messages,
						   query->nparts) *
		sizeof(uint64_t);
	for (unsigned i = 0; i < query->nruns; i++)
		result->kept_rows += wa_query_run_rows(query->runs[i]);
}

static WaStatus
query_finish(void *run, void *state, WaRunResult *result, char *error)
{
	Query *query = run;
	State *own = state;
	WaStatus status;

	if (!has_use(query->asked, query->request))
		return WA_OK;
	wa_writer_init(&query->message, &query->message_arena);
	if (query->query->made != NULL)
		return wa_made_tables_keep(query->made, &query->message, result, error);
	if (query->nparts > 0)
	{
		if (!is_useless(query, own))
			finish_parts(query, result);
		return WA_OK;
	}
	if (is_useless(query, own))
		return WA_OK;
	status = write_message(query, own->run, &query->message, error);
	/* Only now all ties are known. */
	if (is_useless(query, own))
		return status;
	result->groups_bytes = query->message.nwords * sizeof(uint64_t);
	result->kept_rows = wa_query_run_rows(own->run);
	return status;
}

static void
query_write_groups(void *run, void *state, uint8_t *place)
{
	const Query *query = run;

	(void) state;
	if (query->nparts > 0)
		wa_run_parts_join(query->runs[0], query->part_messages, query->nparts,
						  (uint64_t *) (void *) place);
	else
		memcpy(place, query->message.words,
			   query->message.nwords * sizeof(uint64_t));
}

WaQueryRun *
wa_query_runner_groups(const void *state)
{
	return ((const State *) state)->run;
}

#ifdef WA_WITH_CUDA
static WaStatus
query_use_devices(void *run, void **states, const WaRunRequest *request,
				  WaDeviceShare *shares, char *error)
{
	const WaGpuRun own = {.run = run,
						  .query = ((const Query *) run)->numbered,
						  .make_state = query_make_state,
						  .groups = wa_query_runner_groups,
						  .merge = query_merge,
						  .free_state = query_free_state,
						  .rows = &((Query *) run)->gpu_rows};

	return wa_gpu_runner_use(&own, states, request, shares, error);
}
#endif

const WaRunner wa_query_runner = {
	.kind = WA_DEVICE_CPU,
	.begin = query_begin,
	.make_state = query_make_state,
	.process = query_process,
#ifdef WA_WITH_CUDA
	.use_devices = query_use_devices,
#endif
	.merge = query_merge,
	.divide = query_divide,
	.sort = query_sort,
	.merge_part = query_merge_part,
	.finish = query_finish,
	.write_groups = query_write_groups,
	.free_state = query_free_state,
	.end = query_end,
};
