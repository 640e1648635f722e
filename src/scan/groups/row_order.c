/*
 * row_order.c
 *		Rows of groups in an order; see row_order.h.
 *
 * Groups may come in any order that has equal keys side by side, so texts are compared by their
 * bytes.  Where a row is one value, tuplesort sorts values, which need no tuples.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"

#include "compat.h"
#include "scan/groups/row_order.h"

struct WaRowOrder
{
	int nkeys;
	TupleDesc descriptor; /* the keys, then values */
	bool
		has_values_alone; /* rows have no keys, and one value, which they are sorted by */
	int norders;
	AttrNumber *numbers; /* of what is sorted by, */
	Oid *operators;      /* by these, */
	Oid *collations;     /* in these */
	bool *nulls_first;
	bool may_rewind;
	FmgrInfo *equal; /* of each key */
	TupleTableSlot *added;
	Tuplesortstate *sort; /* NULL: there is none */
	bool is_sorted;

	TupleTableSlot *first; /* tuple of the present group */
	TupleTableSlot *read;  /* the tuple read last */
	bool is_rewound;       /* the first row of the group is the next one */
	bool may_have_more;    /* of the group */
	bool has_next;         /* group: what was read is its first tuple */
};

/* Has rows be sorted by an attribute, behind what they are sorted by already. */
static void
add_order(WaRowOrder *order, int number, Oid operator, Oid collation,
		  bool nulls_first)
{
	const int place = order->norders++;

	order->numbers[place] = (AttrNumber) (number + 1);
	order->operators[place] = operator;
	order->collations[place] = collation;
	order->nulls_first[place] = nulls_first;
}

/* Describes an attribute of the tuples. */
static void
describe(const WaRowOrder *order, int number, Oid type)
{
	TupleDescInitEntry(order->descriptor, (AttrNumber) (number + 1), NULL, type,
					   -1, 0);
}

/* Has a key be sorted by, and compared. */
static void
add_key(WaRowOrder *order, int number, Oid type)
{
	const TypeCacheEntry *cache =
		lookup_type_cache(type, TYPECACHE_LT_OPR | TYPECACHE_EQ_OPR_FINFO);

	describe(order, number, type);
	add_order(order, number, cache->lt_opr,
			  OidIsValid(get_typcollation(type)) ? C_COLLATION_OID : InvalidOid,
			  false);
	fmgr_info_copy(&order->equal[number], (FmgrInfo *) &cache->eq_opr_finfo,
				   CurrentMemoryContext);
}

WaRowOrder *
wa_row_order_make(const WaRowOrderPlan *plan)
{
	const int nkeys = plan->nkeys;
	const int most = nkeys + plan->norders + 1;
	WaRowOrder *order = palloc0(sizeof(WaRowOrder));

	order->nkeys = nkeys;
	order->may_rewind = plan->may_rewind;
	order->has_values_alone = nkeys == 0 && plan->nvalues == 1 &&
							  plan->norders == 1 && !plan->may_rewind;
	order->descriptor = CreateTemplateTupleDesc(nkeys + plan->nvalues);
	order->numbers = palloc(sizeof(AttrNumber) * most);
	order->operators = palloc(sizeof(Oid) * most);
	order->collations = palloc(sizeof(Oid) * most);
	order->nulls_first = palloc(sizeof(bool) * most);
	order->equal = palloc(sizeof(FmgrInfo) * (nkeys + 1));
	for (int i = 0; i < nkeys; i++)
		add_key(order, i, plan->key_types[i]);
	for (int i = 0; i < plan->nvalues; i++)
		describe(order, nkeys + i, plan->types[i]);
	for (int i = 0; i < plan->norders; i++)
		add_order(order, nkeys + plan->orders[i].value,
				  plan->orders[i].operator, plan->orders[i].collation,
				  plan->orders[i].nulls_first);
	order->added = MakeSingleTupleTableSlot(order->descriptor, &TTSOpsVirtual);
	order->first =
		MakeSingleTupleTableSlot(order->descriptor, &TTSOpsMinimalTuple);
	order->read = MakeSingleTupleTableSlot(
		order->descriptor,
		order->has_values_alone ? &TTSOpsVirtual : &TTSOpsMinimalTuple);
	return order;
}

/* Begins the sort. */
static Tuplesortstate *
begin_sort(const WaRowOrder *order)
{
	if (order->has_values_alone)
		return tuplesort_begin_datum(
			TupleDescAttr(order->descriptor, 0)->atttypid, order->operators[0],
			order->collations[0], order->nulls_first[0], work_mem, NULL,
			TUPLESORT_NONE);
	return tuplesort_begin_heap(
		order->descriptor, order->norders, order->numbers, order->operators,
		order->collations, order->nulls_first, work_mem, NULL,
		order->may_rewind ? TUPLESORT_RANDOMACCESS : TUPLESORT_NONE);
}

void
wa_row_order_begin(WaRowOrder *order)
{
	wa_row_order_end(order);
	order->sort = begin_sort(order);
	order->is_sorted = false;
}

TupleTableSlot *
wa_row_order_new(WaRowOrder *order)
{
	return ExecClearTuple(order->added);
}

void
wa_row_order_add(WaRowOrder *order)
{
	TupleTableSlot *slot = ExecStoreVirtualTuple(order->added);

	if (order->has_values_alone)
		tuplesort_putdatum(order->sort, slot->tts_values[0],
						   slot->tts_isnull[0]);
	else
		tuplesort_puttupleslot(order->sort, slot);
}

/* Frees the value that was read, which is a copy. */
static void
free_value(const WaRowOrder *order)
{
	TupleTableSlot *read = order->read;

	if (order->has_values_alone && !TTS_EMPTY(read) && !read->tts_isnull[0] &&
		!TupleDescAttr(order->descriptor, 0)->attbyval)
		pfree(DatumGetPointer(read->tts_values[0]));
	ExecClearTuple(read);
}

/* Reads the next value; returns false if there is none. */
static bool
read_value(WaRowOrder *order)
{
	TupleTableSlot *read = order->read;
	MemoryContext old;
	bool found;

	free_value(order);
	old = MemoryContextSwitchTo(read->tts_mcxt);
	found = tuplesort_getdatum_compat(order->sort, &read->tts_values[0],
									  &read->tts_isnull[0]);
	MemoryContextSwitchTo(old);
	if (found)
		ExecStoreVirtualTuple(read);
	return found;
}

/* Reads the next tuple; returns false if there is none. */
static bool
read_tuple(WaRowOrder *order)
{
	if (order->has_values_alone)
		return read_value(order);
	return tuplesort_gettupleslot(order->sort, true, false, order->read, NULL);
}

/* Tells whether the tuple that was read is of the present group. */
static bool
is_of_group(const WaRowOrder *order)
{
	const TupleTableSlot *first = order->first;
	const TupleTableSlot *read = order->read;

	slot_getallattrs(order->read);
	for (int i = 0; i < order->nkeys; i++)
	{
		if (first->tts_isnull[i] != read->tts_isnull[i])
			return false;
		if (!first->tts_isnull[i] &&
			!DatumGetBool(
				FunctionCall2Coll(&order->equal[i], order->collations[i],
								  first->tts_values[i], read->tts_values[i])))
			return false;
	}
	return true;
}

TupleTableSlot *
wa_row_order_next_group(WaRowOrder *order)
{
	if (!order->is_sorted)
	{
		tuplesort_performsort(order->sort);
		order->is_sorted = true;
		order->has_next = read_tuple(order);
	}
	else
		while (wa_row_order_next(order) != NULL)
			;
	if (!order->has_next)
		return NULL;
	ExecCopySlot(order->first, order->read);
	slot_getallattrs(order->first);
	if (order->may_rewind)
		tuplesort_markpos(order->sort);
	order->is_rewound = true;
	order->may_have_more = true;
	return order->first;
}

void
wa_row_order_rewind(WaRowOrder *order)
{
	tuplesort_restorepos(order->sort);
	order->is_rewound = true;
	order->may_have_more = true;
}

TupleTableSlot *
wa_row_order_next(WaRowOrder *order)
{
	if (order->is_rewound)
	{
		order->is_rewound = false;
		return order->first;
	}
	CHECK_FOR_INTERRUPTS();
	if (!order->may_have_more)
		return NULL;
	order->has_next = read_tuple(order);
	order->may_have_more = order->has_next && is_of_group(order);
	return order->may_have_more ? order->read : NULL;
}

void
wa_row_order_end(WaRowOrder *order)
{
	ExecClearTuple(order->first);
	free_value(order);
	if (order->sort != NULL)
		tuplesort_end(order->sort);
	order->sort = NULL;
}
