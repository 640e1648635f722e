/*
 * counted_joins.c
 *		What joins a table that is being counted; see counted_joins.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "scan/plan/counted_joins.h"
#include "scan/plan/planner_compat.h"

/* Adds the parts of a condition that are to be true, all of them, to a list. */
static List *
add_parts(List *parts, Node *condition)
{
	ListCell *cell;

	if (condition == NULL)
		return parts;
	if (!is_andclause(condition))
		return lappend(parts, condition);
	foreach (cell, ((const BoolExpr *) condition)->args)
		parts = add_parts(parts, lfirst(cell));
	return parts;
}

/* Tells whether values of a type that are equal look the same. */
static bool
has_one_look(const Var *column)
{
	switch (exprType((Node *) column))
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case DATEOID:
		case OIDOID:
			return true;
		case BPCHAROID:
			/* Blanks at the end are as many as the length wants. */
			return column->vartypmod >= 0 &&
				   get_collation_isdeterministic(column->varcollid);
		case TEXTOID:
		case VARCHAROID:
			return get_collation_isdeterministic(column->varcollid);
		default:
			return false;
	}
}

/* Tells whether an operator says that two values are equal, as a type's own does. */
static bool
is_equality(const OpExpr *clause, Oid type)
{
	const TypeCacheEntry *cache =
		lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY);

	return OidIsValid(cache->btree_opf) &&
		   get_op_opfamily_strategy(clause->opno, cache->btree_opf) ==
			   BTEqualStrategyNumber &&
		   (!OidIsValid(clause->inputcollid) ||
			get_collation_isdeterministic(clause->inputcollid));
}

/* Returns the column of the table that one side of a clause is, or NULL. */
static const Var *
column_of_side(const WaCounted *counted, const Node *side)
{
	const Var *column;

	while (IsA(side, RelabelType))
		side = (const Node *) ((const RelabelType *) side)->arg;
	column = (const Var *) side;
	return IsA(side, Var) && column->varlevelsup == 0 &&
				   column->varno == (int) counted->number &&
				   column->varattno > 0
			   ? column
			   : NULL;
}

/* Adds the column of the table that a condition has be equal to something else, if any. */
static void
add_key(WaCounted *counted, Node *condition)
{
	const OpExpr *clause = (const OpExpr *) condition;

	if (!IsA(condition, OpExpr) || list_length(clause->args) != 2)
		return;
	for (int side = 0; side < 2; side++)
	{
		const Var *column =
			column_of_side(counted, list_nth(clause->args, side));
		Node *other = (Node *) list_nth(clause->args, 1 - side);
		Var *key;

		if (column == NULL || !has_one_look(column) ||
			!is_equality(clause, column->vartype) ||
			wa_counted_key(counted, column) != 0 ||
			wa_counted_mentions(counted, other).of_table)
			continue;
		key = copyObject((Var *) column);
		set_nulling_compat(key, NULL);
		counted->keys = lappend(counted->keys, key);
	}
}

/*
 * Takes what a condition has to say of the table: keys, and what is of the table alone,
 * which goes into the subquery.  Returns what is left of the condition.
 */
static Node *
take_condition(WaCounted *counted, Node *condition)
{
	FromExpr *from = counted->below->jointree;
	List *below = add_parts(NIL, from->quals);
	List *left = NIL;
	ListCell *cell;

	foreach (cell, add_parts(NIL, condition))
	{
		const WaMentions mentions = wa_counted_mentions(counted, lfirst(cell));

		/* A subselect may be over queries of WITH, which are one level above. */
		if (mentions.of_table && !mentions.of_others &&
			(counted->query->cteList == NIL ||
			 !checkExprHasSubLink(lfirst(cell))))
		{
			below = lappend(below, wa_counted_lower(counted, lfirst(cell)));
			continue;
		}
		if (mentions.of_table)
			add_key(counted, lfirst(cell));
		left = lappend(left, lfirst(cell));
	}
	from->quals = below == NIL ? NULL : (Node *) make_ands_explicit(below);
	return left == NIL ? NULL : (Node *) make_ands_explicit(left);
}

static bool take_joins(WaCounted *counted, Node *item);

/* Likewise of a join, if the table is within it. */
static bool
take_join(WaCounted *counted, JoinExpr *join)
{
	const bool is_left = take_joins(counted, join->larg);
	const bool is_right = !is_left && take_joins(counted, join->rarg);

	if (!is_left && !is_right)
		return false;
	if (join->jointype == JOIN_FULL)
		wa_counted_refuse(counted, "it is in a FULL join");
	if (join->jointype == JOIN_INNER)
	{
		if (!counted->is_nullable)
			join->quals = take_condition(counted, join->quals);
	}
	else if (is_left == (join->jointype == JOIN_RIGHT))
	{
		if (!counted->is_nullable)
			join->quals = take_condition(counted, join->quals);
		counted->is_nullable = true;
		counted->nulling = bms_add_member(counted->nulling, join->rtindex);
	}
	return true;
}

/*
 * Takes what joins have to say of the table, those below an item of FROM; returns whether
 * it is there.  Above an outer join that may have none of its rows nothing is left out.
 */
static bool
take_joins(WaCounted *counted, Node *item)
{
	FromExpr *from = (FromExpr *) item;
	bool found = false;
	ListCell *cell;

	if (IsA(item, RangeTblRef))
		return ((const RangeTblRef *) item)->rtindex == (int) counted->number;
	if (IsA(item, JoinExpr))
		return take_join(counted, (JoinExpr *) item);
	foreach (cell, from->fromlist)
		found |= take_joins(counted, lfirst(cell));
	if (found && !counted->is_nullable)
		from->quals = take_condition(counted, from->quals);
	return found;
}

void
wa_counted_take_joins(WaCounted *counted)
{
	if (!take_joins(counted, (Node *) counted->query->jointree))
		wa_counted_refuse(counted, "it is not in FROM");
	if (counted->keys == NIL)
		wa_counted_refuse(counted,
						  "none of its columns has to equal one of others");
}
