/*
 * query_runner.c
 *		The CPU device's runner: query programs over extents; see runner.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/column/dictionary.h"
#include "daemon/gpu/gpu_runner.h"
#include "daemon/run/query_groups.h"
#include "daemon/run/query_lists.h"
#include "daemon/run/query_runner.h"
#include "daemon/run/query_slices.h"
#include "daemon/run/query_state.h"
#include "daemon/run/run_budget.h"
#include "daemon/run/take_extent.h"
#include "query/message/query_wire.h"
#include "query/run/first_rows.h"
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

	wa_groups_end_parts(query);
	if (query->kept_groups != NULL)
		wa_query_state_free(query, query->kept_groups);
	(void) pthread_mutex_destroy(&query->kept_lock);
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
	bool is_sound;

	if (query == NULL)
		return wa_query_fail(error, WA_OUT_OF_MEMORY,
							 "not enough memory for a query");
	wa_run_arena_init(&query->arena, request->budget, QUERY_BYTES);
	wa_run_arena_init_groups(&query->message_arena, request->budget);
	(void) pthread_mutex_init(&query->kept_lock, NULL);
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
	if (query->asked->nrest > 0 && query->asked->made == NULL)
	{
		query->rest =
			wa_rest_groups_read(&query->arena, query->numbered, &is_sound);
		if (query->rest == NULL && is_sound)
			return refuse(query, error);
		if (query->rest == NULL)
		{
			query_end(query);
			return WA_OK;
		}
	}
	if (query->query->rolled != NULL && request->is_complete)
	{
		query->rolled = wa_query_roll_up_query(&query->arena, query->numbered);
		if (query->rolled == NULL)
			return refuse(query, error);
	}
	query->may_trap =
		wa_query_may_trap(query->query) || wa_first_rows_may_trap(query->query);
	*run = query;
	return WA_OK;
}

/*
 * Tells whether the last rows are taken first: as tables mostly grow at their ends, these
 * have what comes first in an order that descends, after which others are of no use.
 */
static bool
query_is_backward(const void *run)
{
	const WaQuery *query = ((const WaRunQuery *) run)->query;
	const WaTopN *top_n = &query->top_n;
	uint32_t i = 0;

	if (!wa_first_rows_are_wanted(query))
		return false;
	/* That they are true is no order that a table grows in. */
	while (i + 1 < top_n->norders &&
		   query->keys[top_n->orders[i].number].kind == WA_VECTOR_BOOL)
		i++;
	return top_n->orders[i].descending;
}

static WaStatus
query_process(void *run, void *state, const WaRunExtent *extent,
			  uint64_t *left_out, char *error)
{
	WaRunQuery *query = run;
	WaQueryState *own = state;
	const WaExtentTaking taking = {
		.run = own->run,
		.rows = own->rows,
		.ncolumns = query->request->ncolumns,
		.may_trap = query->may_trap,
		.is_backward = query_is_backward(query),
		.most_groups = wa_query_rolls(query) ? 0 : query->query->max_groups,
		.is_useless = &query->is_useless};
	WaStatus status =
		wa_query_status_of(wa_take_extent(&taking, extent, left_out), error);

	if (status == WA_OK)
		status = wa_query_lists_watch(query, own, error);

	/* Other threads are to know before their groups are as many. */
	if (wa_query_has_too_many(query, own->run) || wa_query_run_is_odd(own->run))
		wa_query_give_up(query);
	return status;
}

static WaStatus
query_merge(void *run, void *into, void *from, char *error)
{
	const WaRunQuery *query = run;

	if (query->query->made != NULL ||
		((WaQueryState *) into)->listing != NULL ||
		((WaQueryState *) from)->listing != NULL ||
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
	const WaRunQuery *query = run;
	/* Sums of values, each once, are threads' to make. */
	const bool can_roll_up =
		wa_query_lists(query) && (query->query->rolled->nranks > 0 ||
								  query->query->rolled->column.ops == 0);
	const WaGpuRun own = {.run = run,
						  .query = query->numbered,
						  .make_state = wa_query_state_make,
						  .rolled = can_roll_up ? query->rolled : NULL,
						  .make_rolled_state = wa_query_lists_make,
						  .groups = wa_query_runner_groups,
						  .merge = query_merge,
						  .free_state = wa_query_state_free,
						  .rows = &((WaRunQuery *) run)->gpu_rows};

	/* A GPU would look for each row among the groups, which takes longer. */
	if (query->query->top_n.of_rows)
		return WA_OK;
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
	.is_backward = query_is_backward,
	.merge = query_merge,
	.can_slice = wa_query_can_slice,
	.prefers_slices = wa_query_prefers_slices,
	.begin_slices = wa_query_begin_slices,
	.hash = wa_query_hash,
	.make_slice = wa_query_make_slice,
	.take_slice = wa_query_take_slice,
	.keep_slice = wa_query_keep_slice,
	.divide = wa_groups_divide,
	.sort = wa_groups_sort,
	.merge_part = wa_groups_merge_part,
	.finish = wa_groups_finish,
	.write_groups = wa_groups_write,
	.free_state = wa_query_state_free,
	.end = query_end,
};
