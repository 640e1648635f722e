/*
 * path.c
 *		Brings the node of the scan tier into plans; see path.h.
 *
 * One hook is called when PostgreSQL has made its own paths for a grouping; ours
 * is added beside them, and the cheapest wins.  Another is called for each table of a
 * query: if a few of its rows are wanted, the first ones, a path of ours is for these, and
 * if PostgreSQL may aggregate some before they are joined (from 19 on), one is for partial
 * states.
 */
#include "postgres.h"

#include "nodes/extensible.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "optimizer/tlist.h"

#include "scan/plan/alternative_path.h"
#include "scan/plan/counted_plan.h"
#include "scan/plan/group_order.h"
#include "scan/plan/joins_resident.h"
#include "scan/plan/limit.h"
#include "scan/plan/node_path.h"
#include "scan/plan/path.h"
#include "scan/plan/path_cost.h"
#include "scan/plan/planned_finer.h"
#include "scan/plan/planned_query.h"
#include "scan/plan/planner_compat.h"
#include "scan/plan/quick_joins.h"
#include "scan/plan/resident_plan.h"
#include "scan/plan/rows_path.h"
#include "scan/plan/suggest.h"
#include "scan/plan/upper_hook.h"
#include "scan/plan/why.h"
#include "scan/state/rolled_query.h"
#include "settings.h"

/* So many groups that are rolled up are many, if they are so many times those that are returned. */
#define MANY_FINER_GROUPS 8192
#define MANY_FINER_SHARE  4

static set_rel_pathlist_hook_type previous_relation_hook = NULL;

/* Returns how many groups PostgreSQL expects to be returned, by one of its paths. */
static double
expected_groups(const RelOptInfo *output_rel)
{
	const Path *path = (const Path *) linitial(output_rel->pathlist);

	return Max(path->rows, 1);
}

/*
 * Has the columns of a query loaded if its path costs more than one of PostgreSQL's, as
 * by an index, and would not if they were resident.  One that nobody has looked for says
 * nothing.
 */
static void
suggest_columns(PlannerInfo *root, const RelOptInfo *output_rel,
				const CustomPath *path, const WaPlannedQuery *planned,
				const WaLimit *limit)
{
	const int nworkers = intVal(lthird(path->custom_private));
	const Cost rival =
		wa_why_rival(output_rel, &wa_node_path_methods)->total_cost;
	WaPlannedQuery loaded = *planned;
	Path loaded_path = path->path;

	if (rival >= path->path.total_cost || wa_quick_joins_are_of(root) ||
		!wa_suggest_is_worth(planned))
		return;
	wa_joins_look(root, &loaded.joins, true);
	loaded.joins_cost = wa_joins_cost(&loaded.joins, loaded.sources.tuples);
	wa_resident_plan(root, &loaded, limit, nworkers, wa_path_filling(&loaded),
					 true);
	wa_path_set_costs(&loaded_path, root, &loaded, limit, nworkers);
	wa_path_scale_costs(&loaded_path, root, &loaded,
						wa_why_rival(output_rel, &wa_node_path_methods));
	if (loaded_path.total_cost >= rival)
		return;
	wa_suggest_planned(root, planned);
	wa_joins_suggest(root, &planned->joins);
}

/*
 * Has the plan of our path have PostgreSQL's below it, beside what is joined, for when that
 * takes more memory than was thought.
 */
static void
add_alternative(PlannerInfo *root, const RelOptInfo *output_rel,
				WaPlannedQuery *planned, CustomPath *path)
{
	Path *alternative =
		wa_alternative_path(root, output_rel, planned, &wa_node_path_methods);

	planned->has_alternative = alternative != NULL;
	if (alternative != NULL)
		path->custom_paths = lappend(path->custom_paths, alternative);
}

/* Shares the tables of a query among who reads them; returns why it cannot, or NULL. */
static const char *
share_sources(PlannerInfo *root, WaPlannedQuery *planned)
{
	return wa_planned_sources_share(root, planned->relation, &planned->query,
									seq_page_cost, wa_path_row_cost(planned),
									&planned->sources);
}

/*
 * Has the plan of our path have those of other nodes below it whose groups are rolled up, too;
 * returns why it cannot, or NULL.
 */
static const char *
add_finer(PlannerInfo *root, RelOptInfo *parent, const WaPlannedQuery *planned,
		  CustomPath *path)
{
	ListCell *cell;

	foreach (cell, planned->finer)
	{
		WaPlannedQuery *finer = (WaPlannedQuery *) lfirst(cell);
		PathTarget *target = create_empty_pathtarget();
		const char *reason = share_sources(root, finer);
		CustomPath *below;

		if (reason != NULL)
			return reason;
		target->exprs = finer->query.keys;
		below = wa_node_path_make(root, parent,
								  set_pathtarget_cost_width(root, target),
								  finer, palloc0(sizeof(WaLimit)));
		path->custom_paths = lappend(path->custom_paths, below);
		path->path.startup_cost += below->path.total_cost;
		path->path.total_cost += below->path.total_cost;
		path->path.parallel_safe &= below->path.parallel_safe;
	}
	return NULL;
}

/*
 * Recognises a grouping of the rows of a relation, and what it is rolled up of; as
 * wa_planned_query_recognise.
 */
static const char *
recognise(PlannerInfo *root, RelOptInfo *input_rel, const WaGrouping *grouping,
		  WaPlannedQuery *planned)
{
	const char *reason =
		wa_planned_query_recognise(root, input_rel, grouping, planned);

	if (reason == NULL)
		reason = share_sources(root, planned);
	if (reason == NULL)
		reason = wa_planned_finer_find(root, input_rel, grouping, planned);
	if (reason == NULL)
		planned->joins_cost =
			wa_joins_cost(&planned->joins, planned->sources.tuples);
	return reason;
}

/*
 * Tells whether a query is better computed by several nodes, one of which has all aggregates but
 * those with DISTINCT: if these made many groups of few.  As the rows are read several times then,
 * they have to be resident.
 */
static bool
is_better_apart(const WaPlannedQuery *planned)
{
	return planned->rolls && planned->query.ncolumns > 0 &&
		   wa_planned_query_is_whole(planned) &&
		   planned->ngroups >= MANY_FINER_GROUPS &&
		   planned->ngroups >= MANY_FINER_SHARE * planned->nreturned &&
		   wa_planned_query_is_simple(planned);
}

/*
 * Makes our path for the groups of a grouping, or returns NULL, with *reason that says why not.
 * parent: what the plan is said to be of.
 */
static CustomPath *
make_our_path(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *parent,
			  PathTarget *target, WaGrouping *grouping, WaPlannedQuery *planned,
			  WaLimit *limit, const char **reason)
{
	CustomPath *path = NULL;

	*reason = recognise(root, input_rel, grouping, planned);
	if (*reason != NULL)
		return NULL;
	wa_limit_recognise(root, planned, target, limit);
	path = wa_node_path_make(root, parent, target, planned, limit);
	if (is_better_apart(planned))
	{
		grouping->is_apart = true;
		return make_our_path(root, input_rel, parent, target, grouping, planned,
							 limit, reason);
	}
	/* Rows in an order are read group by group. */
	if (planned->query.ntransitions == 0)
		planned->query.order =
			wa_group_order(root, wa_scan_query_returned(&planned->query));
	*reason = add_finer(root, parent, planned, path);
	return *reason == NULL ? path : NULL;
}

/*
 * Adds our path to those of a grouping by some clauses with such a target, unless *reason says
 * why not.
 */
static void
add_our_path(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *output_rel,
			 List *clauses, PathTarget *target, List *having,
			 const char **reason)
{
	WaGrouping grouping =
		wa_planned_query_grouping(root, clauses, target, having);
	WaPlannedQuery *planned = palloc(sizeof(WaPlannedQuery));
	WaLimit *limit = palloc(sizeof(WaLimit));
	RelOptInfo *parent = palloc(sizeof(RelOptInfo));
	CustomPath *path;

	/* The plan is said to be of its parent's relations; see createplan.c. */
	*parent = *output_rel;
	parent->relids = input_rel->relids;
	path = make_our_path(root, input_rel, parent, target, &grouping, planned,
						 limit, reason);
	if (path == NULL || output_rel->pathlist == NIL)
		return;
	wa_path_scale_costs(&path->path, root, planned,
						wa_why_rival(output_rel, &wa_node_path_methods));
	if (planned->joins.list != NIL)
		add_alternative(root, output_rel, planned, path);
	/*
	 * PostgreSQL's own estimate: the plan above is to be as without the node.  Of a LIMIT
	 * of unknown size PostgreSQL's node takes the share.
	 */
	path->path.rows = expected_groups(output_rel);
	if (limit->ngroups >= 0)
		path->path.rows = wa_limit_estimate(limit, path->path.rows);
	wa_why_offered(root, output_rel, path, wa_path_filling(planned) > 1);
	suggest_columns(root, output_rel, path, planned, limit);
	add_path(output_rel, &path->path);
}

/*
 * Adds a path that sorts what a path of ours returns.  The plans above are to go by
 * PostgreSQL's number of groups, but if the sort did, which takes no part in that
 * number's being far too large, it would seem to cost more than all else.
 */
static void
add_sort(PlannerInfo *root, CustomPath *path, RelOptInfo *ordered_rel)
{
	const WaPlannedQuery *planned =
		(const WaPlannedQuery *) linitial(path->custom_private);
	PathTarget *target = root->upper_targets[UPPERREL_ORDERED];
	const double rows = path->path.rows;
	SortPath *sort;

	path->path.rows = Min(rows, planned->ngroups);
	sort = create_sort_path(root, ordered_rel, &path->path, root->sort_pathkeys,
							root->limit_tuples);
	path->path.rows = rows;
	sort->path.rows = rows;
	add_path(ordered_rel, sort->path.pathtarget == target
							  ? &sort->path
							  : apply_projection_to_path(root, ordered_rel,
														 &sort->path, target));
}

/* Sorts our paths among those of a grouping. */
static void
sort_our_paths(PlannerInfo *root, const RelOptInfo *grouped_rel,
			   RelOptInfo *ordered_rel)
{
	ListCell *cell;

	foreach (cell, grouped_rel->pathlist)
	{
		CustomPath *path = (CustomPath *) lfirst(cell);

		if (IsA(path, CustomPath) && path->methods == &wa_node_path_methods)
			add_sort(root, path, ordered_rel);
	}
}

/*
 * Tells whether a stage groups the rows of relations, by *clauses: with aggregates or GROUP BY,
 * or as DISTINCT does where there is nothing else below it.
 */
static bool
groups_rows(const PlannerInfo *root, UpperRelationKind stage,
			const RelOptInfo *input_rel, List **clauses)
{
	const Query *parse = root->parse;

	if (stage == UPPERREL_GROUP_AGG && !IS_OTHER_REL(input_rel))
	{
		*clauses = parse->groupClause;
		return parse->hasAggs || parse->groupClause != NIL;
	}
	*clauses = parse->distinctClause;
	return stage == UPPERREL_DISTINCT && !parse->hasDistinctOn &&
		   (IS_SIMPLE_REL(input_rel) || IS_JOIN_REL(input_rel));
}

/* The hook. */
static void
consider(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel,
		 RelOptInfo *output_rel, void *extra)
{
	const bool is_distinct = stage == UPPERREL_DISTINCT;
	const char *reason = NULL;
	List *clauses;

	if (stage == UPPERREL_ORDERED)
		sort_our_paths(root, input_rel, output_rel);
	if (!groups_rows(root, stage, input_rel, &clauses))
		return;
	if (!wa_enable_scan)
	{
		wa_why_refused(root, "warpagg.enable_scan is off");
		return;
	}
	add_our_path(
		root, input_rel, output_rel, clauses,
		is_distinct ? root->upper_targets[UPPERREL_DISTINCT]
					: output_rel->reltarget,
		is_distinct ? NIL : (List *) ((GroupPathExtraData *) extra)->havingQual,
		&reason);
	if (reason == NULL)
		return;
	wa_why_refused(root, reason);
	if (wa_explain_refusals == WA_REFUSALS_NOTICED)
		wa_counted_notice(reason);
}

/*
 * Adds a path to those that aggregate a relation's rows before they are joined, if
 * PostgreSQL thinks of that, and the path can return the states that are wanted.
 */
static void
add_eager_path(PlannerInfo *root, RelOptInfo *relation)
{
	WaEagerAggregation eager;
	WaGrouping grouping;
	WaPlannedQuery *planned;
	CustomPath *path;

	if (!eager_aggregation_compat(relation, &eager))
		return;
	grouping =
		(WaGrouping){eager.clauses, eager.keys, eager.target->exprs, NIL};
	planned = palloc(sizeof(WaPlannedQuery));
	if (wa_planned_query_recognise(root, relation, &grouping, planned) !=
			NULL ||
		planned->sources.taken == NIL)
		return;
	path = wa_node_path_make(root, eager.relation, eager.target, planned,
							 palloc0(sizeof(WaLimit)));
	path->path.rows = eager.ngroups;
	add_path(eager.relation, &path->path);
}

/* The hook for tables. */
static void
consider_relation(PlannerInfo *root, RelOptInfo *relation, Index number,
				  RangeTblEntry *entry)
{
	if (previous_relation_hook != NULL)
		previous_relation_hook(root, relation, number, entry);
	wa_upper_hook_be_last();
	/* Whose hook is called after this one may say that rows are not in the heap. */
	if (!wa_enable_scan || set_rel_pathlist_hook != consider_relation)
		return;
	add_eager_path(root, relation);
	wa_rows_path_add(root, relation);
}

void
wa_scan_init(void)
{
	wa_node_path_init();
	wa_rows_path_init();
	wa_alternative_path_init();
	wa_upper_hook_init(consider);
	previous_relation_hook = set_rel_pathlist_hook;
	set_rel_pathlist_hook = consider_relation;
}
