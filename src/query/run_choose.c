/*
 * run_choose.c
 *		Choosing the groups that a query wants; see core/order_by.h and run.h.
 *
 * A heap has the first groups so far, the last of them on top: a group has to come
 * before that to get in, which for nearly all groups is one comparison.  Where
 * groups that are equal to the last are wanted with it, a second pass finds them.
 */
#include <string.h>

#include "core/decimal.h"
#include "core/exact_sum.h"
#include "query/group_decimal.h"
#include "query/run_internal.h"

/* Where a group has its place by one order: smaller ranks come first. */
typedef struct Rank
{
	__int128 value;
	int part; /* NULLS before or behind all others: -1 or 1; else 0 */
} Rank;

/* A group in the heap. */
typedef struct Entry
{
	Rank rank; /* by the first order */
	uint32_t group;
} Entry;

/* Groups that are being chosen. */
typedef struct Choice
{
	WaQueryRun *run;
	const WaWanted *wanted;
	Entry *entries;
	uint32_t nentries;
	bool failed; /* some groups cannot be compared */
} Choice;

/* Returns a number that is in the order of floats; NaN is the largest. */
static int64_t
float_rank(double x)
{
	int64_t bits;

	if (x != x)
		return INT64_MAX;
	if (x == 0)
		return 0;
	bits = (int64_t) wa_double_bits(x);
	return bits >= 0 ? bits : -(bits & INT64_MAX);
}

/* Returns a number that is in the order of decimals. */
static __int128
decimal_rank(int64_t value, uint8_t scale)
{
	return (__int128) value * wa_powers_of_ten[WA_DECIMAL_MAX_SCALE - scale];
}

/* Returns the number that a group has by a key, which may be NULL. */
static __int128
key_number(Choice *choice, uint16_t number, uint32_t group, bool *is_null)
{
	const WaQueryRun *run = choice->run;
	WaQueryValue value;
	__int128 rank = 0;

	wa_query_groups_key(run->groups, group, number, &value);
	*is_null = value.is_null;
	if (value.is_null)
		return 0;
	switch (run->query->keys[number].kind)
	{
		case WA_VECTOR_FLOAT:
			return float_rank(value.number);
		case WA_VECTOR_DECIMAL:
			if (!wa_decimal_number(&value, WA_DECIMAL_MAX_SCALE, &rank))
				choice->failed = true;
			return rank;
		default:
			return value.integer;
	}
}

/* Returns a sum, in units that all groups share. */
static __int128
sum_number(const WaRecord *record, const WaRecordLayout *layout)
{
	WaInt128 sum;

	memcpy(&sum, record->words + layout->sum, sizeof(sum));
	return wa_int128_get(sum);
}

/* Returns the number that an extreme stands for. */
static __int128
extreme_number(WaVectorKind kind, const WaRecord *record,
			   const WaRecordLayout *layout, bool is_min)
{
	const uint64_t word = record->words[is_min ? layout->min : layout->max];
	WaDecimalHeader header;

	switch (kind)
	{
		case WA_VECTOR_FLOAT:
			return float_rank(wa_bits_double(word));
		case WA_VECTOR_DECIMAL:
			memcpy(&header, record->words + layout->header, sizeof(header));
			return decimal_rank((int64_t) word,
								is_min ? header.min_scale : header.max_scale);
		default:
			return (int64_t) word;
	}
}

/* Returns the number that a group has by a column, which may be NULL. */
static __int128
column_number(Choice *choice, const WaOrderBy *order, uint32_t group,
			  bool *is_null)
{
	const WaQueryColumn *column = &choice->run->query->columns[order->number];
	const WaRecordLayout layout = wa_record_layout(column->kind, column->ops);
	WaRecord record;

	wa_records_get(choice->run->tables[order->number], group, &record);
	*is_null = order->of != WA_ORDER_ROWS && record.words[0] == 0;
	if (*is_null)
		return 0;
	if (order->of == WA_ORDER_ROWS)
		return (__int128) record.words[0];
	if (record.wide != NULL)
		choice->failed = true;
	if (order->of == WA_ORDER_SUM)
		return sum_number(&record, &layout);
	return extreme_number(column->kind, &record, &layout,
						  order->of == WA_ORDER_MIN);
}

/* Returns the rank of a group by one of the orders. */
static inline Rank
rank_of(Choice *choice, uint32_t number, uint32_t group)
{
	const WaOrderBy *order = &choice->wanted->orders[number];
	bool is_null;
	Rank rank = {0};

	rank.value = order->of == WA_ORDER_KEY
					 ? key_number(choice, order->number, group, &is_null)
					 : column_number(choice, order, group, &is_null);
	if (is_null)
		rank.part = order->nulls_first ? -1 : 1;
	else if (order->descending)
		rank.value = ~rank.value;
	return rank;
}

/* Compares ranks: less than 0, 0, more than 0. */
static inline int
compare_ranks(const Rank *a, const Rank *b)
{
	if (a->part != b->part)
		return a->part - b->part;
	return (a->value > b->value) - (a->value < b->value);
}

/* Compares two groups, whose ranks by the first order are told. */
static int
compare_groups(Choice *choice, const Entry *a, const Entry *b)
{
	int order = compare_ranks(&a->rank, &b->rank);

	for (uint32_t i = 1; i < choice->wanted->norders && order == 0; i++)
	{
		const Rank left = rank_of(choice, i, a->group);
		const Rank right = rank_of(choice, i, b->group);

		order = compare_ranks(&left, &right);
	}
	return order;
}

/* Puts an entry to its place in the heap, from a place on that is free. */
static void
sift_down(Choice *choice, uint32_t place, const Entry *entry)
{
	Entry *entries = choice->entries;

	for (;;)
	{
		uint32_t child = 2 * place + 1;

		if (child + 1 < choice->nentries &&
			compare_groups(choice, &entries[child], &entries[child + 1]) < 0)
			child++;
		if (child >= choice->nentries ||
			compare_groups(choice, entry, &entries[child]) >= 0)
			break;
		entries[place] = entries[child];
		place = child;
	}
	entries[place] = *entry;
}

/* Makes a heap of the first groups, as many as are wanted. */
static void
begin_heap(Choice *choice)
{
	for (uint32_t i = 0; i < choice->wanted->limit; i++)
		choice->entries[i] = (Entry){rank_of(choice, 0, i), i};
	choice->nentries = (uint32_t) choice->wanted->limit;
	for (uint32_t place = choice->nentries / 2; place-- > 0;)
	{
		const Entry entry = choice->entries[place];

		sift_down(choice, place, &entry);
	}
}

/* Leaves the first of all groups in the heap. */
static void
find_first(Choice *choice, uint32_t ngroups)
{
	begin_heap(choice);
	for (uint32_t i = choice->nentries; i < ngroups; i++)
	{
		const Entry entry = {rank_of(choice, 0, i), i};

		if (compare_groups(choice, &entry, &choice->entries[0]) < 0)
			sift_down(choice, 0, &entry);
	}
}

/* Chooses a group. */
static inline void
choose(uint64_t *chosen, uint32_t group)
{
	chosen[group / 64] |= (uint64_t) 1 << (group % 64);
}

/* Chooses the groups in the heap, and, if need be, those equal to the last. */
static void
choose_first(Choice *choice, uint32_t ngroups, uint64_t *chosen)
{
	const Entry *last = &choice->entries[0];

	for (uint32_t i = 0; i < choice->nentries; i++)
		choose(chosen, choice->entries[i].group);
	if (!choice->wanted->keeps_ties)
		return;
	for (uint32_t i = 0; i < ngroups; i++)
	{
		const Entry entry = {rank_of(choice, 0, i), i};

		if (compare_groups(choice, &entry, last) == 0)
			choose(chosen, i);
	}
}

bool
wa_query_run_choose(WaQueryRun *run)
{
	const WaWanted *wanted = &run->query->wanted;
	const uint32_t ngroups = wa_query_run_groups(run);
	Choice choice = {.run = run, .wanted = wanted};
	uint64_t *chosen;

	if (wanted->limit == 0 || wanted->limit >= ngroups)
		return true;
	choice.entries = wa_arena_alloc(run->arena, (size_t) wanted->limit *
													sizeof(*choice.entries));
	chosen = wa_arena_alloc_zero(run->arena,
								 (ngroups / 64 + (size_t) 1) * sizeof(*chosen));
	if (run->arena->failed)
		return false;
	find_first(&choice, ngroups);
	choose_first(&choice, ngroups, chosen);
	run->chosen = choice.failed ? NULL : chosen;
	wa_arena_free(run->arena, choice.entries);
	return true;
}
