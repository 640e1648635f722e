/*
 * query_slices.c
 *		Slices of a query's rows, and what is wanted of them; see query_slices.h.
 *
 * A group has all its rows in one slice, so that one which is not among the first of its slice is
 * not among the first of all.  Where groups are rolled up, slices are by the key that is left
 * out, each of whose values is in one.
 */
#include "daemon/run/query_slices.h"
#include "daemon/run/query_groups.h"
#include "daemon/run/take_extent.h"
#include "query/run/run_roll_up.h"

/* Groups of a state that slices take less time for: their table leaves a cache. */
#define MANY_GROUPS 32768

/* They do if groups have fewer rows, and all of them together more than that many times as many. */
#define FEW_ROWS 4

/* Stores the registers of the keys that are INTs; returns how many there are. */
static uint32_t
find_registers(const WaQuery *query, uint16_t *numbers)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < query->nkeys; i++)
		if (query->keys[i].kind == WA_VECTOR_INT)
			numbers[count++] = query->key_numbers[i];
	return count;
}

/* Stores the register of the key that is left out where groups are rolled up; 0: it is no INT. */
static uint32_t
find_rolled(const WaQuery *query, uint16_t *numbers)
{
	const uint32_t key = (uint32_t) query->rolled->column.argument;

	numbers[0] = query->key_numbers[key];
	return query->keys[key].kind == WA_VECTOR_INT ? 1 : 0;
}

/* Tells whether of the groups of a slice something is not wanted. */
static bool
leaves_some(const WaRunQuery *query)
{
	const WaQuery *asked = query->query;

	if (asked->made != NULL || asked->nrest > 0 || asked->top_n.of_rows ||
		asked->top_n.nparts > 0)
		return false;
	if (wa_query_rolls(query))
		return asked->rolled->nranks == 0 && asked->top_n.limit == 0;
	return asked->top_n.limit > 0 && asked->max_groups == 0;
}

bool
wa_query_can_slice(void *run)
{
	WaRunQuery *query = run;
	const WaQuery *asked = query->query;
	uint16_t *numbers;

	if (asked->nkeys == 0 || !query->request->is_complete ||
		!leaves_some(query))
		return false;
	numbers = wa_arena_alloc(&query->arena, asked->nkeys * sizeof(uint16_t));
	if (numbers == NULL)
		return false;
	query->hashed = (WaHashedRegisters){
		.numbers = numbers,
		.count = wa_query_rolls(query) ? find_rolled(asked, numbers)
									   : find_registers(asked, numbers)};
	return query->hashed.count > 0;
}

bool
wa_query_prefers_slices(void *run, const void *state)
{
	const WaRunQuery *query = run;
	const WaQueryRun *groups = ((const WaQueryState *) state)->run;
	const uint32_t ngroups = wa_query_run_groups(groups);

	/* By some of the keys alone slices may have very different numbers of groups. */
	return query->hashed.count == query->query->nkeys && !query->may_trap &&
		   !wa_query_rolls(query) && ngroups >= MANY_GROUPS &&
		   (uint64_t) ngroups * FEW_ROWS > wa_query_run_rows(groups) &&
		   query->request->rows / MANY_GROUPS > FEW_ROWS;
}

WaStatus
wa_query_begin_slices(void *run, char *error)
{
	WaRunQuery *query = run;
	void *kept;
	WaStatus status;

	wa_groups_end_parts(query);
	if (wa_query_rolls(query))
	{
		query->rolled_groups = *query->rolled;
		query->rolled_groups.nlisted = 0;
	}
	status = wa_query_state_make_of(
		query, wa_query_rolls(query) ? &query->rolled_groups : query->numbered,
		&kept, error);
	if (status != WA_OK)
		return status;
	query->kept_groups = kept;
	/* Slices are to leave room for what is kept: that may be as much again. */
	wa_arena_use_budget(&query->kept_groups->arena, query->request->budget);
	return WA_OK;
}

/* Returns where the rows of an extent lie from one on, in the state. */
static const WaColumnRows *
rows_after(const WaRunQuery *query, WaQueryState *state,
		   const WaRunExtent *extent, size_t first)
{
	wa_extent_rows_after(extent, first, query->request->ncolumns, state->rows);
	return state->rows;
}

/* Returns the status of rows that trap: some would have to be left out of all slices. */
static WaStatus
trapped(char *error)
{
	return wa_query_fail(error, WA_UNSUPPORTED,
						 "a row cannot be computed, and there are many groups");
}

WaStatus
wa_query_hash(void *run, void *state, const WaRunExtent *extent,
			  uint16_t *hashes, char *error)
{
	const WaRunQuery *query = run;
	WaQueryState *own = state;

	for (uint32_t i = 0; i < extent->nranges; i++)
		for (uint32_t row = extent->ranges[i].begin;
			 row < extent->ranges[i].end; row += WA_VECTOR_ROWS)
		{
			const uint32_t left = extent->ranges[i].end - row;
			const size_t nrows = left < WA_VECTOR_ROWS ? left : WA_VECTOR_ROWS;

			if (!wa_query_run_hash(own->run, &query->hashed,
								   rows_after(query, own, extent, row), nrows,
								   hashes + row))
				return trapped(error);
		}
	return WA_OK;
}

WaStatus
wa_query_make_slice(void *run, uint64_t rows, void **state, char *error)
{
	const uint32_t most =
		rows < MANY_GROUPS * 2 ? (uint32_t) rows : MANY_GROUPS * 2;
	WaStatus status = wa_query_state_make(run, state, error);

	if (status != WA_OK ||
		wa_query_run_expect(((WaQueryState *) *state)->run, most))
		return status;
	wa_query_state_free(run, *state);
	return wa_query_status_of(WA_RUN_NO_MEMORY, error);
}

WaStatus
wa_query_take_slice(void *run, void *state, const WaRunExtent *extent,
					const WaRowSlice *slice, const uint16_t *hashes,
					char *error)
{
	const WaRunQuery *query = run;
	WaQueryState *own = state;
	WaRunOutcome outcome = WA_RUN_TAKEN;

	for (uint32_t i = 0; i < extent->nranges && outcome == WA_RUN_TAKEN; i++)
	{
		const WaRowRange *range = &extent->ranges[i];

		for (uint32_t row = range->begin;
			 row < range->end && outcome == WA_RUN_TAKEN; row += UINT16_MAX)
		{
			const uint32_t left = range->end - row;

			outcome = wa_query_run_take_slice(
				own->run, slice, rows_after(query, own, extent, row),
				hashes + row, left < UINT16_MAX ? left : UINT16_MAX);
		}
	}
	return outcome == WA_RUN_TRAPPED ? trapped(error)
									 : wa_query_status_of(outcome, error);
}

/* Merges groups of a slice, or those that they have been rolled up to, with what is kept. */
static WaStatus
merge(WaRunQuery *query, WaQueryRun *groups, char *error)
{
	WaRunOutcome outcome;

	(void) pthread_mutex_lock(&query->kept_lock);
	outcome = wa_query_merge(query->kept_groups->run, groups);
	(void) pthread_mutex_unlock(&query->kept_lock);
	/* Some of them may have been merged. */
	if (outcome == WA_RUN_NO_MEMORY)
		return wa_query_fail(error, WA_UNSUPPORTED,
							 "too many groups are wanted");
	return wa_query_status_of(outcome, error);
}

/* Rolls the groups of a slice up, and keeps those. */
static WaStatus
keep_rolled(WaRunQuery *query, const WaQueryState *state, char *error)
{
	void *made;
	WaQueryState *rolled;
	WaStatus status =
		wa_query_state_make_of(query, &query->rolled_groups, &made, error);

	if (status != WA_OK)
		return status;
	rolled = made;
	wa_query_run_count(rolled->run, wa_query_run_rows(state->run));
	status = wa_query_status_of(wa_query_run_roll_up(rolled->run, state->run),
								error);
	if (status == WA_OK)
		status = merge(query, rolled->run, error);
	wa_query_state_free(query, rolled);
	return status;
}

WaStatus
wa_query_keep_slice(void *run, void *state, char *error)
{
	WaRunQuery *query = run;
	WaQueryState *own = state;

	if (wa_query_rolls(query))
		return keep_rolled(query, own, error);
	if (!wa_query_run_choose(own->run))
		return wa_query_fail(error, WA_OUT_OF_MEMORY,
							 "not enough memory for groups");
	return merge(query, own->run, error);
}
