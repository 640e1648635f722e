/*
 * dependents.c
 *		What groups have by a joined row that is one of their keys; see dependents.h.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "executor/executor.h"
#include "optimizer/optimizer.h"
#include "utils/rel.h"

#include "compat.h"
#include "heap/place.h"
#include "scan/output/dependents.h"

/* The rows of a join. */
typedef struct Rows
{
	Index varno; /* of the relation, */
	Relation relation;
	int key;              /* and of the key that is their place */
	TupleTableSlot *slot; /* the row that was read last, */
	int64 place;          /* which lies here; or -1 */
} Rows;

/* A value of such rows. */
typedef struct Dependent
{
	Rows *rows;
	ExprState *state;
} Dependent;

struct WaDependents
{
	EState *estate;
	ExprContext *econtext;
	Rows *rows;
	int nrows;
	Dependent *values;
};

/* Prepares to read the rows of a join, whose place is a key of a number. */
static void
make_rows(Rows *rows, const WaJoin *join, int key, EState *estate)
{
	rows->varno = (Index) wa_join_ctid(join)->varno;
	rows->key = key;
	/* The plan below the node has opened it. */
	rows->relation = query_relation_compat(estate, rows->varno);
	rows->slot =
		ExecInitExtraTupleSlot(estate, RelationGetDescr(rows->relation),
							   table_slot_callbacks(rows->relation));
	rows->place = -1;
}

/* Returns the rows that an expression is over, or NULL. */
static Rows *
rows_of(const WaDependents *dependents, Expr *expression)
{
	const Var *var =
		linitial_node(Var, pull_var_clause((Node *) expression, 0));

	for (int i = 0; i < dependents->nrows; i++)
		if ((int) dependents->rows[i].varno == var->varno)
			return &dependents->rows[i];
	return NULL;
}

/* Returns the column of rows that are keys that has the same value as one of others. */
static Expr *
same_column(const WaScanQuery *query, Expr *column)
{
	Expr *same = NULL;
	ListCell *cell;

	foreach (cell, query->row_keys)
		if (same == NULL)
			same = wa_join_same_column(
				(const WaJoin *) list_nth(query->joins.list, lfirst_int(cell)),
				column);
	if (same == NULL)
		elog(ERROR, "no key tells a column");
	return same;
}

/* Prepares to read a value. */
static Dependent
make_value(const WaDependents *dependents, const WaScanQuery *query,
		   Expr *expression)
{
	Rows *rows = rows_of(dependents, expression);

	if (rows == NULL)
	{
		expression = same_column(query, expression);
		rows = rows_of(dependents, expression);
	}
	return (Dependent){rows, ExecInitExpr(expression, NULL)};
}

WaDependents *
wa_dependents_make(const WaScanQuery *query, EState *estate)
{
	WaDependents *dependents;
	ListCell *cell;

	if (query->row_keys == NIL)
		return NULL;
	dependents = palloc0(sizeof(WaDependents));
	dependents->estate = estate;
	dependents->econtext = CreateExprContext(estate);
	dependents->nrows = list_length(query->row_keys);
	dependents->rows = palloc0(sizeof(Rows) * dependents->nrows);
	foreach (cell, query->row_keys)
		make_rows(
			&dependents->rows[foreach_current_index(cell)],
			(const WaJoin *) list_nth(query->joins.list, lfirst_int(cell)),
			list_length(query->keys) + foreach_current_index(cell), estate);
	dependents->values =
		palloc0(sizeof(Dependent) * list_length(query->dependents));
	foreach (cell, query->dependents)
		dependents->values[foreach_current_index(cell)] =
			make_value(dependents, query, (Expr *) lfirst(cell));
	return dependents;
}

/* Reads the row at a place. */
static void
read_row(const WaDependents *dependents, Rows *rows, int64 place)
{
	ItemPointerData item;

	if (rows->place == place)
		return;
	rows->place = -1;
	wa_place_item(place, &item);
	if (!table_tuple_fetch_row_version(
			rows->relation, &item, dependents->estate->es_snapshot, rows->slot))
		elog(ERROR, "a joined row is not where it was");
	rows->place = place;
}

Datum
wa_dependents_value(const WaScanStore *store, uint32 group, int number,
					bool *is_null)
{
	const WaDependents *dependents = store->dependents;
	const Dependent *value = &dependents->values[number];
	const Datum place =
		wa_groups_key(store->groups, group, value->rows->key, is_null);

	/* Without a row columns of an outer join are NULL. */
	if (*is_null)
		return (Datum) 0;
	read_row(dependents, value->rows, DatumGetInt64(place));
	dependents->econtext->ecxt_scantuple = value->rows->slot;
	return ExecEvalExpr(value->state, dependents->econtext, is_null);
}
