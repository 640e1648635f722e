/*
 * rowwise.c
 *		Computes the expressions of a query row by row; see rowwise.h.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "utils/rel.h"

#include "scan/node.h"
#include "scan/rowwise.h"

struct WaRowwise
{
	TupleTableSlot *slot;
	ExprState *where; /* NULL: none */
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
		estate, RelationGetDescr(state->css.ss.ss_currentRelation),
		&TTSOpsHeapTuple);
	if (state->filter_clauses != NIL)
		rowwise->where =
			prepare(make_ands_explicit(state->filter_clauses), parameters);
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

/* Tells whether a condition, which may be NULL, is true. */
static bool
is_true(ExprState *condition, ExprContext *econtext)
{
	bool is_null;
	Datum value;

	if (condition == NULL)
		return true;
	value = ExecEvalExpr(condition, econtext, &is_null);
	return !is_null && DatumGetBool(value);
}

/* Returns the row's group. */
static uint32
find_group(WaRowwise *rowwise, WaScanState *state, ExprContext *econtext)
{
	if (state->groups == NULL)
		return 0;
	for (int i = 0; i < state->nkeys; i++)
		rowwise->values[i] =
			ExecEvalExpr(rowwise->keys[i], econtext, &rowwise->nulls[i]);
	return wa_groups_find_row(state->groups, rowwise->values, rowwise->nulls);
}

/* Has a column take the row. */
static void
take_column(const WaRowwise *rowwise, WaScanState *state, int number,
			uint32 group, ExprContext *econtext)
{
	WaScanColumn *column = &state->columns[number];
	Datum value = BoolGetDatum(true);
	bool is_null = false;

	wa_accumulator_grow(column->accumulator, wa_scan_groups(state));
	if (!is_true(rowwise->filters[number], econtext))
		return;
	if (rowwise->arguments[number] != NULL)
		value = ExecEvalExpr(rowwise->arguments[number], econtext, &is_null);
	if (!is_null)
		wa_accumulator_take_datum(column->accumulator, group, value);
}

void
wa_rowwise_take(WaRowwise *rowwise, WaScanState *state, const WaRow *row)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	Relation relation = state->css.ss.ss_currentRelation;
	HeapTupleData tuple = {.t_len = row->length,
						   .t_tableOid = RelationGetRelid(relation),
						   .t_data = row->tuple};
	MemoryContext old;

	ItemPointerSet(&tuple.t_self, row->block, row->offset);
	ResetExprContext(econtext);
	ExecStoreHeapTuple(&tuple, rowwise->slot, false);
	econtext->ecxt_scantuple = rowwise->slot;
	old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	if (is_true(rowwise->where, econtext))
	{
		uint32 group = find_group(rowwise, state, econtext);

		for (int i = 0; i < state->ncolumns; i++)
			take_column(rowwise, state, i, group, econtext);
		state->kept_rows++;
	}
	state->rowwise_rows++;
	MemoryContextSwitchTo(old);
	ExecClearTuple(rowwise->slot);
}
