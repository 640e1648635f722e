/*
 * joins.c
 *		Relations that a query's table is joined to; see joins.h.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

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

bool
wa_join_has_plan(WaJoinKind kind)
{
	return kind != WA_JOIN_SET && kind != WA_JOIN_NUMBER;
}

bool
wa_join_key_is_integer(const WaJoin *join)
{
	WaVectorKind kind;

	return !join->is_pair &&
		   wa_gather_kind(getBaseType(exprType((Node *) join->of)), &kind) &&
		   kind == WA_VECTOR_INT;
}

WaJoin *
wa_join_of_subplan(SubPlan *subplan)
{
	WaJoin *join = palloc0(sizeof(WaJoin));
	const OpExpr *clause = castNode(OpExpr, subplan->testexpr);
	Var *column =
		makeVar(OUTER_VAR, 1, subplan->firstColType, subplan->firstColTypmod,
				subplan->firstColCollation, 0);

	join->kind = WA_JOIN_SET;
	join->subplan = subplan;
	join->key = (Expr *) linitial(clause->args);
	join->of = (Expr *) column;
	if (IsA(lsecond(clause->args), RelabelType))
	{
		RelabelType *relabel =
			copyObject(lsecond_node(RelabelType, clause->args));

		relabel->arg = (Expr *) column;
		join->of = (Expr *) relabel;
	}
	join->clauses = list_make1((void *) clause);
	join->columns = list_make1(column);
	join->share = 1;
	join->into = -1;
	return join;
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

int
wa_join_of_columns(const WaJoins *joins, Node *expression)
{
	Columns columns = {joins, -1, false};

	return find_columns(expression, &columns) ? -1 : columns.join;
}

Var *
wa_join_ctid(const WaJoin *join)
{
	ListCell *cell;

	foreach (cell, join->columns)
	{
		Var *var = (Var *) lfirst(cell);

		if (IsA(var, Var) && var->varattno == SelfItemPointerAttributeNumber)
			return var;
	}
	return NULL;
}

Expr *
wa_join_same_column(const WaJoin *join, const Expr *expression)
{
	ListCell *cell;

	if (join->kind != WA_JOIN_INNER || !IsA(expression, Var))
		return NULL;
	foreach (cell, join->clauses)
	{
		const List *sides = lfirst_node(OpExpr, cell)->args;
		Expr *of = (Expr *) lsecond(sides);

		/* Values of bpchar are equal that are not the same. */
		if (IsA(of, Var) && exprType((Node *) of) != BPCHAROID &&
			exprType((Node *) of) == exprType((const Node *) expression) &&
			wa_column_place(sides, (const Var *) expression) == 0)
			return of;
	}
	return NULL;
}

bool
wa_joined_value_is_place(const WaJoinedValue *value)
{
	const Var *var = (const Var *) value->expression;

	return var != NULL && IsA(var, Var) &&
		   var->varattno == SelfItemPointerAttributeNumber;
}

Oid
wa_joined_value_type(const WaJoinedValue *value)
{
	if (wa_joined_value_is_place(value))
		return INT8OID;
	if (value->expression != NULL)
		return exprType((const Node *) value->expression);
	return value->fact == WA_FACT_NONE || value->fact == WA_FACT_COUNT
			   ? INT8OID
			   : BOOLOID;
}

/* Returns the join that one is folded into, or -1. */
static int
find_fold(const WaJoins *joins, const WaJoin *join)
{
	const WaJoin *other;
	int into;

	if (join->conditions != NIL || !wa_join_has_plan(join->kind))
		return -1;
	into = wa_join_of_columns(joins, (Node *) join->key);
	if (into < 0)
		return -1;
	other = (const WaJoin *) list_nth(joins->list, into);
	if (other->conditions != NIL)
		return -1;
	return other->kind == WA_JOIN_INNER ||
				   (other->kind == WA_JOIN_LEFT && join->kind == WA_JOIN_LEFT)
			   ? into
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

int
wa_joins_unit(const WaJoins *joins, int join)
{
	while (((const WaJoin *) list_nth(joins->list, join))->kind ==
		   WA_JOIN_NUMBER)
		join++;
	return wa_joins_owner(joins, join);
}

List *
wa_joins_conditions(const WaJoins *joins)
{
	List *conditions = NIL;
	ListCell *cell;

	foreach (cell, joins->list)
		conditions = list_concat(conditions,
								 ((const WaJoin *) lfirst(cell))->conditions);
	return conditions;
}

const WaJoinedValue *
wa_joined_value(const WaJoins *joins, const Var *column)
{
	return column->varno != INNER_VAR
			   ? NULL
			   : (const WaJoinedValue *) list_nth(joins->values,
												  column->varattno - 1);
}

bool
wa_joins_follow(const WaJoins *joins, Node *clause)
{
	ListCell *cell;

	foreach (cell, pull_var_clause(clause, 0))
	{
		const WaJoinedValue *value =
			wa_joined_value(joins, lfirst_node(Var, cell));
		const WaJoin *join;

		if (value == NULL)
			continue;
		join = (const WaJoin *) list_nth(joins->list, value->join);
		if (join->kind != WA_JOIN_SET ||
			wa_join_of_columns(joins, (Node *) join->key) >= 0)
			return true;
	}
	return false;
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
