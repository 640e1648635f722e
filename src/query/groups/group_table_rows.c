/*
 * group_table_rows.c
 *		Looking up the groups of a vector of rows; see group_table.h.
 *
 * Nothing is added here: rows without a group are left to group_table.c.
 */
#include <string.h>

#include "query/groups/group_hash.h"
#include "query/groups/group_table_internal.h"

/* Where runs of rows with one key have so many on average, each is looked up once. */
#define ROWS_PER_RUN 8

/* Stores which of the rows have no group in missing; returns how many. */
static size_t
find_missing(const uint32_t *numbers, size_t nrows, uint16_t *missing)
{
	size_t nmissing = 0;

	for (size_t i = 0; i < nrows; i++)
	{
		missing[nmissing] = (uint16_t) i;
		nmissing += numbers[i] == WA_NO_GROUP;
	}
	return nmissing;
}

/*
 * Looks up one row of a single key without NULLs directly after the other: what
 * is outside the range goes to the place that is always empty.
 */
static size_t
find_single_directly(const WaGroupTable *table, const uint64_t *words,
					 size_t nrows, uint32_t *numbers, uint16_t *missing)
{
	const uint32_t *table_numbers = table->numbers;
	const uint64_t base = table->ranges[0].base;
	const uint64_t limit = table->ranges[0].limit;
	const uint64_t empty = table->nnumbers;
	bool found = true;

	for (size_t i = 0; i < nrows; i++)
	{
		uint64_t offset = words[i] - base;
		uint32_t number = table_numbers[offset < limit ? offset + 1 : empty];

		numbers[i] = number - 1;
		found &= number != 0;
	}
	return found ? 0 : find_missing(numbers, nrows, missing);
}

/* Adds a key's part to the places of the rows. */
static void
add_places(const WaKeyRange *range, const WaKeyRows *key, size_t nrows,
		   uint64_t *places)
{
	if (key->valid == NULL)
		for (size_t i = 0; i < nrows; i++)
			places[i] += wa_table_place_of(range, key->words[i], false);
	else
		for (size_t i = 0; i < nrows; i++)
			places[i] +=
				wa_table_place_of(range, key->words[i], key->valid[i] == 0);
}

/* Looks up rows directly. */
static size_t
find_rows_directly(const WaGroupTable *table, const WaKeyRows *keys,
				   size_t nrows, uint32_t *numbers, uint16_t *missing)
{
	uint64_t *places = table->places;
	bool found = true;

	if (table->nkeys == 1 && keys[0].valid == NULL)
		return find_single_directly(table, keys[0].words, nrows, numbers,
									missing);
	memset(places, 0, nrows * sizeof(uint64_t));
	for (int key = 0; key < table->nkeys; key++)
		add_places(&table->ranges[key], &keys[key], nrows, places);
	for (size_t i = 0; i < nrows; i++)
	{
		uint64_t place =
			places[i] < table->nnumbers ? places[i] : table->nnumbers;
		uint32_t number = table->numbers[place];

		numbers[i] = number - 1;
		found &= number != 0;
	}
	return found ? 0 : find_missing(numbers, nrows, missing);
}

/* Puts the masks of the rows together. */
static void
make_masks(const WaGroupTable *table, const WaKeyRows *keys, size_t nrows)
{
	for (int mask = 0; mask < table->nmasks; mask++)
		memset(table->masks + mask * WA_VECTOR_ROWS, 0,
			   nrows * sizeof(uint64_t));
	for (int key = 0; key < table->nkeys; key++)
	{
		uint64_t *masks = table->masks + key / 64 * WA_VECTOR_ROWS;
		const uint8_t *valid = keys[key].valid;

		if (valid == NULL)
			continue;
		for (size_t i = 0; i < nrows; i++)
			masks[i] |= (uint64_t) (valid[i] == 0) << (key % 64);
	}
}

/* Returns one of the stored words of all rows. */
static inline const uint64_t *
stored_words(const WaGroupTable *table, const WaKeyRows *keys, int word)
{
	return word < table->nkeys
			   ? keys[word].words
			   : table->masks + (word - table->nkeys) * WA_VECTOR_ROWS;
}

/* Stores the hashes of the rows in table->places, and fetches their slots. */
static void
hash_rows(const WaGroupTable *table, const WaKeyRows *keys, size_t nrows)
{
	uint64_t *hashes = table->places;

	if (table->nkeys > 1)
		make_masks(table, keys, nrows);
	memset(hashes, 0, nrows * sizeof(uint64_t));
	for (int word = 0; word < table->nstored; word++)
	{
		const uint64_t *words = stored_words(table, keys, word);

		for (size_t i = 0; i < nrows; i++)
			hashes[i] = wa_hash_word(hashes[i], words[i]);
	}
	for (size_t i = 0; i < nrows; i++)
		hashes[i] = wa_hash_finish(hashes[i]);
}

/*
 * Stores in numbers the first group that has the hash of a row, plus 1, or 0, and
 * fetches its words.
 */
static void
find_candidates(const WaGroupTable *table, size_t nrows, uint32_t *numbers)
{
	const uint64_t *hashes = table->places;
	const int shift = table->slot_shift;

	for (size_t i = 0; i < nrows; i++)
	{
		uint64_t place = hashes[i] >> shift;
		uint64_t slot;

		if (i + WA_PREFETCH_ROWS < nrows)
			__builtin_prefetch(
				&table->slots[hashes[i + WA_PREFETCH_ROWS] >> shift]);
		while ((slot = table->slots[place]) != 0 &&
			   !wa_hash_slot_matches(slot, hashes[i]))
			place = (place + 1) & table->slot_mask;
		numbers[i] = (uint32_t) slot;
		if (slot != 0)
			__builtin_prefetch(wa_table_words_of(table, (uint32_t) slot - 1));
	}
}

/*
 * Takes candidates away that are not the group of their row.  What is left for
 * the search of single rows to find is rare: groups with equal halves of hashes.
 */
static void
check_candidates(const WaGroupTable *table, const WaKeyRows *keys, size_t nrows,
				 uint32_t *numbers)
{
	for (int word = 0; word < table->nstored; word++)
	{
		const uint64_t *words = stored_words(table, keys, word);
		const uint64_t *group_words = table->words + word;
		const size_t stride = table->nstored;

		for (size_t i = 0; i < nrows; i++)
			if (numbers[i] != 0 &&
				group_words[(numbers[i] - 1) * stride] != words[i])
				numbers[i] = 0;
	}
}

/* Tells whether words are mostly like the ones before them, as are days of times. */
static bool
are_runs(const uint64_t *words, size_t nrows)
{
	size_t nruns = 1;

	for (size_t i = 1; i < nrows; i++)
		nruns += words[i] != words[i - 1];
	return nruns * ROWS_PER_RUN <= nrows;
}

/* Returns the group of a word of a single key, WA_NO_GROUP if there is none. */
static uint32_t
find_word(const WaGroupTable *table, uint64_t word)
{
	const uint64_t hash = wa_hash_finish(wa_hash_word(0, word));
	uint64_t place = hash >> table->slot_shift;
	uint64_t slot;

	while ((slot = table->slots[place]) != 0)
	{
		const uint32_t group = (uint32_t) slot - 1;

		if (wa_hash_slot_matches(slot, hash) &&
			*wa_table_words_of(table, group) == word)
			return group;
		place = (place + 1) & table->slot_mask;
	}
	return WA_NO_GROUP;
}

/* Looks up rows of a single key without NULLs, each run of them once. */
static size_t
find_runs(const WaGroupTable *table, const uint64_t *words, size_t nrows,
		  uint32_t *numbers, uint16_t *missing)
{
	for (size_t i = 0; i < nrows; i++)
		numbers[i] = i > 0 && words[i] == words[i - 1]
						 ? numbers[i - 1]
						 : find_word(table, words[i]);
	return find_missing(numbers, nrows, missing);
}

/* Looks up rows by the hash table. */
static size_t
find_rows_by_hash(const WaGroupTable *table, const WaKeyRows *keys,
				  size_t nrows, uint32_t *numbers, uint16_t *missing)
{
	const uint8_t *valid = table->nkeys == 1 ? keys[0].valid : NULL;
	size_t nmissing = 0;

	if (table->nkeys == 1 && valid == NULL && are_runs(keys[0].words, nrows))
		return find_runs(table, keys[0].words, nrows, numbers, missing);
	hash_rows(table, keys, nrows);
	find_candidates(table, nrows, numbers);
	check_candidates(table, keys, nrows, numbers);
	if (valid != NULL)
		for (size_t i = 0; i < nrows; i++)
			if (valid[i] == 0)
				numbers[i] = table->null_group + 1;
	for (size_t i = 0; i < nrows; i++)
	{
		missing[nmissing] = (uint16_t) i;
		nmissing += numbers[i] == 0;
		numbers[i]--;
	}
	return nmissing;
}

size_t
wa_group_table_find_rows(WaGroupTable *table, const WaKeyRows *keys,
						 size_t nrows, uint32_t *numbers, uint16_t *missing)
{
	return table->numbers != NULL
			   ? find_rows_directly(table, keys, nrows, numbers, missing)
			   : find_rows_by_hash(table, keys, nrows, numbers, missing);
}
