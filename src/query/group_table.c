/*
 * group_table.c
 *		From the words of keys to the numbers of groups; see group_table.h.
 *
 * While the ranges that the keys' words lie in are small, taken together, groups
 * are looked up directly, in an array with a place for each combination.  As
 * words leave their ranges these grow, with room to spare, until the array would
 * be too large for the number of groups; from then on groups are hashed.  When
 * the hash table is to grow, the array is tried again.
 */
#include "query/group_table.h"
#include "query/group_hash.h"
#include <string.h>

/* A direct table may always have so many places, ... */
#define DIRECT_PLACES 65536

/* ... or so many for each group: as many bytes as a hash table takes. */
#define PLACES_PER_GROUP 8

/* No direct table has more. */
#define MAX_DIRECT_PLACES ((uint64_t) 1 << 30)

#define FIRST_CAPACITY  256
#define FIRST_SLOT_BITS 10

/* So that no place in slots has more bits than a slot has of a hash. */
#define MAX_GROUPS ((uint32_t) 1 << 30)

/* A place outside the ranges; added to any number of times it stays outside. */
#define OUTSIDE ((uint64_t) 1 << 40)

/* Makes the table have no index. */
static void
forget_index(WaGroupTable *table)
{
	table->numbers = table->none;
	table->nnumbers = 1;
	table->none[0] = 0;
	table->slots = NULL;
}

void
wa_group_table_init(WaGroupTable *table, WaArena *arena, int nkeys)
{
	memset(table, 0, sizeof(*table));
	table->arena = arena;
	table->nkeys = nkeys;
	table->nmasks = (nkeys + 63) / 64;
	table->nstored = nkeys + (nkeys > 1 ? table->nmasks : 0);
	table->capacity = FIRST_CAPACITY;
	table->words = wa_arena_alloc(
		arena, FIRST_CAPACITY * (size_t) table->nstored * sizeof(uint64_t));
	table->null_group = WA_NO_GROUP;
	table->ranges =
		wa_arena_alloc_zero(arena, (size_t) nkeys * sizeof(WaKeyRange));
	table->places = wa_arena_alloc(arena, WA_VECTOR_ROWS * sizeof(uint64_t));
	table->masks = wa_arena_alloc(arena, (size_t) table->nmasks *
											 WA_VECTOR_ROWS * sizeof(uint64_t));
	forget_index(table);
}

/* Returns the words of a group. */
static inline uint64_t *
words_of(const WaGroupTable *table, uint32_t group)
{
	return table->words + (size_t) group * (size_t) table->nstored;
}

/* Tells whether a key of a row is NULL, by its words with the masks. */
static inline bool
row_is_null(const WaGroupTable *table, const uint64_t *words, int key)
{
	return (words[table->nkeys + key / 64] >> (key % 64) & 1) != 0;
}

uint64_t
wa_group_table_word(const WaGroupTable *table, uint32_t group, int key,
					bool *is_null)
{
	const uint64_t *words = words_of(table, group);

	*is_null = table->nkeys == 1 ? group == table->null_group
								 : row_is_null(table, words, key);
	return words[key];
}

bool
wa_group_table_words(const WaGroupTable *table, int key, const uint32_t *groups,
					 size_t ngroups, uint64_t *words, uint8_t *valid)
{
	bool has_nulls = false;

	for (size_t i = 0; i < ngroups; i++)
	{
		bool is_null;

		if (i + WA_PREFETCH_ROWS < ngroups)
			__builtin_prefetch(words_of(table, groups[i + WA_PREFETCH_ROWS]));
		words[i] = wa_group_table_word(table, groups[i], key, &is_null);
		valid[i] = !is_null;
		has_nulls |= is_null;
	}
	return has_nulls;
}

/* Returns the hash of a row's or group's words; of a single key without mask. */
static inline uint64_t
hash_words(const uint64_t *words, int nwords)
{
	uint64_t hash = 0;

	for (int i = 0; i < nwords; i++)
		hash = wa_hash_word(hash, words[i]);
	return wa_hash_finish(hash);
}

/* Returns the place of a word of a key in a range, 0 of a NULL. */
static inline uint64_t
place_of(const WaKeyRange *range, uint64_t word, bool is_null)
{
	uint64_t offset = word - range->base;

	if (is_null)
		return 0;
	return offset < range->limit ? (offset + 1) << range->shift : OUTSIDE;
}

/* Returns the place of a group in the direct table. */
static uint64_t
group_place(const WaGroupTable *table, uint32_t group)
{
	uint64_t place = 0;

	for (int key = 0; key < table->nkeys; key++)
	{
		bool is_null;
		uint64_t word = wa_group_table_word(table, group, key, &is_null);

		place += place_of(&table->ranges[key], word, is_null);
	}
	return place;
}

/* Returns the place of a row. */
static uint64_t
row_place(const WaGroupTable *table, const uint64_t *words)
{
	uint64_t place = 0;

	for (int key = 0; key < table->nkeys; key++)
		place += place_of(&table->ranges[key], words[key],
						  row_is_null(table, words, key));
	return place;
}

/*
 * Returns the number of bits of a key's places for the values known; spare: with
 * room for as many values more.
 */
static int
place_bits(const WaKeyRange *range, bool spare)
{
	uint64_t span = (uint64_t) range->largest - (uint64_t) range->smallest;

	if (!range->is_known)
		return 0;
	if (span >= MAX_DIRECT_PLACES)
		return 64;
	span = span * (spare ? 2 : 1) + 2;
	return 64 - __builtin_clzll(span - 1);
}

/* Returns the number of places for the known values of all keys. */
static uint64_t
count_places(const WaGroupTable *table, bool spare)
{
	int bits = 0;

	for (int key = 0; key < table->nkeys && bits < 64; key++)
		bits += place_bits(&table->ranges[key], spare);
	return bits < 64 ? (uint64_t) 1 << bits : UINT64_MAX;
}

/* Lays the ranges around the known values. */
static void
lay_out_ranges(WaGroupTable *table, bool spare)
{
	int shift = 0;

	for (int key = 0; key < table->nkeys; key++)
	{
		WaKeyRange *range = &table->ranges[key];
		int bits = place_bits(range, spare);
		uint64_t values =
			(uint64_t) range->largest - (uint64_t) range->smallest + 1;

		range->shift = shift;
		range->limit = ((uint64_t) 1 << bits) - 1;
		range->base = (uint64_t) range->smallest - (range->limit - values) / 2;
		shift += bits;
	}
}

/* Has nothing be found, and frees the direct table. */
static void
leave_index(WaGroupTable *table)
{
	if (table->numbers != table->none)
		wa_arena_free(table->arena, table->numbers);
	for (int key = 0; key < table->nkeys; key++)
		table->ranges[key].limit = 0;
	forget_index(table);
}

/* Likewise, and frees the hash table. */
static void
free_index(WaGroupTable *table)
{
	wa_arena_free(table->arena, table->slots);
	leave_index(table);
}

/*
 * Makes the direct table anew for the known values.  Returns false, with
 * everything as it was, if that would be too large.
 */
static bool
index_directly(WaGroupTable *table)
{
	uint64_t allowed = (uint64_t) table->ngroups * PLACES_PER_GROUP;
	uint32_t *numbers;
	uint64_t nnumbers;
	bool spare;

	allowed = allowed < DIRECT_PLACES ? DIRECT_PLACES : allowed;
	allowed = allowed > MAX_DIRECT_PLACES ? MAX_DIRECT_PLACES : allowed;
	spare = count_places(table, true) <= allowed;
	if (!spare && count_places(table, false) > allowed)
		return false;
	free_index(table);
	nnumbers = count_places(table, spare);
	numbers =
		wa_arena_alloc_zero(table->arena, (nnumbers + 1) * sizeof(uint32_t));
	if (numbers == NULL)
		return true; /* and nothing is found any more */
	lay_out_ranges(table, spare);
	table->nnumbers = nnumbers;
	table->numbers = numbers;
	for (uint32_t group = 0; group < table->ngroups; group++)
		table->numbers[group_place(table, group)] = group + 1;
	return true;
}

/* Puts a slot into the first free place. */
static inline void
put_slot(WaGroupTable *table, uint64_t slot)
{
	uint64_t place = slot >> table->slot_shift;

	while (table->slots[place] != 0)
		place = (place + 1) & table->slot_mask;
	table->slots[place] = slot;
}

/* Puts the groups into an empty hash table. */
static void
put_groups(WaGroupTable *table)
{
	for (uint32_t group = 0; group < table->ngroups; group++)
		if (group != table->null_group)
			put_slot(table, wa_hash_slot(hash_words(words_of(table, group),
													table->nstored),
										 group + 1));
}

/*
 * Puts what is in another hash table into an empty one, in the order in which it
 * will lie there: that is quicker than to look at the groups.
 */
static void
put_slots(WaGroupTable *table, const uint64_t *slots, uint64_t nslots)
{
	for (uint64_t i = 0; i < nslots; i++)
		if (slots[i] != 0)
			put_slot(table, slots[i]);
}

/* Makes the hash table anew, with room for as many groups more as there are. */
static void
index_by_hash(WaGroupTable *table)
{
	uint64_t *before = table->slots;
	const uint64_t nbefore = table->slot_mask + 1;
	int bits = FIRST_SLOT_BITS;
	uint64_t *slots;

	while ((uint64_t) 1 << bits < (uint64_t) table->ngroups * 4)
		bits++;
	leave_index(table);
	slots = wa_arena_alloc_zero(table->arena, sizeof(uint64_t) << bits);
	if (slots != NULL)
	{
		table->numbers = NULL;
		table->slots = slots;
		table->slot_mask = ((uint64_t) 1 << bits) - 1;
		table->slot_shift = 64 - bits;
		if (before != NULL)
			put_slots(table, before, nbefore);
		else
			put_groups(table);
	}
	wa_arena_free(table->arena, before);
}

/* Makes room for more groups; returns false if it cannot. */
static bool
grow_words(WaGroupTable *table)
{
	size_t bytes = (size_t) table->capacity * 2 * (size_t) table->nstored *
				   sizeof(uint64_t);

	if (table->capacity >= MAX_GROUPS)
	{
		table->arena->failed = true;
		return false;
	}
	if (!wa_arena_resize(table->arena, &table->words, bytes))
		return false;
	table->capacity *= 2;
	return true;
}

/*
 * Adds a group with the words of a row, which no index leads to yet; returns 0
 * if it cannot.  The table is not closed.
 */
static uint32_t
add_words(WaGroupTable *table, const uint64_t *words)
{
	uint32_t group = table->ngroups;

	if (group == table->capacity && !grow_words(table))
		return 0;
	memcpy(words_of(table, group), words,
		   (size_t) table->nstored * sizeof(uint64_t));
	for (int key = 0; key < table->nkeys; key++)
	{
		WaKeyRange *range = &table->ranges[key];
		int64_t value = (int64_t) words[key];

		if (row_is_null(table, words, key))
			continue;
		if (!range->is_known || value < range->smallest)
			range->smallest = value;
		if (!range->is_known || value > range->largest)
			range->largest = value;
		range->is_known = true;
	}
	if (table->nkeys == 1 && row_is_null(table, words, 0))
		table->null_group = group;
	table->ngroups++;
	return group;
}

/* Finds or adds a row by the direct table. */
static uint32_t
find_directly(WaGroupTable *table, const uint64_t *words)
{
	uint64_t place = row_place(table, words);
	uint32_t group;

	if (place < table->nnumbers && table->numbers[place] != 0)
		return table->numbers[place] - 1;
	if (table->is_closed)
		return WA_NO_GROUP;
	if (place < table->nnumbers)
	{
		group = add_words(table, words);
		table->numbers[place] = group + 1;
		return group;
	}
	group = add_words(table, words);
	if (!index_directly(table))
		index_by_hash(table);
	return group;
}

/* Finds or adds a row by the hash table. */
static uint32_t
find_by_hash(WaGroupTable *table, const uint64_t *words)
{
	uint64_t hash = hash_words(words, table->nstored);
	uint64_t place = hash >> table->slot_shift;
	uint64_t slot;
	uint32_t group;

	if (table->nkeys == 1 && row_is_null(table, words, 0))
		return table->null_group != WA_NO_GROUP || table->is_closed
				   ? table->null_group
				   : add_words(table, words);
	while ((slot = table->slots[place]) != 0)
	{
		group = (uint32_t) slot - 1;
		if (wa_hash_slot_matches(slot, hash) &&
			memcmp(words_of(table, group), words,
				   (size_t) table->nstored * sizeof(uint64_t)) == 0)
			return group;
		place = (place + 1) & table->slot_mask;
	}
	if (table->is_closed)
		return WA_NO_GROUP;
	group = add_words(table, words);
	table->slots[place] = wa_hash_slot(hash, group + 1);
	if ((uint64_t) table->ngroups * 2 > table->slot_mask &&
		!index_directly(table))
		index_by_hash(table);
	return group;
}

uint32_t
wa_group_table_find(WaGroupTable *table, const uint64_t *words)
{
	if (table->arena->failed)
		return 0;
	return table->numbers != NULL ? find_directly(table, words)
								  : find_by_hash(table, words);
}

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
			places[i] += place_of(range, key->words[i], false);
	else
		for (size_t i = 0; i < nrows; i++)
			places[i] += place_of(range, key->words[i], key->valid[i] == 0);
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
			__builtin_prefetch(words_of(table, (uint32_t) slot - 1));
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

/* Looks up rows by the hash table. */
static size_t
find_rows_by_hash(const WaGroupTable *table, const WaKeyRows *keys,
				  size_t nrows, uint32_t *numbers, uint16_t *missing)
{
	const uint8_t *valid = table->nkeys == 1 ? keys[0].valid : NULL;
	size_t nmissing = 0;

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
