/*
 * row_order.c
 *		Values of groups in their order; see row_order.h.
 *
 * Groups may come in any order that has equal keys side by side, so texts are compared by their
 * bytes.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"

#include "scan/groups/row_order.h"

struct WaRowOrder
{
	int nkeys;
	TupleDesc descriptor; /* the keys, a value, and the number of rows */
	AttrNumber *numbers;  /* of what is sorted by, */
	Oid *operators;       /* by these, */
	Oid *collations;      /* in these */
	bool *nulls_first;
	FmgrInfo *equal; /* of each key */
	TupleTableSlot *added;
	Tuplesortstate *sort; /* NULL: there is none */
	bool is_sorted;

	TupleTableSlot *first; /* tuple of the present group */
	TupleTableSlot *read;  /* the tuple read last */
	bool is_rewound;       /* the first value of the group is the next one */
	bool may_have_more;    /* of the group */
	bool has_next;         /* group: what was read is its first tuple */
};

/* Has the values be in their order behind the keys. */
static void
set_order(WaRowOrder *order, int number, Oid operator, Oid collation,
		  bool nulls_first)
{
	order->numbers[number] = (AttrNumber) (number + 1);
	order->operators[number] = operator;
	order->collations[number] = collation;
	order->nulls_first[number] = nulls_first;
}

/* Describes a column of the tuples. */
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
	set_order(order, number, cache->lt_opr,
			  OidIsValid(get_typcollation(type)) ? C_COLLATION_OID : InvalidOid,
			  false);
	fmgr_info_copy(&order->equal[number], (FmgrInfo *) &cache->eq_opr_finfo,
				   CurrentMemoryContext);
}

WaRowOrder *
wa_row_order_make(const WaRowOrderPlan *plan)
{
	const int nkeys = plan->nkeys;
	WaRowOrder *order = palloc0(sizeof(WaRowOrder));

	order->nkeys = nkeys;
	order->descriptor = CreateTemplateTupleDesc(nkeys + 2);
	order->numbers = palloc(sizeof(AttrNumber) * (nkeys + 1));
	order->operators = palloc(sizeof(Oid) * (nkeys + 1));
	order->collations = palloc(sizeof(Oid) * (nkeys + 1));
	order->nulls_first = palloc(sizeof(bool) * (nkeys + 1));
	order->equal = palloc(sizeof(FmgrInfo) * (nkeys + 1));
	for (int i = 0; i < nkeys; i++)
		add_key(order, i, plan->key_types[i]);
	describe(order, nkeys, plan->type);
	set_order(order, nkeys, plan->operator, plan->collation, plan->nulls_first);
	describe(order, nkeys + 1, INT8OID);
	order->added = MakeSingleTupleTableSlot(order->descriptor, &TTSOpsVirtual);
	order->first =
		MakeSingleTupleTableSlot(order->descriptor, &TTSOpsMinimalTuple);
	order->read =
		MakeSingleTupleTableSlot(order->descriptor, &TTSOpsMinimalTuple);
	return order;
}

void
wa_row_order_begin(WaRowOrder *order)
{
	wa_row_order_end(order);
	order->sort = tuplesort_begin_heap(order->descriptor, order->nkeys + 1,
									   order->numbers, order->operators,
									   order->collations, order->nulls_first,
									   work_mem, NULL, TUPLESORT_RANDOMACCESS);
	order->is_sorted = false;
}

void
wa_row_order_add(WaRowOrder *order, const Datum *keys, const bool *nulls,
				 Datum value, int64 rows)
{
	TupleTableSlot *slot = ExecClearTuple(order->added);
	const int nkeys = order->nkeys;

	memcpy(slot->tts_values, keys, sizeof(Datum) * nkeys);
	memcpy(slot->tts_isnull, nulls, sizeof(bool) * nkeys);
	slot->tts_values[nkeys] = value;
	slot->tts_isnull[nkeys] = false;
	slot->tts_values[nkeys + 1] = Int64GetDatum(rows);
	slot->tts_isnull[nkeys + 1] = false;
	tuplesort_puttupleslot(order->sort, ExecStoreVirtualTuple(slot));
}

/* Reads the next tuple; returns false if there is none. */
static bool
read_tuple(WaRowOrder *order)
{
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
	Datum value;
	int64 rows;

	if (!order->is_sorted)
	{
		tuplesort_performsort(order->sort);
		order->is_sorted = true;
		order->has_next = read_tuple(order);
	}
	else
		while (wa_row_order_next(order, &value, &rows))
			;
	if (!order->has_next)
		return NULL;
	ExecCopySlot(order->first, order->read);
	slot_getallattrs(order->first);
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

bool
wa_row_order_next(WaRowOrder *order, Datum *value, int64 *rows)
{
	const TupleTableSlot *slot = order->read;

	if (order->is_rewound)
	{
		slot = order->first;
		order->is_rewound = false;
	}
	else
	{
		CHECK_FOR_INTERRUPTS();
		if (!order->may_have_more)
			return false;
		order->has_next = read_tuple(order);
		order->may_have_more = order->has_next && is_of_group(order);
		if (!order->may_have_more)
			return false;
	}
	*value = slot->tts_values[order->nkeys];
	*rows = DatumGetInt64(slot->tts_values[order->nkeys + 1]);
	return true;
}

void
wa_row_order_end(WaRowOrder *order)
{
	ExecClearTuple(order->first);
	ExecClearTuple(order->read);
	if (order->sort != NULL)
		tuplesort_end(order->sort);
	order->sort = NULL;
}
