/*
 * rowwise.c
 *		Computes the expressions of a query row by row; see rowwise.h.
 */
#include "postgres.h"

#include "executor/executor.h"

#include "heap/place.h"
#include "scan/rows/rowwise.h"
#include "scan/spill/group_store.h"
#include "scan/spill/spill.h"
#include "scan/spill/spill_row.h"

/* An aggregate that its own functions compute. */
typedef struct Transition
{
	ExprState *filter; /* NULL: none */
	List *arguments;   /* ExprState * */
	NullableDatum *values;
} Transition;

struct WaRowwise
{
	const WaScanQuery *query;
	WaScanStore *store;
	ExprContext *econtext;
	ExprState **where; /* the clauses */
	int nwhere;
	int nalone; /* so many come first, which are about the table, or sets, alone */
	ExprState **keys;      /* NULL: the place of the row */
	ExprState **filters;   /* of the columns; NULL: none */
	ExprState **arguments; /* NULL: rows are counted */
	Transition *transitions;
	Datum *values;
	bool *nulls;
};

/* Prepares the aggregates that their own functions compute. */
static Transition *
make_transitions(const WaScanQuery *query, ParamListInfo parameters)
{
	Transition *transitions =
		palloc0(sizeof(Transition) * (query->ntransitions + 1));

	for (int i = 0; i < query->ntransitions; i++)
	{
		const WaScanTransition *from = &query->transitions[i];
		ListCell *cell;

		transitions[i].filter =
			ExecInitExprWithParams(from->filter, parameters);
		foreach (cell, from->arguments)
			transitions[i].arguments =
				lappend(transitions[i].arguments,
						ExecInitExprWithParams(lfirst(cell), parameters));
		transitions[i].values =
			palloc(sizeof(NullableDatum) * (list_length(from->arguments) + 1));
	}
	return transitions;
}

WaRowwise *
wa_rowwise_make(WaScanStore *store, ExprContext *econtext)
{
	const WaScanQuery *query = store->query;
	ParamListInfo parameters = store->sources->estate->es_param_list_info;
	const Var *place = wa_compiler_place(query->varno);
	WaRowwise *rowwise = palloc0(sizeof(WaRowwise));

	rowwise->query = query;
	rowwise->store = store;
	rowwise->econtext = econtext;
	rowwise->nwhere = list_length(query->where);
	rowwise->where = palloc(sizeof(ExprState *) * (rowwise->nwhere + 1));
	for (int i = 0; i < rowwise->nwhere; i++)
		rowwise->where[i] =
			ExecInitExprWithParams(list_nth(query->where, i), parameters);
	while (rowwise->nalone < rowwise->nwhere &&
		   !wa_joins_follow(&query->joins,
							list_nth(query->where, rowwise->nalone)))
		rowwise->nalone++;
	rowwise->keys = palloc(sizeof(ExprState *) * (query->nkeys + 1));
	rowwise->values = palloc(sizeof(Datum) * (query->nkeys + 1));
	rowwise->nulls = palloc(sizeof(bool) * (query->nkeys + 1));
	for (int i = 0; i < query->nkeys; i++)
		rowwise->keys[i] =
			equal(list_nth(query->by, i), place)
				? NULL
				: ExecInitExprWithParams(list_nth(query->by, i), parameters);
	rowwise->filters = palloc(sizeof(ExprState *) * (query->ncolumns + 1));
	rowwise->arguments = palloc(sizeof(ExprState *) * (query->ncolumns + 1));
	for (int i = 0; i < query->ncolumns; i++)
	{
		rowwise->filters[i] =
			ExecInitExprWithParams(query->columns[i].filter, parameters);
		rowwise->arguments[i] =
			ExecInitExprWithParams(query->columns[i].argument, parameters);
	}
	rowwise->transitions = make_transitions(query, parameters);
	return rowwise;
}

bool
wa_rowwise_is_true(ExprState *condition, ExprContext *econtext)
{
	bool is_null;
	Datum value;

	if (condition == NULL)
		return true;
	value = ExecEvalExpr(condition, econtext, &is_null);
	return !is_null && DatumGetBool(value);
}

/*
 * Returns the number of the first clause of WHERE, from one on, that is not true, after
 * which nothing is evaluated, or how many clauses there are.
 */
static int
first_unfulfilled(const WaRowwise *rowwise, int number, ExprContext *econtext)
{
	while (number < rowwise->nwhere &&
		   wa_rowwise_is_true(rowwise->where[number], econtext))
		number++;
	return number;
}

/* Evaluates the keys, of which the place of the row is none of PostgreSQL's. */
static void
evaluate_keys(WaRowwise *rowwise)
{
	ExprContext *econtext = rowwise->econtext;

	for (int i = 0; i < rowwise->query->nkeys; i++)
		if (rowwise->keys[i] != NULL)
			rowwise->values[i] =
				ExecEvalExpr(rowwise->keys[i], econtext, &rowwise->nulls[i]);
		else
		{
			rowwise->values[i] = Int64GetDatum(
				wa_place_of_item(&econtext->ecxt_scantuple->tts_tid));
			rowwise->nulls[i] = false;
		}
}

/*
 * Finds the row's group; spills the row and returns false if it has none.  row: NULL if it
 * lies in a slot only.
 */
static bool
find_group(WaRowwise *rowwise, const WaRow *row, uint32 *group)
{
	const WaScanQuery *query = rowwise->query;
	WaScanStore *store = rowwise->store;
	uint32 hash;

	*group = 0;
	if (store->groups == NULL)
		return true;
	evaluate_keys(rowwise);
	*group = wa_groups_find_row(store->groups, rowwise->values, rowwise->nulls);
	if (*group != WA_NO_GROUP)
		return true;
	hash = wa_partition_hash_values(query->nkeys, query->group_keys,
									store->groups->values);
	if (row != NULL)
		wa_spill_row(store, hash, row);
	else
		wa_spill_slot(store, hash, rowwise->econtext->ecxt_scantuple);
	return false;
}

/*
 * Evaluates the value that a column takes of the row; returns false if it takes
 * none.
 */
static bool
evaluate_column(const WaRowwise *rowwise, int number, Datum *value)
{
	ExprContext *econtext = rowwise->econtext;
	bool is_null = false;

	*value = BoolGetDatum(true);
	if (!wa_rowwise_is_true(rowwise->filters[number], econtext))
		return false;
	if (rowwise->arguments[number] != NULL)
		*value = ExecEvalExpr(rowwise->arguments[number], econtext, &is_null);
	return !is_null;
}

/* Has a column take the row. */
static void
take_column(const WaRowwise *rowwise, int number, uint32 group)
{
	WaAccumulator *column = rowwise->store->columns[number];
	Datum value;

	wa_accumulator_grow(column, wa_scan_groups(rowwise->store));
	if (evaluate_column(rowwise, number, &value))
		wa_accumulator_take_datum(column, group, value);
}

/* Evaluates the arguments of a transition; returns false if it does not take the row. */
static bool
evaluate_transition(const WaRowwise *rowwise, const Transition *transition)
{
	ListCell *cell;

	if (!wa_rowwise_is_true(transition->filter, rowwise->econtext))
		return false;
	foreach (cell, transition->arguments)
	{
		NullableDatum *value = &transition->values[foreach_current_index(cell)];

		value->value =
			ExecEvalExpr(lfirst(cell), rowwise->econtext, &value->isnull);
	}
	return true;
}

/* Has a transition take the row. */
static void
take_transition(const WaRowwise *rowwise, int number, uint32 group)
{
	const Transition *transition = &rowwise->transitions[number];
	WaTransitions *states = rowwise->store->transitions[number];

	wa_transitions_grow(states, wa_scan_groups(rowwise->store));
	if (evaluate_transition(rowwise, transition))
		wa_transitions_take_row(states, group, transition->values);
}

/* Brings a row, which fulfils WHERE, into its group, or spills it: as find_group. */
static void
take_row(WaRowwise *rowwise, const WaRow *row)
{
	uint32 group;

	if (!find_group(rowwise, row, &group))
		return;
	for (int i = 0; i < rowwise->query->ncolumns; i++)
		take_column(rowwise, i, group);
	for (int i = 0; i < rowwise->query->ntransitions; i++)
		take_transition(rowwise, i, group);
}

/* Evaluates what comes after WHERE for a row that fulfils it: keys, then columns. */
static void
look_behind_where(WaRowwise *rowwise)
{
	Datum value;

	evaluate_keys(rowwise);
	for (int i = 0; i < rowwise->query->ncolumns; i++)
		(void) evaluate_column(rowwise, i, &value);
	for (int i = 0; i < rowwise->query->ntransitions; i++)
		(void) evaluate_transition(rowwise, &rowwise->transitions[i]);
}

/*
 * Shows a row, and what is joined to it, to the expressions; returns the memory context to
 * go back to.
 */
static MemoryContext
show_row(WaRowwise *rowwise, TupleTableSlot *slot)
{
	ExprContext *econtext = rowwise->econtext;
	WaJoinTables *joined = rowwise->query->interpreter->joined;

	econtext->ecxt_scantuple = slot;
	if (joined != NULL)
		wa_join_tables_find(joined, econtext);
	return MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
}

/* Likewise a row that has been read. */
static MemoryContext
begin_row(WaRowwise *rowwise, const WaRow *row)
{
	const WaScanStore *store = rowwise->store;

	ResetExprContext(rowwise->econtext);
	return show_row(rowwise, wa_spill_is_reading(store)
								 ? wa_spill_rows_slot(store->spill_rows, row)
								 : wa_sources_row(store->sources, row));
}

/* Takes the row away again. */
static void
end_row(const WaRowwise *rowwise, MemoryContext old)
{
	MemoryContextSwitchTo(old);
	ExecClearTuple(rowwise->econtext->ecxt_scantuple);
}

bool
wa_rowwise_take(WaRowwise *rowwise, const WaRow *row)
{
	MemoryContext old = begin_row(rowwise, row);
	const bool is_kept =
		wa_spill_is_reading(rowwise->store) ||
		first_unfulfilled(rowwise, 0, rowwise->econtext) == rowwise->nwhere;

	if (is_kept)
		take_row(rowwise, row);
	end_row(rowwise, old);
	return is_kept;
}

bool
wa_rowwise_take_slot(WaRowwise *rowwise, TupleTableSlot *slot)
{
	MemoryContext old;
	bool is_kept;

	ResetExprContext(rowwise->econtext);
	old = show_row(rowwise, slot);
	is_kept = first_unfulfilled(rowwise, rowwise->nalone, rowwise->econtext) ==
			  rowwise->nwhere;
	if (is_kept)
		take_row(rowwise, NULL);
	MemoryContextSwitchTo(old);
	return is_kept;
}

int
wa_rowwise_look(WaRowwise *rowwise, const WaRow *row)
{
	MemoryContext old = begin_row(rowwise, row);
	int stage = rowwise->nwhere;

	if (!wa_spill_is_reading(rowwise->store))
		stage = first_unfulfilled(rowwise, 0, rowwise->econtext);
	if (stage == rowwise->nwhere)
		look_behind_where(rowwise);
	end_row(rowwise, old);
	return stage;
}
