/*
 * planned_sources.c
 *		The tables that a node would read; see planned_sources.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "scan/expr/errors.h"
#include "scan/plan/group_estimate.h"
#include "scan/plan/planned_sources.h"
#include "scan/plan/planner_compat.h"
#include "scan/plan/pushed_sources.h"

/* Returns what is wrong with the table as the catalog has it, or NULL. */
static const char *
check_class(Oid relation)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Form_pg_class class;
	const char *reason = NULL;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", relation);
	class = (Form_pg_class) GETSTRUCT(tuple);
	if (class->relkind == RELKIND_FOREIGN_TABLE)
		reason = "it is over a foreign table";
	else if (class->relkind != RELKIND_RELATION &&
			 class->relkind != RELKIND_MATVIEW)
		reason = "it is not over a table";
	else if (class->relam != HEAP_TABLE_AM_OID)
		reason = "the table is not a heap";
	else if (class->relpersistence == RELPERSISTENCE_TEMP)
		reason = "the table is temporary";
	ReleaseSysCache(tuple);
	return reason;
}

/* Tells whether a path is one of PostgreSQL's own that reads a table's heap. */
static bool
reads_heap(const Path *path)
{
	if (IsA(path, ProjectionPath))
		return reads_heap(((const ProjectionPath *) path)->subpath);
	switch (path->pathtype)
	{
		case T_SeqScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
		case T_TidScan:
		case T_TidRangeScan:
			return true;
		case T_Gather:
			return reads_heap(((const GatherPath *) path)->subpath);
		case T_GatherMerge:
			return reads_heap(((const GatherMergePath *) path)->subpath);
		default:
			return false;
	}
}

/*
 * Tells whether the rows of a table are those of its heap.  If they are elsewhere, too,
 * as those of TimescaleDB's compressed chunks, whoever knows has replaced all paths.
 */
static bool
is_in_heap(const RelOptInfo *relation)
{
	ListCell *cell;

	foreach (cell, relation->pathlist)
		if (reads_heap((const Path *) lfirst(cell)))
			return true;
	return false;
}

/* Returns what is wrong with a table of the query, or NULL. */
static const char *
check_table(const RangeTblEntry *entry, const RelOptInfo *relation)
{
	const char *reason;

	if (entry->relid < FirstNormalObjectId)
		return "the table is a system catalog";
	reason = check_class(entry->relid);
	if (reason == NULL && !is_in_heap(relation))
		reason = "another extension reads the table";
	return reason;
}

/* Adds a table to those that the node reads. */
static void
take(WaPlannedSources *sources, RelOptInfo *relation)
{
	sources->taken = lappend(sources->taken, relation);
	sources->pages += relation->pages;
	sources->tuples += relation->tuples;
	sources->rows += relation->rows;
}

/* Returns what it costs to have the rows of a path, and to take them. */
static Cost
cost_of_rows(const Path *path)
{
	return path->total_cost + path->rows * 2 * cpu_tuple_cost;
}

/* Adds a table to those that PostgreSQL reads. */
static void
leave(WaPlannedSources *sources, RelOptInfo *relation)
{
	const Path *path = relation->cheapest_total_path;

	sources->others = lappend(sources->others, relation);
	sources->others_cost += cost_of_rows(path);
}

/*
 * Adds the tables of a relation that has children, one after the other, and theirs; stores
 * what is wrong with those that cannot be taken.
 */
static void
take_children(PlannerInfo *root, const RelOptInfo *parent,
			  WaPlannedSources *sources, const char **reason)
{
	ListCell *cell;
	int nchildren = 0;

	check_stack_depth();
	foreach (cell, root->append_rel_list)
	{
		const AppendRelInfo *info = lfirst_node(AppendRelInfo, cell);
		const RangeTblEntry *entry;
		RelOptInfo *child;
		const char *refusal;

		if (info->parent_relid != parent->relid)
			continue;
		nchildren++;
		child = root->simple_rel_array[info->child_relid];
		entry = planner_rt_fetch(info->child_relid, root);
		if (child == NULL || IS_DUMMY_REL(child))
			continue;
		if (entry->inh)
		{
			/* Its own are counted instead. */
			sources->nchildren--;
			take_children(root, child, sources, reason);
			continue;
		}
		refusal = check_table(entry, child);
		if (refusal == NULL)
			take(sources, child);
		else
			leave(sources, child);
		*reason = refusal == NULL ? *reason : refusal;
	}
	/* Of a partitioned table those that were pruned at once are not in the list. */
	sources->nchildren += Max(nchildren, parent->nparts);
}

/* Tells whether another server may aggregate rows. */
static bool
may_be_pushed(const WaPlannedSources *sources)
{
	ListCell *cell;

	foreach (cell, sources->others)
		if (wa_pushed_sources_may_have((const RelOptInfo *) lfirst(cell)))
			return true;
	return false;
}

const char *
wa_planned_sources_find(PlannerInfo *root, RelOptInfo *relation,
						WaPlannedSources *sources)
{
	const RangeTblEntry *entry = planner_rt_fetch(relation->relid, root);
	const char *reason = "no row can fulfil WHERE";

	sources->has_children = entry->inh;
	if (entry->inh)
	{
		take_children(root, relation, sources, &reason);
		sources->refusal = reason;
		return sources->taken == NIL && !may_be_pushed(sources) ? reason : NULL;
	}
	take(sources, relation);
	return check_table(entry, relation);
}

Relation
wa_planned_sources_open(PlannerInfo *root, const RelOptInfo *relation)
{
	return table_open(planner_rt_fetch(relation->relid, root)->relid, NoLock);
}

/* Tells whether a path is a scan by an index. */
static bool
is_by_index(const Path *path)
{
	if (IsA(path, ProjectionPath))
		path = ((const ProjectionPath *) path)->subpath;
	return IsA(path, IndexPath) || IsA(path, BitmapHeapPath);
}

/* Leaves to PostgreSQL what it has sooner by an index. */
static void
leave_to_indexes(WaPlannedSources *sources, Cost block, Cost row)
{
	List *all = sources->taken;
	ListCell *cell;

	sources->taken = NIL;
	sources->pages = sources->tuples = sources->rows = 0;
	foreach (cell, all)
	{
		RelOptInfo *relation = (RelOptInfo *) lfirst(cell);
		const Path *path = relation->cheapest_total_path;

		if (is_by_index(path) &&
			cost_of_rows(path) <
				relation->pages * block + relation->tuples * row)
			leave(sources, relation);
		else
			take(sources, relation);
	}
}

/* Returns what it costs to take so many rows of PostgreSQL's, or groups of other servers. */
static Cost
cost_of_taking(const WaScanQuery *query, double rows)
{
	return rows * (2 * cpu_tuple_cost +
				   cpu_operator_cost * list_length(query->aggregates));
}

/* Returns what it costs to have the groups of a path, which may be fewer than it expects. */
static Cost
cost_of_groups(const WaScanQuery *query, const Path *path, double ngroups)
{
	const double share = Min(ngroups / Max(path->rows, 1), 1);

	return path->startup_cost +
		   (path->total_cost - path->startup_cost) * share +
		   cost_of_taking(query, path->rows * share);
}

/* Leaves to other servers what they can aggregate, if their groups cost less than rows. */
static void
leave_to_servers(PlannerInfo *root, RelOptInfo *relation,
				 const WaScanQuery *query, WaPlannedSources *sources)
{
	List *all = sources->others;
	ListCell *cell;
	double ngroups;

	/* They group by the clauses of the query's GROUP BY, and nothing else. */
	if (list_length(query->keys) != list_length(root->parse->groupClause))
		return;
	sources->results = wa_pushed_sources_results(query);
	if (sources->results == NIL)
		return;
	ngroups = wa_estimate_groups(root, query->keys, relation->rows);
	sources->others = NIL;
	sources->others_cost = 0;
	foreach (cell, all)
	{
		RelOptInfo *child = (RelOptInfo *) lfirst(cell);
		const Path *rows = child->cheapest_total_path;
		Path *path = NULL;
		Cost cost = 0;

		if (wa_pushed_sources_may_have(child))
			path =
				wa_pushed_sources_path(root, relation, child, sources->results);
		if (path != NULL)
			cost = cost_of_groups(query, path, ngroups);
		if (path == NULL ||
			cost >= rows->total_cost + cost_of_taking(query, rows->rows))
		{
			leave(sources, child);
			continue;
		}
		sources->pushed = lappend(sources->pushed, path);
		sources->pushed_cost += cost;
	}
}

const char *
wa_planned_sources_share(PlannerInfo *root, RelOptInfo *relation,
						 const WaScanQuery *query, Cost block, Cost row,
						 WaPlannedSources *sources)
{
	const bool had_taken = sources->taken != NIL;

	if (!sources->has_children)
		return NULL;
	leave_to_indexes(sources, block, row);
	/* Servers would have to join their rows. */
	if (query->joins.list == NIL && may_be_pushed(sources))
		leave_to_servers(root, relation, query, sources);
	if (sources->taken != NIL || sources->pushed != NIL)
		return NULL;
	return had_taken ? "an index scan costs less" : sources->refusal;
}

/* Makes the path of a source, which returns no rows. */
static Path *
source_path(RelOptInfo *relation, const struct CustomPathMethods *methods)
{
	CustomPath *path = makeNode(CustomPath);

	path->path.pathtype = T_CustomScan;
	path->path.parent = relation;
	path->path.pathtarget = create_empty_pathtarget();
	path->methods = methods;
	return &path->path;
}

/* Makes the path of a table that PostgreSQL reads, which returns some columns. */
static Path *
other_path(PlannerInfo *root, RelOptInfo *relation, RelOptInfo *child,
		   List *columns)
{
	PathTarget *target = create_empty_pathtarget();
	Path *path = child->cheapest_total_path;

	/* What scans can compute any target from their tables. */
	if (IsA(path, ProjectionPath))
		path = ((ProjectionPath *) path)->subpath;
	add_new_columns_to_pathtarget(
		target, expressions_of_child_compat(root, columns, relation, child));
	return (Path *) create_projection_path(
		root, child, path, set_pathtarget_cost_width(root, target));
}

/* Tells whether partitions of a relation may be pruned when the plan runs. */
static bool
is_pruned_later(const RelOptInfo *relation)
{
	ListCell *cell;

	foreach (cell, relation->baserestrictinfo)
	{
		Node *clause = (Node *) lfirst_node(RestrictInfo, cell)->clause;

		if (relation->part_scheme != NULL &&
			(wa_has_parameter(clause) || contain_mutable_functions(clause)))
			return true;
	}
	return false;
}

/*
 * Returns paths for an Append.  PostgreSQL does without one over a single path, and prunes
 * nothing then; so there is another one that returns no rows.
 */
static List *
paths_to_prune(PlannerInfo *root, RelOptInfo *relation, List *paths)
{
	if (list_length(paths) > 1 || !is_pruned_later(relation))
		return paths;
	return lappend(
		list_copy(paths),
		create_group_result_path(root, relation, create_empty_pathtarget(),
								 list_make1(makeBoolConst(false, false))));
}

/* Makes the path of sources, and of rows of PostgreSQL's plans. */
static Path *
feed_path(PlannerInfo *root, RelOptInfo *relation,
		  const WaPlannedSources *sources,
		  const struct CustomPathMethods *methods, List *columns)
{
	PathTarget *target = create_empty_pathtarget();
	List *paths = NIL;
	ListCell *cell;
	Path *path;

	foreach (cell, sources->taken)
		paths = lappend(paths, source_path(lfirst(cell), methods));
	foreach (cell, sources->others)
		paths =
			lappend(paths, other_path(root, relation, lfirst(cell), columns));
	if (sources->pushed != NIL)
		paths = paths_to_prune(root, relation, paths);
	path = append_path_compat(root, relation, paths);
	add_new_columns_to_pathtarget(target, columns);
	path->pathtarget = set_pathtarget_cost_width(root, target);
	return path;
}

List *
wa_planned_sources_paths(PlannerInfo *root, RelOptInfo *relation,
						 const WaPlannedSources *sources,
						 const struct CustomPathMethods *methods, List *columns)
{
	List *paths = NIL;

	if (sources->taken != NIL || sources->others != NIL)
		paths = lappend(paths,
						feed_path(root, relation, sources, methods, columns));
	if (sources->pushed != NIL)
		paths =
			lappend(paths, wa_pushed_sources_append(
							   root, relation,
							   paths_to_prune(root, relation, sources->pushed),
							   sources->results));
	return paths;
}
