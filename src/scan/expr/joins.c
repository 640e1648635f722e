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

bool
wa_join_has_plan(WaJoinKind kind)
{
	return kind != WA_JOIN_SET;
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

/* Where an expression that refers to values stands. */
typedef struct Place
{
	WaJoins *joins;
	int within; /* in conditions of this join, which has a row there; -1: in none */
} Place;

/*
 * Returns the number of the join that a node is a value of; -1: of none.  Other joins than
 * inner ones have no row for some, of which only a column is surely NULL.
 */
static int
join_of_value(const Place *place, Node *node)
{
	const WaJoins *joins = place->joins;
	Columns columns = {joins, -1, false};
	WaVectorKind kind;

	if (!is_value(node) || find_columns(node, &columns) || columns.join < 0)
		return -1;
	if (IsA(node, Var))
		return columns.join;
	if ((columns.join != place->within &&
		 ((const WaJoin *) list_nth(joins->list, columns.join))->kind !=
			 WA_JOIN_INNER) ||
		!wa_gather_kind(exprType(node), &kind) || wa_may_raise(node) ||
		find_times(node, NULL) || contain_mutable_functions(node))
		return -1;
	return columns.join;
}

Oid
wa_joined_value_type(const WaJoinedValue *value)
{
	if (value->expression != NULL)
		return exprType((const Node *) value->expression);
	return value->fact == WA_FACT_NONE ? INT8OID : BOOLOID;
}

/* Returns the number, from 1 on, of a value of a join, which is added if it is new. */
static AttrNumber
number_of_value(WaJoins *joins, int join, Expr *expression, WaJoinFact fact)
{
	WaJoinedValue *value;
	ListCell *cell;

	foreach (cell, joins->values)
	{
		value = (WaJoinedValue *) lfirst(cell);
		if (value->join == join && value->fact == fact &&
			equal(value->expression, expression))
			return (AttrNumber) (foreach_current_index(cell) + 1);
	}
	value = palloc(sizeof(WaJoinedValue));
	*value = (WaJoinedValue){join, expression, fact};
	joins->values = lappend(joins->values, value);
	return (AttrNumber) list_length(joins->values);
}

static Node *refer(Node *node, void *place);

/* Returns that a join has a row by its key, or none. */
static Expr *
test_row(WaJoins *joins, int join, NullTestType type)
{
	NullTest *test = makeNode(NullTest);

	test->arg = (Expr *) wa_joins_row(joins, join);
	test->nulltesttype = type;
	test->location = -1;
	return (Expr *) test;
}

/* Returns the clauses that are all true where a join has a row. */
static List *
match(WaJoins *joins, int join)
{
	Place place = {joins, join};
	List *conditions =
		((const WaJoin *) list_nth(joins->list, join))->conditions;

	return lcons(test_row(joins, join, IS_NOT_NULL),
				 (List *) refer((Node *) conditions, &place));
}

/* Returns WHEN condition THEN result. */
static CaseWhen *
make_when(Expr *condition, Expr *result)
{
	CaseWhen *when = makeNode(CaseWhen);

	when->expr = condition;
	when->result = result;
	when->location = -1;
	return when;
}

/* Returns CASE WHEN ... ELSE otherwise END. */
static Node *
make_case(List *whens, Expr *otherwise)
{
	CaseExpr *choice = makeNode(CaseExpr);

	choice->casetype = exprType((Node *) otherwise);
	choice->casecollid = exprCollation((Node *) otherwise);
	choice->args = whens;
	choice->defresult = otherwise;
	choice->location = -1;
	return (Node *) choice;
}

/* Returns CASE WHEN a join has a row THEN value END. */
static Node *
value_of_match(WaJoins *joins, int join, Var *value)
{
	return make_case(
		list_make1(
			make_when(make_ands_explicit(match(joins, join)), (Expr *) value)),
		(Expr *) makeNullConst(value->vartype, value->vartypmod,
							   value->varcollid));
}

/* Returns a reference to what is the same for all rows. */
static Expr *
make_fact(WaJoins *joins, int join, WaJoinFact fact)
{
	return (Expr *) makeVar(INNER_VAR, number_of_value(joins, join, NULL, fact),
							BOOLOID, -1, InvalidOid, 0);
}

/* Returns the number of the join that finds what a subplan is about. */
static int
join_of_subplan(const WaJoins *joins, const SubPlan *subplan)
{
	ListCell *cell;

	foreach (cell, joins->list)
	{
		const WaJoin *join = (const WaJoin *) lfirst(cell);

		if (join->subplan != NULL && join->subplan->plan_id == subplan->plan_id)
			return foreach_current_index(cell);
	}
	elog(ERROR, "a subplan is not joined");
}

/*
 * Returns x IN (SELECT ...) as CASE WHEN there is a row THEN true WHEN x IS NULL THEN one
 * fact ELSE another END.
 */
static Node *
value_of_subplan(const Place *place, const SubPlan *subplan)
{
	WaJoins *joins = place->joins;
	const int join = join_of_subplan(joins, subplan);
	const WaJoin *set = (const WaJoin *) list_nth(joins->list, join);
	NullTest *test = makeNode(NullTest);

	test->arg = (Expr *) refer((Node *) set->key, unconstify(Place *, place));
	test->nulltesttype = IS_NULL;
	test->location = -1;
	return make_case(
		list_make2(
			make_when(test_row(joins, join, IS_NOT_NULL),
					  (Expr *) makeBoolConst(true, false)),
			make_when((Expr *) test, make_fact(joins, join, WA_FACT_IF_NULL))),
		make_fact(joins, join, WA_FACT_IF_MISSING));
}

static Node *
refer(Node *node, void *context)
{
	const Place *place = (const Place *) context;
	WaJoins *joins = place->joins;
	Var *value;
	int join;

	if (node == NULL)
		return NULL;
	if (IsA(node, SubPlan))
		return value_of_subplan(place, (const SubPlan *) node);
	join = join_of_value(place, node);
	if (join < 0)
		return expression_tree_mutator(node, refer, context);
	value = makeVar(INNER_VAR,
					number_of_value(joins, join, (Expr *) node, WA_FACT_NONE),
					exprType(node), exprTypmod(node), exprCollation(node), 0);
	return join == place->within ||
				   ((const WaJoin *) list_nth(joins->list, join))->conditions ==
					   NIL
			   ? (Node *) value
			   : value_of_match(joins, join, value);
}

Node *
wa_joins_refer(WaJoins *joins, Node *expression)
{
	Place place = {joins, -1};

	return joins->list == NIL ? expression : refer(expression, &place);
}

/* Returns the join that one is folded into, or -1. */
static int
find_fold(const WaJoins *joins, const WaJoin *join)
{
	Columns columns = {joins, -1, false};
	const WaJoin *other;

	if (join->conditions != NIL || !wa_join_has_plan(join->kind) ||
		find_columns((Node *) join->key, &columns) || columns.join < 0)
		return -1;
	other = (const WaJoin *) list_nth(joins->list, columns.join);
	if (other->conditions != NIL)
		return -1;
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

		joins->keys = lappend(
			joins->keys,
			join->into < 0 ? wa_joins_refer(joins, (Node *) join->key) : NULL);
	}
}

Var *
wa_joins_row(WaJoins *joins, int join)
{
	return makeVar(INNER_VAR, number_of_value(joins, join, NULL, WA_FACT_NONE),
				   INT8OID, -1, InvalidOid, 0);
}

/* Returns a test whether a condition is true, or something else. */
static Expr *
test_truth(Expr *condition, BoolTestType type)
{
	BooleanTest *test = makeNode(BooleanTest);

	test->arg = condition;
	test->booltesttype = type;
	test->location = -1;
	return (Expr *) test;
}

List *
wa_joins_clauses(WaJoins *joins)
{
	List *clauses = NIL;
	ListCell *cell;

	foreach (cell, joins->list)
	{
		const WaJoin *join = (const WaJoin *) lfirst(cell);
		const int i = foreach_current_index(cell);

		if (join->kind == WA_JOIN_LEFT || !wa_join_has_plan(join->kind) ||
			join->into >= 0)
			continue;
		if (join->kind != WA_JOIN_ANTI)
			clauses = list_concat(clauses, match(joins, i));
		else if (join->conditions == NIL)
			clauses = lappend(clauses, test_row(joins, i, IS_NULL));
		else
			clauses =
				lappend(clauses, test_truth(make_ands_explicit(match(joins, i)),
											IS_NOT_TRUE));
	}
	return clauses;
}

/* Tells whether an expression may raise an error, also of times. */
static bool
may_raise(Node *expression)
{
	return wa_may_raise(expression) || find_times(expression, NULL);
}

bool
wa_join_may_raise(const WaJoin *join)
{
	return may_raise((Node *) join->conditions);
}

List *
wa_joins_checks(WaJoins *joins)
{
	List *clauses = NIL;
	ListCell *cell;

	foreach (cell, joins->list)
	{
		const WaJoin *join = (const WaJoin *) lfirst(cell);

		if (join->kind == WA_JOIN_LEFT && wa_join_may_raise(join))
			clauses = lappend(
				clauses,
				test_truth(test_truth(make_ands_explicit(match(
										  joins, foreach_current_index(cell))),
									  IS_UNKNOWN),
						   IS_NOT_UNKNOWN));
	}
	return clauses;
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
