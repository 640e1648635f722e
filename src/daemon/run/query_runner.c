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
#include "daemon/run/query_groups.h"
#include "daemon/run/query_runner.h"
#include "daemon/run/run_budget.h"
#include "query/message/query_wire.h"
#include "query/run/run_roll_up.h"

/* Memory that a query may take as such. */
#define QUERY_BYTES ((size_t) 64 << 20)

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

/* Notes the texts that the columns have. */
static void
find_texts(WaRunQuery *query)
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
	WaRunQuery *query = run;

	for (uint32_t i = 0; i < query->nparts; i++)
	{
		wa_arena_reset(&query->part_arenas[i]);
		if (query->part_states[i] != NULL)
			wa_query_state_free(query, query->part_states[i]);
	}
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
refuse(WaRunQuery *query, char *error)
{
	const bool lacks_memory = query->arena.failed;
	const bool lacks_table = query->kept.lacks_one;

	query_end(query);
	if (lacks_memory)
		return wa_query_fail(error, WA_OUT_OF_MEMORY,
							 "not enough memory for a query");
	return lacks_table
			   ? wa_query_fail(error, WA_NOT_KEPT, "a table is not kept")
			   : wa_query_fail(error, WA_BAD_REQUEST, "the query is not sound");
}

/* Tells whether groups that are rolled up are wanted, and cannot be. */
static bool
lacks_rolled(const WaRunQuery *query)
{
	return query->asked->only_wanted && query->asked->rolled != NULL &&
		   query->numbered->query.rolled == NULL;
}

static WaStatus
query_begin(const WaRunRequest *request, void **run, char *error)
{
	WaRunQuery *query = calloc(1, sizeof(*query));
	const WaTableFinder finder = {.find = wa_table_uses_find,
								  .context = &query->kept};

	if (query == NULL)
		return wa_query_fail(error, WA_OUT_OF_MEMORY,
							 "not enough memory for a query");
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
	if (wa_query_has_use(query->asked, request))
		query->numbered =
			wa_query_number_texts(&query->arena, query->asked, query->texts);
	/* There may be too many texts, or only groups that are rolled up wanted. */
	if (query->numbered == NULL || lacks_rolled(query))
	{
		query_end(query);
		return WA_OK;
	}
	query->query = &query->numbered->query;
	if (query->query->rolled != NULL && request->is_complete)
	{
		query->rolled = wa_query_roll_up_query(&query->arena, query->numbered);
		if (query->rolled == NULL)
			return refuse(query, error);
	}
	query->may_trap = wa_query_may_trap(query->query);
	*run = query;
	return WA_OK;
}

void
wa_query_state_free(void *run, void *state)
{
	WaQueryState *own = state;

	(void) run;
	wa_arena_reset(&own->arena);
	wa_arena_reset(&own->vectors);
	free(own);
}

WaStatus
wa_query_state_make(void *run, void **state, char *error)
{
	const WaRunQuery *query = run;

	return wa_query_state_make_of(query, query->numbered, state, error);
}

WaStatus
wa_query_state_make_of(const WaRunQuery *query, const WaNumberedQuery *numbered,
					   void **state, char *error)
{
	WaQueryState *own = calloc(1, sizeof(*own));

	if (own == NULL)
		return wa_query_fail(error, WA_OUT_OF_MEMORY,
							 "not enough memory for a query");
	wa_run_arena_init(&own->arena, query->request->budget, WA_RUN_GROUPS_BYTES);
	wa_run_arena_init(&own->vectors, query->request->budget,
					  WA_RUN_GROUPS_BYTES);
	own->arena.vectors = &own->vectors;
	own->run = wa_query_run_make(&own->arena, numbered);
	if (own->run != NULL)
	{
		wa_run_arena_begin_groups(&own->arena);
		*state = own;
		return WA_OK;
	}
	wa_query_state_free(NULL, own);
	return wa_query_fail(error, WA_OUT_OF_MEMORY,
						 "not enough memory for a query");
}

/* Says where the rows of an extent's columns lie, from a row on. */
static void
find_rows(const WaRunQuery *query, WaQueryState *state,
		  const WaRunExtent *extent, size_t first)
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
take_blocks(const WaRunQuery *query, WaQueryState *state,
			const WaRunExtent *extent, uint32_t first_block, uint32_t end_block,
			uint64_t *left_out, char *error)
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
		return wa_query_status_of(outcome, error);
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
take_by_blocks(const WaRunQuery *query, WaQueryState *state,
			   const WaRunExtent *extent, const WaRowRange *range,
			   uint64_t *left_out, char *error)
{
	uint32_t row = range->begin;
	uint32_t block = wa_run_block_of_row(extent, row);

	while (row < range->end && !wa_query_is_useless(query, state))
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
take_rows(const WaRunQuery *query, WaQueryState *state,
		  const WaRunExtent *extent, const WaRowRange *range, char *error)
{
	const uint32_t most = wa_query_run_is_plain(state->run)
							  ? range->end - range->begin
							  : WA_VECTOR_ROWS;
	WaStatus status = WA_OK;

	for (uint32_t row = range->begin; row < range->end && status == WA_OK &&
									  !wa_query_is_useless(query, state);)
	{
		const uint32_t left = range->end - row;
		const uint32_t nrows = left < most ? left : most;

		find_rows(query, state, extent, row);
		status = wa_query_status_of(
			wa_query_run_take(state->run, state->rows, nrows), error);
		row += nrows;
	}
	return status;
}

static WaStatus
query_process(void *run, void *state, const WaRunExtent *extent,
			  uint64_t *left_out, char *error)
{
	WaRunQuery *query = run;
	WaStatus status = WA_OK;

	for (uint32_t i = 0; i < extent->nranges && status == WA_OK; i++)
		status =
			query->may_trap
				? take_by_blocks(query, state, extent, &extent->ranges[i],
								 left_out, error)
				: take_rows(query, state, extent, &extent->ranges[i], error);
	/* Other threads are to know before their groups are as many. */
	if (wa_query_has_too_many(query, ((const WaQueryState *) state)->run) ||
		wa_query_run_is_odd(((const WaQueryState *) state)->run))
		wa_query_give_up(query);
	return status;
}

static WaStatus
query_merge(void *run, void *into, void *from, char *error)
{
	const WaRunQuery *query = run;

	if (query->query->made != NULL ||
		__atomic_load_n(&query->is_useless, __ATOMIC_RELAXED))
		return WA_OK;
	return wa_query_status_of(wa_query_merge(((WaQueryState *) into)->run,
											 ((WaQueryState *) from)->run),
							  error);
}

WaQueryRun *
wa_query_runner_groups(const void *state)
{
	return ((const WaQueryState *) state)->run;
}

#ifdef WA_WITH_CUDA
static WaStatus
query_use_devices(void *run, void **states, const WaRunRequest *request,
				  WaDeviceShare *shares, char *error)
{
	const WaGpuRun own = {.run = run,
						  .query = ((const WaRunQuery *) run)->numbered,
						  .make_state = wa_query_state_make,
						  .groups = wa_query_runner_groups,
						  .merge = query_merge,
						  .free_state = wa_query_state_free,
						  .rows = &((WaRunQuery *) run)->gpu_rows};

	return wa_gpu_runner_use(&own, states, request, shares, error);
}
#endif

const WaRunner wa_query_runner = {
	.kind = WA_DEVICE_CPU,
	.begin = query_begin,
	.make_state = wa_query_state_make,
	.process = query_process,
#ifdef WA_WITH_CUDA
	.use_devices = query_use_devices,
#endif
	.merge = query_merge,
	.divide = wa_groups_divide,
	.sort = wa_groups_sort,
	.merge_part = wa_groups_merge_part,
	.finish = wa_groups_finish,
	.write_groups = wa_groups_write,
	.free_state = wa_query_state_free,
	.end = query_end,
};
