/*
 * distinct_inputs_make.c
 *		Making the query that the device process answers in part; see distinct_inputs.h.
 */
#include "postgres.h"

#include "access/tupdesc.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"

#include "scan/program/pushdown.h"
#include "scan/resident/distinct_inputs.h"
#include "scan/rows/prepare.h"

/* Returns how many columns the device process aggregates of one of the node. */
static int
count_asked(const WaPushdownColumn *column)
{
	return column->is_pushed ? 1 : bms_num_members(column->pushed_branches);
}

/* Has the device process count rows; returns the place of that column. */
static int
ask_count(WaScanQuery *asked)
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
ask_column(WaScanQuery *asked, const WaScanColumn *like, Expr *argument,
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

/* Has the device process aggregate what is pushed of a column. */
static void
ask_branches(WaScanQuery *asked, const WaScanColumn *like,
			 const WaPushdownColumn *pushed, WaInputsColumn *column)
{
	ListCell *cell;

	column->branches =
		palloc0(sizeof(WaBranch) * (list_length(pushed->branches) + 1));
	if (pushed->is_pushed)
	{
		column->branches[0].place =
			ask_column(asked, like, like->argument, like->filter);
		return;
	}
	foreach (cell, pushed->branches)
	{
		const int i = foreach_current_index(cell);

		column->branches[i].place =
			bms_is_member(i, pushed->pushed_branches)
				? ask_column(asked, like, (Expr *) lfirst(cell), NULL)
				: -1;
	}
}

/* Sets what the device process aggregates: what is pushed, and the number of rows. */
static void
ask_columns(WaDistinctInputs *inputs, const WaPushdown *pushdown)
{
	const WaScanState *state = inputs->state;
	WaScanQuery *asked = &inputs->asked;
	int count = 1;

	for (int i = 0; i < state->query.ncolumns; i++)
		count += count_asked(&pushdown->columns[i]);
	asked->columns = palloc(sizeof(WaScanColumn) * count);
	inputs->columns =
		palloc0(sizeof(WaInputsColumn) * (state->query.ncolumns + 1));
	for (int i = 0; i < state->query.ncolumns; i++)
		ask_branches(asked, &state->query.columns[i], &pushdown->columns[i],
					 &inputs->columns[i]);
	inputs->counted = ask_count(asked);
}

/* Makes the query for the device process; returns false if it cannot be compiled. */
static bool
make_asked(WaDistinctInputs *inputs, const WaPushdown *pushdown)
{
	const WaScanQuery *query = &inputs->state->query;
	WaScanQuery *asked = &inputs->asked;

	asked->varno = query->varno;
	asked->nworkers = query->nworkers;
	asked->planned_groups = query->planned_inputs;
	asked->by_image = true;
	asked->where = pushdown->pushed_filters;
	asked->by = pushdown->by;
	asked->nkeys = list_length(pushdown->by);
	ask_columns(inputs, pushdown);
	return wa_scan_prepare_query(asked, &inputs->state->sources,
								 &inputs->store) == NULL;
}

/* Prepares an expression, which may be NULL. */
static ExprState *
prepare(const WaDistinctInputs *inputs, const WaPushdown *pushdown,
		Expr *expression)
{
	ParamListInfo parameters =
		inputs->state->sources.estate->es_param_list_info;

	return ExecInitExprWithParams(
		(Expr *) wa_pushdown_refer(pushdown, (Node *) expression), parameters);
}

/* Prepares the clauses of WHERE that are not pushed. */
static void
prepare_where(WaDistinctInputs *inputs, const WaPushdown *pushdown)
{
	ListCell *cell;

	inputs->where = palloc(sizeof(ExprState *) *
						   (list_length(pushdown->unpushed_filters) + 1));
	foreach (cell, pushdown->unpushed_filters)
		inputs->where[inputs->nwhere++] =
			prepare(inputs, pushdown, (Expr *) lfirst(cell));
}

/* Prepares the keys; of one that is pushed it is a reference. */
static void
prepare_keys(WaDistinctInputs *inputs, const WaPushdown *pushdown)
{
	const WaScanState *state = inputs->state;
	const Size count = (Size) state->query.nkeys + 1;

	inputs->keys = palloc(sizeof(ExprState *) * count);
	inputs->values = palloc(sizeof(Datum) * count);
	inputs->nulls = palloc(sizeof(bool) * count);
	for (int i = 0; i < state->query.nkeys; i++)
		inputs->keys[i] =
			prepare(inputs, pushdown, list_nth(state->query.by, i));
}

/* Prepares what PostgreSQL evaluates of the aggregated columns. */
static void
prepare_columns(WaDistinctInputs *inputs, const WaPushdown *pushdown)
{
	for (int i = 0; i < pushdown->ncolumns; i++)
	{
		const WaPushdownColumn *pushed = &pushdown->columns[i];
		WaInputsColumn *column = &inputs->columns[i];
		ListCell *cell;

		if (pushed->is_pushed)
			continue;
		column->filter = prepare(inputs, pushdown, pushed->filter);
		column->choice = prepare(inputs, pushdown, pushed->choice);
		foreach (cell, pushed->branches)
		{
			WaBranch *branch = &column->branches[foreach_current_index(cell)];

			if (branch->place < 0)
				branch->argument =
					prepare(inputs, pushdown, (Expr *) lfirst(cell));
		}
	}
}

/* Describes a distinct input as a tuple. */
static void
describe_input(WaDistinctInputs *inputs, const WaPushdown *pushdown)
{
	TupleDesc descriptor = CreateTemplateTupleDesc(list_length(pushdown->by));
	ListCell *cell;

	foreach (cell, pushdown->by)
	{
		const Node *node = (const Node *) lfirst(cell);
		const AttrNumber number =
			(AttrNumber) (foreach_current_index(cell) + 1);

		TupleDescInitEntry(descriptor, number, NULL, exprType(node),
						   exprTypmod(node), 0);
		TupleDescInitEntryCollation(descriptor, number, exprCollation(node));
	}
	inputs->descriptor = descriptor;
}

/* Tells whether what the device process has of branches can be merged as it is. */
static bool
kinds_match(const WaDistinctInputs *inputs, const WaPushdown *pushdown)
{
	for (int i = 0; i < pushdown->ncolumns; i++)
	{
		const int count = list_length(pushdown->columns[i].branches);

		for (int j = 0; j < count; j++)
		{
			const int place = inputs->columns[i].branches[j].place;

			if (place >= 0 && inputs->asked.compiled.columns[place].kind !=
								  inputs->state->query.compiled.columns[i].kind)
				return false;
		}
	}
	return true;
}

WaDistinctInputs *
wa_distinct_inputs_make(WaScanState *state, WaExcluded excluded)
{
	WaDistinctInputs *inputs;
	WaPushdown *pushdown;

	if (state->query.planned_inputs == 0)
		return NULL;
	pushdown = palloc(sizeof(WaPushdown));
	wa_scan_query_push_down(&state->query, pushdown);
	pushdown->excluded = excluded;
	if (!wa_push_down(pushdown))
		return NULL;
	inputs = palloc0(sizeof(WaDistinctInputs));
	inputs->state = state;
	inputs->params = pushdown->params;
	if (!make_asked(inputs, pushdown) || !kinds_match(inputs, pushdown))
		return NULL;
	prepare_where(inputs, pushdown);
	prepare_keys(inputs, pushdown);
	prepare_columns(inputs, pushdown);
	describe_input(inputs, pushdown);
	return inputs;
}
