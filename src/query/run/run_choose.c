/*
 * run_choose.c
 *		Choosing the groups that a query wants; see core/order_by.h and run.h.
 *
 * A heap has the first groups so far, the last of them on top: a group has to come
 * before that to get in, which for nearly all groups is one comparison.  Where
 * groups that are equal to the last are wanted with it, a second pass finds them.
 *
 * Numerics are compared by 128 bits first.  If some have more, all is done again by
 * 256 bits, in units of the largest scale that a group's number has.
 */
#include <string.h>

#include "query/groups/group_decimal.h"
#include "query/run/group_number.h"
#include "query/run/order_rank.h"
#include "query/run/run_internal.h"

/* Where a group has its place by one order: smaller ranks come first. */
typedef struct Rank
{
	__int128 value;
	unsigned __int128 low; /* the other half of a number of 256 bits, or 0 */
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
	const WaTopN *top_n;
	Entry *entries;
	uint32_t nentries;
	const int *scales; /* NULL: 128 bits are enough; else of the numbers of each
						* order, NARROW where they are */
	bool failed;       /* some groups cannot be compared */
} Choice;

#define NARROW (-1)

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
			return wa_float_rank(value.number);
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
			return wa_float_rank(wa_bits_double(word));
		case WA_VECTOR_DECIMAL:
			memcpy(&header, record->words + layout->header, sizeof(header));
			return wa_decimal_rank((int64_t) word, is_min ? header.min_scale
														  : header.max_scale);
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

/*
 * Stores the number that a group has by an order of numerics, which may be NULL; 0 if
 * that is not to be told.
 */
static WaGroupNumber
wide_number(Choice *choice, const WaOrderBy *order, uint32_t group,
			bool *is_null)
{
	const WaQueryRun *run = choice->run;
	WaGroupNumber number = {.scale = 0};
	bool is_told = true;
	WaQueryValue value;
	WaRecord record;

	if (order->of == WA_ORDER_KEY)
	{
		wa_query_groups_key(run->groups, group, order->number, &value);
		*is_null = value.is_null;
		if (!value.is_null)
			is_told = wa_group_number_of_key(&value, &number);
	}
	else
	{
		const WaRecordLayout layout = wa_record_layout(
			WA_VECTOR_DECIMAL, run->query->columns[order->number].ops);

		wa_records_get(run->tables[order->number], group, &record);
		*is_null = record.words[0] == 0;
		if (!*is_null)
			is_told =
				wa_group_number_of_record(order->of, &record, &layout, &number);
	}
	choice->failed |= !is_told;
	return is_told ? number : (WaGroupNumber){.scale = 0};
}

/* Returns the rank of a group by such an order, in units of 10^-scale. */
static Rank
wide_rank(Choice *choice, const WaOrderBy *order, int scale, uint32_t group,
		  bool *is_null)
{
	WaGroupNumber number = wide_number(choice, order, group, is_null);

	if (!wa_group_number_raise(&number, scale))
		choice->failed = true;
	return (Rank){
		.value = wa_int128_get(
			(WaInt128){number.words[2], (int64_t) number.words[3]}),
		.low = (unsigned __int128) number.words[1] << 64 | number.words[0],
	};
}

/* Returns the rank of a group by one of the orders. */
static inline Rank
rank_of(Choice *choice, uint32_t number, uint32_t group)
{
	const WaOrderBy *order = &choice->top_n->orders[number];
	bool is_null;
	Rank rank = {0};

	if (choice->scales != NULL && choice->scales[number] != NARROW)
		rank =
			wide_rank(choice, order, choice->scales[number], group, &is_null);
	else if (order->of == WA_ORDER_KEY)
		rank.value = key_number(choice, order->number, group, &is_null);
	else
		rank.value = column_number(choice, order, group, &is_null);
	if (is_null)
		rank.part = order->nulls_first ? -1 : 1;
	else if (order->descending)
	{
		rank.value = ~rank.value;
		rank.low = ~rank.low;
	}
	return rank;
}

/* Compares ranks: less than 0, 0, more than 0. */
static inline int
compare_ranks(const Rank *a, const Rank *b)
{
	if (a->part != b->part)
		return a->part - b->part;
	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return (a->low > b->low) - (a->low < b->low);
}

/* Compares two groups, whose ranks by the first order are told. */
static int
compare_groups(Choice *choice, const Entry *a, const Entry *b)
{
	int order = compare_ranks(&a->rank, &b->rank);

	for (uint32_t i = 1; i < choice->top_n->norders && order == 0; i++)
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
	for (uint32_t i = 0; i < choice->top_n->limit; i++)
		choice->entries[i] = (Entry){rank_of(choice, 0, i), i};
	choice->nentries = (uint32_t) choice->top_n->limit;
	for (uint32_t place = choice->nentries / 2; place-- > 0;)
	{
		const Entry entry = choice->entries[place];

		sift_down(choice, place, &entry);
	}
}

/* Returns the scale of the numbers of all groups by an order, or NARROW. */
static int
scale_of(Choice *choice, const WaOrderBy *order, uint32_t ngroups)
{
	const WaQuery *query = choice->run->query;
	const WaVectorKind kind = order->of == WA_ORDER_KEY
								  ? query->keys[order->number].kind
								  : query->columns[order->number].kind;
	bool is_null;
	int scale = 0;

	if (kind != WA_VECTOR_DECIMAL || order->of == WA_ORDER_ROWS)
		return NARROW;
	for (uint32_t i = 0; i < ngroups; i++)
	{
		const WaGroupNumber number = wide_number(choice, order, i, &is_null);

		if (number.scale > scale)
			scale = number.scale;
	}
	return scale;
}

/* Leaves the first of all groups in the heap, unless some cannot be compared. */
static void
find_first(Choice *choice, uint32_t ngroups)
{
	begin_heap(choice);
	for (uint32_t i = choice->nentries; i < ngroups && !choice->failed; i++)
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

/*
 * Chooses the first groups, and, if need be, those equal to the last.  Where some cannot
 * be compared it leaves off.
 */
static void
choose_first(Choice *choice, uint32_t ngroups, uint64_t *chosen)
{
	const Entry *last = &choice->entries[0];

	find_first(choice, ngroups);
	for (uint32_t i = 0; i < choice->nentries; i++)
		choose(chosen, choice->entries[i].group);
	if (!choice->top_n->keeps_ties)
		return;
	for (uint32_t i = 0; i < ngroups && !choice->failed; i++)
	{
		const Entry entry = {rank_of(choice, 0, i), i};

		if (compare_groups(choice, &entry, last) == 0)
			choose(chosen, i);
	}
}

/* Has numerics compared by 256 bits from now on. */
static void
compare_widely(Choice *choice, uint32_t ngroups, int scales[WA_MAX_ORDERS])
{
	choice->failed = false;
	for (uint32_t i = 0; i < choice->top_n->norders; i++)
		scales[i] = scale_of(choice, &choice->top_n->orders[i], ngroups);
	choice->scales = scales;
}

/* Makes groups of the first rows, and none of others. */
static bool
choose_rows(WaQueryRun *run)
{
	const size_t nrows = wa_first_rows_finish(run->first);
	uint32_t group;

	for (size_t row = 0; row < nrows; row++)
		if (!wa_query_groups_find_values(
				run->groups, wa_first_rows_keys(run->first, row), &group))
			return false;
	return true;
}

bool
wa_query_run_choose(WaQueryRun *run)
{
	const WaTopN *top_n = &run->query->top_n;
	const uint32_t ngroups = wa_query_run_groups(run);
	const size_t words = ngroups / 64 + (size_t) 1;
	Choice choice = {.run = run, .top_n = top_n};
	int scales[WA_MAX_ORDERS];
	uint64_t *chosen;

	if (run->first != NULL)
		return choose_rows(run);
	if (top_n->limit == 0 || top_n->limit >= ngroups || top_n->nparts > 0)
		return true;
	choice.entries = wa_arena_alloc(run->arena, (size_t) top_n->limit *
													sizeof(*choice.entries));
	chosen = wa_arena_alloc_zero(run->arena, words * sizeof(*chosen));
	if (run->arena->failed)
		return false;
	choose_first(&choice, ngroups, chosen);
	if (choice.failed)
	{
		compare_widely(&choice, ngroups, scales);
		memset(chosen, 0, words * sizeof(*chosen));
		choose_first(&choice, ngroups, chosen);
	}
	run->chosen = choice.failed ? NULL : chosen;
	wa_arena_free(run->arena, choice.entries);
	return true;
}
