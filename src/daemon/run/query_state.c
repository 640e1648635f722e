/*
 * query_state.c
 *		A query of the CPU device's runner, and the states of its threads; see query_state.h.
 */
#include <stdio.h>
#include <stdlib.h>

#include "daemon/run/query_state.h"
#include "daemon/run/run_budget.h"

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
wa_query_can_choose(const WaQuery *query, const WaRunRequest *request)
{
	return request->is_complete || query->top_n.of_rows;
}

bool
wa_query_has_use(const WaQuery *query, const WaRunRequest *request)
{
	return (wa_query_can_choose(query, request) || !query->only_wanted) &&
		   wa_tables_are_current(query, request);
}

bool
wa_query_rolls(const WaRunQuery *query)
{
	return query->rolled != NULL && query->request->is_complete;
}

bool
wa_query_has_too_many(const WaRunQuery *query, const WaQueryRun *run)
{
	return query->query->max_groups > 0 && !wa_query_rolls(query) &&
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

void
wa_query_state_free(void *run, void *state)
{
	WaQueryState *own = state;

	if (own->listing != NULL)
		wa_query_state_free(run, own->listing);
	wa_arena_reset(&own->arena);
	wa_arena_reset(&own->vectors);
	free(own);
}

WaStatus
wa_query_state_make(void *run, void **state, char *error)
{
	WaRunQuery *query = run;
	void *made;
	WaStatus status =
		wa_query_state_make_of(query, query->numbered, &made, error);
	WaRestGroups *rest;

	if (status != WA_OK)
		return status;
	*state = made;
	/* States are made by several threads. */
	rest = __atomic_exchange_n(&query->rest, NULL, __ATOMIC_ACQ_REL);
	if (rest == NULL)
		return WA_OK;
	status = wa_query_status_of(
		wa_rest_groups_add(rest, ((WaQueryState *) made)->run), error);
	if (status != WA_OK)
	{
		wa_query_state_free(run, made);
		*state = NULL;
	}
	return status;
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
