/*
 * limit.c
 *		Whether a query wants only the first few of its groups; see limit.h.
 *
 * That is so if nothing but ORDER BY and LIMIT is done with them.  The groups are
 * compared by the first expressions of ORDER BY that have the same value whenever
 * they are computed.  Without ORDER BY any few will do: those that are first by one of the keys.
 *
 * Below the sort PostgreSQL computes, for every group, all of the target list but
 * what it postpones (make_sort_input_target).  An error in that has to be seen
 * whatever becomes of its group.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "utils/typcache.h"

#include "heap/gather.h"
#include "scan/expr/total.h"
#include "scan/plan/group_estimate.h"
#include "scan/plan/limit.h"
#include "scan/state/rolled_query.h"

/* The share of the groups that a LIMIT of unknown size is thought to want. */
#define UNKNOWN_LIMIT 0.1

/* So many groups at most are chosen where any will do: of more it is not worth it. */
#define MOST_ANY 1000

/* Tells whether an expression may be computed at any time, and several times. */
static bool
is_stable(Node *expression)
{
	return !contain_volatile_functions(expression) &&
		   !contain_subplans(expression);
}

/* Tells whether LIMIT is that of all rows. */
static bool
is_null(const Node *expression)
{
	return expression == NULL || (IsA(expression, Const) &&
								  ((const Const *) expression)->constisnull);
}

/* Tells whether groups, or rows, go straight to ORDER BY and LIMIT. */
static bool
has_limit(PlannerInfo *root)
{
	Query *parse = root->parse;
	const bool has_groups = parse->groupClause != NIL;
	const bool has_distinct = parse->distinctClause != NIL;
	const bool is_of_rows = !has_groups && !has_distinct && !parse->hasAggs;

	return (has_groups != has_distinct || is_of_rows) &&
		   !is_null(parse->limitCount) &&
		   (root->sort_pathkeys != NIL ||
			(parse->sortClause == NIL && !is_of_rows)) &&
		   !parse->hasWindowFuncs && !parse->hasTargetSRFs &&
		   parse->rowMarks == NIL && is_stable(parse->limitCount) &&
		   is_stable(parse->limitOffset) &&
		   !contain_volatile_functions(parse->havingQual);
}

/* Collects the expressions of ORDER BY up to the first that is not stable. */
static void
collect_order(PlannerInfo *root, WaLimit *limit)
{
	ListCell *cell;

	foreach (cell, root->parse->sortClause)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, cell);
		Node *expression =
			get_sortgroupclause_expr(clause, root->processed_tlist);

		if (!is_stable(expression))
			return;
		limit->top.expressions = lappend(limit->top.expressions, expression);
		limit->top.operators =
			lappend_oid(limit->top.operators, clause->sortop);
		limit->top.nulls_first =
			lappend_int(limit->top.nulls_first, clause->nulls_first);
	}
}

/* Has groups be compared by the first key that the device process can be told of, if any. */
static void
choose_order(const WaScanQuery *query, WaLimit *limit)
{
	ListCell *cell;

	foreach (cell, query->keys)
	{
		Node *key = (Node *) lfirst(cell);
		const Oid type = exprType(key);
		const Oid less = lookup_type_cache(type, TYPECACHE_LT_OPR)->lt_opr;
		WaVectorKind kind;

		if (!wa_gather_kind(type, &kind) || kind == WA_VECTOR_TEXT ||
			!OidIsValid(less) || !is_stable(key))
			continue;
		limit->top.expressions = list_make1(key);
		limit->top.operators = list_make1_oid(less);
		limit->top.nulls_first = list_make1_int(0);
		return;
	}
}

/*
 * Tells whether a target that is computed for every group may raise an error.  The
 * first expression of ORDER BY is computed for all of them here, too.
 */
static bool
may_raise(const PathTarget *target, const List *keys, const WaLimit *limit)
{
	ListCell *cell;

	foreach (cell, target->exprs)
		if (!equal(lfirst(cell), linitial(limit->top.expressions)) &&
			!wa_is_total_over_groups((Node *) lfirst(cell), keys))
			return true;
	return false;
}

/* Returns what LIMIT or OFFSET is thought to be, or -1; NULL is null_value. */
static double
estimate(PlannerInfo *root, Node *expression, double null_value)
{
	const Const *value =
		(const Const *) estimate_expression_value(root, expression);

	if (!IsA(value, Const))
		return -1;
	return value->constisnull
			   ? null_value
			   : Max((double) DatumGetInt64(value->constvalue), 0);
}

/* Stores what LIMIT and OFFSET are. */
static void
describe_limit(PlannerInfo *root, WaLimit *limit)
{
	const Query *parse = root->parse;
	double count;
	double offset;

	limit->top.count = (Expr *) parse->limitCount;
	limit->top.offset = (Expr *) parse->limitOffset;
	if (limit->top.offset == NULL)
		limit->top.offset =
			(Expr *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
							   Int64GetDatum(0), false, FLOAT8PASSBYVAL);
	count = estimate(root, (Node *) limit->top.count, HUGE_VAL);
	offset = estimate(root, (Node *) limit->top.offset, 0);
	limit->ngroups = count < 0 || offset < 0 ? -1 : count + offset;
}

/* Describes a few groups, of which any will do: what is computed of the others does not matter. */
static void
find_any(PlannerInfo *root, const WaPlannedQuery *planned, WaLimit *limit)
{
	const WaScanQuery *query = wa_scan_query_returned(&planned->query);

	describe_limit(root, limit);
	if (query->sets == NIL && limit->ngroups >= 0 &&
		limit->ngroups <= MOST_ANY &&
		wa_is_total_over_groups((Node *) planned->having, query->keys))
		choose_order(query, limit);
	if (limit->top.expressions == NIL)
		memset(limit, 0, sizeof(*limit));
}

void
wa_limit_recognise(PlannerInfo *root, const WaPlannedQuery *planned,
				   const PathTarget *target, WaLimit *limit)
{
	const Query *parse = root->parse;
	const List *keys = wa_scan_query_keys(&planned->query);

	memset(limit, 0, sizeof(*limit));
	/* What functions of others come to is computed once for each group. */
	if (!has_limit(root) || planned->query.ntransitions > 0)
		return;
	if (parse->sortClause == NIL)
	{
		find_any(root, planned, limit);
		return;
	}
	collect_order(root, limit);
	if (limit->top.expressions != NIL && may_raise(target, keys, limit))
	{
		memset(limit, 0, sizeof(*limit));
		return;
	}
	limit->top.having_first =
		!wa_is_total_over_groups((Node *) planned->having, keys);
	limit->top.keeps_ties =
		parse->limitOption == LIMIT_OPTION_WITH_TIES ||
		list_length(limit->top.expressions) < list_length(parse->sortClause);
	describe_limit(root, limit);
}

/*
 * Returns how many of the expressions of ORDER BY are those that are distinct, if these are the
 * first ones, else 0.
 */
static int
distinct_orders(const Query *parse)
{
	const int count = list_length(parse->distinctClause);
	ListCell *cell;

	if (list_length(parse->sortClause) < count)
		return 0;
	foreach (cell, parse->distinctClause)
		if (lfirst_node(SortGroupClause, cell)->tleSortGroupRef !=
			list_nth_node(SortGroupClause, parse->sortClause,
						  foreach_current_index(cell))
				->tleSortGroupRef)
			return 0;
	return count;
}

void
wa_limit_recognise_parts(PlannerInfo *root, const WaPlannedQuery *planned,
						 const PathTarget *target, WaLimit *limit)
{
	const Query *parse = root->parse;
	const int nparts = distinct_orders(parse);

	memset(limit, 0, sizeof(*limit));
	if (nparts == 0 || parse->hasWindowFuncs || parse->hasTargetSRFs)
		return;
	collect_order(root, limit);
	if (list_length(limit->top.expressions) < list_length(parse->sortClause) ||
		may_raise(target, wa_scan_query_keys(&planned->query), limit))
	{
		memset(limit, 0, sizeof(*limit));
		return;
	}
	limit->top.nparts = nparts;
	limit->ngroups = wa_estimate_groups(
		root, list_copy_head(limit->top.expressions, nparts), planned->rows);
}

double
wa_limit_estimate(const WaLimit *limit, double ngroups)
{
	if (limit->top.expressions == NIL)
		return ngroups;
	return limit->ngroups < 0 ? clamp_row_est(ngroups * UNKNOWN_LIMIT)
							  : Min(Max(limit->ngroups, 1), ngroups);
}
