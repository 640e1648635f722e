/*
 * query_lists.c
 *		Queries whose groups are rolled up by lists of values; see query_lists.h.
 */
#include "daemon/run/query_lists.h"
#include "daemon/run/run_budget.h"
#include "query/run/run_roll_up.h"

/* Groups that a thread has at least before it lists values: their table leaves a cache. */
#define MANY_GROUPS 16384

/* It does if they have fewer rows each. */
#define FEW_ROWS 8

/* Returns the status of having had memory, or not. */
static WaStatus
status_of(bool had_memory, char *error)
{
	return had_memory ? WA_OK
					  : wa_query_fail(error, WA_OUT_OF_MEMORY,
									  "not enough memory for values");
}

bool
wa_query_lists(const WaRunQuery *query)
{
	return wa_query_rolls(query) && query->rolled->nlisted > 0;
}

/* Has a state list values, instead of groups by these. */
static WaStatus
list(const WaRunQuery *query, WaQueryState *state, char *error)
{
	WaQueryRun *finer = state->run;
	void *listing;
	WaStatus status;

	if (state->listing != NULL)
		return WA_OK;
	status = wa_query_state_make_of(query, query->rolled, &listing, error);
	if (status != WA_OK)
		return status;
	state->listing = listing;
	state->run = state->listing->run;
	status = wa_query_status_of(wa_query_run_roll_up(state->run, finer), error);
	wa_query_run_count(state->run, wa_query_run_rows(finer));
	wa_arena_reset(&state->arena);
	wa_arena_reset(&state->vectors);
	return status;
}

WaStatus
wa_query_lists_make(void *run, void **state, char *error)
{
	void *made;
	WaStatus status = wa_query_state_make(run, &made, error);

	if (status != WA_OK)
		return status;
	status = list(run, made, error);
	if (status == WA_OK)
		*state = made;
	else
		wa_query_state_free(run, made);
	return status;
}

WaStatus
wa_query_lists_watch(const WaRunQuery *query, WaQueryState *state, char *error)
{
	const uint32_t ngroups = wa_query_run_groups(state->run);

	if (state->listing != NULL || ngroups < MANY_GROUPS ||
		(uint64_t) ngroups * FEW_ROWS < wa_query_run_rows(state->run) ||
		!wa_query_lists(query))
		return WA_OK;
	return list(query, state, error);
}

bool
wa_query_lists_some(void *const *states, unsigned nstates)
{
	for (unsigned i = 0; i < nstates; i++)
		if (((const WaQueryState *) states[i])->listing != NULL)
			return true;
	return false;
}

/* Merges the groups of a run with those of the first one, and numbers them. */
static WaStatus
merge(WaRunQuery *query, unsigned number, WaValueRun *run, char *error)
{
	WaQueryRun *into = query->runs[0];
	WaQueryRun *from = query->runs[number];
	uint32_t *numbers;
	WaStatus status;

	run->list = wa_query_run_list(from);
	if (number == 0)
		return WA_OK;
	status = wa_query_status_of(wa_query_merge(into, from), error);
	if (status != WA_OK)
		return status;
	numbers = wa_arena_alloc(&query->arena,
							 wa_query_run_groups(from) * sizeof(uint32_t));
	run->numbers = numbers;
	return status_of(
		numbers != NULL && wa_query_run_numbers(into, from, numbers), error);
}

/* Makes the arena of a part. */
static void
make_arena(void *context, WaArena *arena)
{
	wa_run_arena_init_groups(arena, ((WaRunQuery *) context)->request->budget);
}

/* Begins the parts of all lists. */
static WaStatus
begin_parts(WaRunQuery *query, WaValueRun *runs, char *error)
{
	query->values = wa_value_parts_begin(
		&query->arena, query->query->rolled, query->rolled->listed_kind, runs,
		query->nruns, wa_query_run_groups(query->runs[0]), make_arena, query);
	return status_of(query->values != NULL, error);
}

WaStatus
wa_query_lists_divide(WaRunQuery *query, void *const *states, unsigned nstates,
					  uint32_t *nparts, char *error)
{
	WaValueRun *runs =
		wa_arena_alloc_zero(&query->arena, nstates * sizeof(WaValueRun));
	WaStatus status;

	query->runs = wa_arena_alloc(&query->arena, nstates * sizeof(WaQueryRun *));
	query->nruns = nstates;
	status = status_of(!query->arena.failed, error);
	for (unsigned i = 0; i < nstates && status == WA_OK; i++)
	{
		WaQueryState *state = states[i];

		status = list(query, state, error);
		query->runs[i] = state->run;
		if (status == WA_OK)
			status = merge(query, i, &runs[i], error);
	}
	if (status == WA_OK)
		status = begin_parts(query, runs, error);
	if (status == WA_OK)
		*nparts = query->values->nparts;
	return status;
}

WaStatus
wa_query_lists_sort(WaRunQuery *query, const WaQueryState *state, char *error)
{
	uint32_t number = 0;

	while (query->runs[number] != state->run)
		number++;
	return status_of(wa_value_parts_divide(query->values, number), error);
}

WaStatus
wa_query_lists_merge_part(WaRunQuery *query, uint32_t part, char *error)
{
	return status_of(wa_value_parts_sort(query->values, part), error);
}

/* Divides and sorts the list of the only state. */
static WaStatus
process_alone(WaRunQuery *query, WaQueryState *state, char *error)
{
	void *const states[1] = {state};
	uint32_t nparts = 0;
	WaStatus status = wa_query_lists_divide(query, states, 1, &nparts, error);

	if (status == WA_OK)
		status = wa_query_lists_sort(query, state, error);
	for (uint32_t i = 0; i < nparts && status == WA_OK; i++)
		status = wa_query_lists_merge_part(query, i, error);
	return status;
}

WaStatus
wa_query_lists_finish(WaRunQuery *query, WaQueryState *state, char *error)
{
	WaStatus status = WA_OK;
	WaRecordTable *const *tables;

	if (query->values == NULL)
		status = process_alone(query, state, error);
	if (status != WA_OK)
		return status;
	tables = wa_query_run_listed(query->runs[0]);
	return status_of(
		tables != NULL && wa_value_parts_finish(query->values, tables), error);
}

void
wa_query_lists_end(WaRunQuery *query)
{
	if (query->values != NULL)
		wa_value_parts_end(query->values);
	query->values = NULL;
}
