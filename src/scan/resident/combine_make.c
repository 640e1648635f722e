/*
 * combine_make.c
 *		Making the query that the device process answers in part; see combine.h.
 */
#include "postgres.h"

#include "access/tupdesc.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"

#include "scan/program/pushdown.h"
#include "scan/resident/combine_internal.h"
#include "scan/rows/prepare.h"

/* Returns how many columns the device process aggregates of one of the node. */
static int
count_asked(const WaPushdownColumn *column)
{
	return column->is_pushed ? 1 : bms_num_members(column->sent_branches);
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
			 const WaPushdownColumn *pushed, WaCombinedColumn *column)
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
			bms_is_member(i, pushed->sent_branches)
				? ask_column(asked, like, (Expr *) lfirst(cell), NULL)
				: -1;
	}
}

/* Sets what the device process aggregates: what is pushed, and the number of rows. */
static void
ask_columns(WaCombine *combine, const WaPushdown *pushdown)
{
	const WaScanState *state = combine->state;
	WaScanQuery *asked = &combine->asked;
	int count = 1;

	for (int i = 0; i < state->query.ncolumns; i++)
		count += count_asked(&pushdown->columns[i]);
	asked->columns = palloc(sizeof(WaScanColumn) * count);
	combine->columns =
		palloc0(sizeof(WaCombinedColumn) * (state->query.ncolumns + 1));
	for (int i = 0; i < state->query.ncolumns; i++)
		ask_branches(asked, &state->query.columns[i], &pushdown->columns[i],
					 &combine->columns[i]);
	combine->counted = ask_count(asked);
}

/* Makes the query for the device process. */
static void
make_asked(WaCombine *combine, const WaPushdown *pushdown)
{
	const WaScanQuery *query = &combine->state->query;
	WaScanQuery *asked = &combine->asked;

	asked->varno = query->varno;
	asked->nworkers = query->nworkers;
	asked->planned_groups = query->planned_combinations;
	asked->by_image = true;
	asked->filter_clauses = pushdown->sent_filters;
	asked->keys = pushdown->by;
	asked->nkeys = list_length(pushdown->by);
	ask_columns(combine, pushdown);
	wa_scan_prepare_query(asked, &combine->state->source, &combine->store);
}

/* Prepares an expression, which may be NULL. */
static ExprState *
prepare(const WaCombine *combine, const WaPushdown *pushdown, Expr *expression)
{
	ParamListInfo parameters =
		combine->state->source.estate->es_param_list_info;

	if (expression == NULL)
		return NULL;
	return ExecInitExprWithParams(
		(Expr *) wa_pushdown_refer(pushdown, (Node *) expression), parameters);
}

/* Prepares the clauses of WHERE that are not pushed. */
static void
prepare_where(WaCombine *combine, const WaPushdown *pushdown)
{
	ListCell *cell;

	combine->where =
		palloc(sizeof(ExprState *) * (list_length(pushdown->kept_filters) + 1));
	foreach (cell, pushdown->kept_filters)
		combine->where[combine->nwhere++] =
			prepare(combine, pushdown, (Expr *) lfirst(cell));
}

/* Prepares the keys; of one that is pushed it is a reference. */
static void
prepare_keys(WaCombine *combine, const WaPushdown *pushdown)
{
	const WaScanState *state = combine->state;
	const Size count = (Size) state->query.nkeys + 1;

	combine->keys = palloc(sizeof(ExprState *) * count);
	combine->values = palloc(sizeof(Datum) * count);
	combine->nulls = palloc(sizeof(bool) * count);
	for (int i = 0; i < state->query.nkeys; i++)
		combine->keys[i] =
			prepare(combine, pushdown, list_nth(state->query.keys, i));
}

/* Prepares what PostgreSQL evaluates of the aggregated columns. */
static void
prepare_columns(WaCombine *combine, const WaPushdown *pushdown)
{
	for (int i = 0; i < pushdown->ncolumns; i++)
	{
		const WaPushdownColumn *pushed = &pushdown->columns[i];
		WaCombinedColumn *column = &combine->columns[i];
		ListCell *cell;

		if (pushed->is_pushed)
			continue;
		column->filter = prepare(combine, pushdown, pushed->filter);
		column->choice = prepare(combine, pushdown, pushed->choice);
		foreach (cell, pushed->branches)
		{
			WaBranch *branch = &column->branches[foreach_current_index(cell)];

			if (branch->place < 0)
				branch->argument =
					prepare(combine, pushdown, (Expr *) lfirst(cell));
		}
	}
}

/* Describes a combination as a tuple. */
static void
describe_combination(WaCombine *combine, const WaPushdown *pushdown)
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
	combine->descriptor = descriptor;
}

/* Tells whether what the device process has of branches can be merged as it is. */
static bool
kinds_match(const WaCombine *combine, const WaPushdown *pushdown)
{
	for (int i = 0; i < pushdown->ncolumns; i++)
	{
		const int count = list_length(pushdown->columns[i].branches);

		for (int j = 0; j < count; j++)
		{
			const int place = combine->columns[i].branches[j].place;

			if (place >= 0 &&
				combine->asked.compiled.columns[place].kind !=
					combine->state->query.compiled.columns[i].kind)
				return false;
		}
	}
	return true;
}

WaCombine *
wa_combine_make(WaScanState *state, WaSpared spared)
{
	WaCombine *combine;
	WaPushdown *pushdown;

	if (state->query.planned_combinations == 0)
		return NULL;
	pushdown = palloc(sizeof(WaPushdown));
	wa_scan_query_push_down(&state->query, pushdown);
	pushdown->spared = spared;
	if (!wa_push_down(pushdown))
		return NULL;
	combine = palloc0(sizeof(WaCombine));
	combine->state = state;
	combine->params = pushdown->params;
	make_asked(combine, pushdown);
	if (!kinds_match(combine, pushdown))
		return NULL;
	prepare_where(combine, pushdown);
	prepare_keys(combine, pushdown);
	prepare_columns(combine, pushdown);
	describe_combination(combine, pushdown);
	return combine;
}
