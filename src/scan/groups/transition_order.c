/*
 * transition_order.c
 *		Rows of an aggregate in an order; see transition_order.h.
 *
 * The order is that of nodeAgg.c: by DISTINCT, which has what ORDER BY says in front, or by ORDER
 * BY.  A constant makes no difference to it.
 */
#include "postgres.h"

#include "catalog/pg_operator_d.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "utils/lsyscache.h"

#include "scan/groups/distinct_rows.h"
#include "scan/groups/row_order.h"
#include "scan/groups/transition_order.h"

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
	int nvalues; /* arguments that are not constant */
	Value *values;
	bool is_constant; /* rows are sorted by no value, but by: */

	/* The number of the group, by which rows come, and values; NULL: there is one group. */
	WaRowOrder *by_group;
	int64 arrived; /* the group that it has come to; -1: none yet */

	WaRowOrder *sorted;     /* values of one group, in the order */
	int64 present;          /* that group; -1: none yet */
	bool is_single;         /* it has one row, which: */
	TupleTableSlot *single; /* is to come; NULL: no more */

	/* Of DISTINCT */
	bool is_distinct;
	int nequalities;
	Equality *equalities;
	WaDistinctRows *seen; /* NULL: it is of no use */
	TupleTableSlot *last; /* the row that was returned last; or empty */
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
make_sorts(WaTransitionOrder *order, const Aggref *aggref, const List *clauses,
		   bool has_groups)
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
	plan.norders = find_orders(order, aggref, clauses, orders);
	order->is_constant = plan.norders == 0;
	if (order->is_constant)
		orders[plan.norders++] = (WaRowOrderBy){.value = order->nvalues,
												.operator= Int8LessOperator };
	plan.nvalues = order->nvalues + order->is_constant;
	order->sorted = wa_row_order_make(&plan);
	plan = (WaRowOrderPlan){.nkeys = 1,
							.key_types = &group_type,
							.nvalues = order->nvalues,
							.types = types};
	if (has_groups)
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
	find_values(order, aggref->args);
	make_sorts(order, aggref, clauses, has_groups);
	find_equalities(order, aggref);
	order->last = MakeSingleTupleTableSlot(
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

void
wa_transition_order_begin(WaTransitionOrder *order)
{
	wa_transition_order_end(order);
	begin_sort(order,
			   order->by_group == NULL ? order->sorted : order->by_group);
	order->arrived = -1;
	order->present = -1;
	order->is_single = false;
	order->single = NULL;
	if (order->is_distinct)
		order->seen = wa_distinct_rows_make(order->context);
}

/* Stores the number of a group in a slot. */
static void
store_group(TupleTableSlot *row, int number, uint32 group)
{
	row->tts_values[number] = Int64GetDatum((int64) group);
	row->tts_isnull[number] = false;
}

/* Forgets which rows have come. */
static void
drop_seen(WaTransitionOrder *order)
{
	if (order->seen != NULL)
		wa_distinct_rows_drop(order->seen);
	order->seen = NULL;
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
			drop_seen(order);
			return false;
	}
}

void
wa_transition_order_add(WaTransitionOrder *order, uint32 group,
						const NullableDatum *arguments)
{
	const bool has_groups = order->by_group != NULL;
	WaRowOrder *rows = has_groups ? order->by_group : order->sorted;
	const int first = has_groups ? 1 : 0;
	TupleTableSlot *row;

	if (was_seen(order, group, arguments))
		return;
	row = wa_row_order_new(rows);
	if (has_groups)
		store_group(row, 0, group);
	else if (order->is_constant)
		store_group(row, order->nvalues, group);
	for (int i = 0; i < order->nvalues; i++)
	{
		const NullableDatum *argument = &arguments[order->values[i].argument];

		row->tts_values[first + i] = argument->value;
		row->tts_isnull[first + i] = argument->isnull;
	}
	wa_row_order_add(rows);
}

/* Returns a slot for values of one group, with those of a row that has the number of that before them. */
static TupleTableSlot *
show_values(WaTransitionOrder *order, const TupleTableSlot *row)
{
	TupleTableSlot *shown = wa_row_order_new(order->sorted);
	const int count = order->nvalues;

	memcpy(shown->tts_values, &row->tts_values[1], sizeof(Datum) * count);
	memcpy(shown->tts_isnull, &row->tts_isnull[1], sizeof(bool) * count);
	if (order->is_constant)
		store_group(shown, count, 0);
	return shown;
}

/* Has the rows of the group that has arrived be sorted, unless there is one. */
static void
sort_arrived(WaTransitionOrder *order)
{
	const TupleTableSlot *first = wa_row_order_next(order->by_group);
	const TupleTableSlot *row = wa_row_order_next(order->by_group);

	order->is_single = row == NULL;
	if (order->is_single)
	{
		order->single = show_values(order, first);
		return;
	}
	begin_sort(order, order->sorted);
	(void) show_values(order, first);
	wa_row_order_add(order->sorted);
	for (; row != NULL; row = wa_row_order_next(order->by_group))
	{
		(void) show_values(order, row);
		wa_row_order_add(order->sorted);
	}
}

/* Comes to the rows of a group; returns false if it has none. */
static bool
find_group(WaTransitionOrder *order, uint32 group)
{
	while (order->by_group != NULL && order->arrived < (int64) group)
	{
		const TupleTableSlot *keys = wa_row_order_next_group(order->by_group);

		order->arrived =
			keys == NULL ? PG_INT64_MAX : DatumGetInt64(keys->tts_values[0]);
	}
	if (order->by_group != NULL && order->arrived != (int64) group)
		return false;
	drop_seen(order);
	ExecClearTuple(order->last);
	if (order->by_group != NULL)
		sort_arrived(order);
	order->present = group;
	return order->is_single || wa_row_order_next_group(order->sorted) != NULL;
}

/* Tells whether a row is the same as the one that was returned last. */
static bool
is_same(const WaTransitionOrder *order, const TupleTableSlot *row)
{
	const TupleTableSlot *last = order->last;

	if (TTS_EMPTY(last))
		return false;
	for (int i = 0; i < order->nequalities; i++)
	{
		Equality *equality = &order->equalities[i];
		const int number = equality->value;

		if (last->tts_isnull[number] != row->tts_isnull[number])
			return false;
		if (!row->tts_isnull[number] &&
			!DatumGetBool(FunctionCall2Coll(
				&equality->function, equality->collation,
				last->tts_values[number], row->tts_values[number])))
			return false;
	}
	return true;
}

/* Returns the next row of the present group, or NULL. */
static TupleTableSlot *
next_row(WaTransitionOrder *order)
{
	TupleTableSlot *row = order->single;

	if (!order->is_single)
		return wa_row_order_next(order->sorted);
	order->single = NULL;
	return row;
}

bool
wa_transition_order_next(WaTransitionOrder *order, uint32 group,
						 NullableDatum *arguments)
{
	TupleTableSlot *row;

	if (order->present != (int64) group && !find_group(order, group))
		return false;
	row = next_row(order);
	while (order->is_distinct && row != NULL && is_same(order, row))
		row = next_row(order);
	if (row == NULL)
		return false;
	for (int i = 0; i < order->nvalues; i++)
	{
		NullableDatum *argument = &arguments[order->values[i].argument];

		argument->value = row->tts_values[i];
		argument->isnull = row->tts_isnull[i];
	}
	if (order->is_distinct && !order->is_single)
	{
		ExecCopySlot(order->last, row);
		slot_getallattrs(order->last);
	}
	return true;
}

void
wa_transition_order_end(WaTransitionOrder *order)
{
	ExecClearTuple(order->last);
	wa_row_order_end(order->sorted);
	if (order->by_group != NULL)
		wa_row_order_end(order->by_group);
	drop_seen(order);
}
