/*
 * group_order.c
 *		What groups are sorted by above their node; see group_order.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/typcache.h"

#include "heap/gather.h"
#include "scan/plan/group_order.h"

/* Tells whether groups go straight to a sort that returns them all. */
static bool
is_sorted(const Query *parse)
{
	return parse->sortClause != NIL && parse->limitCount == NULL &&
		   (parse->distinctClause == NIL ||
			(parse->groupClause == NIL && !parse->hasAggs)) &&
		   !parse->hasWindowFuncs && !parse->hasTargetSRFs;
}

/* Returns the number of a key or a result that can be compared, or -1. */
static int
find_number(const WaScanQuery *query, const Node *expression)
{
	const Oid type = exprType(expression);
	WaVectorKind kind;
	ListCell *cell;

	foreach (cell, query->keys)
		if (equal(lfirst(cell), expression))
			return wa_gather_kind(type, &kind) && kind != WA_VECTOR_FLOAT &&
						   kind != WA_VECTOR_DECIMAL
					   ? foreach_current_index(cell)
					   : -1;
	foreach (cell, query->aggregates)
		if (type == INT8OID && equal(lfirst(cell), expression))
			return list_length(query->keys) + foreach_current_index(cell);
	return -1;
}

/* Returns what is sorted by a clause, or NULL. */
static WaOrderColumn *
make_column(const WaScanQuery *query, const Node *expression,
			const SortGroupClause *clause)
{
	const TypeCacheEntry *cache = lookup_type_cache(
		exprType(expression), TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
	WaOrderColumn *column = palloc(sizeof(WaOrderColumn));

	column->number = find_number(query, expression);
	column->descending = clause->sortop == cache->gt_opr;
	column->nulls_first = clause->nulls_first;
	return column->number >= 0 &&
				   (column->descending || clause->sortop == cache->lt_opr)
			   ? column
			   : NULL;
}

List *
wa_group_order(const PlannerInfo *root, const WaScanQuery *query)
{
	List *columns = NIL;
	ListCell *cell;

	if (!is_sorted(root->parse))
		return NIL;
	foreach (cell, root->parse->sortClause)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, cell);
		const WaOrderColumn *column = make_column(
			query, get_sortgroupclause_expr(clause, root->processed_tlist),
			clause);

		if (column == NULL)
			return NIL;
		columns = lappend(columns, (void *) column);
	}
	return columns;
}
