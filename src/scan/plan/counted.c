/*
 * counted.c
 *		Expressions over a table of a query that is being counted; see counted.h.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"

#include "scan/plan/counted.h"
#include "scan/plan/planner_compat.h"

void
wa_counted_refuse(WaCounted *counted, const char *reason)
{
	if (counted->reason == NULL)
		counted->reason = reason;
}

void
wa_counted_rename(Var *column)
{
	column->varnosyn = (Index) column->varno;
	column->varattnosyn = column->varattno;
}

int
wa_counted_key(const WaCounted *counted, const Var *column)
{
	ListCell *cell;

	foreach (cell, counted->keys)
		if (lfirst_node(Var, cell)->varattno == column->varattno)
			return foreach_current_index(cell) + 1;
	return 0;
}

/* A walk through an expression of the level. */
typedef struct Walk
{
	WaCounted *counted;
	Index depth; /* levels of subselects around */
	WaMentions mentions;
} Walk;

/* Finds columns of the level. */
static bool
find_mentions(Node *node, void *context)
{
	Walk *walk = (Walk *) context;
	const Var *column = (const Var *) node;
	bool found;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		walk->depth++;
		found = query_tree_walker((Query *) node, find_mentions, context, 0);
		walk->depth--;
		return found;
	}
	if (!IsA(node, Var) || column->varlevelsup != walk->depth)
		return expression_tree_walker(node, find_mentions, context);
	if (column->varno != (int) walk->counted->number)
		walk->mentions.of_others = true;
	else
	{
		walk->mentions.of_table = true;
		if (wa_counted_key(walk->counted, column) == 0)
			walk->mentions.loose = column;
	}
	return false;
}

WaMentions
wa_counted_mentions(const WaCounted *counted, Node *expression)
{
	Walk walk = {.counted = (WaCounted *) counted};

	(void) find_mentions(expression, &walk);
	return walk.mentions;
}

/* Has the relation of the subquery be the table. */
static Node *
lower(Node *node, void *context)
{
	Walk *walk = (Walk *) context;
	Node *result;

	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
	{
		walk->depth++;
		result = (Node *) query_tree_mutator((Query *) node, lower, context, 0);
		walk->depth--;
		return result;
	}
	if (IsA(node, Var) &&
		((const Var *) node)->varno == (int) walk->counted->number &&
		((const Var *) node)->varlevelsup == walk->depth)
	{
		Var *column = copyObject((Var *) node);

		column->varno = 1;
		set_nulling_compat(column, NULL);
		wa_counted_rename(column);
		return (Node *) column;
	}
	return expression_tree_mutator(node, lower, context);
}

Node *
wa_counted_lower(const WaCounted *counted, Node *expression)
{
	Walk walk = {.counted = (WaCounted *) counted};
	Node *lowered = lower(copyObject(expression), &walk);

	IncrementVarSublevelsUp(lowered, 1, 1);
	return lowered;
}

Expr *
wa_counted_column(const WaCounted *counted, Expr *expression, const char *name)
{
	Query *below = counted->below;
	TargetEntry *entry = NULL;
	ListCell *cell;
	Var *column;

	foreach (cell, below->targetList)
		if (equal(lfirst_node(TargetEntry, cell)->expr, expression))
			entry = lfirst_node(TargetEntry, cell);
	if (entry == NULL)
	{
		entry = makeTargetEntry(
			expression, (AttrNumber) (list_length(below->targetList) + 1),
			pstrdup(name), false);
		below->targetList = lappend(below->targetList, entry);
	}
	column = makeVarFromTargetEntry((int) counted->number, entry);
	set_nulling_compat(column, counted->nulling);
	return (Expr *) column;
}
