/*
 * plan.c
 *		Takes a plan node of the scan tier apart; see plan.h.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "scan/state/plan.h"

int
wa_plan_number(const CustomScan *plan, WaPlanPart part)
{
	return intVal(list_nth(plan->custom_private, part));
}

Cost
wa_plan_block_cost(const CustomScan *plan)
{
	return floatVal(list_nth(plan->custom_private, WA_PLAN_BLOCK_COST));
}

Expr *
wa_plan_target(const CustomScan *plan, int number)
{
	return list_nth_node(TargetEntry, plan->custom_scan_tlist, number)->expr;
}

/* Replaces references to the scan tuple by what they refer to. */
static Node *
restore_columns(Node *node, void *plan)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && ((Var *) node)->varno == INDEX_VAR)
		return copyObject((Node *) wa_plan_target(
			(const CustomScan *) plan, ((Var *) node)->varattno - 1));
	return expression_tree_mutator(node, restore_columns, plan);
}

Node *
wa_plan_restore(const CustomScan *plan, Node *expression)
{
	return restore_columns(expression, (void *) plan);
}

/* Returns some of the expressions of the plan. */
static List *
expressions(const CustomScan *plan, int begin, int end)
{
	return list_copy_tail(list_truncate(list_copy(plan->custom_exprs), end),
						  begin);
}

List *
wa_plan_filters(const CustomScan *plan)
{
	int nfilters = wa_plan_number(plan, WA_PLAN_FILTERS);

	return (List *) wa_plan_restore(plan,
									(Node *) expressions(plan, 0, nfilters));
}

List *
wa_plan_one_time_filters(const CustomScan *plan)
{
	int end = list_length(plan->custom_exprs);
	int begin = end - wa_plan_number(plan, WA_PLAN_GATES);

	return (List *) wa_plan_restore(plan,
									(Node *) expressions(plan, begin, end));
}

bool
wa_plan_top(const CustomScan *plan, WaPlanTop *top)
{
	int begin = wa_plan_number(plan, WA_PLAN_FILTERS);
	int end;

	top->operators = (List *) list_nth(plan->custom_private, WA_PLAN_OPERATORS);
	if (top->operators == NIL)
		return false;
	top->nulls_first =
		(List *) list_nth(plan->custom_private, WA_PLAN_NULLS_FIRST);
	top->keeps_ties = wa_plan_number(plan, WA_PLAN_TIES) != 0;
	top->having_first = wa_plan_number(plan, WA_PLAN_HAVING) != 0;
	end = begin + list_length(top->operators);
	top->expressions = expressions(plan, begin, end);
	/* A parameter that is also a key has been taken for that. */
	top->count = (Expr *) wa_plan_restore(
		plan, (Node *) list_nth(plan->custom_exprs, end));
	top->offset = (Expr *) wa_plan_restore(
		plan, (Node *) list_nth(plan->custom_exprs, end + 1));
	return true;
}
