/*
 * planner_compat.h
 *		Differences between versions of PostgreSQL's planner.
 */
#ifndef WA_SCAN_PLANNER_COMPAT_H
#define WA_SCAN_PLANNER_COMPAT_H

#include "nodes/parsenodes.h"
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"
#include "optimizer/appendinfo.h"
#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planmain.h"
#include "parser/parse_relation.h"
#include "rewrite/rewriteManip.h"

/* Makes a path that appends what others return, of a relation of the query. */
static inline Path *
append_path_compat(PlannerInfo *root, RelOptInfo *relation, List *paths)
{
#if PG_VERSION_NUM >= 190000
	const AppendPathInput input = {.subpaths = paths};

	return &create_append_path(root, relation, input, NIL, NULL, 0, false, -1)
				->path;
#else
	return &create_append_path(root, relation, paths, NIL, NIL, NULL, 0, false,
							   -1)
				->path;
#endif
}

/* Returns expressions over a relation of the query as ones over one of its children. */
static inline List *
expressions_of_child_compat(PlannerInfo *root, List *expressions,
							RelOptInfo *relation, RelOptInfo *child)
{
#if PG_VERSION_NUM >= 160000
	return (List *) adjust_appendrel_attrs_multilevel(
		root, (Node *) expressions, child, relation);
#else
	return (List *) adjust_appendrel_attrs_multilevel(
		root, (Node *) expressions, child->relids, relation->relids);
#endif
}

/* What leaves one of the rows that are equal, which 19 has no other kind beside. */
#if PG_VERSION_NUM >= 190000
typedef UniquePath WaDistinctPath;
#define T_DISTINCT_PATH_COMPAT T_UniquePath
#else
typedef UpperUniquePath WaDistinctPath;
#define T_DISTINCT_PATH_COMPAT T_UpperUniquePath
#endif

/* Says of a path that it is one of those that PostgreSQL is told to do without. */
static inline void
disable_path_compat(Path *path)
{
#if PG_VERSION_NUM >= 180000
	path->disabled_nodes++;
#else
	path->startup_cost += disable_cost;
#endif
}

/* Returns what it costs to sort so many tuples of a width, in so many kilobytes. */
static inline Cost
sort_cost_compat(PlannerInfo *root, double tuples, int width, int memory)
{
	Path sort = {.type = T_Path};

#if PG_VERSION_NUM >= 180000
	cost_sort(&sort, root, NIL, 0, 0, tuples, width, 0, memory, -1);
#else
	cost_sort(&sort, root, NIL, 0, tuples, width, 0, memory, -1);
#endif
	return sort.total_cost;
}

/*
 * Returns an expression that is a key of grouping sets as one of the rows that are grouped, where it
 * is never NULL for not being in a set.
 */
static inline Node *
ungrouped_compat(const PlannerInfo *root, Node *key)
{
#if PG_VERSION_NUM >= 180000
	if (root->group_rtindex > 0)
		return remove_nulling_relids(
			key, bms_make_singleton(root->group_rtindex), NULL);
#endif
	return key;
}

/* Tells whether rows come to an aggregate in the order that it wants, or DISTINCT does. */
static inline bool
is_presorted_compat(const Aggref *aggref)
{
#if PG_VERSION_NUM >= 160000
	return aggref->aggpresorted;
#else
	return false;
#endif
}

/* Says so of a path above another one of which that is said. */
static inline void
disable_like_compat(Path *path, const Path *below)
{
#if PG_VERSION_NUM >= 180000
	path->disabled_nodes = below->disabled_nodes;
#endif
}

/* Has all strategies be allowed for a new relation that are for others. */
static inline void
set_strategies_compat(PlannerInfo *root, RelOptInfo *relation)
{
#if PG_VERSION_NUM >= 190000
	relation->pgs_mask = root->glob->default_pgs_mask;
#endif
}

/* Tells whether PostgreSQL lists the indexes of a table with partitions. */
static inline bool
lists_partitioned_indexes_compat(void)
{
#if PG_VERSION_NUM >= 160000
	return true;
#else
	return false;
#endif
}

/* Has a column be one that outer joins may make NULL. */
static inline void
set_nulling_compat(Var *column, Relids joins)
{
#if PG_VERSION_NUM >= 160000
	column->varnullingrels = joins;
#endif
}

/* Has a column also be one that outer joins may make NULL which another one is behind. */
static inline void
add_nulling_compat(Var *column, const Var *other)
{
#if PG_VERSION_NUM >= 160000
	column->varnullingrels =
		bms_union(column->varnullingrels, other->varnullingrels);
#endif
}

/* Has rights to a table of a query be checked as the only ones of another query. */
static inline void
move_permissions_compat(Query *from, Query *to, RangeTblEntry *entry)
{
#if PG_VERSION_NUM >= 160000
	if (entry->perminfoindex == 0)
		return;
	to->rteperminfos =
		list_make1(getRTEPermissionInfo(from->rteperminfos, entry));
	entry->perminfoindex = 1;
#endif
}

/* Tells whether a plan is dearer than another one. */
static inline bool
is_dearer_compat(const Plan *plan, const Plan *other)
{
#if PG_VERSION_NUM >= 180000
	if (plan->disabled_nodes != other->disabled_nodes)
		return plan->disabled_nodes > other->disabled_nodes;
#endif
	return plan->total_cost > other->total_cost;
}

/* Tells whether a relation has no two rows for which clauses of a join can be true. */
static inline bool
has_unique_index_compat(PlannerInfo *root, RelOptInfo *relation, List *clauses)
{
#if PG_VERSION_NUM >= 190000
	return relation_has_unique_index_for(root, relation, clauses, NULL);
#else
	return relation_has_unique_index_for(root, relation, clauses, NIL, NIL);
#endif
}

/*
 * Tells whether no two rows of a query, which PostgreSQL can tell of, are equal in some of
 * its columns, by operators.
 */
static inline bool
is_distinct_compat(Query *query, List *columns, List *operators)
{
#if PG_VERSION_NUM >= 190000
	List *infos = NIL;
	ListCell *column;
	ListCell *operator;

	forboth(column, columns, operator, operators)
	{
		DistinctColInfo *info = palloc0(sizeof(DistinctColInfo));

		info->colno = lfirst_int(column);
		info->opid = lfirst_oid(operator);
		infos = lappend(infos, info);
	}
	return query_is_distinct_for(query, infos);
#else
	return query_is_distinct_for(query, columns, operators);
#endif
}

/* Returns the relations of a join of two, by `info` (NULL: an inner one). */
static inline Relids
joined_relids_compat(const RelOptInfo *outer, const RelOptInfo *inner,
					 const SpecialJoinInfo *info)
{
	Relids relids = bms_union(outer->relids, inner->relids);

#if PG_VERSION_NUM >= 160000
	if (info != NULL && info->ojrelid != 0)
		relids = bms_add_member(relids, (int) info->ojrelid);
#endif
	return relids;
}

/*
 * Returns the clauses (RestrictInfo) that PostgreSQL puts on such a join of two relations,
 * of which it has thought.
 */
static inline List *
join_clauses_compat(PlannerInfo *root, Relids relids, RelOptInfo *outer,
					RelOptInfo *inner, SpecialJoinInfo *info)
{
	SpecialJoinInfo inner_join = {.type = T_SpecialJoinInfo,
								  .min_lefthand = outer->relids,
								  .min_righthand = inner->relids,
								  .syn_lefthand = outer->relids,
								  .syn_righthand = inner->relids,
								  .jointype = JOIN_INNER};
	List *clauses = NIL;

	if (info == NULL)
		info = &inner_join;
#if PG_VERSION_NUM >= 160000
	(void) build_join_rel(root, relids, outer, inner, info, NIL, &clauses);
#else
	(void) build_join_rel(root, relids, outer, inner, info, &clauses);
#endif
	return clauses;
}

/* What may be aggregated of a relation before it is joined; see below. */
typedef struct WaEagerAggregation
{
	RelOptInfo *relation; /* that its paths belong to */
	PathTarget *target;   /* keys, and aggregates as partial ones */
	List *clauses;        /* SortGroupClause of each key */
	List *keys;
	double ngroups; /* that PostgreSQL expects */
} WaEagerAggregation;

/*
 * Finds out whether the planner thinks of aggregating a base relation's rows below a
 * join ("eager aggregation"), as it does from 19 on.
 */
static inline bool
eager_aggregation_compat(const RelOptInfo *relation, WaEagerAggregation *eager)
{
#if PG_VERSION_NUM >= 190000
	const RelAggInfo *info;

	if (relation->grouped_rel == NULL)
		return false;
	info = relation->grouped_rel->agg_info;
	if (!info->agg_useful)
		return false;
	*eager = (WaEagerAggregation){relation->grouped_rel, info->target,
								  info->group_clauses, info->group_exprs,
								  info->grouped_rows};
	return true;
#else
	return false;
#endif
}

#endif /* WA_SCAN_PLANNER_COMPAT_H */
