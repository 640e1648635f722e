/*
 * node_path.c
 *		Paths and plans of the node of the scan tier; see node_path.h.
 */
#include "postgres.h"

#include <limits.h>

#include <math.h>

#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"

#include "scan/plan/group_estimate.h"
#include "scan/plan/node_path.h"
#include "scan/plan/parallel_cost.h"
#include "scan/plan/path_cost.h"
#include "scan/plan/quick_joins.h"
#include "scan/plan/resident_plan.h"
#include "scan/plan/top_n.h"
#include "scan/plan/why.h"
#include "scan/state/plan.h"
#include "scan/state/rolled_query.h"

static const CustomScanMethods scan_methods = {
	.CustomName = "WarpAgg",
	.CreateCustomScanState = wa_scan_create_state,
};

static const CustomScanMethods source_scan_methods = {
	.CustomName = "WarpAgg Source",
	.CreateCustomScanState = wa_source_create_state,
};

/* Returns an estimate as a number of a plan. */
static int
as_int(double estimate)
{
	return (int) Min(estimate, INT_MAX);
}

/*
 * Makes the plan of a source.  It has the parameters by which partitions are pruned, so
 * that these are pruned again when one changes.
 */
static Plan *
make_source_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path,
				 List *tlist, List *clauses, List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);
	ListCell *cell;

	foreach (cell, clauses)
		scan->custom_exprs = wa_plan_parameters(
			scan->custom_exprs,
			(Node *) lfirst_node(RestrictInfo, cell)->clause);
	scan->scan.plan.targetlist = tlist;
	scan->scan.scanrelid = rel->relid;
	scan->methods = &source_scan_methods;
	return &scan->scan.plan;
}

static const CustomPathMethods source_path_methods = {
	.CustomName = "WarpAgg Source",
	.PlanCustomPath = make_source_plan,
};

/* Makes the node's plan, for CustomPathMethods. */
static Plan *
make_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist,
		  List *clauses, List *custom_plans)
{
	const WaPlannedQuery *planned =
		(const WaPlannedQuery *) linitial(path->custom_private);
	const WaLimit *limit = (const WaLimit *) lsecond(path->custom_private);
	CustomScan *scan = makeNode(CustomScan);
	WaScanQuery query = planned->query;

	wa_why_chosen(root);
	wa_quick_joins_chosen(root);
	query.nworkers = intVal(lthird(path->custom_private));
	query.planned_batches = as_int(Max(ceil(wa_path_filling(planned)), 1));
	query.planned_groups = as_int(planned->ngroups);
	query.planned_inputs =
		as_int(Max(planned->distinct_inputs, planned->inputs_without_tables));
	query.planned_excluded = planned->excluded;
	query.planned_children =
		planned->sources.has_children ? planned->sources.nchildren : 0;
	query.planned_pushed = planned->sources.pushed != NIL;
	query.planned_alternative = planned->has_alternative;
	query.block_cost =
		wa_path_rows_cost(planned) / Max(planned->sources.pages, 1);
	wa_plan_write(scan, &query, &limit->top);
	scan->scan.plan.targetlist = tlist;
	scan->scan.plan.qual = planned->having;
	scan->scan.scanrelid = planned->relation->relid;
	scan->flags = path->flags;
	scan->methods = &scan_methods;
	if (custom_plans != NIL)
		wa_plan_set_below(scan, custom_plans);
	return &scan->scan.plan;
}

const CustomPathMethods wa_node_path_methods = {
	.CustomName = "WarpAgg",
	.PlanCustomPath = make_plan,
};

/* Tells whether parallel workers may compute what the path computes. */
static bool
is_parallel_safe_path(const PlannerInfo *root, const RelOptInfo *input_rel,
					  const RelOptInfo *output_rel)
{
	return root->glob->parallelModeOK && input_rel->consider_parallel &&
		   output_rel->consider_parallel;
}

/* Returns how many workers the path may have. */
static int
possible_workers(const PlannerInfo *root, const WaPlannedQuery *planned,
				 const RelOptInfo *output_rel)
{
	RelOptInfo *input_rel = planned->relation;

	/*
	 * Of a join this asks of all its relations.  States that only their own functions know are
	 * of one process.
	 */
	if (!is_parallel_safe_path(root, input_rel, output_rel) ||
		planned->query.ntransitions > 0)
		return 0;
	return compute_parallel_worker(input_rel, planned->sources.pages, -1,
								   max_parallel_workers_per_gather);
}

/* Tells whether an expression has columns of other relations than one. */
static bool
has_other_columns(Node *expression, Index varno)
{
	ListCell *cell;

	foreach (cell, pull_var_clause(expression, PVC_RECURSE_PLACEHOLDERS))
		if (lfirst_node(Var, cell)->varno != (int) varno)
			return true;
	return false;
}

/*
 * Returns the columns of the table that are used for a row that PostgreSQL has read
 * (wa_rowwise_take_slot).  A foreign scan returns no others: it may leave clauses of the
 * table alone to its server.
 */
static List *
columns_of_rows(const WaScanQuery *query)
{
	List *all = list_concat_copy(query->keys, query->aggregates);
	List *columns = NIL;
	/* Behind a subquery clauses are looked at again. */
	const bool has_subplans = contain_subplans((Node *) query->filter_clauses);
	ListCell *cell;

	foreach (cell, query->filter_clauses)
		if (has_subplans || has_other_columns(lfirst(cell), query->varno))
			all = lappend(all, lfirst(cell));
	foreach (cell, query->joins.list)
		all = lappend(all, ((const WaJoin *) lfirst(cell))->key);
	all = list_concat(all, wa_joins_conditions(&query->joins));
	foreach (cell, pull_var_clause((Node *) all, PVC_RECURSE_AGGREGATES |
													 PVC_RECURSE_PLACEHOLDERS))
		if (lfirst_node(Var, cell)->varno == (int) query->varno)
			columns = list_append_unique(columns, lfirst(cell));
	return columns;
}

/* Returns what groups are the same by when values that are taken once have been rolled up. */
static List *
rolled_keys(const WaScanQuery *query)
{
	List *keys =
		list_truncate(list_copy(query->keys), wa_rolled_query_place(query));

	return list_concat(keys, query->dependents);
}

/*
 * Returns how many rows have values that are not NULL, as far as a FILTER tells that has become
 * part of their expression (wa_aggregate_values).
 */
static double
estimate_rows_with(PlannerInfo *root, const WaPlannedQuery *planned,
				   const Node *values)
{
	const CaseExpr *choice = (const CaseExpr *) values;
	const Node *otherwise;

	if (!IsA(values, CaseExpr) || choice->arg != NULL ||
		list_length(choice->args) != 1)
		return planned->rows;
	otherwise = (const Node *) choice->defresult;
	if (otherwise != NULL &&
		!(IsA(otherwise, Const) && ((const Const *) otherwise)->constisnull))
		return planned->rows;
	return planned->rows *
		   clause_selectivity(
			   root, (Node *) linitial_node(CaseWhen, choice->args)->expr, 0,
			   JOIN_INNER, NULL);
}

/*
 * Finds how many groups the node has, and how many rows make them.  Of rows without a value there
 * is one among those with the same other keys.  Values that are brought into order are measured
 * ones, about as many in each group as its rows allow; PostgreSQL takes columns that are grouped by
 * together to depend on one another.
 */
static void
estimate_groups(PlannerInfo *root, WaPlannedQuery *planned)
{
	List *keys = wa_scan_query_keys(&planned->query);
	List *others;
	Node *values;
	double nothers;
	double rows;
	double pairs;

	planned->ngroups = wa_estimate_groups(root, keys, planned->rows);
	planned->ngrouping = planned->rows;
	if (!planned->rolls || planned->rows < 1)
		return;
	others = rolled_keys(&planned->query);
	values = (Node *) list_nth(planned->query.keys,
							   wa_rolled_query_place(&planned->query));
	nothers =
		others == NIL ? 1 : wa_estimate_groups(root, others, planned->rows);
	rows = estimate_rows_with(root, planned, values);
	planned->ngrouping = Min(planned->rows, nothers + rows);
	planned->ngroups = Min(planned->ngroups, planned->ngrouping);
	if (!planned->is_ranked || others == NIL || rows < 1)
		return;
	pairs = nothers * wa_estimate_groups(root, list_difference(keys, others),
										 planned->rows);
	/* So many of all pairs there are among the rows. */
	pairs *= 1 - exp(-rows / pairs);
	planned->ngroups = Max(planned->ngroups, pairs);
}

CustomPath *
wa_node_path_make(PlannerInfo *root, RelOptInfo *parent, PathTarget *target,
				  WaPlannedQuery *planned, const WaLimit *limit)
{
	RelOptInfo *input_rel = planned->relation;
	CustomPath *path = makeNode(CustomPath);
	int nworkers;

	path->path.pathtype = T_CustomScan;
	path->path.parent = parent;
	path->path.pathtarget = target;
	estimate_groups(root, planned);
	/* If they are places of rows no others are kept. */
	if (wa_compiler_has_places(planned->query.compiler))
		planned->ngroups = wa_limit_estimate(limit, planned->rows);
	planned->nreturned =
		planned->rolls ? wa_estimate_groups(root, rolled_keys(&planned->query),
											planned->rows)
					   : planned->ngroups;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->methods = &wa_node_path_methods;
	planned->nkept = wa_top_n_is_bounded(planned, limit)
						 ? wa_limit_estimate(limit, planned->ngroups)
						 : planned->ngroups;
	/* The plan must do when nothing is resident any more. */
	nworkers = wa_parallel_best(
		planned->sources.pages, wa_path_rows_cost(planned), planned->nkept,
		planned->ngrouping, possible_workers(root, planned, parent));
	/* In a worker, as a part of what it computes, the node can have none. */
	path->path.parallel_safe = nworkers == 0 &&
							   !planned->sources.has_children &&
							   planned->joins.list == NIL &&
							   is_parallel_safe_path(root, input_rel, parent);
	if (planned->sources.has_children)
		path->custom_paths = wa_planned_sources_paths(
			root, input_rel, &planned->sources, &source_path_methods,
			columns_of_rows(&planned->query));
	path->custom_paths =
		list_concat(path->custom_paths, list_copy(planned->joins.paths));
	wa_resident_plan(root, planned, limit, nworkers, wa_path_filling(planned),
					 false);
	path->custom_private =
		list_make3(planned, (void *) limit, makeInteger(nworkers));
	wa_path_set_costs(&path->path, root, planned, limit, nworkers);
	return path;
}

void
wa_node_path_init(void)
{
	RegisterCustomScanMethods(&scan_methods);
	RegisterCustomScanMethods(&source_scan_methods);
}
