/*
 * transition_order.c
 *		Rows of an aggregate in an order; see transition_order.h.
 *
 * The order is that of nodeAgg.c: by DISTINCT, which has what ORDER BY says in front, or by ORDER
 * BY.  A constant makes no difference to it.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "catalog/pg_operator_d.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "scan/groups/distinct_rows.h"
#include "scan/groups/row_order.h"
#include "scan/groups/transition_order.h"

/* What a row that is sorted takes beside its values. */
#define ROW_BYTES 48

/* A value of rows. */
typedef struct Value
{
	int argument; /* its number */
	int16 length;
	bool by_value;
} Value;

/* A value that rows are the same by. */
typedef struct Equality
{
	int value; /* its number */
	FmgrInfo function;
	Oid collation;
} Equality;

struct WaTransitionOrder
{
	MemoryContext context;
	bool has_groups;
	bool is_of_set; /* what functions keep of a group takes much memory */
	int nvalues;    /* arguments that are not constant */
	Value *values;

	WaRowOrder *mixed; /* values and the number of the group, in the order; */
	WaRowOrder *by_group; /* or the number and values, by that, and: */
	WaRowOrder *sorted;   /* of one group, as if mixed */
	bool is_by_group;
	Size bytes;    /* of what is mixed */
	int64 arrived; /* the group that by_group has come to, or 0; -1: none yet */
	int64 present; /* the one that is sorted; -1: none */

	/* Of DISTINCT */
	bool is_distinct;
	int nequalities;
	Equality *equalities;
	WaDistinctRows *seen;
	MemoryContext memory; /* of the rows that were returned last: */
	MinimalTuple *last;   /* of each group, or of the present one; NULL: none */
	uint32 nlast;
	TupleTableSlot *before; /* shows one of these */
};

/* Finds what is not constant. */
static void
find_values(WaTransitionOrder *order, const List *args)
{
	ListCell *cell;

	order->values = palloc(sizeof(Value) * (list_length(args) + 1));
	foreach (cell, args)
	{
		Node *argument = (Node *) lfirst_node(TargetEntry, cell)->expr;
		Value *value = &order->values[order->nvalues];

		if (IsA(argument, Const))
			continue;
		value->argument = foreach_current_index(cell);
		get_typlenbyval(exprType(argument), &value->length, &value->by_value);
		order->nvalues++;
	}
}

/* Returns the number of the value that a clause is of, or -1, and stores its collation. */
static int
value_of(const WaTransitionOrder *order, const Aggref *aggref,
		 const SortGroupClause *clause, Oid *collation)
{
	const TargetEntry *entry =
		get_sortgroupclause_tle((SortGroupClause *) clause, aggref->args);

	*collation = exprCollation((Node *) entry->expr);
	for (int i = 0; i < order->nvalues; i++)
		if (order->values[i].argument == entry->resno - 1)
			return i;
	return -1;
}

/* Finds what rows are sorted by; returns by how many values. */
static int
find_orders(const WaTransitionOrder *order, const Aggref *aggref,
			const List *clauses, WaRowOrderBy *orders)
{
	int norders = 0;
	ListCell *cell;

	foreach (cell, clauses)
	{
		const SortGroupClause *clause = lfirst_node(SortGroupClause, cell);
		WaRowOrderBy *by = &orders[norders];

		by->value = value_of(order, aggref, clause, &by->collation);
		by->operator= clause->sortop;
		by->nulls_first = clause->nulls_first;
		if (by->value >= 0)
			norders++;
	}
	return norders;
}

/* Makes the sorts. */
static void
make_sorts(WaTransitionOrder *order, const Aggref *aggref, const List *clauses)
{
	static const Oid group_type = INT8OID;
	Oid *types = palloc(sizeof(Oid) * (order->nvalues + 1));
	WaRowOrderBy *orders =
		palloc(sizeof(WaRowOrderBy) * (list_length(clauses) + 1));
	WaRowOrderPlan plan = {.types = types, .orders = orders};

	for (int i = 0; i < order->nvalues; i++)
		types[i] = exprType((Node *) list_nth_node(TargetEntry, aggref->args,
												   order->values[i].argument)
								->expr);
	types[order->nvalues] = group_type;
	plan.nvalues = order->nvalues + 1;
	plan.norders = find_orders(order, aggref, clauses, orders);
	if (plan.norders == 0)
		orders[plan.norders++] = (WaRowOrderBy){.value = order->nvalues,
												.operator= Int8LessOperator };
	order->sorted = wa_row_order_make(&plan);
	order->mixed = wa_row_order_make(&plan);
	plan = (WaRowOrderPlan){.nkeys = 1,
							.key_types = &group_type,
							.nvalues = order->nvalues,
							.types = types};
	order->by_group = wa_row_order_make(&plan);
}

/* Finds what rows are the same by. */
static void
find_equalities(WaTransitionOrder *order, const Aggref *aggref)
{
	ListCell *cell;

	order->is_distinct = aggref->aggdistinct != NIL;
	order->equalities =
		palloc(sizeof(Equality) * (list_length(aggref->aggdistinct) + 1));
	foreach (cell, aggref->aggdistinct)
	{
		const SortGroupClause *clause = lfirst_node(SortGroupClause, cell);
		Equality *equality = &order->equalities[order->nequalities];

		equality->value = value_of(order, aggref, clause, &equality->collation);
		if (equality->value < 0)
			continue;
		fmgr_info(get_opcode(clause->eqop), &equality->function);
		order->nequalities++;
	}
}

WaTransitionOrder *
wa_transition_order_make(const Aggref *aggref, bool has_groups)
{
	const List *clauses =
		aggref->aggdistinct != NIL ? aggref->aggdistinct : aggref->aggorder;
	WaTransitionOrder *order;

	if (clauses == NIL)
		return NULL;
	order = palloc0(sizeof(WaTransitionOrder));
	order->context = CurrentMemoryContext;
	order->has_groups = has_groups;
	order->is_of_set = aggref->aggkind != AGGKIND_NORMAL;
	find_values(order, aggref->args);
	make_sorts(order, aggref, clauses);
	find_equalities(order, aggref);
	order->memory = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg distinct rows", ALLOCSET_DEFAULT_SIZES);
	order->before = MakeSingleTupleTableSlot(
		wa_row_order_new(order->sorted)->tts_tupleDescriptor,
		&TTSOpsMinimalTuple);
	return order;
}

/* Begins a sort, which stays as long as the order does. */
static void
begin_sort(const WaTransitionOrder *order, WaRowOrder *sort)
{
	MemoryContext old = MemoryContextSwitchTo(order->context);

	wa_row_order_begin(sort);
	MemoryContextSwitchTo(old);
}

/* Forgets which rows were returned last. */
static void
forget_last(WaTransitionOrder *order)
{
	ExecClearTuple(order->before);
	MemoryContextReset(order->memory);
	order->last = NULL;
	order->nlast = 0;
}

void
wa_transition_order_begin(WaTransitionOrder *order)
{
	wa_transition_order_end(order);
	order->is_by_group = order->has_groups && order->is_of_set;
	begin_sort(order, order->is_by_group ? order->by_group : order->mixed);
	order->bytes = 0;
	order->arrived = -1;
	order->present = -1;
	if (order->is_distinct)
		order->seen = wa_distinct_rows_make(order->context);
}

/* Returns the bytes of a value as it is copied. */
static Size
bytes_of(const Value *value, const NullableDatum *argument)
{
	if (argument->isnull)
		return 0;
	return value->by_value
			   ? sizeof(Datum)
			   : datumGetSize(argument->value, false, value->length);
}

/* Stores the values of a row in a slot, from an attribute on. */
static void
store_values(const WaTransitionOrder *order, const NullableDatum *arguments,
			 TupleTableSlot *row, int first)
{
	for (int i = 0; i < order->nvalues; i++)
	{
		const NullableDatum *argument = &arguments[order->values[i].argument];

		row->tts_values[first + i] = argument->value;
		row->tts_isnull[first + i] = argument->isnull;
	}
}

/* Stores the number of a group in a slot. */
static void
store_group(TupleTableSlot *row, int number, uint32 group)
{
	row->tts_values[number] = Int64GetDatum((int64) group);
	row->tts_isnull[number] = false;
}

/* Has rows that are mixed be brought together by group, and those that follow. */
static void
part_groups(WaTransitionOrder *order)
{
	const int nvalues = order->nvalues;
	const TupleTableSlot *row;

	order->is_by_group = true;
	begin_sort(order, order->by_group);
	(void) wa_row_order_next_group(order->mixed);
	while ((row = wa_row_order_next(order->mixed)) != NULL)
	{
		TupleTableSlot *added = wa_row_order_new(order->by_group);

		added->tts_values[0] = row->tts_values[nvalues];
		added->tts_isnull[0] = false;
		memcpy(&added->tts_values[1], row->tts_values, sizeof(Datum) * nvalues);
		memcpy(&added->tts_isnull[1], row->tts_isnull, sizeof(bool) * nvalues);
		wa_row_order_add(order->by_group);
	}
	wa_row_order_end(order->mixed);
}

/* Tells whether the same row has come before, to DISTINCT. */
static bool
was_seen(WaTransitionOrder *order, uint32 group, const NullableDatum *arguments)
{
	WaDistinctRows *seen = order->seen;

	if (seen == NULL)
		return false;
	wa_distinct_rows_begin(seen, group);
	for (int i = 0; i < order->nvalues; i++)
	{
		const Value *value = &order->values[i];

		wa_distinct_rows_put(seen, &arguments[value->argument], value->by_value,
							 value->length);
	}
	switch (wa_distinct_rows_look(seen))
	{
		case WA_ROW_NEW:
			return false;
		case WA_ROW_SEEN:
			return true;
		default:
			wa_distinct_rows_drop(seen);
			order->seen = NULL;
			return false;
	}
}

void
wa_transition_order_add(WaTransitionOrder *order, uint32 group,
						const NullableDatum *arguments)
{
	TupleTableSlot *row;

	if (was_seen(order, group, arguments))
		return;
	if (order->is_by_group)
	{
		row = wa_row_order_new(order->by_group);
		store_group(row, 0, group);
		store_values(order, arguments, row, 1);
		wa_row_order_add(order->by_group);
		return;
	}
	row = wa_row_order_new(order->mixed);
	store_values(order, arguments, row, 0);
	store_group(row, order->nvalues, group);
	wa_row_order_add(order->mixed);
	if (!order->has_groups)
		return;
	order->bytes += ROW_BYTES;
	for (int i = 0; i < order->nvalues; i++)
		order->bytes +=
			bytes_of(&order->values[i], &arguments[order->values[i].argument]);
	if (order->bytes > (Size) work_mem * 1024)
		part_groups(order);
}

bool
wa_transition_order_is_by_group(const WaTransitionOrder *order)
{
	return order->is_by_group;
}

/* Has the rows of a group come to be sorted; returns false if it has none. */
static bool
sort_group(WaTransitionOrder *order, uint32 group)
{
	const TupleTableSlot *row;

	while (order->arrived < (int64) group)
	{
		const TupleTableSlot *keys = wa_row_order_next_group(order->by_group);

		order->arrived =
			keys == NULL ? PG_INT64_MAX : DatumGetInt64(keys->tts_values[0]);
	}
	if (order->arrived != (int64) group)
		return false;
	begin_sort(order, order->sorted);
	forget_last(order);
	while ((row = wa_row_order_next(order->by_group)) != NULL)
	{
		TupleTableSlot *added = wa_row_order_new(order->sorted);

		memcpy(added->tts_values, &row->tts_values[1],
			   sizeof(Datum) * order->nvalues);
		memcpy(added->tts_isnull, &row->tts_isnull[1],
			   sizeof(bool) * order->nvalues);
		store_group(added, order->nvalues, group);
		wa_row_order_add(order->sorted);
	}
	(void) wa_row_order_next_group(order->sorted);
	order->present = group;
	return true;
}

/* Returns room for the row of a group that was returned last. */
static MinimalTuple *
find_last(WaTransitionOrder *order, uint32 group)
{
	const uint32 number = order->is_by_group ? 0 : group;

	if (number >= order->nlast)
	{
		const uint64 count = Max((uint64) order->nlast * 2, number + 1);
		const Size bytes = count * sizeof(MinimalTuple);

		order->last = order->last == NULL
						  ? MemoryContextAllocHuge(order->memory, bytes)
						  : repalloc_huge(order->last, bytes);
		memset(order->last + order->nlast, 0,
			   (count - order->nlast) * sizeof(MinimalTuple));
		order->nlast = (uint32) count;
	}
	return &order->last[number];
}

/* Tells whether a row is the same as an earlier one. */
static bool
is_same(WaTransitionOrder *order, const TupleTableSlot *row,
		MinimalTuple earlier)
{
	TupleTableSlot *before = order->before;

	if (earlier == NULL)
		return false;
	ExecStoreMinimalTuple(earlier, before, false);
	slot_getallattrs(before);
	for (int i = 0; i < order->nequalities; i++)
	{
		Equality *equality = &order->equalities[i];
		const int number = equality->value;

		if (before->tts_isnull[number] != row->tts_isnull[number])
			return false;
		if (!row->tts_isnull[number] &&
			!DatumGetBool(FunctionCall2Coll(
				&equality->function, equality->collation,
				before->tts_values[number], row->tts_values[number])))
			return false;
	}
	return true;
}

/* Tells whether DISTINCT leaves a row out, which is behind all earlier ones of its group. */
static bool
is_left_out(WaTransitionOrder *order, const TupleTableSlot *row, uint32 group)
{
	MinimalTuple *last;
	MemoryContext old;

	if (!order->is_distinct)
		return false;
	last = find_last(order, group);
	if (is_same(order, row, *last))
		return true;
	ExecClearTuple(order->before);
	if (*last != NULL)
		pfree(*last);
	old = MemoryContextSwitchTo(order->memory);
	*last = heap_form_minimal_tuple(order->before->tts_tupleDescriptor,
									row->tts_values, row->tts_isnull);
	MemoryContextSwitchTo(old);
	return false;
}

/* Returns the next row, whoever may be left out, or NULL. */
static TupleTableSlot *
read_row(WaTransitionOrder *order, uint32 *group)
{
	TupleTableSlot *row;

	if (order->is_by_group)
		return order->present == (int64) *group || sort_group(order, *group)
				   ? wa_row_order_next(order->sorted)
				   : NULL;
	if (order->arrived < 0)
		order->arrived =
			wa_row_order_next_group(order->mixed) == NULL ? PG_INT64_MAX : 0;
	row = order->arrived == 0 ? wa_row_order_next(order->mixed) : NULL;
	if (row != NULL)
		*group = (uint32) DatumGetInt64(row->tts_values[order->nvalues]);
	return row;
}

bool
wa_transition_order_next(WaTransitionOrder *order, uint32 *group,
						 NullableDatum *arguments)
{
	const TupleTableSlot *row;

	do
	{
		row = read_row(order, group);
		if (row == NULL)
			return false;
	} while (is_left_out(order, row, *group));
	for (int i = 0; i < order->nvalues; i++)
	{
		NullableDatum *argument = &arguments[order->values[i].argument];

		argument->value = row->tts_values[i];
		argument->isnull = row->tts_isnull[i];
	}
	return true;
}

void
wa_transition_order_end(WaTransitionOrder *order)
{
	forget_last(order);
	wa_row_order_end(order->mixed);
	wa_row_order_end(order->by_group);
	wa_row_order_end(order->sorted);
	if (order->seen != NULL)
		wa_distinct_rows_drop(order->seen);
	order->seen = NULL;
}
