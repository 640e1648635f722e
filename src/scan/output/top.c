/*
 * top.c
 *		Chooses the groups that may be among the first few of ORDER BY; see
 *		top.h.
 *
 * A heap has the best groups so far, the worst of them on top: a group has to
 * come before that to get in, and for nearly all groups this is one comparison.
 * Where groups that are equal to the last have to be returned with it, a second
 * pass finds them.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "lib/binaryheap.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/sortsupport.h"
#include "utils/typcache.h"

#include "scan/groups/accumulate.h"
#include "scan/output/output.h"
#include "scan/output/top.h"
#include "scan/spill/group_store.h"

/* What groups are sorted by. */
typedef struct TopKey
{
	SortSupportData order;
	int column; /* of the scan tuple; -1: an expression over it */
	ExprState *expression;
	Bitmapset *columns; /* that the expression uses */
	int16 length;       /* of its type */
	bool by_value;
	bool has_estimate; /* it is a numeric, in PostgreSQL's usual order */
} TopKey;

/* A group in the heap. */
typedef struct Entry
{
	uint32 group;
	bool has_estimate;
	double estimate;                             /* of the first key */
	NullableDatum values[FLEXIBLE_ARRAY_MEMBER]; /* of the keys */
} Entry;

struct WaTop
{
	PlanState *ps; /* of the node */
	const WaScanStore *store;
	TupleTableSlot *slot; /* for a group */
	TopKey *keys;
	int nkeys;
	bool keeps_ties;
	ExprState *count;
	ExprState *offset;
	Bitmapset *having_columns;
	bool having_first; /* it may fail, or a key may where it is not fulfilled */

	/* Of the groups that are there now */
	MemoryContext context;
	binaryheap *heap; /* of pointers to entries */
	uint32 *chosen;   /* NULL: all */
	uint32 nchosen;
};

/* Tells whether an operator sorts numerics by their size. */
static bool
is_usual(Oid sort_operator)
{
	const TypeCacheEntry *cache =
		lookup_type_cache(NUMERICOID, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);

	return sort_operator == cache->lt_opr || sort_operator == cache->gt_opr;
}

/* Makes one of the keys. */
static void
make_key(WaTop *top, TopKey *key, Expr *expression, Oid sort_operator,
		 bool nulls_first)
{
	get_typlenbyval(exprType((Node *) expression), &key->length,
					&key->by_value);
	key->order.ssup_cxt = CurrentMemoryContext;
	key->order.ssup_collation = exprCollation((Node *) expression);
	key->order.ssup_nulls_first = nulls_first;
	PrepareSortSupportFromOrderingOp(sort_operator, &key->order);
	key->column =
		IsA(expression, Var) ? ((Var *) expression)->varattno - 1 : -1;
	key->has_estimate = key->column >= 0 &&
						exprType((Node *) expression) == NUMERICOID &&
						is_usual(sort_operator);
	if (key->column >= 0)
		return;
	key->expression = ExecInitExpr(expression, top->ps);
	key->columns = wa_output_columns((Node *) expression);
}

WaTop *
wa_top_make(ScanState *ss, const WaScanStore *store, const WaPlanTop *plan)
{
	PlanState *ps = &ss->ps;
	WaTop *top = palloc0(sizeof(WaTop));

	top->ps = ps;
	top->store = store;
	top->slot = ss->ss_ScanTupleSlot;
	top->nkeys = list_length(plan->expressions);
	top->keys = palloc0(sizeof(TopKey) * top->nkeys);
	for (int i = 0; i < top->nkeys; i++)
		make_key(top, &top->keys[i], (Expr *) list_nth(plan->expressions, i),
				 list_nth_oid(plan->operators, i),
				 list_nth_int(plan->nulls_first, i) != 0);
	top->having_first = plan->having_first;
	for (int i = 0; i < top->nkeys; i++)
		top->having_first |= top->keys[i].column < 0;
	top->keeps_ties = plan->keeps_ties;
	top->count = ExecInitExpr(plan->count, ps);
	top->offset = ExecInitExpr(plan->offset, ps);
	top->having_columns = wa_output_columns((Node *) ps->plan->qual);
	top->context = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg top groups", ALLOCSET_DEFAULT_SIZES);
	return top;
}

/* Stores the value of LIMIT or OFFSET; returns false if it is NULL. */
static bool
limit_value(const WaTop *top, ExprState *expression, int64 *value)
{
	bool is_null;
	Datum result = ExecEvalExprSwitchContext(expression,
											 top->ps->ps_ExprContext, &is_null);

	*value = is_null ? 0 : Max(DatumGetInt64(result), 0);
	return !is_null;
}

static Size
entry_bytes(const WaTop *top)
{
	return offsetof(Entry, values) + sizeof(NullableDatum) * top->nkeys;
}

bool
wa_top_limit(const WaTop *top, uint64 *limit)
{
	int64 count;
	int64 offset;

	if (!limit_value(top, top->count, &count))
		return false;
	(void) limit_value(top, top->offset, &offset);
	*limit = Max((uint64) count + (uint64) offset, 1);
	return true;
}

/*
 * Returns how many groups are to be chosen of so many; 0 for all.  These are
 * returned, for PostgreSQL to sort on disk, if the few would not fit the memory.
 */
static uint32
wanted_groups(const WaTop *top, uint32 ngroups)
{
	Size bytes = entry_bytes(top) + sizeof(Datum) + sizeof(uint32);
	uint64 limit;

	if (!wa_top_limit(top, &limit) || limit >= ngroups ||
		limit * bytes > Min(get_hash_memory_limit(), MaxAllocSize))
		return 0;
	return (uint32) limit;
}

/* Returns the value of a key of a group, in per-tuple memory or the groups'. */
static Datum
key_value(const WaTop *top, const TopKey *key, uint32 group, bool *is_null)
{
	ExprContext *econtext = top->ps->ps_ExprContext;

	if (key->column >= 0)
		return wa_output_value(top->store, group, key->column, is_null);
	econtext->ecxt_scantuple =
		wa_output_store(top->store, group, key->columns, top->slot);
	return ExecEvalExpr(key->expression, econtext, is_null);
}

/* Orders entries, as a binaryheap_comparator. */
static int
compare_entries(Datum a, Datum b, void *arg)
{
	const WaTop *top = (const WaTop *) arg;
	const Entry *left = (const Entry *) DatumGetPointer(a);
	const Entry *right = (const Entry *) DatumGetPointer(b);
	int order = 0;

	for (int i = 0; i < top->nkeys && order == 0; i++)
		order =
			ApplySortComparator(left->values[i].value, left->values[i].isnull,
								right->values[i].value, right->values[i].isnull,
								&top->keys[i].order);
	return order;
}

/* Tells whether a group comes before an entry, or after it: -1, 0 or 1. */
static int
compare_group(const WaTop *top, uint32 group, const Entry *entry)
{
	int order = 0;

	for (int i = 0; i < top->nkeys && order == 0; i++)
	{
		bool is_null;
		Datum value = key_value(top, &top->keys[i], group, &is_null);

		order =
			ApplySortComparator(value, is_null, entry->values[i].value,
								entry->values[i].isnull, &top->keys[i].order);
	}
	return order;
}

/* Tells whether a group comes after an entry, if an estimate is enough for it. */
static bool
is_surely_after(const WaTop *top, uint32 group, const Entry *entry)
{
	const TopKey *key = &top->keys[0];
	double estimate;
	double distance;

	if (!entry->has_estimate ||
		!wa_output_estimate(top->store, group, key->column, &estimate))
		return false;
	distance = estimate - entry->estimate;
	if (key->order.ssup_reverse)
		distance = -distance;
	return distance >
		   WA_ESTIMATE_ERROR * 2 * (fabs(estimate) + fabs(entry->estimate));
}

/* Has an entry stand for a group. */
static void
fill_entry(const WaTop *top, Entry *entry, uint32 group)
{
	entry->group = group;
	entry->has_estimate =
		top->keys[0].has_estimate &&
		wa_output_estimate(top->store, group, top->keys[0].column,
						   &entry->estimate);
	for (int i = 0; i < top->nkeys; i++)
	{
		const TopKey *key = &top->keys[i];
		NullableDatum *stored = &entry->values[i];
		Datum value = key_value(top, key, group, &stored->isnull);
		MemoryContext old = MemoryContextSwitchTo(top->context);

		stored->value = stored->isnull
							? (Datum) 0
							: datumCopy(value, key->by_value, key->length);
		MemoryContextSwitchTo(old);
	}
}

/* Frees what the values of an entry point to. */
static void
empty_entry(const WaTop *top, const Entry *entry)
{
	for (int i = 0; i < top->nkeys; i++)
		if (!top->keys[i].by_value && !entry->values[i].isnull)
			pfree(DatumGetPointer(entry->values[i].value));
}

/* Tells whether a group fulfils HAVING. */
static bool
has_qualified(const WaTop *top, uint32 group)
{
	PlanState *ps = top->ps;

	if (ps->qual == NULL)
		return true;
	ps->ps_ExprContext->ecxt_scantuple =
		wa_output_store(top->store, group, top->having_columns, top->slot);
	return ExecQual(ps->qual, ps->ps_ExprContext);
}

/* Tells whether a group is one of the best so far. */
static bool
is_better(const WaTop *top, uint32 group)
{
	const Entry *worst;

	if (top->heap->bh_size < top->heap->bh_space)
		return true;
	worst = (const Entry *) DatumGetPointer(binaryheap_first(top->heap));
	return !is_surely_after(top, group, worst) &&
		   compare_group(top, group, worst) < 0;
}

/* Tells whether a group goes into the heap. */
static bool
is_taken(const WaTop *top, uint32 group)
{
	bool is_qualified;

	if (!top->having_first && !is_better(top, group))
		return false;
	is_qualified = has_qualified(top, group);
	InstrCountFiltered1(top->ps, !is_qualified);
	return is_qualified && (!top->having_first || is_better(top, group));
}

/* Puts a group into the heap if it is one of the best so far. */
static void
offer(WaTop *top, Entry *entries, uint32 group)
{
	binaryheap *heap = top->heap;
	Entry *entry;

	if (!is_taken(top, group))
		return;
	if (heap->bh_size < heap->bh_space)
	{
		entry = (Entry *) ((char *) entries + heap->bh_size * entry_bytes(top));
		fill_entry(top, entry, group);
		binaryheap_add(heap, PointerGetDatum(entry));
		return;
	}
	entry = (Entry *) DatumGetPointer(binaryheap_first(heap));
	empty_entry(top, entry);
	fill_entry(top, entry, group);
	binaryheap_replace_first(heap, PointerGetDatum(entry));
}

/* Leaves the best of the groups in the heap. */
static void
find_best(WaTop *top, uint32 ngroups, uint32 nwanted)
{
	ExprContext *econtext = top->ps->ps_ExprContext;
	Entry *entries;
	MemoryContext old = MemoryContextSwitchTo(top->context);

	top->heap = binaryheap_allocate((int) nwanted, compare_entries, top);
	entries = palloc(entry_bytes(top) * nwanted);
	MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	for (uint32 group = 0; group < ngroups; group++)
	{
		CHECK_FOR_INTERRUPTS();
		ResetExprContext(econtext);
		offer(top, entries, group);
	}
	MemoryContextSwitchTo(old);
}

static int
compare_numbers(const void *a, const void *b)
{
	uint32 left = *(const uint32 *) a;
	uint32 right = *(const uint32 *) b;

	return (left > right) - (left < right);
}

/* Chooses the groups in the heap. */
static void
choose_best(WaTop *top)
{
	top->nchosen = (uint32) top->heap->bh_size;
	top->chosen =
		MemoryContextAlloc(top->context, sizeof(uint32) * (top->nchosen + 1));
	for (uint32 i = 0; i < top->nchosen; i++)
		top->chosen[i] =
			((Entry *) DatumGetPointer(top->heap->bh_nodes[i]))->group;
	qsort(top->chosen, top->nchosen, sizeof(uint32), compare_numbers);
}

/* Chooses all groups that do not come after the worst in the heap. */
static void
choose_with_ties(WaTop *top, uint32 ngroups)
{
	ExprContext *econtext = top->ps->ps_ExprContext;
	const Entry *last = (Entry *) DatumGetPointer(binaryheap_first(top->heap));
	MemoryContext old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);

	top->nchosen = 0;
	top->chosen =
		MemoryContextAllocHuge(top->context, sizeof(uint32) * (Size) ngroups);
	for (uint32 group = 0; group < ngroups; group++)
	{
		CHECK_FOR_INTERRUPTS();
		ResetExprContext(econtext);
		if ((!top->having_first || has_qualified(top, group)) &&
			!is_surely_after(top, group, last) &&
			compare_group(top, group, last) <= 0)
			top->chosen[top->nchosen++] = group;
	}
	MemoryContextSwitchTo(old);
}

uint32
wa_top_choose(WaTop *top)
{
	uint32 ngroups = wa_scan_groups(top->store);
	uint32 nwanted;

	MemoryContextReset(top->context);
	top->chosen = NULL;
	nwanted = wanted_groups(top, ngroups);
	if (nwanted == 0)
		return ngroups;
	find_best(top, ngroups, nwanted);
	if (top->keeps_ties && top->heap->bh_size == top->heap->bh_space)
		choose_with_ties(top, ngroups);
	else
		choose_best(top);
	return top->nchosen;
}

uint32
wa_top_group(const WaTop *top, uint32 i)
{
	return top->chosen == NULL ? i : top->chosen[i];
}
