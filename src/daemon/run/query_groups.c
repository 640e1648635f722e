/*
 * query_groups.c
 *		Bringing together the groups of a query's threads, or the rows that become tables;
 *		see query_groups.h.
 */
#include <string.h>

#include "daemon/run/query_groups.h"
#include "daemon/run/query_lists.h"
#include "daemon/run/run_budget.h"
#include "query/run/run_parts.h"
#include "query/run/run_roll_up.h"

/* Makes room for parts; returns false if there is not enough memory. */
static bool
make_parts(WaRunQuery *query, uint32_t nparts)
{
	WaArena *arena = &query->arena;

	query->part_arenas = wa_arena_alloc(arena, nparts * sizeof(WaArena));
	query->part_messages = wa_arena_alloc(arena, nparts * sizeof(WaWriter));
	query->part_states =
		wa_arena_alloc_zero(arena, nparts * sizeof(WaQueryState *));
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
	if (wa_query_lists(query))
		return wa_query_lists_divide(query, states, nstates, nparts, error);
	if (wa_query_lists_some(states, nstates))
	{
		/* The other blocks' values would have to be in the lists, too. */
		wa_query_give_up(query);
		return WA_OK;
	}
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
	WaRunQuery *query = run;

	if (query->values != NULL)
		return wa_query_lists_sort(query, state, error);
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

	if (wa_query_can_choose(query->query, query->request) &&
		!wa_query_run_choose(groups))
		return wa_query_fail(error, WA_OUT_OF_MEMORY,
							 "not enough memory for groups");
	wa_query_run_write(groups, &next, SIZE_MAX, message);
	if (message->arena->failed)
		return wa_query_fail(error, WA_OUT_OF_MEMORY,
							 "not enough memory for groups");
	return WA_OK;
}

/* Rolls the groups of a state up to those of a new one. */
static WaStatus
roll_up(WaRunQuery *query, const WaQueryState *state, WaQueryState **rolled,
		char *error)
{
	void *made;
	WaStatus status =
		wa_query_state_make_of(query, query->rolled, &made, error);

	if (status != WA_OK)
		return status;
	*rolled = made;
	return wa_query_status_of(wa_query_run_roll_up((*rolled)->run, state->run),
							  error);
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

	if (query->values != NULL)
		return wa_query_lists_merge_part(query, part, error);
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
	if (status == WA_OK && wa_query_rolls(query))
		status = roll_up(query, state, &query->part_states[part], error);
	else if (status == WA_OK)
		status = write_message(query, groups, message, error);
	if (status == WA_OK)
		status = count_bytes(query, message, error);
	if (wa_query_is_useless(query, state))
		wa_query_give_up(query);
	wa_query_state_free(run, state);
	return status;
}

/* Returns how many rows the runs of parts have. */
static uint64_t
count_rows(const WaRunQuery *query)
{
	uint64_t rows = 0;

	for (unsigned i = 0; i < query->nruns; i++)
		rows += wa_query_run_rows(query->runs[i]);
	return rows;
}

/*
 * Merges what has been rolled up of all parts with that of the first one; *state is that in the
 * end.
 */
static WaStatus
merge_rolled(WaRunQuery *query, WaQueryState **state, char *error)
{
	WaStatus status = WA_OK;

	*state = query->part_states[0];
	for (uint32_t i = 1; i < query->nparts && status == WA_OK; i++)
	{
		status = wa_query_status_of(
			wa_query_merge((*state)->run, query->part_states[i]->run), error);
		wa_query_state_free(query, query->part_states[i]);
		query->part_states[i] = NULL;
	}
	return status;
}

/* Rolls up what the parts, or the one state, have, and tells what will be written of that. */
static WaStatus
finish_rolled(WaRunQuery *query, const WaQueryState *state, WaRunResult *result,
			  char *error)
{
	WaQueryState *rolled = NULL;
	WaStatus status = query->nparts > 0 ? merge_rolled(query, &rolled, error)
										: roll_up(query, state, &rolled, error);

	if (status == WA_OK)
		status = write_message(query, rolled->run, &query->message, error);
	if (query->nparts == 0 && rolled != NULL)
		wa_query_state_free(query, rolled);
	result->is_rolled = true;
	result->groups_bytes = query->message.nwords * sizeof(uint64_t);
	result->kept_rows =
		query->nparts > 0 ? count_rows(query) : wa_query_run_rows(state->run);
	return status;
}

/* Makes the message of groups that nothing is merged with any more, and tells of it. */
static WaStatus
finish_groups(WaRunQuery *query, WaQueryRun *groups, WaRunResult *result,
			  char *error)
{
	const WaStatus status =
		write_message(query, groups, &query->message, error);

	result->is_rolled = wa_query_rolls(query);
	result->groups_bytes = query->message.nwords * sizeof(uint64_t);
	result->kept_rows = wa_query_run_rows(groups);
	return status;
}

/* Tells what will be written of groups that have been rolled up by lists. */
static WaStatus
finish_lists(WaRunQuery *query, WaQueryState *state, WaRunResult *result,
			 char *error)
{
	const WaStatus status = wa_query_lists_finish(query, state, error);

	return status != WA_OK
			   ? status
			   : finish_groups(query, query->runs[0], result, error);
}

/* Tells what will be written of the parts. */
static void
finish_parts(const WaRunQuery *query, WaRunResult *result)
{
	result->groups_bytes =
		wa_run_parts_words(query->runs[0], query->part_messages,
						   query->nparts) *
		sizeof(uint64_t);
	result->kept_rows = count_rows(query);
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
	if (__atomic_load_n(&query->is_useless, __ATOMIC_RELAXED))
		return WA_OK;
	if (query->kept_groups != NULL)
		return finish_groups(query, query->kept_groups->run, result, error);
	if (wa_query_has_too_many(query, own->run))
		return WA_OK;
	if (wa_query_lists(query))
		return finish_lists(query, own, result, error);
	if (wa_query_rolls(query))
		return finish_rolled(query, own, result, error);
	if (query->nparts > 0)
	{
		finish_parts(query, result);
		return WA_OK;
	}
	status = write_message(query, own->run, &query->message, error);
	/* Only now all ties are known. */
	if (wa_query_is_useless(query, own))
		return status;
	result->groups_bytes = query->message.nwords * sizeof(uint64_t);
	result->kept_rows = wa_query_run_rows(own->run);
	return status;
}

void
wa_groups_end_parts(WaRunQuery *query)
{
	for (uint32_t i = 0; i < query->nparts; i++)
	{
		wa_arena_reset(&query->part_arenas[i]);
		if (query->part_states[i] != NULL)
			wa_query_state_free(query, query->part_states[i]);
	}
	query->nparts = 0;
	query->parts_bytes = 0;
	wa_query_lists_end(query);
}

void
wa_groups_write(void *run, void *state, uint8_t *place)
{
	const WaRunQuery *query = run;

	(void) state;
	if (query->nparts > 0 && !wa_query_rolls(query))
		wa_run_parts_join(query->runs[0], query->part_messages, query->nparts,
						  (uint64_t *) (void *) place);
	else
		memcpy(place, query->message.words,
			   query->message.nwords * sizeof(uint64_t));
}
