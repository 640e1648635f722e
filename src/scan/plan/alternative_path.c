/*
 * alternative_path.c
 *		PostgreSQL's path for a grouping, beside ours; see alternative_path.h.
 *
 * What is joined has a plan below our node.  Where no second one is made the alternative reads
 * the rows of that again (scan/node/again.h), by a node in the place of a scan.
 */
#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/tlist.h"

#include "scan/plan/alternative_path.h"
#include "scan/plan/serial_path.h"
#include "scan/state/plan.h"
#include "scan/state/rolled_query.h"

/* What an alternative is made for. */
typedef struct Making
{
	PlannerInfo *root;
	const WaPlannedJoins *joins;
} Making;

static const CustomScanMethods again_scan_methods = {
	.CustomName = "WarpAgg Joined",
	.CreateCustomScanState = wa_again_create_state,
};

/* Makes the plan that reads rows again: they have fulfilled the clauses of their relation. */
static Plan *
make_again_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path,
				List *tlist, List *clauses, List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);
	ListCell *cell;

	foreach (cell, rel->reltarget->exprs)
		scan->custom_scan_tlist = lappend(
			scan->custom_scan_tlist,
			makeTargetEntry((Expr *) lfirst(cell),
							(AttrNumber) (foreach_current_index(cell) + 1),
							NULL, false));
	scan->scan.plan.targetlist = tlist;
	scan->custom_private = path->custom_private;
	scan->flags = path->flags;
	scan->methods = &again_scan_methods;
	return &scan->scan.plan;
}

static const CustomPathMethods again_path_methods = {
	.CustomName = "WarpAgg Joined",
	.PlanCustomPath = make_again_plan,
};

/* Returns the place of a relation among those that are joined, or -1. */
static int
place_of(const WaPlannedJoins *joins, const RelOptInfo *relation)
{
	ListCell *cell;

	foreach (cell, joins->relations)
		if (lfirst(cell) == relation)
			return foreach_current_index(cell);
	return -1;
}

/*
 * Returns a path that returns the rows of a joined relation as the plan below our node does,
 * in the order of another path; NULL: there is none.
 */
static Path *
read_again(const Path *path, void *context)
{
	const Making *making = context;
	RelOptInfo *relation = path->parent;
	const int place = place_of(making->joins, relation);
	const Path *joined;
	CustomPath *again;

	/* One path of a relation may leave rows that are equal out. */
	if (place < 0 || path->param_info != NULL || IsA(path, UniquePath))
		return NULL;
	joined = (const Path *) list_nth(making->joins->paths, place);
	again = makeNode(CustomPath);
	again->path.pathtype = T_CustomScan;
	again->path.parent = relation;
	again->path.pathtarget = relation->reltarget;
	again->path.rows = joined->rows;
	again->path.startup_cost = joined->startup_cost;
	again->path.total_cost = joined->total_cost;
	again->path.pathkeys = joined->pathkeys;
	again->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	again->custom_private = list_make1(makeInteger(place));
	again->methods = &again_path_methods;
	if (pathkeys_contained_in(path->pathkeys, joined->pathkeys))
		return &again->path;
	return &create_sort_path(making->root, relation, &again->path,
							 path->pathkeys, -1)
				->path;
}

/* Returns the cheapest path that aggregates, which come in the order of their costs. */
static const Path *
find_cheapest(const RelOptInfo *output_rel)
{
	ListCell *cell;

	foreach (cell, output_rel->pathlist)
		if (IsA(lfirst(cell), AggPath))
			return (const Path *) lfirst(cell);
	return NULL;
}

/* Returns what the scan tuple of our node has. */
static PathTarget *
make_target(PlannerInfo *root, const WaScanQuery *query)
{
	const WaScanQuery *returned = wa_scan_query_returned(query);
	PathTarget *target = create_empty_pathtarget();

	target->exprs = list_concat_copy(returned->keys, returned->aggregates);
	target->exprs = list_concat(target->exprs, query->dependents);
	return set_pathtarget_cost_width(root, target);
}

Path *
wa_alternative_path(PlannerInfo *root, const RelOptInfo *output_rel,
					const WaPlannedQuery *planned,
					const struct CustomPathMethods *ours)
{
	Making making = {root, &planned->joins};
	const WaSerialPaths copying = {root, ours, read_again, &making};
	const Path *cheapest = find_cheapest(output_rel);
	Path *path = cheapest == NULL ? NULL : wa_serial_path(&copying, cheapest);

	if (path != NULL)
		path->pathtarget = make_target(root, &planned->query);
	return path;
}

void
wa_alternative_path_init(void)
{
	RegisterCustomScanMethods(&again_scan_methods);
}
