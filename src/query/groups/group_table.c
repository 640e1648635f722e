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
#include "query/groups/group_hash.h"
#include "query/groups/group_table_internal.h"
#include <string.h>

/*
 * A direct table may always have so many places, if they take no more than this part
 * of the memory, ...
 */
#define DIRECT_PLACES 65536
#define DIRECT_PART   8

/* ... or so many for each group: as many bytes as a hash table takes. */
#define PLACES_PER_GROUP 8

/* No direct table has more. */
#define MAX_DIRECT_PLACES ((uint64_t) 1 << 30)

#define FIRST_CAPACITY  256
#define FIRST_SLOT_BITS 10

/* So that no place in slots has more bits than a slot has of a hash. */
#define MAX_GROUPS ((uint32_t) 1 << 30)

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
	table->places =
		wa_arena_alloc_vector(arena, WA_VECTOR_ROWS * sizeof(uint64_t));
	table->masks = wa_arena_alloc_vector(
		arena, (size_t) table->nmasks * WA_VECTOR_ROWS * sizeof(uint64_t));
	forget_index(table);
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
	const uint64_t *words = wa_table_words_of(table, group);

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
			__builtin_prefetch(
				wa_table_words_of(table, groups[i + WA_PREFETCH_ROWS]));
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

/* Returns the place of a group in the direct table. */
static uint64_t
group_place(const WaGroupTable *table, uint32_t group)
{
	uint64_t place = 0;

	for (int key = 0; key < table->nkeys; key++)
	{
		bool is_null;
		uint64_t word = wa_group_table_word(table, group, key, &is_null);

		place += wa_table_place_of(&table->ranges[key], word, is_null);
	}
	return place;
}

/* Returns the place of a row. */
static uint64_t
row_place(const WaGroupTable *table, const uint64_t *words)
{
	uint64_t place = 0;

	for (int key = 0; key < table->nkeys; key++)
		place += wa_table_place_of(&table->ranges[key], words[key],
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

/* Returns how many places a direct table may have. */
static uint64_t
allowed_places(const WaGroupTable *table)
{
	const uint64_t room = table->arena->limit / DIRECT_PART / sizeof(uint32_t);
	const uint64_t always = room < DIRECT_PLACES ? room : DIRECT_PLACES;
	uint64_t allowed = (uint64_t) table->ngroups * PLACES_PER_GROUP;

	allowed = allowed < always ? always : allowed;
	return allowed > MAX_DIRECT_PLACES ? MAX_DIRECT_PLACES : allowed;
}

/*
 * Makes the direct table anew for the known values.  Returns false, with
 * everything as it was, if that would be too large.
 */
static bool
index_directly(WaGroupTable *table)
{
	const uint64_t allowed = allowed_places(table);
	uint32_t *numbers;
	uint64_t nnumbers;
	bool spare;

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
			put_slot(table,
					 wa_hash_slot(hash_words(wa_table_words_of(table, group),
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

	while ((uint64_t) 1 << bits < (uint64_t) table->ngroups * 4 ||
		   (uint64_t) 1 << bits <= (uint64_t) table->expected * 2)
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

/* Makes room for so many groups, at least; returns false if it cannot. */
static bool
grow_words(WaGroupTable *table, uint32_t ngroups)
{
	uint64_t capacity = table->capacity;

	while (capacity < ngroups)
		capacity *= 2;
	if (capacity > MAX_GROUPS)
	{
		table->arena->failed = true;
		return false;
	}
	if (!wa_arena_resize(table->arena, &table->words,
						 (size_t) capacity * (size_t) table->nstored *
							 sizeof(uint64_t)))
		return false;
	table->capacity = (uint32_t) capacity;
	return true;
}

bool
wa_group_table_expect(WaGroupTable *table, uint32_t ngroups)
{
	if (ngroups > table->expected)
		table->expected = ngroups;
	return ngroups <= table->capacity || grow_words(table, ngroups);
}

/*
 * Adds a group with the words of a row, which no index leads to yet; returns 0
 * if it cannot.  The table is not closed.
 */
static uint32_t
add_words(WaGroupTable *table, const uint64_t *words)
{
	uint32_t group = table->ngroups;

	if (group == table->capacity && !grow_words(table, group + 1))
		return 0;
	memcpy(wa_table_words_of(table, group), words,
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
			memcmp(wa_table_words_of(table, group), words,
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
