/*
 * order.c
 *		The order in which groups are returned; see order.h.
 *
 * What a group is sorted by is packed into the high bits of a word, of which the low ones
 * have its number.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"
#include "utils/sortsupport.h"
#include "utils/typcache.h"

#include "scan/output/order.h"
#include "scan/output/output.h"
#include "scan/spill/group_store.h"

/* Of fewer groups PostgreSQL's sort takes no time. */
#define LEAST_GROUPS 64

/* No more are ordered than take this part of the memory that groups may take. */
#define MEMORY_PART 8

/* Texts are ranked if so many groups share one, on average. */
#define GROUPS_PER_TEXT 4

#define WORD_BITS 64

struct WaOrder
{
	const WaScanStore *store;
	MemoryContext
		context; /* of what follows, and of texts while they are ranked */
	MemoryContext scratch; /* of a value */
	uint32 ngroups;
	uint64 *words;  /* of the groups; NULL: they keep their order */
	int64 *numbers; /* of the groups, for a column, */
	bool *nulls;    /* unless it is NULL */
	int bits;       /* of a word that are taken */
};

/* A text that is ranked. */
typedef struct RankedText
{
	Datum text;
	uint32 code;
} RankedText;

#define ST_SORT                 sort_words
#define ST_ELEMENT_TYPE         uint64
#define ST_COMPARE(a, b)        ((*(a) > *(b)) - (*(a) < *(b)))
#define ST_CHECK_FOR_INTERRUPTS CHECK_FOR_INTERRUPTS()
#define ST_SCOPE                static
#define ST_DEFINE
#include "lib/sort_template.h"

WaOrder *
wa_order_make(const WaScanStore *store)
{
	WaOrder *order;

	if (store->query->order == NIL)
		return NULL;
	order = palloc0(sizeof(WaOrder));
	order->store = store;
	order->context = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg order", ALLOCSET_DEFAULT_SIZES);
	order->scratch = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg ordered value", ALLOCSET_SMALL_SIZES);
	return order;
}

/* Orders texts, as a qsort_arg_comparator. */
static int
compare_texts(const void *a, const void *b, void *arg)
{
	return ApplySortComparator(((const RankedText *) a)->text, false,
							   ((const RankedText *) b)->text, false,
							   (SortSupport) arg);
}

/*
 * Ranks texts, of which ranks[code] gets the rank.  The order is that of a key's type and
 * collation.
 */
static void
rank_texts(const Expr *key, bool descending, RankedText *texts, uint32 ntexts,
		   int64 *ranks)
{
	const TypeCacheEntry *cache = lookup_type_cache(
		exprType((const Node *) key), TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
	SortSupportData support = {.ssup_cxt = CurrentMemoryContext,
							   .ssup_collation =
								   exprCollation((const Node *) key)};
	int64 rank = 0;

	PrepareSortSupportFromOrderingOp(descending ? cache->gt_opr : cache->lt_opr,
									 &support);
	qsort_arg(texts, ntexts, sizeof(RankedText), compare_texts, &support);
	for (uint32 i = 0; i < ntexts; i++)
	{
		if (i > 0 && compare_texts(&texts[i - 1], &texts[i], &support) != 0)
			rank++;
		ranks[texts[i].code] = rank;
	}
}

/*
 * Reads a key of texts: the numbers are their ranks.  Returns false if there are too many
 * texts.
 */
static bool
read_texts(const WaOrder *order, int key, bool descending)
{
	const WaGroups *groups = order->store->groups;
	const uint32 most = order->ngroups / GROUPS_PER_TEXT;
	RankedText *texts = palloc(sizeof(RankedText) * most);
	/* The groups have all texts that have codes, so the codes are below their number. */
	int64 *ranks = palloc(sizeof(int64) * order->ngroups);
	uint32 ntexts = 0;

	memset(ranks, -1, sizeof(int64) * order->ngroups);
	for (uint32 group = 0; group < order->ngroups; group++)
	{
		WaQueryValue value;

		wa_query_groups_key(groups->table, group, key, &value);
		order->nulls[group] = value.is_null;
		order->numbers[group] = value.is_null ? 0 : value.integer;
		if (value.is_null || ranks[value.integer] == 0)
			continue;
		if (ntexts == most)
			return false;
		ranks[value.integer] = 0;
		texts[ntexts].code = (uint32) value.integer;
		texts[ntexts++].text =
			wa_groups_key(groups, group, key, &order->nulls[group]);
	}
	rank_texts((const Expr *) list_nth(order->store->query->keys, key),
			   descending, texts, ntexts, ranks);
	for (uint32 group = 0; group < order->ngroups; group++)
		if (!order->nulls[group])
			order->numbers[group] = ranks[order->numbers[group]];
	return true;
}

/* Reads a key of integers. */
static void
read_integers(const WaOrder *order, int key)
{
	for (uint32 group = 0; group < order->ngroups; group++)
	{
		WaQueryValue value;

		wa_query_groups_key(order->store->groups->table, group, key, &value);
		order->nulls[group] = value.is_null;
		order->numbers[group] = value.is_null ? 0 : value.integer;
	}
}

/* Reads a result that is a bigint. */
static void
read_results(const WaOrder *order, int column)
{
	MemoryContext old = MemoryContextSwitchTo(order->scratch);

	for (uint32 group = 0; group < order->ngroups; group++)
	{
		order->numbers[group] = DatumGetInt64(
			wa_output_value(order->store, group, column, &order->nulls[group]));
		MemoryContextReset(order->scratch);
	}
	MemoryContextSwitchTo(old);
}

/*
 * Packs the numbers that were read behind what words have.  Returns false if they have no
 * room.
 */
static bool
pack(WaOrder *order, bool descending, bool nulls_first)
{
	int64 smallest = PG_INT64_MAX;
	int64 largest = PG_INT64_MIN;
	uint64 span;
	int bits;

	for (uint32 group = 0; group < order->ngroups; group++)
		if (!order->nulls[group])
		{
			smallest = Min(smallest, order->numbers[group]);
			largest = Max(largest, order->numbers[group]);
		}
	span = smallest > largest ? 0 : (uint64) largest - (uint64) smallest;
	/* From 1 on, so that NULLs come before them or behind. */
	if (span > PG_INT64_MAX - 2)
		return false;
	bits = pg_leftmost_one_pos64(span + 2) + 1;
	order->bits += bits;
	if (order->bits > WORD_BITS)
		return false;
	for (uint32 group = 0; group < order->ngroups; group++)
	{
		const uint64 number = (uint64) order->numbers[group];
		uint64 image =
			descending ? (uint64) largest - number : number - (uint64) smallest;

		image = order->nulls[group] ? (nulls_first ? 0 : span + 2) : image + 1;
		order->words[group] = order->words[group] << bits | image;
	}
	return true;
}

/* Reads and packs a column; returns false if that cannot be. */
static bool
take_column(WaOrder *order, const WaOrderColumn *column)
{
	const WaScanQuery *query = order->store->query;
	bool descending = column->descending;

	if (column->number >= list_length(query->keys))
		read_results(order, column->number);
	else if (query->group_keys[column->number].kind != WA_VECTOR_TEXT)
		read_integers(order, column->number);
	else if (read_texts(order, column->number, descending))
		descending = false; /* the ranks are */
	else
		return false;
	return pack(order, descending, column->nulls_first);
}

/* Fills words with what groups are sorted by; returns false if they have no room for it. */
static bool
fill_words(WaOrder *order)
{
	ListCell *cell;

	order->words = palloc0(sizeof(uint64) * order->ngroups);
	order->numbers = palloc(sizeof(int64) * order->ngroups);
	order->nulls = palloc(sizeof(bool) * order->ngroups);
	order->bits = pg_leftmost_one_pos32(order->ngroups) + 1;
	foreach (cell, order->store->query->order)
		if (!take_column(order, (const WaOrderColumn *) lfirst(cell)))
			return false;
	return true;
}

/* Tells whether so many groups are to be ordered. */
static bool
is_worth(uint32 ngroups)
{
	/* A word, a number and a rank each, whether it is NULL, and of a few a text. */
	const Size bytes =
		sizeof(uint64) + sizeof(int64) * 2 + sizeof(bool) + sizeof(RankedText);

	return ngroups >= LEAST_GROUPS &&
		   ngroups <=
			   Min(get_hash_memory_limit() / MEMORY_PART, MaxAllocSize) / bytes;
}

/* Puts the groups' numbers below what their words have, and these into their order. */
static void
sort_groups(WaOrder *order)
{
	const int bits = pg_leftmost_one_pos32(order->ngroups) + 1;

	for (uint32 group = 0; group < order->ngroups; group++)
		order->words[group] = order->words[group] << bits | group;
	sort_words(order->words, order->ngroups);
	for (uint32 i = 0; i < order->ngroups; i++)
		order->words[i] &= ((uint64) 1 << bits) - 1;
}

void
wa_order_groups(WaOrder *order)
{
	MemoryContext old;

	MemoryContextReset(order->context);
	order->words = NULL;
	order->ngroups = wa_scan_groups(order->store);
	if (!is_worth(order->ngroups))
		return;
	old = MemoryContextSwitchTo(order->context);
	if (fill_words(order))
		sort_groups(order);
	else
		order->words = NULL;
	MemoryContextSwitchTo(old);
}

uint32
wa_order_group(const WaOrder *order, uint32 i)
{
	return order->words == NULL ? i : (uint32) order->words[i];
}
