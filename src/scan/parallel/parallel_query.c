/*
 * parallel_query.c
 *		What a node computes, on its way to a worker; see parallel_task.h.
 *
 * The list of a query: the number of the table, the keys, the clauses
 * of WHERE, the aggregated columns: of each its argument, its filter and what its plan
 * is made of; and the joins, if there are any.  Columns are shipped, not the aggregates:
 * with parameters replaced, a worker might find that columns are the same that
 * are two for the leader.  Of joins it is their keys, and the values by their numbers,
 * whose rows the leader has found: a worker knows of no join that is folded.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/readfuncs.h"
#include "utils/lsyscache.h"

#include "scan/parallel/parallel_task.h"

/* Replaces parameters by their values. */
static Node *
fix_parameters(Node *node, void *econtext)
{
	Param *param = (Param *) node;
	ExprState *state;
	Datum value;
	bool is_null;
	int16 typlen;
	bool typbyval;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Param))
		return expression_tree_mutator(node, fix_parameters, econtext);
	state = ExecInitExprWithParams(
		(Expr *) param, ((ExprContext *) econtext)->ecxt_param_list_info);
	value = ExecEvalExpr(state, (ExprContext *) econtext, &is_null);
	get_typlenbyval(param->paramtype, &typlen, &typbyval);
	/* The text of a constant has its bytes, not where to find them. */
	if (!is_null && typlen == -1)
		value = PointerGetDatum(PG_DETOAST_DATUM(value));
	return (Node *) makeConst(param->paramtype, param->paramtypmod,
							  param->paramcollid, typlen, value, is_null,
							  typbyval);
}

/* Returns the list of joins: keys, and of each value its join and its expression. */
static List *
list_joins(const WaScanQuery *query, ExprContext *econtext)
{
	const WaJoinTables *joined = query->interpreter->joined;
	List *values = NIL;

	if (joined == NULL)
		return NIL;
	for (int i = 0; i < joined->nvalues; i++)
	{
		const WaJoinedValue *value =
			(const WaJoinedValue *) list_nth(query->joins.values, i);

		values = lappend(
			values,
			list_make3(makeInteger(joined->values[i].owner),
					   fix_parameters((Node *) value->expression, econtext),
					   makeInteger((int) value->fact)));
	}
	return list_make2(fix_parameters((Node *) query->joins.keys, econtext),
					  values);
}

char *
wa_task_write_query(const WaScanQuery *query, ExprContext *econtext)
{
	List *columns = NIL;

	for (int i = 0; i < query->ncolumns; i++)
	{
		const WaScanColumn *column = &query->columns[i];
		const WaAggPlan *plan = &column->plan;

		columns = lappend(
			columns,
			list_make3(fix_parameters((Node *) column->argument, econtext),
					   fix_parameters((Node *) column->filter, econtext),
					   list_make3_oid(plan->key.argument_type,
									  (Oid) plan->key.ops, plan->collation)));
	}
	return nodeToString(
		list_make5(makeInteger((int) query->varno),
				   fix_parameters((Node *) query->by, econtext),
				   fix_parameters((Node *) query->where, econtext), columns,
				   list_joins(query, econtext)));
}

/* Makes a column of its list. */
static void
read_column(WaScanColumn *column, const List *list)
{
	const List *plan = (const List *) lthird(list);

	memset(column, 0, sizeof(*column));
	column->argument = (Expr *) linitial(list);
	column->filter = (Expr *) lsecond(list);
	column->plan.key.argument_type = linitial_oid(plan);
	column->plan.key.ops = (WaOpSet) lsecond_oid(plan);
	column->plan.collation = lthird_oid(plan);
}

/* Makes joins of their list. */
static void
read_joins(WaJoins *joins, const List *list)
{
	ListCell *cell;

	if (list == NIL)
		return;
	joins->keys = (List *) linitial(list);
	foreach (cell, joins->keys)
	{
		WaJoin *join = palloc0(sizeof(WaJoin));

		join->into = -1;
		joins->list = lappend(joins->list, join);
	}
	foreach (cell, (const List *) lsecond(list))
	{
		const List *parts = (const List *) lfirst(cell);
		WaJoinedValue *value = palloc(sizeof(WaJoinedValue));

		*value =
			(WaJoinedValue){intVal(linitial(parts)), (Expr *) lsecond(parts),
							(WaJoinFact) intVal(lthird(parts))};
		joins->values = lappend(joins->values, value);
	}
}

void
wa_task_read_query(WaScanQuery *query, char *text)
{
	const List *parts = (const List *) stringToNode(text);
	const List *columns = (const List *) lfourth(parts);

	query->varno = (Index) intVal(linitial(parts));
	query->by = (List *) lsecond(parts);
	query->nkeys = list_length(query->by);
	query->where = (List *) lthird(parts);
	query->ncolumns = list_length(columns);
	query->columns = palloc(sizeof(WaScanColumn) * (query->ncolumns + 1));
	for (int i = 0; i < query->ncolumns; i++)
		read_column(&query->columns[i], (const List *) list_nth(columns, i));
	read_joins(&query->joins, (const List *) list_nth(parts, 4));
}
