/*
 * query_groups.c
 *		Bringing together the groups of a query's threads, or the rows that become tables;
 *		see query_groups.h.
 */
#include <stdio.h>
#include <string.h>

#include "daemon/run/query_groups.h"
#include "daemon/run/run_budget.h"
#include "query/run/run_parts.h"

WaStatus
wa_query_fail(char *error, WaStatus status, const char *text)
{
	(void) snprintf(error, WA_MAX_ERROR_BYTES, "%s", text);
	return status;
}

WaStatus
wa_query_status_of(WaRunOutcome outcome, char *error)
{
	switch (outcome)
	{
		case WA_RUN_NO_MEMORY:
			return wa_query_fail(error, WA_OUT_OF_MEMORY,
								 "not enough memory for groups");
		case WA_RUN_OVERFLOWED:
			return wa_query_fail(error, WA_UNSUPPORTED, "a sum is too large");
		default:
			return WA_OK;
	}
}

bool
wa_query_has_use(const WaQuery *query, const WaRunRequest *request)
{
	return (request->is_complete || !query->only_wanted) &&
		   wa_tables_are_current(query, request);
}

bool
wa_query_has_too_many(const WaRunQuery *query, const WaQueryRun *run)
{
	return query->query->max_groups > 0 &&
		   wa_query_run_groups(run) > query->query->max_groups;
}

bool
wa_query_is_useless(const WaRunQuery *query, const WaQueryState *state)
{
	return wa_query_has_too_many(query, state->run) ||
		   __atomic_load_n(&query->is_useless, __ATOMIC_RELAXED);
}

void
wa_query_give_up(WaRunQuery *query)
{
	__atomic_store_n(&query->is_useless, true, __ATOMIC_RELAXED);
}

/* Makes room for parts; returns false if there is not enough memory. */
static bool
make_parts(WaRunQuery *query, uint32_t nparts)
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
divide_tables(WaRunQuery *query, uint32_t *nparts, char *error)
{
	const WaStatus status =
		wa_made_tables_begin(query->request, query->numbered, query->runs,
							 query->nruns, &query->made, nparts, error);

	if (*nparts == 0)
		wa_query_give_up(query);
	return status;
}

WaStatus
wa_groups_divide(void *run, void *const *states, unsigned nstates,
				 uint32_t *nparts, char *error)
{
	WaRunQuery *query = run;

	if (!wa_query_has_use(query->asked, query->request) ||
		__atomic_load_n(&query->is_useless, __ATOMIC_RELAXED))
		return WA_OK;
	query->runs = wa_arena_alloc(&query->arena, nstates * sizeof(WaQueryRun *));
	if (query->runs == NULL)
		return wa_query_fail(error, WA_OUT_OF_MEMORY,
							 "not enough memory for a query");
	for (unsigned i = 0; i < nstates; i++)
		query->runs[i] = ((WaQueryState *) states[i])->run;
	query->nruns = nstates;
	if (query->query->made != NULL)
		return divide_tables(query, nparts, error);
	*nparts = wa_run_parts_choose(query->runs, nstates);
	if (*nparts > 0 && !make_parts(query, *nparts))
		return wa_query_fail(error, WA_OUT_OF_MEMORY,
							 "not enough memory for a query");
	return WA_OK;
}

WaStatus
wa_groups_sort(void *run, void *state, char *error)
{
	const WaRunQuery *query = run;

	if (query->made != NULL)
		wa_made_tables_sort(query->made, ((WaQueryState *) state)->run);
	else if (!wa_run_parts_sort(((WaQueryState *) state)->run, query->nparts))
		return wa_query_fail(error, WA_OUT_OF_MEMORY,
							 "not enough memory for groups");
	return WA_OK;
}

/* Writes the message of groups, or of the first ones if others are not wanted. */
static WaStatus
write_message(const WaRunQuery *query, WaQueryRun *groups, WaWriter *message,
			  char *error)
{
	uint32_t next = 0;

	if (query->request->is_complete && !wa_query_run_choose(groups))
		return wa_query_fail(error, WA_OUT_OF_MEMORY,
							 "not enough memory for groups");
	wa_query_run_write(groups, &next, SIZE_MAX, message);
	if (message->arena->failed)
		return wa_query_fail(error, WA_OUT_OF_MEMORY,
							 "not enough memory for groups");
	return WA_OK;
}

/* Notes how long a part's message is; together they may be as long as one. */
static WaStatus
count_bytes(WaRunQuery *query, const WaWriter *message, char *error)
{
	const size_t bytes = message->nwords * sizeof(uint64_t);

	if (__atomic_add_fetch(&query->parts_bytes, bytes, __ATOMIC_RELAXED) >
		WA_RUN_GROUPS_BYTES)
		return wa_query_fail(error, WA_OUT_OF_MEMORY,
							 "not enough memory for groups");
	return WA_OK;
}

WaStatus
wa_groups_merge_part(void *run, uint32_t part, char *error)
{
	WaRunQuery *query = run;
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
	status = wa_query_state_make(run, &state, error);
	if (status != WA_OK)
		return status;
	groups = ((WaQueryState *) state)->run;
	status = wa_query_status_of(
		wa_run_parts_merge(groups, query->runs, query->nruns, part), error);
	if (status == WA_OK)
		status = write_message(query, groups, message, error);
	if (status == WA_OK)
		status = count_bytes(query, message, error);
	if (wa_query_is_useless(query, state))
		wa_query_give_up(query);
	wa_query_state_free(run, state);
	return status;
}

/* Tells what will be written of the parts. */
static void
finish_parts(const WaRunQuery *query, WaRunResult *result)
{
	result->groups_bytes =
		wa_run_parts_words(query->runs[0], query->part_messages,
						   query->nparts) *
		sizeof(uint64_t);
	for (unsigned i = 0; i < query->nruns; i++)
		result->kept_rows += wa_query_run_rows(query->runs[i]);
}

WaStatus
wa_groups_finish(void *run, void *state, WaRunResult *result, char *error)
{
	WaRunQuery *query = run;
	WaQueryState *own = state;
	WaStatus status;

	if (!wa_query_has_use(query->asked, query->request))
		return WA_OK;
	wa_writer_init(&query->message, &query->message_arena);
	if (query->query->made != NULL)
		return wa_made_tables_keep(query->made, &query->message, result, error);
	if (query->nparts > 0)
	{
		if (!wa_query_is_useless(query, own))
			finish_parts(query, result);
		return WA_OK;
	}
	if (wa_query_is_useless(query, own))
		return WA_OK;
	status = write_message(query, own->run, &query->message, error);
	/* Only now all ties are known. */
	if (wa_query_is_useless(query, own))
		return status;
	result->groups_bytes = query->message.nwords * sizeof(uint64_t);
	result->kept_rows = wa_query_run_rows(own->run);
	return status;
}

void
wa_groups_write(void *run, void *state, uint8_t *place)
{
	const WaRunQuery *query = run;

	(void) state;
	if (query->nparts > 0)
		wa_run_parts_join(query->runs[0], query->part_messages, query->nparts,
						  (uint64_t *) (void *) place);
	else
		memcpy(place, query->message.words,
			   query->message.nwords * sizeof(uint64_t));
}
