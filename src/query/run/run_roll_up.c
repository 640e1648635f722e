/*
 * run_roll_up.c
 *		Rolling the groups of a run up; see run_roll_up.h.
 */
#include <string.h>

#include "query/run/run_internal.h"
#include "query/run/run_roll_up.h"

/* Returns keys but for one of them, in the arena. */
static const WaQueryKey *
keys_without(WaArena *arena, const WaQuery *query, uint32_t key)
{
	WaQueryKey *keys = wa_arena_alloc(arena, query->nkeys * sizeof(*keys));

	for (uint32_t i = 0; keys != NULL && i + 1 < query->nkeys; i++)
		keys[i] = query->keys[i < key ? i : i + 1];
	return keys;
}

/*
 * Returns a query of groups of another one, which is numbered or not, that are rolled up by a
 * column.
 */
static WaQuery
without_program(WaArena *arena, const WaQuery *query,
				const WaQueryColumn *rolled)
{
	WaQueryColumn *columns = wa_arena_alloc(
		arena, (query->ncolumns + (size_t) 1) * sizeof(*columns));
	const WaQuery made = {
		.nkeys = query->nkeys - 1,
		.keys = keys_without(arena, query, (uint32_t) rolled->argument),
		.key_numbers =
			wa_arena_alloc_zero(arena, query->nkeys * sizeof(uint16_t)),
		.ncolumns = query->ncolumns + 1,
		.columns = columns};

	if (columns != NULL)
	{
		memcpy(columns, query->columns, query->ncolumns * sizeof(*columns));
		columns[query->ncolumns] = *rolled;
		columns[query->ncolumns].argument = -1;
	}
	return made;
}

const WaNumberedQuery *
wa_query_roll_up_query(WaArena *arena, const WaNumberedQuery *numbered)
{
	const WaQueryColumn *rolled = numbered->query.rolled;
	WaNumberedQuery *made = wa_arena_alloc_zero(arena, sizeof(*made));
	WaQuery *asked = wa_arena_alloc(arena, sizeof(*asked));
	const WaTextCodes **texts =
		wa_arena_alloc(arena, numbered->query.nkeys * sizeof(*texts));

	if (arena->failed)
		return NULL;
	*asked = without_program(arena, numbered->asked, rolled);
	made->asked = asked;
	made->query = without_program(arena, &numbered->query, rolled);
	made->query.top_n = numbered->rolled_top_n;
	for (uint32_t i = 0; i < made->query.nkeys; i++)
		texts[i] =
			numbered->key_texts[i < (uint32_t) rolled->argument ? i : i + 1];
	made->key_texts = texts;
	return arena->failed ? NULL : made;
}

/* Has the column behind the others take the values of some groups. */
static WaRunOutcome
take_values(WaQueryRun *into, const WaQueryRun *finer, const uint32_t *theirs,
			size_t ntheirs)
{
	const uint32_t number = into->query->ncolumns - 1;
	WaRecordTable *table = into->tables[number];
	uint64_t words[WA_VECTOR_ROWS];
	uint8_t valid[WA_VECTOR_ROWS];
	WaVector values = {.values = words, .valid = valid};

	wa_query_groups_values(finer->groups, finer->query->rolled->argument,
						   theirs, ntheirs, &values);
	if (!wa_records_grow(table, wa_query_run_groups(into)))
		return WA_RUN_NO_MEMORY;
	wa_records_take(table, into->groups != NULL ? into->numbers : NULL, NULL,
					&values, ntheirs);
	return wa_query_run_outcome(into, table);
}

/* Rolls some groups up, at most WA_VECTOR_ROWS. */
static WaRunOutcome
roll_up_some(WaQueryRun *into, const WaQueryRun *finer, const uint32_t *theirs,
			 size_t ntheirs)
{
	if (into->groups == NULL)
		memset(into->numbers, 0, ntheirs * sizeof(*into->numbers));
	else if (!wa_query_groups_find_coarser(into->groups, finer->groups,
										   finer->query->rolled->argument,
										   theirs, ntheirs, into->numbers))
		return WA_RUN_NO_MEMORY;
	for (uint32_t i = 0; i < finer->query->ncolumns; i++)
	{
		const WaRunOutcome outcome = wa_query_run_merge_column(
			into, i, finer->tables[i], theirs, ntheirs);

		if (outcome != WA_RUN_TAKEN)
			return outcome;
	}
	return take_values(into, finer, theirs, ntheirs);
}

WaRunOutcome
wa_query_run_roll_up(WaQueryRun *into, WaQueryRun *finer)
{
	const uint32_t ngroups = wa_query_run_groups(finer);
	WaRunOutcome outcome = WA_RUN_TAKEN;

	for (uint32_t first = 0; first < ngroups && outcome == WA_RUN_TAKEN;
		 first += WA_VECTOR_ROWS)
	{
		const size_t some =
			ngroups - first < WA_VECTOR_ROWS ? ngroups - first : WA_VECTOR_ROWS;
		uint32_t theirs[WA_VECTOR_ROWS];

		for (size_t i = 0; i < some; i++)
			theirs[i] = first + (uint32_t) i;
		outcome = roll_up_some(into, finer, theirs, some);
	}
	return outcome;
}
