/*
 * joins.c
 *		Relations that a query's table is joined to; see joins.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"

#include "heap/gather.h"
#include "scan/expr/errors.h"
#include "scan/expr/functions.h"
#include "scan/expr/joins.h"
#include "scan/expr/times.h"

int
wa_column_place(const List *columns, const Var *column)
{
	ListCell *cell;

	foreach (cell, columns)
	{
		const Var *var = (const Var *) lfirst(cell);

		if (IsA(var, Var) && var->varno == column->varno &&
			var->varattno == column->varattno)
			return foreach_current_index(cell);
	}
	return -1;
}

/* Returns the number of the join whose relation has a column; -1: none. */
static int
join_of_column(const WaJoins *joins, const Var *column)
{
	ListCell *cell;

	foreach (cell, joins->list)
		if (wa_column_place(((const WaJoin *) lfirst(cell))->columns, column) >=
			0)
			return foreach_current_index(cell);
	return -1;
}

/* What columns are in an expression. */
typedef struct Columns
{
	const WaJoins *joins;
	int join;      /* the one that all are of; -1: there was none so far */
	bool is_other; /* there is something else that differs from row to row */
} Columns;

/* Looks for them. */
static bool
find_columns(Node *node, void *context)
{
	Columns *columns = (Columns *) context;
	int join;

	if (node == NULL)
		return false;
	if (IsA(node, Aggref) || IsA(node, CaseTestExpr) || IsA(node, Param))
		return columns->is_other = true;
	if (!IsA(node, Var))
		return expression_tree_walker(node, find_columns, context);
	join = join_of_column(columns->joins, (const Var *) node);
	if (join < 0 || (columns->join >= 0 && join != columns->join))
		return columns->is_other = true;
	columns->join = join;
	return false;
}

/* Tells whether a node is an expression that has a value. */
static bool
is_value(const Node *node)
{
	switch (nodeTag(node))
	{
		case T_Var:
		case T_FuncExpr:
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
		case T_ScalarArrayOpExpr:
		case T_BoolExpr:
		case T_RelabelType:
		case T_CoerceViaIO:
		case T_CaseExpr:
		case T_CoalesceExpr:
		case T_MinMaxExpr:
		case T_NullTest:
		case T_BooleanTest:
			return true;
		default:
			return false;
	}
}

/*
 * Finds a function of times that raises no errors only for those of some years.  Those
 * that take a part of a date or a time without a zone do so of all.
 */
static bool
find_times(Node *node, void *context)
{
	Oid function = InvalidOid;

	if (node == NULL)
		return false;
	if (IsA(node, FuncExpr) || IsA(node, OpExpr))
		function = wa_function_of(node);
	if (OidIsValid(function) && function != F_EXTRACT_TEXT_DATE &&
		function != F_EXTRACT_TEXT_TIMESTAMP &&
		wa_time_function_is_safe(function, wa_arguments_of(node)))
		return true;
	return expression_tree_walker(node, find_times, context);
}

/*
 * Returns the number of the join that a node is a value of; -1: of none.  Other joins than
 * inner ones have no row for some, of which only a column is surely NULL.
 */
static int
join_of_value(const WaJoins *joins, Node *node)
{
	Columns columns = {joins, -1, false};
	WaVectorKind kind;

	if (!is_value(node) || find_columns(node, &columns) || columns.join < 0)
		return -1;
	if (IsA(node, Var))
		return columns.join;
	if (((const WaJoin *) list_nth(joins->list, columns.join))->kind !=
			WA_JOIN_INNER ||
		!wa_gather_kind(exprType(node), &kind) || wa_may_raise(node) ||
		find_times(node, NULL) || contain_mutable_functions(node))
		return -1;
	return columns.join;
}

/* Returns the number, from 1 on, of a value of a join, which is added if it is new. */
static AttrNumber
number_of_value(WaJoins *joins, int join, Expr *expression)
{
	WaJoinedValue *value;
	ListCell *cell;

	foreach (cell, joins->values)
	{
		value = (WaJoinedValue *) lfirst(cell);
		if (value->join == join && equal(value->expression, expression))
			return (AttrNumber) (foreach_current_index(cell) + 1);
	}
	value = palloc(sizeof(WaJoinedValue));
	*value = (WaJoinedValue){join, expression};
	joins->values = lappend(joins->values, value);
	return (AttrNumber) list_length(joins->values);
}

static Node *
refer(Node *node, void *context)
{
	WaJoins *joins = (WaJoins *) context;
	int join;

	if (node == NULL)
		return NULL;
	join = join_of_value(joins, node);
	if (join < 0)
		return expression_tree_mutator(node, refer, context);
	return (Node *) makeVar(
		INNER_VAR, number_of_value(joins, join, (Expr *) node), exprType(node),
		exprTypmod(node), exprCollation(node), 0);
}

Node *
wa_joins_refer(WaJoins *joins, Node *expression)
{
	return joins->list == NIL ? expression : refer(expression, joins);
}

/* Returns the join that one is folded into, or -1. */
static int
find_fold(const WaJoins *joins, const WaJoin *join)
{
	Columns columns = {joins, -1, false};
	const WaJoin *other;

	if (find_columns((Node *) join->key, &columns) || columns.join < 0)
		return -1;
	other = (const WaJoin *) list_nth(joins->list, columns.join);
	return other->kind == WA_JOIN_INNER ||
				   (other->kind == WA_JOIN_LEFT && join->kind == WA_JOIN_LEFT)
			   ? columns.join
			   : -1;
}

void
wa_joins_fold(WaJoins *joins)
{
	ListCell *cell;

	foreach (cell, joins->list)
	{
		WaJoin *join = (WaJoin *) lfirst(cell);

		join->into = find_fold(joins, join);
	}
}

Bitmapset *
wa_joins_needed(const WaJoins *joins, Node *expression)
{
	Bitmapset *needed = NULL;
	ListCell *cell;

	foreach (cell, pull_var_clause(expression, 0))
	{
		const int join = join_of_column(joins, lfirst_node(Var, cell));

		if (join >= 0)
			needed = bms_add_member(needed, join);
	}
	return needed;
}

int
wa_joins_owner(const WaJoins *joins, int join)
{
	int into = ((const WaJoin *) list_nth(joins->list, join))->into;

	while (into >= 0)
	{
		join = into;
		into = ((const WaJoin *) list_nth(joins->list, join))->into;
	}
	return join;
}

void
wa_joins_refer_keys(WaJoins *joins)
{
	ListCell *cell;

	joins->keys = NIL;
	foreach (cell, joins->list)
	{
		const WaJoin *join = (const WaJoin *) lfirst(cell);

		joins->keys =
			lappend(joins->keys,
					join->into < 0 ? refer((Node *) join->key, joins) : NULL);
	}
}

Var *
wa_joins_row(WaJoins *joins, int join)
{
	return makeVar(INNER_VAR, number_of_value(joins, join, NULL), INT8OID, -1,
				   InvalidOid, 0);
}

List *
wa_joins_clauses(WaJoins *joins)
{
	List *clauses = NIL;
	ListCell *cell;

	foreach (cell, joins->list)
	{
		const WaJoin *join = (const WaJoin *) lfirst(cell);
		NullTest *test;

		if (join->kind == WA_JOIN_LEFT || join->into >= 0)
			continue;
		test = makeNode(NullTest);
		test->arg = (Expr *) wa_joins_row(joins, foreach_current_index(cell));
		test->nulltesttype = join->kind == WA_JOIN_ANTI ? IS_NULL : IS_NOT_NULL;
		test->location = -1;
		clauses = lappend(clauses, test);
	}
	return clauses;
}

/* Finds a reference to a joined value. */
static bool
find_value(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return ((const Var *) node)->varno == INNER_VAR;
	return expression_tree_walker(node, find_value, context);
}

bool
wa_has_joined_value(Node *expression)
{
	return find_value(expression, NULL);
}

const WaJoinedValue *
wa_joined_value(const WaJoins *joins, const Var *column)
{
	return column->varno != INNER_VAR
			   ? NULL
			   : (const WaJoinedValue *) list_nth(joins->values,
												  column->varattno - 1);
}

void
wa_joins_pull_attnums(const WaJoins *joins, Node *expression, Index varno,
					  Bitmapset **attnums)
{
	ListCell *cell;

	pull_varattnos(expression, varno, attnums);
	foreach (cell, joins->list == NIL ? NIL : pull_var_clause(expression, 0))
	{
		const WaJoinedValue *value =
			wa_joined_value(joins, lfirst_node(Var, cell));

		if (value != NULL)
			wa_joins_pull_attnums(
				joins,
				(Node *) list_nth(joins->keys,
								  wa_joins_owner(joins, value->join)),
				varno, attnums);
	}
}

double
wa_joins_share(const WaJoins *joins, int owner)
{
	double share = 1;
	ListCell *cell;

	foreach (cell, joins->list)
		if (wa_joins_owner(joins, foreach_current_index(cell)) == owner)
			share *= ((const WaJoin *) lfirst(cell))->share;
	return share;
}

double
wa_joins_share_of_clause(const WaJoins *joins, const Node *clause)
{
	const NullTest *test = (const NullTest *) clause;
	const WaJoinedValue *value;

	if (joins->list == NIL || !IsA(clause, NullTest) || !IsA(test->arg, Var))
		return 1;
	value = wa_joined_value(joins, (const Var *) test->arg);
	if (value == NULL || value->expression != NULL ||
		test->nulltesttype != IS_NOT_NULL)
		return 1;
	return wa_joins_share(joins, value->join);
}
