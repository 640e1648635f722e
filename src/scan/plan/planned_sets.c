/*
 * planned_sets.c
 *		Subqueries that are looked up; see planned_sets.h.
 *
 * PostgreSQL has planned them: the node reads what its plan of such a subquery returns once,
 * before the first row of the table.  PostgreSQL does so when the first row comes to the
 * expression; so one that may not be evaluated is taken only if it raises no errors.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"

#include "scan/expr/errors.h"
#include "scan/plan/join_conditions.h"
#include "scan/plan/join_keys.h"
#include "scan/plan/planned_sets.h"
#include "scan/tables/join_tables.h"

/* Bytes that a row takes beside its columns, and what it costs, in cpu_tuple_cost. */
#define ROW_BYTES 32
#define TAKEN_ROW 2

#define REFUSAL "an expression has a subquery"

/* What is looked for in expressions. */
typedef struct Search
{
	PlannerInfo *root;
	WaPlannedJoins *joins;
	double bytes; /* of all sets */
	const char *reason;
} Search;

/* Finds what may raise errors in a query. */
static bool
find_raising(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Query:
			return query_tree_walker((Query *) node, find_raising, context,
									 QTW_IGNORE_JOINALIASES);
		case T_List:
		case T_TargetEntry:
		case T_FromExpr:
		case T_JoinExpr:
		case T_RangeTblRef:
		case T_SortGroupClause:
			return expression_tree_walker(node, find_raising, context);
		default:
			return wa_may_raise(node);
	}
}

/* Tells whether a subplan is of the form x IN (SELECT column ...), without outer columns. */
static bool
is_set(const SubPlan *subplan)
{
	const OpExpr *clause = (const OpExpr *) subplan->testexpr;
	const Node *right;

	if (subplan->subLinkType != ANY_SUBLINK || subplan->parParam != NIL ||
		clause == NULL || !IsA(clause, OpExpr) ||
		list_length(clause->args) != 2)
		return false;
	right = (const Node *) lsecond(clause->args);
	if (IsA(right, RelabelType))
		right = (const Node *) ((const RelabelType *) right)->arg;
	return IsA(right, Param) &&
		   ((const Param *) right)->paramkind == PARAM_EXEC &&
		   ((const Param *) right)->paramid ==
			   linitial_int(subplan->paramIds) &&
		   wa_join_clause_is_key(clause) &&
		   !contain_subplans(linitial(clause->args));
}

/* Tells whether there is a join for a subplan. */
static bool
is_joined(const WaPlannedJoins *joins, const SubPlan *subplan)
{
	ListCell *cell;

	foreach (cell, joins->list)
	{
		const SubPlan *other = ((const WaJoin *) lfirst(cell))->subplan;

		if (other != NULL && other->plan_id == subplan->plan_id)
			return true;
	}
	return false;
}

/* Returns why a subplan cannot be joined, or joins it; is_sure: it is evaluated anyway. */
static const char *
take(Search *search, SubPlan *subplan, bool is_sure)
{
	WaPlannedJoins *joins = search->joins;
	PlannerInfo *subroot;
	const Plan *plan;
	WaJoin *join;

	if (!is_set(subplan))
		return REFUSAL;
	subroot = (PlannerInfo *) list_nth(search->root->glob->subroots,
									   subplan->plan_id - 1);
	if (!is_sure && find_raising((Node *) subroot->parse, NULL))
		return "a subquery that may not be evaluated may raise errors";
	if (is_joined(joins, subplan))
		return NULL;
	join = wa_join_of_subplan(subplan);
	if (wa_join_key_may_raise(joins->list, join))
		return REFUSAL;
	plan = planner_subplan_get_plan(search->root, subplan);
	search->bytes += plan->plan_rows * (ROW_BYTES + plan->plan_width);
	if (search->bytes > (double) wa_join_memory())
		return "what a subquery returns takes more memory than "
			   "warpagg.buffer_memory, or work_mem and hash_mem_multiplier, "
			   "allow";
	joins->list = lappend(joins->list, join);
	joins->cost +=
		plan->total_cost + plan->plan_rows * TAKEN_ROW * cpu_tuple_cost;
	joins->rows += plan->plan_rows;
	return NULL;
}

/* Looks for subplans that may not be evaluated; stops at one that cannot be joined. */
static bool
find_subplans(Node *node, void *context)
{
	Search *search = (Search *) context;

	if (node == NULL)
		return false;
	if (IsA(node, AlternativeSubPlan))
	{
		search->reason = REFUSAL;
		return true;
	}
	if (!IsA(node, SubPlan))
		return expression_tree_walker(node, find_subplans, context);
	search->reason = take(search, (SubPlan *) node, false);
	return search->reason != NULL;
}

/* Returns the subplan that a clause of WHERE is, or NOT, or NULL. */
static SubPlan *
subplan_of_clause(Node *clause)
{
	if (is_notclause(clause))
		clause = (Node *) get_notclausearg(clause);
	return IsA(clause, SubPlan) ? (SubPlan *) clause : NULL;
}

const char *
wa_planned_sets_find(PlannerInfo *root, List *clauses, List *others,
					 WaPlannedJoins *joins)
{
	Search search = {.root = root, .joins = joins};
	ListCell *cell;

	foreach (cell, clauses)
	{
		Node *clause = (Node *) lfirst(cell);
		SubPlan *subplan = subplan_of_clause(clause);

		if (subplan != NULL)
			search.reason = take(&search, subplan, true);
		else
			(void) find_subplans(clause, &search);
		if (search.reason != NULL)
			return search.reason;
	}
	(void) find_subplans((Node *) others, &search);
	return search.reason;
}
