/*
 * counted_level.c
 *		The level of a query a table of which is being counted; see counted_level.h.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"

#include "scan/plan/counted_aggregates.h"
#include "scan/plan/counted_level.h"
#include "scan/plan/planner_compat.h"

/* A walk through the level. */
typedef struct Walk
{
	WaCounted *counted;
	Index depth; /* levels of subselects around */
} Walk;

/* Returns a column of a table in place of one of a join that is the same, or NULL. */
static Var *
resolve(WaCounted *counted, const Var *column)
{
	Var *result = copyObject((Var *) column);

	for (;;)
	{
		const RangeTblEntry *entry =
			rt_fetch(result->varno, counted->query->rtable);
		Var *next;

		if (entry->rtekind != RTE_JOIN)
			return result;
		if (result->varattno <= 0)
			return NULL;
		next = (Var *) list_nth(entry->joinaliasvars, result->varattno - 1);
		if (next == NULL || !IsA(next, Var))
			return NULL;
		next = copyObject(next);
		next->varlevelsup = column->varlevelsup;
		add_nulling_compat(next, result);
		result = next;
	}
}

/* Has columns be of tables, not of joins. */
static Node *
resolve_all(Node *node, void *context)
{
	Walk *walk = (Walk *) context;
	Node *result;

	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
	{
		walk->depth++;
		result = (Node *) query_tree_mutator((Query *) node, resolve_all,
											 context, 0);
		walk->depth--;
		return result;
	}
	if (!IsA(node, Var) || ((const Var *) node)->varlevelsup != walk->depth)
		return expression_tree_mutator(node, resolve_all, context);
	result = (Node *) resolve(walk->counted, (const Var *) node);
	if (result == NULL)
		wa_counted_refuse(walk->counted,
						  "a column of a join is none of a table");
	return result;
}

static Node *raise(Node *node, void *context);

/* Returns what an aggregate of the level comes to. */
static Node *
raise_aggregate(Walk *walk, const Aggref *aggregate)
{
	WaCounted *counted = walk->counted;
	Node *argument = NULL;
	Node *filter;

	if (walk->depth > 0)
	{
		wa_counted_refuse(counted, "an aggregate is within a subselect");
		return NULL;
	}
	if (list_length(aggregate->args) == 1)
		argument = (Node *) linitial_node(TargetEntry, aggregate->args)->expr;
	/* One over columns of the table looks after it by itself. */
	if (wa_counted_mentions(counted, argument).loose == NULL)
		argument = raise(argument, walk);
	filter = (Node *) aggregate->aggfilter;
	if (wa_counted_mentions(counted, filter).loose == NULL)
		filter = raise(filter, walk);
	return counted->reason != NULL
			   ? NULL
			   : (Node *) wa_counted_aggregate(
					 counted, aggregate, (Expr *) argument, (Expr *) filter);
}

/* Has columns of the table be of the subquery, which has those of keys alone. */
static Node *
raise(Node *node, void *context)
{
	Walk *walk = (Walk *) context;
	const Var *column = (const Var *) node;
	Node *result;
	int number;

	if (node == NULL || walk->counted->reason != NULL)
		return NULL;
	if (IsA(node, Query))
	{
		walk->depth++;
		result = (Node *) query_tree_mutator((Query *) node, raise, context, 0);
		walk->depth--;
		return result;
	}
	if (IsA(node, Aggref) &&
		((const Aggref *) node)->agglevelsup == walk->depth)
		return raise_aggregate(walk, (const Aggref *) node);
	if (!IsA(node, Var) || column->varlevelsup != walk->depth ||
		column->varno != (int) walk->counted->number)
		return expression_tree_mutator(node, raise, context);
	number = wa_counted_key(walk->counted, column);
	if (number == 0)
	{
		wa_counted_refuse(
			walk->counted,
			psprintf(
				"its column %s is used outside of aggregates",
				get_rte_attribute_name(rt_fetch(walk->counted->number,
												walk->counted->query->rtable),
									   column->varattno)));
		return NULL;
	}
	result = copyObject(node);
	((Var *) result)->varattno = (AttrNumber) number;
	wa_counted_rename((Var *) result);
	return result;
}

/* Goes through a level by a mutator, which sees no aliases of joins. */
static void
change_level(WaCounted *counted, Node *(*change)(Node *, void *) )
{
	Walk walk = {.counted = counted};
	Query *changed = query_tree_mutator(counted->query, change, &walk,
										QTW_IGNORE_JOINALIASES);

	if (counted->reason == NULL)
		*counted->query = *changed;
}

void
wa_counted_resolve(WaCounted *counted)
{
	change_level(counted, resolve_all);
}

void
wa_counted_raise(WaCounted *counted)
{
	change_level(counted, raise);
}
