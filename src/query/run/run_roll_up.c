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

/* Returns the registers of these, likewise. */
static const uint16_t *
key_numbers_without(WaArena *arena, const WaQuery *query, uint32_t key)
{
	uint16_t *numbers = wa_arena_alloc(arena, query->nkeys * sizeof(*numbers));

	for (uint32_t i = 0; numbers != NULL && i + 1 < query->nkeys; i++)
		numbers[i] = query->key_numbers[i < key ? i : i + 1];
	return numbers;
}

/* Returns the columns of what groups of a query are rolled up to, in the arena. */
static const WaQueryColumn *
columns_with(WaArena *arena, const WaQuery *query)
{
	const uint32_t nmore = wa_query_rolled_columns(query->rolled);
	WaQueryColumn *columns = wa_arena_alloc(
		arena, (query->ncolumns + (size_t) nmore) * sizeof(*columns));

	if (columns == NULL)
		return NULL;
	memcpy(columns, query->columns, query->ncolumns * sizeof(*columns));
	for (uint32_t i = 0; i < nmore; i++)
	{
		columns[query->ncolumns + i] = query->rolled->column;
		columns[query->ncolumns + i].argument = -1;
	}
	return columns;
}

/*
 * Returns a query of rows of another one, which is numbered or not, whose groups are those that
 * its own are rolled up to.
 */
static WaQuery
coarser(WaArena *arena, const WaQuery *query)
{
	const uint32_t key = (uint32_t) query->rolled->column.argument;
	WaQuery made = *query;

	made.nkeys--;
	made.keys = keys_without(arena, query, key);
	made.key_numbers = key_numbers_without(arena, query, key);
	made.ncolumns += wa_query_rolled_columns(query->rolled);
	made.columns = columns_with(arena, query);
	made.rolled = NULL;
	memset(&made.top_n, 0, sizeof(made.top_n));
	return made;
}

const WaNumberedQuery *
wa_query_roll_up_query(WaArena *arena, const WaNumberedQuery *numbered)
{
	const WaQuery *query = &numbered->query;
	const uint32_t key = (uint32_t) query->rolled->column.argument;
	WaNumberedQuery *made = wa_arena_alloc_zero(arena, sizeof(*made));
	WaQuery *asked = wa_arena_alloc(arena, sizeof(*asked));
	const WaTextCodes **texts =
		wa_arena_alloc(arena, query->nkeys * sizeof(*texts));

	if (arena->failed)
		return NULL;
	*asked = coarser(arena, numbered->asked);
	made->asked = asked;
	made->query = coarser(arena, query);
	made->query.top_n = numbered->rolled_top_n;
	for (uint32_t i = 0; i < made->query.nkeys; i++)
		texts[i] = numbered->key_texts[i < key ? i : i + 1];
	made->key_texts = texts;
	if (wa_value_list_holds(query->keys[key].kind))
	{
		made->listed = query->key_numbers[key];
		made->listed_kind = query->keys[key].kind;
		made->nlisted = wa_query_rolled_columns(query->rolled);
		made->listed_for = query->rolled;
	}
	return arena->failed ? NULL : made;
}

/* Returns the number of the column that counts the rows of groups. */
static uint32_t
count_column(const WaQuery *query)
{
	uint32_t number = 0;

	while (query->columns[number].argument >= 0 ||
		   query->columns[number].filter >= 0)
		number++;
	return number;
}

/* Returns how many rows a group has, of a query that counts them. */
static uint64_t
rows_of(const WaQueryRun *finer, uint32_t group)
{
	WaRecord record;

	wa_records_get(finer->tables[count_column(finer->query)], group, &record);
	return record.words[0];
}

/* Has the run list the values of some groups. */
static WaRunOutcome
list_values(WaQueryRun *into, const WaQueryRun *finer, const uint32_t *theirs,
			size_t ntheirs)
{
	const WaQueryRolled *rolled = finer->query->rolled;

	for (size_t i = 0; i < ntheirs; i++)
	{
		const uint32_t group = into->groups == NULL ? 0 : into->numbers[i];
		const uint64_t rows =
			rolled->nranks == 0 ? 1 : rows_of(finer, theirs[i]);
		WaQueryValue value;

		wa_query_groups_key(finer->groups, theirs[i], rolled->column.argument,
							&value);
		if (!value.is_null &&
			!wa_value_list_add(into->list, group, value.integer, rows))
			return WA_RUN_NO_MEMORY;
	}
	return WA_RUN_TAKEN;
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

	wa_query_groups_values(finer->groups, finer->query->rolled->column.argument,
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
	else if (!wa_query_groups_find_coarser(
				 into->groups, finer->groups,
				 finer->query->rolled->column.argument, theirs, ntheirs,
				 into->numbers))
		return WA_RUN_NO_MEMORY;
	for (uint32_t i = 0; i < finer->query->ncolumns; i++)
	{
		const WaRunOutcome outcome = wa_query_run_merge_column(
			into, i, finer->tables[i], theirs, ntheirs);

		if (outcome != WA_RUN_TAKEN)
			return outcome;
	}
	return into->list != NULL ? list_values(into, finer, theirs, ntheirs)
							  : take_values(into, finer, theirs, ntheirs);
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
