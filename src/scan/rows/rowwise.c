/*
 * rowwise.c
 *		Computes the expressions of a query row by row; see rowwise.h.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "utils/rel.h"

#include "scan/rows/rowwise.h"
#include "scan/spill/group_store.h"
#include "scan/spill/spill.h"
#include "scan/spill/spill_row.h"
#include "scan/state/scan_state.h"

struct WaRowwise
{
	TupleTableSlot *slot;
	HeapTupleData tuple; /* in the slot */
	ExprState **where;   /* the clauses */
	int nwhere;
	ExprState **keys;
	ExprState **filters;   /* of the columns; NULL: none */
	ExprState **arguments; /* NULL: rows are counted */
	Datum *values;
	bool *nulls;
};

/* Prepares an expression, which may be NULL. */
static ExprState *
prepare(Expr *expression, ParamListInfo parameters)
{
	return expression == NULL ? NULL
							  : ExecInitExprWithParams(expression, parameters);
}

WaRowwise *
wa_rowwise_make(WaScanState *state)
{
	EState *estate = state->css.ss.ps.state;
	ParamListInfo parameters = estate->es_param_list_info;
	WaRowwise *rowwise = palloc0(sizeof(WaRowwise));

	rowwise->slot = ExecInitExtraTupleSlot(
		estate, RelationGetDescr(state->relation), &TTSOpsHeapTuple);
	rowwise->nwhere = list_length(state->filter_clauses);
	rowwise->where = palloc(sizeof(ExprState *) * (rowwise->nwhere + 1));
	for (int i = 0; i < rowwise->nwhere; i++)
		rowwise->where[i] =
			prepare(list_nth(state->filter_clauses, i), parameters);
	rowwise->keys = palloc(sizeof(ExprState *) * (state->nkeys + 1));
	rowwise->values = palloc(sizeof(Datum) * (state->nkeys + 1));
	rowwise->nulls = palloc(sizeof(bool) * (state->nkeys + 1));
	for (int i = 0; i < state->nkeys; i++)
		rowwise->keys[i] = prepare(state->keys[i].expression, parameters);
	rowwise->filters = palloc(sizeof(ExprState *) * (state->ncolumns + 1));
	rowwise->arguments = palloc(sizeof(ExprState *) * (state->ncolumns + 1));
	for (int i = 0; i < state->ncolumns; i++)
	{
		rowwise->filters[i] = prepare(state->columns[i].filter, parameters);
		rowwise->arguments[i] = prepare(state->columns[i].argument, parameters);
	}
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
 * Returns the number of the first clause of WHERE that is not true, after which
 * nothing is evaluated, or how many clauses there are.
 */
static int
first_unfulfilled(const WaRowwise *rowwise, ExprContext *econtext)
{
	int number = 0;

	while (number < rowwise->nwhere &&
		   wa_rowwise_is_true(rowwise->where[number], econtext))
		number++;
	return number;
}

/* Evaluates the keys. */
static void
evaluate_keys(WaRowwise *rowwise, const WaScanState *state,
			  ExprContext *econtext)
{
	for (int i = 0; i < state->nkeys; i++)
		rowwise->values[i] =
			ExecEvalExpr(rowwise->keys[i], econtext, &rowwise->nulls[i]);
}

/* Finds the row's group; spills the row and returns false if it has none. */
static bool
find_group(WaRowwise *rowwise, WaScanState *state, const WaRow *row,
		   uint32 *group)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;

	*group = 0;
	if (state->groups == NULL)
		return true;
	evaluate_keys(rowwise, state, econtext);
	*group = wa_groups_find_row(state->groups, rowwise->values, rowwise->nulls);
	if (*group != WA_NO_GROUP)
		return true;
	wa_spill_row(state,
				 wa_partition_hash_row(state->nkeys, state->group_keys,
									   rowwise->values, rowwise->nulls),
				 row);
	return false;
}

/*
 * Evaluates the value that a column takes of the row; returns false if it takes
 * none.
 */
static bool
evaluate_column(const WaRowwise *rowwise, int number, ExprContext *econtext,
				Datum *value)
{
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
take_column(const WaRowwise *rowwise, WaScanState *state, int number,
			uint32 group, ExprContext *econtext)
{
	WaScanColumn *column = &state->columns[number];
	Datum value;

	wa_accumulator_grow(column->accumulator, wa_scan_groups(state));
	if (evaluate_column(rowwise, number, econtext, &value))
		wa_accumulator_take_datum(column->accumulator, group, value);
}

/* Returns a row of the table in a slot. */
static TupleTableSlot *
store_row(WaRowwise *rowwise, const WaScanState *state, const WaRow *row)
{
	HeapTuple tuple = &rowwise->tuple;

	tuple->t_len = row->length;
	tuple->t_tableOid = RelationGetRelid(state->relation);
	tuple->t_data = row->tuple;
	ItemPointerSet(&tuple->t_self, row->block, row->offset);
	return ExecStoreHeapTuple(tuple, rowwise->slot, false);
}

/* Brings a row, which fulfils WHERE, into its group, or spills it. */
static void
take_row(WaRowwise *rowwise, WaScanState *state, const WaRow *row)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	uint32 group;

	if (!find_group(rowwise, state, row, &group))
		return;
	for (int i = 0; i < state->ncolumns; i++)
		take_column(rowwise, state, i, group, econtext);
}

/* Evaluates what comes after WHERE for a row that fulfils it: keys, then columns. */
static void
look_behind_where(WaRowwise *rowwise, const WaScanState *state)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	Datum value;

	evaluate_keys(rowwise, state, econtext);
	for (int i = 0; i < state->ncolumns; i++)
		(void) evaluate_column(rowwise, i, econtext, &value);
}

/* Shows a row to the expressions; returns the memory context to go back to. */
static MemoryContext
begin_row(WaRowwise *rowwise, const WaScanState *state, const WaRow *row)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;

	ResetExprContext(econtext);
	econtext->ecxt_scantuple = wa_spill_is_reading(state)
								   ? wa_spill_rows_slot(state->spill_rows, row)
								   : store_row(rowwise, state, row);
	return MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
}

/* Takes the row away again. */
static void
end_row(const WaScanState *state, MemoryContext old)
{
	MemoryContextSwitchTo(old);
	ExecClearTuple(state->css.ss.ps.ps_ExprContext->ecxt_scantuple);
}

void
wa_rowwise_take(WaRowwise *rowwise, WaScanState *state, const WaRow *row)
{
	const bool was_spilled = wa_spill_is_reading(state);
	MemoryContext old = begin_row(rowwise, state, row);

	if (was_spilled)
		take_row(rowwise, state, row);
	else if (first_unfulfilled(rowwise, state->css.ss.ps.ps_ExprContext) ==
			 rowwise->nwhere)
	{
		take_row(rowwise, state, row);
		state->kept_rows++;
	}
	if (!was_spilled)
		state->rowwise_rows++;
	end_row(state, old);
}

int
wa_rowwise_look(WaRowwise *rowwise, WaScanState *state, const WaRow *row)
{
	MemoryContext old = begin_row(rowwise, state, row);
	int stage = rowwise->nwhere;

	if (!wa_spill_is_reading(state))
		stage = first_unfulfilled(rowwise, state->css.ss.ps.ps_ExprContext);
	if (stage == rowwise->nwhere)
		look_behind_where(rowwise, state);
	end_row(state, old);
	return stage;
}
