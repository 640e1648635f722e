/*
 * path.c
 *		Brings the node of the scan tier into plans; see path.h.
 *
 * The hook is called when PostgreSQL has made its own paths for a grouping; ours
 * is added beside them, and the cheapest wins.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/planner.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"

#include "scan/path.h"
#include "scan/plan.h"
#include "scan/shape.h"
#include "settings.h"

/*
 * What a row costs before anything is computed with it, and an instruction of
 * the query program or the reading of a column, in the planner's units.  A
 * sequential scan's row (cpu_tuple_cost, 0.01) and an aggregate's transition
 * (cpu_operator_cost, 0.0025) take about 25 and 8 ns where ours take about 3
 * and 1.5 (bench/scan.sh).
 */
#define ROW_COST         0.0012
#define INSTRUCTION_COST 0.0005

/* What an aggregate costs for each group, and each group by itself. */
#define RESULT_COST 0.0025
#define GROUP_COST  0.0075

static create_upper_paths_hook_type previous_hook = NULL;

/* Finds parameters, which the planner looks for in custom_exprs. */
static bool
collect_parameters(Node *node, List **parameters)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param))
		*parameters = list_append_unique(*parameters, node);
	return expression_tree_walker(node, collect_parameters, parameters);
}

/* Appends an expression to a target list. */
static List *
append_target(List *targets, Expr *expression)
{
	return lappend(
		targets,
		makeTargetEntry(expression, list_length(targets) + 1, NULL, false));
}

/* Makes the node's plan, for CustomPathMethods. */
static Plan *
make_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist,
		  List *clauses, List *custom_plans)
{
	static const CustomScanMethods methods = {
		.CustomName = "WarpAgg",
		.CreateCustomScanState = wa_scan_create_state,
	};
	const WaShape *shape = (const WaShape *) linitial(path->custom_private);
	CustomScan *scan = makeNode(CustomScan);
	List *used = list_concat_copy(shape->keys, shape->aggregates);
	List *targets = NIL;
	List *parameters = NIL;
	List *vars;
	ListCell *cell;

	foreach (cell, used)
		targets = append_target(targets, (Expr *) lfirst(cell));
	(void) collect_parameters((Node *) used, &parameters);
	vars = pull_var_clause((Node *) list_concat(used, shape->filters),
						   PVC_RECURSE_AGGREGATES | PVC_RECURSE_PLACEHOLDERS);
	foreach (cell, list_concat_unique(NIL, vars))
		targets = append_target(targets, (Expr *) lfirst(cell));

	scan->scan.plan.targetlist = tlist;
	scan->scan.plan.qual = shape->having;
	scan->scan.scanrelid = shape->relation->relid;
	scan->flags = path->flags;
	scan->custom_scan_tlist = targets;
	scan->custom_exprs = list_concat_copy(shape->filters, parameters);
	scan->custom_private =
		list_make3(makeInteger(list_length(shape->keys)),
				   makeInteger(list_length(shape->aggregates)),
				   makeInteger(list_length(shape->filters)));
	scan->methods = &methods;
	return &scan->scan.plan;
}

/* Returns how many groups PostgreSQL expects, by one of its paths. */
static double
expected_groups(const RelOptInfo *output_rel)
{
	const Path *path = (const Path *) linitial(output_rel->pathlist);

	return Max(path->rows, 1);
}

/* Sets what the path costs. */
static void
set_costs(Path *path, const PlannerInfo *root, const WaShape *shape)
{
	const RelOptInfo *relation = shape->relation;
	const PathTarget *target = path->pathtarget;
	Cost startup = relation->pages * seq_page_cost;
	QualCost having = {0, 0};

	startup +=
		relation->tuples * (ROW_COST + INSTRUCTION_COST * shape->ninstructions);
	startup += relation->rows * INSTRUCTION_COST *
			   (list_length(shape->aggregates) + list_length(shape->keys));
	if (shape->having != NIL)
		cost_qual_eval(&having, shape->having, (PlannerInfo *) root);
	path->startup_cost = startup + target->cost.startup + having.startup;
	path->total_cost =
		path->startup_cost +
		path->rows * (GROUP_COST + target->cost.per_tuple + having.per_tuple +
					  RESULT_COST * list_length(shape->aggregates));
}

/* Adds our path to those of a grouping, unless *reason says why not. */
static void
add_our_path(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel,
			 List *having, const char **reason)
{
	static const CustomPathMethods methods = {
		.CustomName = "WarpAgg",
		.PlanCustomPath = make_plan,
	};
	WaShape *shape = palloc(sizeof(WaShape));
	RelOptInfo *parent;
	CustomPath *path;

	*reason = wa_shape_recognise(root, input_rel, output_rel, having, shape);
	if (*reason != NULL || output_rel->pathlist == NIL)
		return;
	/* The plan is said to be of its parent's relations; see createplan.c. */
	parent = palloc(sizeof(RelOptInfo));
	*parent = *output_rel;
	parent->relids = input_rel->relids;

	path = makeNode(CustomPath);
	path->path.pathtype = T_CustomScan;
	path->path.parent = parent;
	path->path.pathtarget = output_rel->reltarget;
	path->path.rows = expected_groups(output_rel);
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_private = list_make1(shape);
	path->methods = &methods;
	set_costs(&path->path, root, shape);
	add_path(output_rel, &path->path);
}

/* The hook. */
static void
consider(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel,
		 RelOptInfo *output_rel, void *extra)
{
	const char *reason = NULL;

	if (previous_hook != NULL)
		previous_hook(root, stage, input_rel, output_rel, extra);
	if (stage != UPPERREL_GROUP_AGG || !wa_enable_scan || !root->parse->hasAggs)
		return;
	add_our_path(root, input_rel, output_rel,
				 (List *) ((GroupPathExtraData *) extra)->havingQual, &reason);
	if (reason != NULL && wa_explain_refusals)
		ereport(NOTICE, (errmsg("warpagg leaves an aggregate to PostgreSQL: %s",
								reason)));
}

void
wa_scan_init(void)
{
	previous_hook = create_upper_paths_hook;
	create_upper_paths_hook = consider;
}
