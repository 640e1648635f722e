/*
 * groups.c
 *		The groups of a query; see groups.h.
 *
 * Keys become words (group_key.c), and words numbers (group_table.c).  Rows
 * without a group yet are looked at one by one, in their order.
 */
#include <string.h>

#include "query/groups/group_dictionary.h"
#include "query/groups/group_hash.h"
#include "query/groups/group_key.h"
#include "query/groups/group_table.h"
#include "query/groups/groups.h"

struct WaQueryGroups
{
	WaArena *arena;
	int nkeys;
	WaKeyCodec *codecs;
	WaKeyRows *rows;   /* of a vector, for each key */
	uint32_t **shown;  /* how each key of each group is shown, or NULL */
	uint32_t capacity; /* groups that there is room for in those */
	uint64_t *words;   /* of a row, with its masks */
	uint32_t *row_shown;
	uint16_t *missing; /* of the rows of a vector */
	/* of each key of a vector of groups; or NULL */
	uint64_t (*their_words)[WA_VECTOR_ROWS];
	uint8_t (*their_valid)[WA_VECTOR_ROWS];
	WaGroupTable table;
};

WaQueryGroups *
wa_query_groups_make(WaArena *arena, int nkeys, const WaQueryKey *keys)
{
	WaQueryGroups *groups = wa_arena_alloc_zero(arena, sizeof(WaQueryGroups));
	size_t count = (size_t) nkeys;

	if (groups == NULL)
		return NULL;
	groups->arena = arena;
	groups->nkeys = nkeys;
	wa_group_table_init(&groups->table, arena, nkeys);
	groups->capacity = groups->table.capacity;
	groups->codecs = wa_arena_alloc(arena, count * sizeof(WaKeyCodec));
	groups->rows = wa_arena_alloc(arena, count * sizeof(WaKeyRows));
	groups->shown = wa_arena_alloc_zero(arena, count * sizeof(uint32_t *));
	groups->row_shown = wa_arena_alloc(arena, count * sizeof(uint32_t));
	groups->missing =
		wa_arena_alloc_vector(arena, WA_VECTOR_ROWS * sizeof(uint16_t));
	groups->words = wa_arena_alloc(
		arena, (count + (size_t) groups->table.nmasks) * sizeof(uint64_t));
	for (int key = 0; key < nkeys && !arena->failed; key++)
	{
		wa_key_init(&groups->codecs[key], arena, &keys[key]);
		if (groups->codecs[key].has_shown)
			groups->shown[key] =
				wa_arena_alloc(arena, groups->capacity * sizeof(uint32_t));
	}
	return arena->failed ? NULL : groups;
}

/* Has the groups of rows of vectors show the best of their keys. */
static void
show_rows(WaQueryGroups *groups, WaVector *const *keys, size_t nrows,
		  const uint32_t *numbers)
{
	for (int key = 0; key < groups->nkeys; key++)
		if (groups->shown[key] != NULL &&
			wa_key_look_differs(&groups->codecs[key], keys[key], nrows))
			wa_key_show_rows(&groups->codecs[key], keys[key], nrows, numbers,
							 groups->shown[key]);
}

/* Has a group show a key as it was shown somewhere else, if that is better. */
static inline void
show_key(WaQueryGroups *groups, int key, uint32_t number, uint32_t shown)
{
	uint32_t *own = &groups->shown[key][number];

	if (wa_key_is_better_shown(&groups->codecs[key], shown, *own))
		*own = shown;
}

/* Returns the number that a key has in a table which has one more, `skipped`. */
static inline int
their_key(int key, int skipped)
{
	return key < skipped ? key : key + 1;
}

/* Likewise groups of another table, whose words are in their_valid. */
static void
show_theirs(WaQueryGroups *groups, const WaQueryGroups *others, int skipped,
			const uint32_t *theirs, size_t ntheirs, const uint32_t *numbers)
{
	for (int key = 0; key < groups->nkeys; key++)
	{
		const int their = their_key(key, skipped);
		const uint8_t *valid = groups->their_valid[key];

		if (groups->shown[key] == NULL ||
			!wa_key_looks_differ(&groups->codecs[key], &others->codecs[their]))
			continue;
		for (size_t i = 0; i < ntheirs; i++)
			if (valid[i] != 0 && numbers[i] != WA_NO_GROUP)
				show_key(groups, key, numbers[i],
						 others->shown[their][theirs[i]]);
	}
}

/* Likewise one of a row of values, which is in row_shown. */
static void
show_values(WaQueryGroups *groups, const WaQueryValue *keys, uint32_t number)
{
	for (int key = 0; key < groups->nkeys; key++)
		if (!keys[key].is_null && groups->shown[key] != NULL &&
			number != WA_NO_GROUP)
			show_key(groups, key, number, groups->row_shown[key]);
}

/*
 * Makes room for how the keys of as many groups are shown as the table has.
 * Returns false if it cannot.
 */
static bool
grow_shown(WaQueryGroups *groups)
{
	size_t bytes = (size_t) groups->table.capacity * sizeof(uint32_t);

	if (groups->capacity == groups->table.capacity)
		return true;
	for (int key = 0; key < groups->nkeys; key++)
		if (groups->shown[key] != NULL &&
			!wa_arena_resize(groups->arena, &groups->shown[key], bytes))
			return false;
	groups->capacity = groups->table.capacity;
	return true;
}

/* Returns the group of the row in groups->words and row_shown. */
static uint32_t
find_row(WaQueryGroups *groups)
{
	uint32_t before = groups->table.ngroups;
	uint32_t group = wa_group_table_find(&groups->table, groups->words);

	if (groups->table.ngroups == before || !grow_shown(groups))
		return group;
	for (int key = 0; key < groups->nkeys; key++)
		if (groups->shown[key] != NULL)
			groups->shown[key][group] = groups->row_shown[key];
	return group;
}

/* Empties groups->words and row_shown: no key is NULL. */
static void
clear_row(WaQueryGroups *groups)
{
	memset(groups->words + groups->nkeys, 0,
		   groups->table.nmasks * sizeof(uint64_t));
}

/* Makes a key of the row NULL. */
static void
set_null(WaQueryGroups *groups, int key)
{
	groups->words[key] = 0;
	groups->words[groups->nkeys + key / 64] |= (uint64_t) 1 << (key % 64);
	groups->row_shown[key] = 0;
}

/* Returns the group of a row of vectors, whose words are in groups->rows. */
static uint32_t
find_vector_row(WaQueryGroups *groups, WaVector *const *keys, size_t row)
{
	clear_row(groups);
	for (int key = 0; key < groups->nkeys; key++)
	{
		if (!wa_vector_is_valid(keys[key], row))
		{
			set_null(groups, key);
			continue;
		}
		groups->words[key] = groups->rows[key].words[row];
		if (groups->shown[key] != NULL)
			groups->row_shown[key] =
				wa_key_shown(&groups->codecs[key], keys[key], row);
	}
	return find_row(groups);
}

/* Tells whether two rows of vectors have the same keys. */
static inline bool
rows_are_alike(const WaQueryGroups *groups, size_t row, size_t other)
{
	for (int key = 0; key < groups->nkeys; key++)
	{
		const WaKeyRows *rows = &groups->rows[key];

		if (rows->words[row] != rows->words[other] ||
			(rows->valid != NULL && rows->valid[row] != rows->valid[other]))
			return false;
	}
	return true;
}

/* Finds or makes the groups of rows of vectors that have none yet, in their order. */
static void
find_missing(WaQueryGroups *groups, WaVector *const *keys, size_t nmissing,
			 uint32_t *numbers)
{
	const uint16_t *missing = groups->missing;

	for (size_t i = 0; i < nmissing; i++)
		numbers[missing[i]] =
			i > 0 && rows_are_alike(groups, missing[i], missing[i - 1])
				? numbers[missing[i - 1]]
				: find_vector_row(groups, keys, missing[i]);
}

bool
wa_query_groups_find(WaQueryGroups *groups, WaVector *const *keys, size_t nrows,
					 uint32_t *numbers)
{
	size_t nmissing;

	if (groups->arena->failed)
		return false;
	for (int key = 0; key < groups->nkeys; key++)
	{
		groups->rows[key].words =
			wa_key_words(&groups->codecs[key], keys[key], nrows);
		groups->rows[key].valid =
			keys[key]->has_nulls ? keys[key]->valid : NULL;
	}
	nmissing = wa_group_table_find_rows(&groups->table, groups->rows, nrows,
										numbers, groups->missing);
	find_missing(groups, keys, nmissing, numbers);
	if (!groups->arena->failed)
		show_rows(groups, keys, nrows, numbers);
	return !groups->arena->failed;
}

/* Makes room for the keys of a vector of groups; false if there is none. */
static bool
reserve_theirs(WaQueryGroups *groups)
{
	const size_t count = (size_t) groups->nkeys;

	if (groups->their_words != NULL)
		return true;
	groups->their_valid = wa_arena_alloc_vector(
		groups->arena, count * sizeof(*groups->their_valid));
	groups->their_words = wa_arena_alloc_vector(
		groups->arena, count * sizeof(*groups->their_words));
	return !groups->arena->failed;
}

/* Returns the group of a group of others, whose words are in their_words. */
static uint32_t
find_theirs(WaQueryGroups *groups, const WaQueryGroups *others, int skipped,
			uint32_t theirs, size_t row)
{
	clear_row(groups);
	for (int key = 0; key < groups->nkeys; key++)
	{
		if (groups->their_valid[key][row] == 0)
		{
			set_null(groups, key);
			continue;
		}
		groups->words[key] = groups->their_words[key][row];
		if (groups->shown[key] != NULL)
			groups->row_shown[key] =
				others->shown[their_key(key, skipped)][theirs];
	}
	return find_row(groups);
}

bool
wa_query_groups_find_coarser(WaQueryGroups *groups, const WaQueryGroups *others,
							 int skipped, const uint32_t *theirs,
							 size_t ntheirs, uint32_t *numbers)
{
	size_t nmissing;

	if (groups->arena->failed || !reserve_theirs(groups))
		return false;
	for (int key = 0; key < groups->nkeys; key++)
	{
		uint64_t *words = groups->their_words[key];
		uint8_t *valid = groups->their_valid[key];
		const int their = their_key(key, skipped);
		const bool has_nulls = wa_group_table_words(
			&others->table, their, theirs, ntheirs, words, valid);

		wa_key_translate(&groups->codecs[key], &others->codecs[their], words,
						 valid, ntheirs);
		groups->rows[key] = (WaKeyRows){words, has_nulls ? valid : NULL};
	}
	nmissing = wa_group_table_find_rows(&groups->table, groups->rows, ntheirs,
										numbers, groups->missing);
	for (size_t i = 0; i < nmissing; i++)
		numbers[groups->missing[i]] =
			find_theirs(groups, others, skipped, theirs[groups->missing[i]],
						groups->missing[i]);
	if (!groups->arena->failed)
		show_theirs(groups, others, skipped, theirs, ntheirs, numbers);
	return !groups->arena->failed;
}

bool
wa_query_groups_find_theirs(WaQueryGroups *groups, const WaQueryGroups *others,
							const uint32_t *theirs, size_t ntheirs,
							uint32_t *numbers)
{
	return wa_query_groups_find_coarser(groups, others, groups->nkeys, theirs,
										ntheirs, numbers);
}

void
wa_query_groups_values(const WaQueryGroups *groups, int key,
					   const uint32_t *theirs, size_t ntheirs, WaVector *values)
{
	uint64_t words[WA_VECTOR_ROWS];

	values->has_nulls = wa_group_table_words(&groups->table, key, theirs,
											 ntheirs, words, values->valid);
	if (groups->codecs[key].kind == WA_VECTOR_INT)
		memcpy(values->values, words, ntheirs * sizeof(uint64_t));
}

bool
wa_query_groups_hash(WaQueryGroups *groups, uint32_t first, size_t ngroups,
					 uint64_t *hashes)
{
	uint32_t numbers[WA_VECTOR_ROWS];

	if (!reserve_theirs(groups))
		return false;
	for (size_t i = 0; i < ngroups; i++)
		numbers[i] = first + (uint32_t) i;
	memset(hashes, 0, ngroups * sizeof(uint64_t));
	for (int key = 0; key < groups->nkeys; key++)
	{
		uint64_t *words = groups->their_words[key];
		uint8_t *valid = groups->their_valid[key];

		(void) wa_group_table_words(&groups->table, key, numbers, ngroups,
									words, valid);
		wa_key_hashes(&groups->codecs[key], words, valid, ngroups);
		for (size_t i = 0; i < ngroups; i++)
			hashes[i] = wa_hash_word(hashes[i], words[i]);
	}
	for (size_t i = 0; i < ngroups; i++)
		hashes[i] = wa_hash_finish(hashes[i]);
	return true;
}

bool
wa_query_groups_find_values(WaQueryGroups *groups, const WaQueryValue *keys,
							uint32_t *number)
{
	clear_row(groups);
	for (int key = 0; key < groups->nkeys; key++)
	{
		if (keys[key].is_null)
			set_null(groups, key);
		else
			groups->words[key] = wa_key_of_value(
				&groups->codecs[key], &keys[key], &groups->row_shown[key]);
	}
	*number = find_row(groups);
	if (!groups->arena->failed)
		show_values(groups, keys, *number);
	return !groups->arena->failed;
}

bool
wa_query_groups_expect(WaQueryGroups *groups, uint32_t ngroups)
{
	return wa_group_table_expect(&groups->table, ngroups);
}

void
wa_query_groups_close(WaQueryGroups *groups)
{
	groups->table.is_closed = true;
	for (int key = 0; key < groups->nkeys; key++)
		if (groups->codecs[key].dictionary != NULL)
			wa_key_dictionary_close(groups->codecs[key].dictionary);
}

uint32_t
wa_query_groups_count(const WaQueryGroups *groups)
{
	return groups->table.ngroups;
}

void
wa_query_groups_key(const WaQueryGroups *groups, uint32_t group, int key,
					WaQueryValue *value)
{
	const WaKeyCodec *codec = &groups->codecs[key];
	const uint32_t *shown = groups->shown[key];
	uint64_t word =
		wa_group_table_word(&groups->table, group, key, &value->is_null);

	if (value->is_null)
		return;
	if (codec->kind == WA_VECTOR_INT)
		value->integer = (int64_t) word;
	else
		wa_key_value(codec, word, shown != NULL ? shown[group] : 0, value);
}
