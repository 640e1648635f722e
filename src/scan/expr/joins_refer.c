/*
 * joins_refer.c
 *		Expressions with joined values in the place of columns; see joins.h.
 *
 * A value of a relation is a column of INNER_VAR; where the relation is joined with
 * conditions, CASE WHEN these are true THEN it END.
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
	const int join = is_value(node) ? wa_join_of_columns(joins, node) : -1;
	WaVectorKind kind;

	if (join < 0 || IsA(node, Var))
		return join;
	if ((join != place->within &&
		 ((const WaJoin *) list_nth(joins->list, join))->kind !=
			 WA_JOIN_INNER) ||
		!wa_gather_kind(exprType(node), &kind) || wa_may_raise(node) ||
		find_times(node, NULL) || contain_mutable_functions(node))
		return -1;
	return join;
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
							fact == WA_FACT_COUNT ? INT8OID : BOOLOID, -1,
							InvalidOid, 0);
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

/* Returns what a function of two integers of 64 bits returns. */
static Expr *
call(Oid function, Expr *first, Expr *second)
{
	return (Expr *) makeFuncExpr(function, INT8OID, list_make2(first, second),
								 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/*
 * Returns the key of a pair: the first number times how many second ones there are, and the
 * second one.  There are fewer than 2^31 of each, or there would be no memory.
 */
static Expr *
pair(WaJoins *joins, int join)
{
	return call(F_INT8PL,
				call(F_INT8MUL, (Expr *) wa_joins_row(joins, join - 2),
					 make_fact(joins, join - 1, WA_FACT_COUNT)),
				(Expr *) wa_joins_row(joins, join - 1));
}

void
wa_joins_refer_keys(WaJoins *joins)
{
	ListCell *cell;

	joins->keys = NIL;
	foreach (cell, joins->list)
	{
		const WaJoin *join = (const WaJoin *) lfirst(cell);
		void *key = NULL;

		if (join->is_pair)
			key = pair(joins, foreach_current_index(cell));
		else if (join->into < 0)
			key = wa_joins_refer(joins, (Node *) join->key);
		joins->keys = lappend(joins->keys, key);
	}
}

Var *
wa_joins_row(WaJoins *joins, int join)
{
	return makeVar(INNER_VAR, number_of_value(joins, join, NULL, WA_FACT_NONE),
				   INT8OID, -1, InvalidOid, 0);
}

int
wa_joins_join_of_value(const WaJoins *joins, Node *expression)
{
	const Place place = {unconstify(WaJoins *, joins), -1};

	return join_of_value(&place, expression);
}

Var *
wa_joins_place(WaJoins *joins, int join)
{
	const WaJoin *of = (const WaJoin *) list_nth(joins->list, join);
	Var *column = wa_join_ctid(of);

	if (column == NULL)
		elog(ERROR, "a joined relation does not tell where its rows lie");
	return makeVar(INNER_VAR,
				   number_of_value(joins, join, (Expr *) column, WA_FACT_NONE),
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
