/*
 * first_rows.c
 *		The first rows of a query each of whose rows is a group of its own; see first_rows.h.
 *
 * Rows are kept until there are twice as many as are wanted.  Then the first of these are
 * chosen (Hoare's algorithm FIND), and the last of them is the limit: rows that do not come
 * before it are not kept from then on.  A row has a rank for each expression of ORDER BY;
 * those of ones that descend are turned around, and NULLs have ranks beyond all values.
 *
 * Where the first row of each part is wanted, a hash table by the ranks of the part finds the first
 * one so far.
 */
#include <string.h>

#include "query/groups/group_hash.h"
#include "query/run/first_rows_internal.h"
#include "query/run/order_rank.h"

/* Of more rows than that, these are chosen among groups. */
#define MOST_ROWS 100000

/* Parts that there is room for in the beginning, and slots of the hash table for each. */
#define FIRST_PARTS    1024
#define SLOTS_PER_PART 2

bool
wa_first_rows_are_wanted(const WaQuery *query)
{
	if (!query->top_n.of_rows || query->top_n.limit == 0 ||
		query->top_n.limit > MOST_ROWS)
		return false;
	/* A backend may have bytes in place of numerics. */
	for (uint32_t i = 0; i < query->nkeys; i++)
		if (query->keys[i].kind == WA_VECTOR_TEXT ||
			query->program.kinds[query->key_numbers[i]] != query->keys[i].kind)
			return false;
	return true;
}

/* Makes room for rows; returns false if there is not enough memory. */
static bool
make_room(WaFirstRows *first, size_t room)
{
	const size_t nranks = first->norders * sizeof(Rank);
	const size_t nvalues = first->nkeys * sizeof(WaQueryValue);
	Rank *ranks = wa_arena_alloc_aligned(first->arena, room * nranks);
	WaQueryValue *values = wa_arena_alloc(first->arena, room * nvalues);

	if (first->arena->failed)
		return false;
	if (first->count > 0)
	{
		memcpy(ranks, first->ranks, first->count * nranks);
		memcpy(values, first->values, first->count * nvalues);
	}
	first->ranks = ranks;
	first->values = values;
	first->room = room;
	return true;
}

WaFirstRows *
wa_first_rows_make(WaArena *arena, const WaQuery *query, size_t most_parts)
{
	WaFirstRows *first = wa_arena_alloc_aligned(arena, sizeof(*first));
	const size_t limit = (size_t) query->top_n.limit;

	if (first == NULL)
		return NULL;
	memset(first, 0, sizeof(*first));
	first->query = query;
	first->norders = query->top_n.norders;
	first->nkeys = query->nkeys;
	first->limit = limit;
	first->random = 1;
	first->arena = arena;
	first->nparts = query->top_n.nparts;
	first->most = most_parts;
	if (first->nparts > 0)
		return first;
	if (!make_room(first, 2 * limit + WA_VECTOR_ROWS))
		return NULL;
	first->entries = wa_arena_alloc_aligned(arena, first->room * sizeof(Entry));
	first->is_chosen = wa_arena_alloc(arena, first->room);
	return arena->failed ? NULL : first;
}

bool
wa_first_rows_may_trap(const WaQuery *query)
{
	for (uint32_t i = 0; i < query->nkeys && query->top_n.of_rows; i++)
		if (query->keys[i].kind == WA_VECTOR_DECIMAL)
			return true;
	return false;
}

/* Tells whether ranks are those of a row that comes before another. */
static inline bool
comes_before(const Rank *a, const Rank *b, size_t norders)
{
	for (size_t i = 0; i < norders; i++)
		if (a[i] != b[i])
			return a[i] < b[i];
	return false;
}

/*
 * Choosing
 */

/* Tells whether an entry's row comes before another's. */
static inline bool
entry_comes_before(const WaFirstRows *first, const Entry *a, const Entry *b)
{
	const size_t norders = first->norders;

	if (a->rank != b->rank || norders == 1)
		return a->rank < b->rank;
	return comes_before(first->ranks + a->number * norders,
						first->ranks + b->number * norders, norders);
}

/* Returns a place from begin to end - 1 that no data knows beforehand. */
static size_t
random_place(WaFirstRows *first, size_t begin, size_t end)
{
	first->random = first->random * UINT64_C(6364136223846793005) +
					UINT64_C(1442695040888963407);
	return begin + (size_t) ((first->random >> 33) % (end - begin));
}

/*
 * Brings entries from begin to end - 1 into two parts, none empty, so that no row of the
 * second comes before one of the first; returns where the second begins.
 */
static size_t
divide(WaFirstRows *first, size_t begin, size_t end)
{
	const size_t place = random_place(first, begin, end);
	Entry *entries = first->entries;
	const Entry middle = entries[place];
	size_t low = begin;
	size_t high = end - 1;

	entries[place] = entries[begin];
	entries[begin] = middle;
	for (;;)
	{
		Entry swapped;

		while (entry_comes_before(first, &entries[low], &middle))
			low++;
		while (entry_comes_before(first, &middle, &entries[high]))
			high--;
		if (low >= high)
			return high + 1;
		swapped = entries[low];
		entries[low++] = entries[high];
		entries[high--] = swapped;
	}
}

/* Brings the entries of as many rows as are wanted, the first ones, to the front. */
static void
choose(WaFirstRows *first)
{
	size_t begin = 0;
	size_t end = first->count;

	for (size_t i = 0; i < first->count; i++)
		first->entries[i] =
			(Entry){first->ranks[i * first->norders], (uint32_t) i};
	while (end - begin > 1)
	{
		const size_t second = divide(first, begin, end);

		if (second == first->limit)
			return;
		if (second < first->limit)
			begin = second;
		else
			end = second;
	}
}

/* Finds the last of the rows that are chosen. */
static void
find_last(WaFirstRows *first)
{
	const size_t norders = first->norders;
	const Entry *last = first->entries;

	for (size_t i = 1; i < first->limit; i++)
		if (entry_comes_before(first, last, &first->entries[i]))
			last = &first->entries[i];
	memcpy(first->last, first->ranks + last->number * norders,
		   norders * sizeof(Rank));
	first->has_last = true;
}

/* Moves a row to the place of another one. */
static void
move_row(WaFirstRows *first, size_t to, size_t from)
{
	memcpy(first->ranks + to * first->norders,
		   first->ranks + from * first->norders, first->norders * sizeof(Rank));
	memcpy(first->values + to * first->nkeys,
		   first->values + from * first->nkeys,
		   first->nkeys * sizeof(WaQueryValue));
}

/* Drops all rows but the chosen ones, whose entries are in front. */
static void
drop_others(WaFirstRows *first)
{
	size_t from = first->limit;

	memset(first->is_chosen, 0, first->count);
	for (size_t i = 0; i < first->limit; i++)
		first->is_chosen[first->entries[i].number] = 1;
	for (size_t to = 0; to < first->limit; to++)
	{
		if (first->is_chosen[to])
			continue;
		while (!first->is_chosen[from])
			from++;
		move_row(first, to, from++);
	}
	first->count = first->limit;
}

/* Drops rows that are not wanted, once there are more than so many. */
static void
drop_beyond(WaFirstRows *first, size_t most)
{
	if (first->count <= most)
		return;
	choose(first);
	find_last(first);
	drop_others(first);
}

/*
 * Parts
 */

/* Returns the hash of a part, by the ranks of one of its rows. */
static size_t
hash_part(const Rank *ranks, size_t nparts)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < nparts; i++)
	{
		hash = wa_hash_word(hash, (uint64_t) ranks[i]);
		hash = wa_hash_word(hash, (uint64_t) (ranks[i] >> 64));
	}
	return (size_t) wa_hash_finish(hash);
}

/* Returns the slot of the part of some ranks, which is free if it has no row. */
static uint32_t *
find_slot(const WaFirstRows *first, const Rank *ranks)
{
	const size_t bytes = first->nparts * sizeof(Rank);
	size_t place = hash_part(ranks, first->nparts);

	for (;; place++)
	{
		uint32_t *slot = &first->slots[place & (first->nslots - 1)];

		if (*slot == 0 || memcmp(first->ranks + (*slot - 1) * first->norders,
								 ranks, bytes) == 0)
			return slot;
	}
}

/* Makes room for one more row; returns false if there are too many parts. */
static bool
reserve_part(WaFirstRows *first)
{
	const size_t room = first->room == 0 ? FIRST_PARTS : 2 * first->room;

	if (first->count < first->room)
		return true;
	first->is_full = first->count >= first->most || !make_room(first, room);
	if (first->is_full)
		return false;
	first->nslots = SLOTS_PER_PART * room;
	first->slots = wa_arena_alloc_zero(first->arena,
									   first->nslots * sizeof(*first->slots));
	first->is_full = first->slots == NULL;
	for (size_t row = 0; row < first->count && !first->is_full; row++)
		*find_slot(first, first->ranks + row * first->norders) =
			(uint32_t) row + 1;
	return !first->is_full;
}

/*
 * Finds where a row is to be kept, whose ranks are written behind the others': that of a row of
 * its part before which it comes, or a new one; returns false if it is of no use.
 */
static bool
find_place(WaFirstRows *first, size_t *row)
{
	const size_t nparts = first->nparts;
	const size_t norders = first->norders;
	const Rank *ranks = first->ranks + first->count * norders;
	uint32_t *slot = find_slot(first, ranks);

	*row = first->count;
	if (*slot == 0)
	{
		*slot = (uint32_t) ++first->count;
		return true;
	}
	*row = *slot - 1;
	if (!comes_before(ranks + nparts, first->ranks + *row * norders + nparts,
					  norders - nparts))
		return false;
	memcpy(first->ranks + *row * norders, ranks, norders * sizeof(Rank));
	return true;
}

bool
wa_first_rows_are_full(const WaFirstRows *first)
{
	return first->is_full;
}

/*
 * Taking
 */

/* Returns the rank of a row by an order; key: what is ordered by. */
static inline Rank
rank_of(const WaOrderBy *order, WaVectorKind kind, const WaVector *key,
		size_t row)
{
	Rank rank;

	if (!wa_vector_is_valid(key, row))
		return order->nulls_first ? -NULL_RANK : NULL_RANK;
	switch (kind)
	{
		case WA_VECTOR_BOOL:
			rank = wa_vector_bools(key)[row];
			break;
		case WA_VECTOR_FLOAT:
			rank = wa_float_rank(wa_vector_floats(key)[row]);
			break;
		case WA_VECTOR_DECIMAL:
			rank = wa_decimal_rank(wa_vector_ints(key)[row], key->scale);
			break;
		default:
			rank = wa_vector_ints(key)[row];
	}
	return order->descending ? ~rank : rank;
}

/* Stores a value of a row. */
static void
store_value(WaVectorKind kind, const WaVector *key, size_t row,
			WaQueryValue *value)
{
	*value = (WaQueryValue){.is_null = !wa_vector_is_valid(key, row)};
	if (value->is_null)
		return;
	switch (kind)
	{
		case WA_VECTOR_BOOL:
			value->integer = wa_vector_bools(key)[row];
			return;
		case WA_VECTOR_FLOAT:
			value->number = wa_vector_floats(key)[row];
			return;
		case WA_VECTOR_DECIMAL:
			value->integer = wa_vector_ints(key)[row];
			value->scale = key->scale;
			value->shown = key->mixed ? key->display[row] : key->scale;
			return;
		default:
			value->integer = wa_vector_ints(key)[row];
	}
}

/* Writes the ranks of a row, the first of which is known, behind those of the others. */
static const Rank *
write_ranks(WaFirstRows *first, WaVector *const *keys, size_t row, Rank rank)
{
	const WaQuery *query = first->query;
	Rank *ranks = first->ranks + first->count * first->norders;

	ranks[0] = rank;
	for (size_t i = 1; i < first->norders; i++)
	{
		const WaOrderBy *order = &query->top_n.orders[i];

		ranks[i] = rank_of(order, query->keys[order->number].kind,
						   keys[order->number], row);
	}
	return ranks;
}

/* Stores the keys of a row as those of one that is kept. */
static void
store_values(WaFirstRows *first, WaVector *const *keys, size_t row, size_t kept)
{
	for (size_t i = 0; i < first->nkeys; i++)
		store_value(first->query->keys[i].kind, keys[i], row,
					&first->values[kept * first->nkeys + i]);
}

/* Keeps a row, whose first rank is known, if it comes before the last one that is wanted. */
static void
take_row(WaFirstRows *first, WaVector *const *keys, size_t row, Rank rank)
{
	const Rank *ranks = write_ranks(first, keys, row, rank);

	if (first->has_last && !comes_before(ranks, first->last, first->norders))
		return;
	store_values(first, keys, row, first->count);
	first->count++;
}

/* Keeps those rows that are the first of their parts; returns false if there are too many. */
static bool
take_parts(WaFirstRows *first, WaVector *const *keys, size_t nrows)
{
	for (size_t row = 0; row < nrows; row++)
	{
		size_t kept;

		if (!reserve_part(first))
			return false;
		(void) write_ranks(first, keys, row, first->candidates[row]);
		if (find_place(first, &kept))
			store_values(first, keys, row, kept);
	}
	return true;
}

bool
wa_first_rows_take(WaFirstRows *first, WaVector *const *keys, size_t nrows)
{
	const WaQuery *query = first->query;
	const WaOrderBy *order = &query->top_n.orders[0];
	const WaVectorKind kind = query->keys[order->number].kind;
	const Rank last = first->has_last ? first->last[0] : NULL_RANK;

	for (size_t i = 0; i < first->nkeys; i++)
		if (query->keys[i].kind == WA_VECTOR_DECIMAL && keys[i]->wide)
			return false;
	if (first->is_full)
		return false;
	for (size_t row = 0; row < nrows; row++)
		first->candidates[row] = rank_of(order, kind, keys[order->number], row);
	if (first->nparts > 0)
		return take_parts(first, keys, nrows);
	for (size_t row = 0; row < nrows; row++)
		if (first->candidates[row] <= last)
			take_row(first, keys, row, first->candidates[row]);
	drop_beyond(first, 2 * first->limit);
	return true;
}

/* Takes a row that another has. */
static void
take_theirs(WaFirstRows *first, const WaFirstRows *others, size_t row)
{
	const Rank *ranks = others->ranks + row * first->norders;

	if (first->has_last && !comes_before(ranks, first->last, first->norders))
		return;
	memcpy(first->ranks + first->count * first->norders, ranks,
		   first->norders * sizeof(Rank));
	memcpy(first->values + first->count * first->nkeys,
		   others->values + row * first->nkeys,
		   first->nkeys * sizeof(WaQueryValue));
	first->count++;
	drop_beyond(first, 2 * first->limit);
}

/* Takes a row that another has as the first of its part. */
static void
take_their_part(WaFirstRows *first, const WaFirstRows *others, size_t row)
{
	const size_t norders = first->norders;
	const size_t nkeys = first->nkeys;
	size_t kept;

	memcpy(first->ranks + first->count * norders, others->ranks + row * norders,
		   norders * sizeof(Rank));
	if (find_place(first, &kept))
		memcpy(first->values + kept * nkeys, others->values + row * nkeys,
			   nkeys * sizeof(WaQueryValue));
}

bool
wa_first_rows_merge(WaFirstRows *first, const WaFirstRows *others)
{
	for (size_t row = 0; row < others->count; row++)
		if (first->nparts == 0)
			take_theirs(first, others, row);
		else if (reserve_part(first))
			take_their_part(first, others, row);
		else
			return false;
	return true;
}

size_t
wa_first_rows_finish(WaFirstRows *first)
{
	if (first->nparts == 0)
		drop_beyond(first, first->limit);
	return first->count;
}

void
wa_first_rows_forget(WaFirstRows *first)
{
	first->count = 0;
	if (first->slots != NULL)
		memset(first->slots, 0, first->nslots * sizeof(*first->slots));
}

const WaQueryValue *
wa_first_rows_keys(const WaFirstRows *first, size_t row)
{
	return first->values + row * first->nkeys;
}
