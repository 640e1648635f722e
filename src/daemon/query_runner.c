/*
 * query_runner.c
 *		The CPU device's runner: query programs over extents; see runner.h.
 *
 * The rows of an extent go through the program in batches of whole blocks, so
 * that a batch that traps leaves out blocks, which the backend then reads itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/dictionary.h"
#include "daemon/runner.h"
#include "query/query_wire.h"
#include "query/run.h"

/* Memory that a query, and the groups of one thread, may take. */
#define QUERY_BYTES  ((size_t) 64 << 20)
#define GROUPS_BYTES ((size_t) 2 << 30)

typedef struct Query
{
	const WaRunRequest *request;
	WaArena arena;
	const WaQuery *query;
	WaArena message_arena;
	WaWriter message; /* the groups, once the run is finished */
} Query;

typedef struct State
{
	WaArena arena;
	WaQueryRun *run;
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
	if (query->ninputs != request->ncolumns)
		return false;
	for (uint32_t i = 0; i < request->ncolumns; i++)
		if (query->program.kinds[i] != request->columns[i].kind)
			return false;
	return true;
}

static WaStatus
query_begin(const WaRunRequest *request, void **run, char *error)
{
	Query *query = calloc(1, sizeof(*query));

	if (query == NULL)
		return fail(error, WA_OUT_OF_MEMORY, "not enough memory for a query");
	wa_arena_init(&query->arena, QUERY_BYTES);
	wa_arena_init(&query->message_arena, GROUPS_BYTES);
	query->request = request;
	query->query =
		wa_query_read(&query->arena, request->query, request->query_bytes);
	if (query->query != NULL && matches_request(query->query, request))
	{
		*run = query;
		return WA_OK;
	}
	wa_arena_reset(&query->arena);
	free(query);
	return fail(error, WA_BAD_REQUEST, "the query is not sound");
}

static void
query_end(void *run)
{
	Query *query = run;

	wa_arena_reset(&query->message_arena);
	wa_arena_reset(&query->arena);
	free(query);
}

static void
query_free_state(void *run, void *state)
{
	State *own = state;

	(void) run;
	wa_arena_reset(&own->arena);
	free(own);
}

static WaStatus
query_make_state(void *run, void **state, char *error)
{
	const Query *query = run;
	State *own = calloc(1, sizeof(*own));

	if (own == NULL)
		return fail(error, WA_OUT_OF_MEMORY, "not enough memory for a query");
	wa_arena_init(&own->arena, GROUPS_BYTES);
	own->run = wa_query_run_make(&own->arena, query->query);
	if (own->run != NULL)
	{
		*state = own;
		return WA_OK;
	}
	query_free_state(run, own);
	return fail(error, WA_OUT_OF_MEMORY, "not enough memory for a query");
}

/* Widens integers. */
#define WIDEN(type, from, to, nrows)                \
	do                                              \
	{                                               \
		const type *narrow = (const type *) (from); \
                                                    \
		for (size_t row = 0; row < (nrows); row++)  \
			(to)[row] = narrow[row];                \
	} while (0)

/* Copies texts by their codes. */
static void
fill_texts(const WaColumn *column, size_t first, size_t nrows, WaText *texts)
{
	const int32_t *codes = (const int32_t *) column->values + first;

	for (size_t i = 0; i < nrows; i++)
		texts[i] = wa_dictionary_text(column->dictionary, codes[i]);
	if (column->validity == NULL)
		return;
	for (size_t i = 0; i < nrows; i++)
		if (column->validity[first + i] == 0)
			texts[i] = (WaText){NULL, 0};
}

/* Copies the values of rows from the first on to a vector. */
static void
fill_values(const WaColumn *column, size_t first, size_t nrows,
			WaVector *vector)
{
	const void *values =
		(const char *) column->values + first * wa_form_width(column->form);

	switch (column->form)
	{
		case WA_FORM_INT16:
			WIDEN(int16_t, values, wa_vector_ints(vector), nrows);
			break;
		case WA_FORM_INT32:
		case WA_FORM_DECIMAL32:
			WIDEN(int32_t, values, wa_vector_ints(vector), nrows);
			break;
		case WA_FORM_UINT32:
			WIDEN(uint32_t, values, wa_vector_ints(vector), nrows);
			break;
		case WA_FORM_FLOAT4:
			WIDEN(float, values, wa_vector_floats(vector), nrows);
			break;
		case WA_FORM_INT64:
		case WA_FORM_DECIMAL64:
		case WA_FORM_FLOAT8:
			memcpy(vector->values, values, nrows * sizeof(int64_t));
			break;
		case WA_FORM_BOOL:
			memcpy(vector->values, values, nrows);
			break;
		default:
			fill_texts(column, first, nrows, wa_vector_texts(vector));
			break;
	}
}

/* Makes rows of a column a vector. */
static void
fill(const WaColumn *column, size_t first, size_t nrows, WaVector *vector)
{
	fill_values(column, first, nrows, vector);
	vector->has_nulls = column->validity != NULL;
	if (vector->has_nulls)
		memcpy(vector->valid, column->validity + first, nrows);
	vector->scale = column->scale;
	vector->mixed = column->display != NULL;
	if (vector->mixed)
		memcpy(vector->display, column->display + first, nrows);
}

/*
 * Takes the rows of blocks first_block to end_block - 1, which are in one batch,
 * or leaves them out.
 */
static WaStatus
take_batch(State *state, const WaRunExtent *extent, uint32_t ncolumns,
		   uint32_t first_block, uint32_t end_block, uint64_t *left_out,
		   char *error)
{
	const uint32_t first =
		first_block == 0 ? 0 : extent->row_end[first_block - 1];
	const size_t nrows = extent->row_end[end_block - 1] - first;
	WaRunOutcome outcome;

	if (nrows == 0)
		return WA_OK;
	for (uint32_t i = 0; i < ncolumns; i++)
		fill(extent->columns[i], first, nrows,
			 wa_query_run_input(state->run, i));
	outcome = wa_query_run_vectors(state->run, nrows);
	if (outcome != WA_RUN_TRAPPED)
		return status_of(outcome, error);
	for (uint32_t block = first_block; block < end_block; block++)
		left_out[block / 64] |= (uint64_t) 1 << (block % 64);
	return WA_OK;
}

/* Returns the first block whose rows end after a row. */
static uint32_t
block_of_row(const WaRunExtent *extent, uint32_t row)
{
	uint32_t low = 0;
	uint32_t high = extent->nblocks;

	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;

		if (extent->row_end[middle] > row)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Takes the rows of a range, which consists of whole blocks. */
static WaStatus
take_range(State *state, const WaRunExtent *extent, uint32_t ncolumns,
		   const WaRowRange *range, uint64_t *left_out, char *error)
{
	uint32_t row = range->begin;
	uint32_t block = block_of_row(extent, row);

	while (row < range->end)
	{
		uint32_t end_block = block + 1;
		WaStatus status;

		while (end_block < extent->nblocks &&
			   extent->row_end[end_block - 1] < range->end &&
			   extent->row_end[end_block] - row <= WA_VECTOR_ROWS)
			end_block++;
		status = take_batch(state, extent, ncolumns, block, end_block, left_out,
							error);
		if (status != WA_OK)
			return status;
		block = end_block;
		row = extent->row_end[end_block - 1];
	}
	return WA_OK;
}

static WaStatus
query_process(void *run, void *state, const WaRunExtent *extent,
			  uint64_t *left_out, char *error)
{
	const Query *query = run;
	WaStatus status = WA_OK;

	for (uint32_t i = 0; i < extent->nranges && status == WA_OK; i++)
		status = take_range(state, extent, query->request->ncolumns,
							&extent->ranges[i], left_out, error);
	return status;
}

static WaStatus
query_merge(void *run, void *into, void *from, char *error)
{
	(void) run;
	return status_of(
		wa_query_merge(((State *) into)->run, ((State *) from)->run), error);
}

static WaStatus
query_finish(void *run, void *state, WaRunResult *result, char *error)
{
	Query *query = run;
	State *own = state;
	uint32_t next = 0;

	wa_writer_init(&query->message, &query->message_arena);
	wa_query_run_write(own->run, &next, SIZE_MAX, &query->message);
	if (query->message_arena.failed)
		return fail(error, WA_OUT_OF_MEMORY, "not enough memory for groups");
	result->groups_bytes = query->message.nwords * sizeof(uint64_t);
	result->kept_rows = wa_query_run_rows(own->run);
	return WA_OK;
}

static void
query_write_groups(void *run, void *state, uint8_t *place)
{
	const Query *query = run;

	(void) state;
	memcpy(place, query->message.words,
		   query->message.nwords * sizeof(uint64_t));
}

const WaRunner wa_query_runner = {
	.kind = WA_DEVICE_CPU,
	.begin = query_begin,
	.make_state = query_make_state,
	.process = query_process,
	.merge = query_merge,
	.finish = query_finish,
	.write_groups = query_write_groups,
	.free_state = query_free_state,
	.end = query_end,
};
