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

/* Returns how many columns the device process aggregates of one of the node. */
static int
count_asked(const WaDividedColumn *column)
{
	return column->travels ? 1 : bms_num_members(column->sent_branches);
}

/* Has the device process count rows; returns the place of that column. */
static int
ask_count(WaScanState *asked)
{
	WaScanColumn column = {0};

	column.plan.key.argument_type = BOOLOID;
	asked->columns[asked->ncolumns] = column;
	return asked->ncolumns++;
}

/*
 * Has the device process aggregate an argument as a column of the node does, with a
 * filter or NULL; returns the place of that column, which may serve another one, too.
 */
static int
ask_column(WaScanState *asked, const WaScanColumn *like, Expr *argument,
		   Expr *filter)
{
	WaScanColumn column = {0};

	for (int i = 0; i < asked->ncolumns; i++)
	{
		const WaScanColumn *other = &asked->columns[i];

		if (wa_plan_keys_match(&other->plan.key, &like->plan.key) &&
			other->plan.collation == like->plan.collation &&
			equal(other->argument, argument) && equal(other->filter, filter))
			return i;
	}
	column.argument = argument;
	column.filter = filter;
	column.plan.key = like->plan.key;
	column.plan.collation = like->plan.collation;
	asked->columns[asked->ncolumns] = column;
	return asked->ncolumns++;
}

/* Has the device process aggregate what travels of a column. */
static void
ask_branches(WaScanState *asked, const WaScanColumn *like,
			 const WaDividedColumn *divided, WaCombinedColumn *column)
{
	ListCell *cell;

	column->branches =
		palloc0(sizeof(WaBranch) * (list_length(divided->branches) + 1));
	if (divided->travels)
	{
		column->branches[0].place =
			ask_column(asked, like, like->argument, like->filter);
		return;
	}
	foreach (cell, divided->branches)
	{
		const int i = foreach_current_index(cell);

		column->branches[i].place =
			bms_is_member(i, divided->sent_branches)
				? ask_column(asked, like, (Expr *) lfirst(cell), NULL)
				: -1;
	}
}

/* Sets what the device process aggregates: what travels, and the number of rows. */
static void
ask_columns(WaCombine *combine, const WaDivision *division)
{
	const WaScanState *state = combine->state;
	WaScanState *asked = combine->asked;
	int count = 1;

	for (int i = 0; i < state->ncolumns; i++)
		count += count_asked(&division->columns[i]);
	asked->columns = palloc(sizeof(WaScanColumn) * count);
	combine->columns =
		palloc0(sizeof(WaCombinedColumn) * (state->ncolumns + 1));
	for (int i = 0; i < state->ncolumns; i++)
		ask_branches(asked, &state->columns[i], &division->columns[i],
					 &combine->columns[i]);
	combine->counted = ask_count(asked);
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

/* Prepares what PostgreSQL evaluates of the aggregated columns. */
static void
prepare_columns(WaCombine *combine, const WaDivision *division)
{
	for (int i = 0; i < division->ncolumns; i++)
	{
		const WaDividedColumn *divided = &division->columns[i];
		WaCombinedColumn *column = &combine->columns[i];
		ListCell *cell;

		if (divided->travels)
			continue;
		column->filter = prepare(combine, division, divided->filter);
		column->choice = prepare(combine, division, divided->choice);
		foreach (cell, divided->branches)
		{
			WaBranch *branch = &column->branches[foreach_current_index(cell)];

			if (branch->place < 0)
				branch->argument =
					prepare(combine, division, (Expr *) lfirst(cell));
		}
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

/* Tells whether what the device process has of branches can be merged as it is. */
static bool
kinds_match(const WaCombine *combine, const WaDivision *division)
{
	for (int i = 0; i < division->ncolumns; i++)
	{
		const int count = list_length(division->columns[i].branches);

		for (int j = 0; j < count; j++)
		{
			const int place = combine->columns[i].branches[j].place;

			if (place >= 0 && combine->asked->columns[place].kind !=
								  combine->state->columns[i].kind)
				return false;
		}
	}
	return true;
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
	if (!kinds_match(combine, division))
		return NULL;
	prepare_where(combine, division);
	prepare_keys(combine, division);
	prepare_columns(combine, division);
	describe_combination(combine, division);
	return combine;
}
