/*
 * combine_make.c
 *		Making the query that the device process answers in part; see combine.h.
 */
#include "postgres.h"

#include "access/tupdesc.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"

#include "scan/combine_internal.h"
#include "scan/divide.h"

/* Describes a node's query as what is to be divided. */
static WaDivision *
describe(const WaScanState *state)
{
	WaDivision *division = palloc0(sizeof(WaDivision));

	division->varno = state->varno;
	division->filters = state->filter_clauses;
	for (int i = 0; i < state->nkeys; i++)
		division->keys = lappend(division->keys, state->keys[i].expression);
	division->columns =
		palloc0(sizeof(WaDividedColumn) * (state->ncolumns + 1));
	division->ncolumns = state->ncolumns;
	for (int i = 0; i < state->ncolumns; i++)
		division->columns[i] =
			(WaDividedColumn){.argument = state->columns[i].argument,
							  .filter = state->columns[i].filter,
							  .ops = state->columns[i].plan.key.ops};
	return division;
}

/* Returns a column of the asked query like another; NULL: one that counts rows. */
static WaScanColumn
column_like(const WaScanColumn *other)
{
	WaScanColumn column = {0};

	column.plan.key.argument_type = BOOLOID;
	if (other == NULL)
		return column;
	column.argument = other->argument;
	column.filter = other->filter;
	column.plan.key = other->plan.key;
	column.plan.collation = other->plan.collation;
	return column;
}

/* Sets what the device process aggregates: what travels, and the number of rows. */
static void
ask_columns(WaCombine *combine, const WaDivision *division)
{
	const WaScanState *state = combine->state;
	WaScanState *asked = combine->asked;

	asked->columns = palloc(sizeof(WaScanColumn) * (state->ncolumns + 1));
	combine->column_places = palloc(sizeof(int) * (state->ncolumns + 1));
	for (int i = 0; i < state->ncolumns; i++)
	{
		combine->column_places[i] = -1;
		if (!division->columns[i].travels)
			continue;
		combine->column_places[i] = asked->ncolumns;
		asked->columns[asked->ncolumns++] = column_like(&state->columns[i]);
	}
	combine->counted = asked->ncolumns;
	asked->columns[asked->ncolumns++] = column_like(NULL);
}

/* Sets by what the device process groups. */
static void
ask_keys(WaCombine *combine, const WaDivision *division)
{
	WaScanState *asked = combine->asked;
	ListCell *cell;

	asked->nkeys = list_length(division->by);
	asked->keys = palloc(sizeof(WaScanKey) * asked->nkeys);
	foreach (cell, division->by)
		asked->keys[foreach_current_index(cell)] =
			(WaScanKey){.expression = (Expr *) lfirst(cell)};
}

/* Sets which rows the device process takes. */
static void
ask_filters(WaCombine *combine, const WaDivision *division)
{
	ListCell *cell;

	foreach (cell, division->filters)
		if (bms_is_member(foreach_current_index(cell), division->sent_filters))
			combine->asked->filter_clauses =
				lappend(combine->asked->filter_clauses, lfirst(cell));
}

/* Makes the query for the device process. */
static void
make_asked(WaCombine *combine, const WaDivision *division)
{
	const WaScanState *state = combine->state;
	WaScanState *asked = palloc0(sizeof(WaScanState));

	combine->asked = asked;
	asked->css.ss.ps.state = state->css.ss.ps.state;
	asked->css.ss.ps.ps_ExprContext = state->css.ss.ps.ps_ExprContext;
	asked->relation = state->relation;
	asked->varno = state->varno;
	asked->nworkers = state->nworkers;
	asked->planned_groups = state->planned_combinations;
	asked->heap = state->heap;
	ask_filters(combine, division);
	ask_keys(combine, division);
	ask_columns(combine, division);
	wa_scan_prepare_program(asked);
}

/* Prepares an expression, which may be NULL. */
static ExprState *
prepare(const WaCombine *combine, const WaDivision *division, Expr *expression)
{
	ParamListInfo parameters =
		combine->state->css.ss.ps.state->es_param_list_info;

	if (expression == NULL)
		return NULL;
	return ExecInitExprWithParams(
		(Expr *) wa_divide_refer(division, (Node *) expression), parameters);
}

/* Prepares the clauses of WHERE that do not travel. */
static void
prepare_where(WaCombine *combine, const WaDivision *division)
{
	ListCell *cell;

	combine->where =
		palloc(sizeof(ExprState *) * (list_length(division->filters) + 1));
	foreach (cell, division->filters)
		if (!bms_is_member(foreach_current_index(cell), division->sent_filters))
			combine->where[combine->nwhere++] =
				prepare(combine, division, (Expr *) lfirst(cell));
}

/* Prepares the keys; of one that travels it is a reference. */
static void
prepare_keys(WaCombine *combine, const WaDivision *division)
{
	const WaScanState *state = combine->state;
	const Size count = (Size) state->nkeys + 1;

	combine->keys = palloc(sizeof(ExprState *) * count);
	combine->values = palloc(sizeof(Datum) * count);
	combine->nulls = palloc(sizeof(bool) * count);
	for (int i = 0; i < state->nkeys; i++)
		combine->keys[i] =
			prepare(combine, division, state->keys[i].expression);
}

/* Prepares the aggregated columns that do not travel. */
static void
prepare_columns(WaCombine *combine, const WaDivision *division)
{
	const WaScanState *state = combine->state;
	const Size count = (Size) state->ncolumns + 1;

	combine->arguments = palloc0(sizeof(ExprState *) * count);
	combine->filters = palloc0(sizeof(ExprState *) * count);
	for (int i = 0; i < state->ncolumns; i++)
	{
		if (combine->column_places[i] >= 0)
			continue;
		combine->arguments[i] =
			prepare(combine, division, state->columns[i].argument);
		combine->filters[i] =
			prepare(combine, division, state->columns[i].filter);
	}
}

/* Describes a combination as a tuple. */
static void
describe_combination(WaCombine *combine, const WaDivision *division)
{
	TupleDesc descriptor = CreateTemplateTupleDesc(list_length(division->by));
	ListCell *cell;

	foreach (cell, division->by)
	{
		const Node *node = (const Node *) lfirst(cell);
		const AttrNumber number =
			(AttrNumber) (foreach_current_index(cell) + 1);

		TupleDescInitEntry(descriptor, number, NULL, exprType(node),
						   exprTypmod(node), 0);
		TupleDescInitEntryCollation(descriptor, number, exprCollation(node));
	}
	combine->descriptor = descriptor;
}

WaCombine *
wa_combine_make(WaScanState *state, WaSpared spared, bool tells_scales)
{
	WaCombine *combine;
	WaDivision *division;

	if (state->planned_combinations == 0)
		return NULL;
	division = describe(state);
	division->spared = spared;
	division->tells_scales = tells_scales;
	if (!wa_divide(division) ||
		(division->runs_foreign_code && IsInParallelMode()))
		return NULL;
	combine = palloc0(sizeof(WaCombine));
	combine->state = state;
	combine->runs_foreign_code = division->runs_foreign_code;
	combine->params = division->params;
	combine->may_be_tied = division->may_be_tied;
	make_asked(combine, division);
	prepare_where(combine, division);
	prepare_keys(combine, division);
	prepare_columns(combine, division);
	describe_combination(combine, division);
	return combine;
}
