/*
 * rows_path.c
 *		Paths for a few rows of a table; see rows_path.h.
 *
 * PostgreSQL takes a path for first rows for one that returns the rows of the table in their
 * order.  It returns no more of them than LIMIT and OFFSET let through, so nothing may be
 * between: no grouping, join or lock.  What PostgreSQL would compute for each row before it sorts
 * them must raise no errors, as it is computed for the first ones alone.  A path for the rows that
 * WHERE selects returns all of these.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/tlist.h"

#include "scan/expr/compile.h"
#include "scan/plan/node_path.h"
#include "scan/plan/path_cost.h"
#include "scan/plan/planner_compat.h"
#include "scan/plan/resident_plan.h"
#include "scan/plan/resident_worth.h"
#include "scan/plan/rows_path.h"
#include "scan/plan/suggest.h"
#include "scan/plan/top_n.h"
#include "scan/state/plan.h"
#include "settings.h"

static const CustomScanMethods rows_scan_methods = {
	.CustomName = "WarpAgg Rows",
	.CreateCustomScanState = wa_first_rows_create_state,
};

/* Makes the plan: what it returns are columns of the table, as of any scan. */
static Plan *
make_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist,
		  List *clauses, List *custom_plans)
{
	const Var *place = wa_compiler_place(rel->relid);
	CustomScan *scan = makeNode(CustomScan);
	ListCell *cell;

	scan->scan.plan.targetlist = tlist;
	scan->scan.scanrelid = rel->relid;
	scan->flags = path->flags;
	scan->methods = &rows_scan_methods;
	scan->custom_plans = custom_plans;
	foreach (cell, ((const Plan *) linitial(custom_plans))->targetlist)
		if (equal(lfirst_node(TargetEntry, cell)->expr, place))
			scan->custom_private =
				list_make2(makeInteger(foreach_current_index(cell) + 1),
						   makeInteger(path->path.pathkeys != NIL));
	if (scan->custom_private == NIL)
		elog(ERROR, "the places of rows are missing");
	return &scan->scan.plan;
}

static const CustomPathMethods rows_path_methods = {
	.CustomName = "WarpAgg Rows",
	.PlanCustomPath = make_plan,
};

/* Tells whether a level of a query reads rows of a table, and of no other. */
static bool
reads_rows(const PlannerInfo *root, const RelOptInfo *relation)
{
	return root->parse->commandType == CMD_SELECT &&
		   relation->reloptkind == RELOPT_BASEREL &&
		   relation->rtekind == RTE_RELATION &&
		   bms_equal(root->all_baserels, relation->relids) &&
		   root->parse->rowMarks == NIL;
}

/* Tells whether it wants the first of them, and nothing else. */
static bool
wants_first(const PlannerInfo *root)
{
	const Query *parse = root->parse;

	return (parse->hasDistinctOn ||
			(parse->limitCount != NULL && parse->distinctClause == NIL &&
			 parse->limitOption == LIMIT_OPTION_COUNT)) &&
		   parse->sortClause != NIL && root->sort_pathkeys != NIL &&
		   root->query_pathkeys == root->sort_pathkeys && !parse->hasAggs &&
		   parse->groupClause == NIL && parse->groupingSets == NIL &&
		   parse->havingQual == NULL && parse->setOperations == NULL;
}

/*
 * Returns the cost of the cheapest path that a relation has so far, for the share of its rows
 * that LIMIT wants if they come in their order; to sort others costs more.
 */
static Cost
rival_cost(const PlannerInfo *root, const RelOptInfo *relation)
{
	const double share =
		root->limit_tuples < 0
			? 1
			: Min(root->limit_tuples / Max(relation->rows, 1), 1);
	Cost least = -1;
	ListCell *cell;

	foreach (cell, relation->pathlist)
	{
		const Path *path = (const Path *) lfirst(cell);
		Cost cost = path->total_cost;

		if (pathkeys_contained_in(root->sort_pathkeys, path->pathkeys))
			cost = path->startup_cost + share * (cost - path->startup_cost);
		if (least < 0 || cost < least)
			least = cost;
	}
	return least;
}

/*
 * Returns what rows are groups by: what they are ordered by, if the first are wanted, and where
 * they lie.
 */
static WaGrouping
group_rows(const PlannerInfo *root, const RelOptInfo *relation, bool is_first)
{
	WaGrouping grouping = {NIL, NIL, NIL, NIL};
	ListCell *cell;

	foreach (cell, is_first ? root->parse->sortClause : NIL)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, cell);
		Node *key = get_sortgroupclause_expr(clause, root->processed_tlist);

		if (list_member(grouping.keys, key))
			continue;
		grouping.clauses = lappend(grouping.clauses, clause);
		grouping.keys = lappend(grouping.keys, key);
	}
	grouping.keys = lappend(grouping.keys, wa_compiler_place(relation->relid));
	return grouping;
}

/* Returns the target of the keys of a grouping. */
static PathTarget *
target_of_keys(PlannerInfo *root, const WaGrouping *grouping)
{
	PathTarget *target = create_empty_pathtarget();

	add_new_columns_to_pathtarget(target, grouping->keys);
	return set_pathtarget_cost_width(root, target);
}

/* Recognises the rows; returns false if the node does not find them, or the first of them. */
static bool
recognise(PlannerInfo *root, RelOptInfo *relation, const WaGrouping *grouping,
		  bool is_first, WaPlannedQuery *planned, WaLimit *limit)
{
	const PathTarget *target;

	memset(limit, 0, sizeof(*limit));
	if (wa_planned_query_recognise(root, relation, grouping, planned) != NULL ||
		planned->sources.has_children || planned->sources.taken == NIL ||
		planned->joins.list != NIL || !planned->can_push)
		return false;
	if (!is_first)
		return true;
	/* The final target has no rows to be computed of that are left out here. */
	target = make_pathtarget_from_tlist(root->processed_tlist);
	if (root->parse->hasDistinctOn)
		wa_limit_recognise_parts(root, planned, target, limit);
	else
		wa_limit_recognise(root, planned, target, limit);
	return wa_top_n_is_all(&planned->query, limit);
}

/* Makes the path of what finds the rows; the first ones are sorted. */
static Path *
make_finding_path(PlannerInfo *root, RelOptInfo *relation,
				  const WaGrouping *grouping, bool is_first,
				  WaPlannedQuery *planned, const WaLimit *limit)
{
	RelOptInfo *found = palloc(sizeof(RelOptInfo));
	CustomPath *path;

	/* Its clauses are the node's, which has no workers: all would find first rows. */
	*found = *relation;
	found->reloptkind = RELOPT_UPPER_REL;
	found->baserestrictinfo = NIL;
	found->consider_parallel = false;
	path = wa_node_path_make(root, found, target_of_keys(root, grouping),
							 planned, limit);
	path->path.rows = planned->ngroups;
	if (!is_first)
		return &path->path;
	return (Path *) create_sort_path(root, found, &path->path,
									 root->sort_pathkeys, root->limit_tuples);
}

/* Makes the path that reads the rows that another one finds, on pages of their own. */
static Path *
make_reading_path(PlannerInfo *root, RelOptInfo *relation, Path *finding)
{
	CustomPath *path = makeNode(CustomPath);
	const double pages =
		index_pages_fetched(finding->rows, relation->pages, 0, root);

	path->path.pathtype = T_CustomScan;
	path->path.parent = relation;
	path->path.pathtarget = relation->reltarget;
	path->path.pathkeys = finding->pathkeys;
	path->path.rows = finding->rows;
	path->path.startup_cost =
		finding->startup_cost + relation->reltarget->cost.startup;
	path->path.total_cost =
		finding->total_cost + relation->reltarget->cost.startup +
		pages * random_page_cost +
		finding->rows * (cpu_tuple_cost + relation->reltarget->cost.per_tuple);
	disable_like_compat(&path->path, finding);
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_paths = list_make1(finding);
	path->methods = &rows_path_methods;
	return &path->path;
}

/*
 * Has the columns be loaded by which rows would be found at less costs than by PostgreSQL's
 * cheapest path.
 */
static void
suggest(PlannerInfo *root, RelOptInfo *relation, WaPlannedQuery *planned,
		const WaLimit *limit)
{
	Path loaded = {.pathtarget = relation->reltarget};

	if (!wa_suggest_is_possible(planned))
		return;
	wa_resident_plan(root, planned, limit, 0, wa_path_filling(planned), true);
	wa_path_set_costs(&loaded, root, planned, limit, 0);
	if (loaded.total_cost < rival_cost(root, relation))
		wa_suggest_planned(root, planned);
}

/*
 * Adds a path for the first rows, or for all that WHERE selects; returns false if the node does not
 * find them.
 */
static bool
add_rows(PlannerInfo *root, RelOptInfo *relation, bool is_first)
{
	WaPlannedQuery *planned = palloc(sizeof(WaPlannedQuery));
	WaLimit *limit = palloc(sizeof(WaLimit));
	const WaGrouping grouping = group_rows(root, relation, is_first);
	Path *path;

	if (!recognise(root, relation, &grouping, is_first, planned, limit))
		return false;
	path = make_reading_path(
		root, relation,
		make_finding_path(root, relation, &grouping, is_first, planned, limit));
	if (planned->resident_share == 0)
		suggest(root, relation, planned, limit);
	else if (wa_resident_plan_has_tables(root, planned))
		add_path(relation, path);
	return true;
}

void
wa_rows_path_add(PlannerInfo *root, RelOptInfo *relation)
{
	if (!reads_rows(root, relation) || !wa_enable_resident ||
		!wa_resident_is_large(relation->pages) ||
		rival_cost(root, relation) <= WA_ASKING_COST)
		return;
	if (wants_first(root) && add_rows(root, relation, true))
		return;
	if (relation->baserestrictinfo != NIL &&
		wa_resident_takes_groups(relation->pages, relation->rows, 0))
		(void) add_rows(root, relation, false);
}

void
wa_rows_path_init(void)
{
	RegisterCustomScanMethods(&rows_scan_methods);
}
