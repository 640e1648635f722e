/*
 * quick_joins.c
 *		Joins without PostgreSQL's search for the best order; see quick_joins.h.
 *
 * What is joined is a star: relations that have clauses with the table and not with each
 * other.  Any plan reads the table, by one of the paths that PostgreSQL has made for it: once,
 * or for each row of what is joined before if it looks rows up by what these have.
 */
#include "postgres.h"

#include "optimizer/cost.h"
#include "optimizer/geqo.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"

#include "scan/plan/join_order.h"
#include "scan/plan/planner_compat.h"
#include "scan/plan/quick_joins.h"
#include "settings.h"

/* Of fewer relations, or at less cost, there is nothing to be gained. */
#define LEAST_RELATIONS 3
#define LEAST_COST      1000

/* What reading the joined relations costs us at least, of what it does (path.c). */
#define OTHERS_SHARE 0.25

/* A merge join may stop before all has come of what it reads in the right order. */
#define MERGED_SHARE 0.25

/* The present run's, or NULL. */
static WaQuickJoins *quick = NULL;

static join_search_hook_type previous_search = NULL;

WaQuickJoins *
wa_quick_joins_set(WaQuickJoins *mine)
{
	WaQuickJoins *before = quick;

	quick = mine;
	return before;
}

bool
wa_quick_joins_are_of(const PlannerInfo *root)
{
	return quick != NULL && quick->root == root;
}

void
wa_quick_joins_chosen(const PlannerInfo *root)
{
	if (wa_quick_joins_are_of(root))
		quick->is_chosen = true;
}

/* Tells whether a level wants all rows of inner joins, which none but PostgreSQL plans. */
static bool
is_simple(const PlannerInfo *root)
{
	return root->parent_root == NULL && root->parse->hasAggs &&
		   root->tuple_fraction <= 0 && root->join_info_list == NIL &&
		   root->placeholder_list == NIL && !root->hasLateralRTEs &&
		   !root->hasPseudoConstantQuals && !enable_partitionwise_join &&
		   set_join_pathlist_hook == NULL;
}

/* Tells whether relations are all of the query's, and can be read by themselves. */
static bool
are_simple(const PlannerInfo *root, int levels, List *relations)
{
	ListCell *cell;

	if (levels < LEAST_RELATIONS ||
		levels != bms_num_members(root->all_baserels))
		return false;
	foreach (cell, relations)
	{
		RelOptInfo *relation = (RelOptInfo *) lfirst(cell);

		if (relation->reloptkind != RELOPT_BASEREL ||
			relation->fdwroutine != NULL || IS_DUMMY_REL(relation) ||
			relation->cheapest_total_path == NULL ||
			relation->cheapest_total_path->param_info != NULL)
			return false;
	}
	return true;
}

/* Tells whether two relations have a clause with each other, or values that are equal. */
static bool
are_joined(const PlannerInfo *root, const RelOptInfo *one,
		   const RelOptInfo *other)
{
	ListCell *cell;

	foreach (cell, one->joininfo)
		if (bms_overlap(lfirst_node(RestrictInfo, cell)->required_relids,
						other->relids))
			return true;
	foreach (cell, root->eq_classes)
	{
		const EquivalenceClass *class = lfirst_node(EquivalenceClass, cell);

		/* What is equal to a constant is looked at in each relation. */
		if (!class->ec_has_const &&
			bms_overlap(class->ec_relids, one->relids) &&
			bms_overlap(class->ec_relids, other->relids))
			return true;
	}
	return false;
}

/* Tells whether relations are joined to the first one, and not to each other. */
static bool
are_star(const PlannerInfo *root, const List *relations)
{
	for (int i = 0; i < list_length(relations); i++)
		for (int j = i + 1; j < list_length(relations); j++)
			if (are_joined(root, (const RelOptInfo *) list_nth(relations, i),
						   (const RelOptInfo *) list_nth(relations, j)) !=
				(i == 0))
				return false;
	return true;
}

/* Returns how many processes may share what is joined to the table, the first one. */
static double
count_processes(const List *relations)
{
	int workers = 0;
	ListCell *cell;

	for_each_from(cell, relations, 1)
	{
		ListCell *path;

		foreach (path, ((const RelOptInfo *) lfirst(cell))->partial_pathlist)
			workers =
				Max(workers, ((const Path *) lfirst(path))->parallel_workers);
	}
	return 1 + workers;
}

/* Returns for how many rows a path looks rows up at least: those of each relation it needs. */
static double
count_look_ups(PlannerInfo *root, const Path *path)
{
	double rows = 1;
	int number = -1;

	while ((number = bms_next_member(PATH_REQ_OUTER(path), number)) >= 0)
		if (root->simple_rel_array[number] != NULL)
			rows = Max(rows, root->simple_rel_array[number]->rows);
	return rows;
}

/* Returns what a path of the table costs a plan at least. */
static Cost
cost_of(PlannerInfo *root, const Path *path, double processes)
{
	if (path->param_info != NULL)
		return path->total_cost * count_look_ups(root, path) / processes;
	return path->pathkeys == NIL ? path->total_cost
								 : path->total_cost * MERGED_SHARE;
}

/* Returns what plans cost at least that read the table, the first of some relations. */
static Cost
cost_at_least(PlannerInfo *root, const List *relations)
{
	const RelOptInfo *table = (const RelOptInfo *) linitial(relations);
	const double processes = count_processes(relations);
	Cost least = table->cheapest_total_path->total_cost;
	ListCell *cell;

	foreach (cell, table->pathlist)
		least = Min(least, cost_of(root, lfirst(cell), processes));
	foreach (cell, table->partial_pathlist)
		least = Min(least, cost_of(root, lfirst(cell), processes));
	return least;
}

/* Returns what it costs to read what is joined to the first of some relations. */
static Cost
cost_of_others(const List *relations)
{
	Cost cost = 0;
	ListCell *cell;

	for_each_from(cell, relations, 1) cost +=
		((const RelOptInfo *) lfirst(cell))->cheapest_total_path->total_cost;
	return cost;
}

/* Returns those clauses of an inner join of two relations that it can go by, hashing. */
static List *
hash_clauses(const RelOptInfo *outer, const RelOptInfo *inner, List *clauses)
{
	List *hashed = NIL;
	ListCell *cell;

	foreach (cell, clauses)
	{
		RestrictInfo *info = lfirst_node(RestrictInfo, cell);

		if (info->can_join && OidIsValid(info->hashjoinoperator) &&
			((bms_is_subset(info->left_relids, outer->relids) &&
			  bms_is_subset(info->right_relids, inner->relids)) ||
			 (bms_is_subset(info->left_relids, inner->relids) &&
			  bms_is_subset(info->right_relids, outer->relids))))
			hashed = lappend(hashed, info);
	}
	return hashed;
}

/* Returns a path that joins two relations by a hash join, of which nobody asks the cost. */
static Path *
make_hash_path(RelOptInfo *result, Path *outer, Path *inner, List *clauses,
			   List *hashed)
{
	HashPath *path = makeNode(HashPath);

	path->jpath.path.pathtype = T_HashJoin;
	path->jpath.path.parent = result;
	path->jpath.path.pathtarget = result->reltarget;
	path->jpath.path.rows = result->rows;
	path->jpath.jointype = JOIN_INNER;
	path->jpath.outerjoinpath = outer;
	path->jpath.innerjoinpath = inner;
	path->jpath.joinrestrictinfo = clauses;
	path->path_hashclauses = hashed;
	path->num_batches = 1;
	path->inner_rows_total = inner->rows;
	return &path->jpath.path;
}

/*
 * Joins a relation to others, by a path that is thought to cost so much: a hash join if there
 * can be one, as it may have to be run (alternative_path.h).
 */
static RelOptInfo *
join_next(PlannerInfo *root, RelOptInfo *joined, RelOptInfo *next, Cost cost)
{
	const Relids relids = joined_relids_compat(joined, next, NULL);
	JoinPathExtraData extra = {
		.restrictlist = join_clauses_compat(root, relids, joined, next, NULL)};
	List *hashed = hash_clauses(joined, next, extra.restrictlist);
	RelOptInfo *result = find_join_rel(root, relids);
	JoinCostWorkspace costs = {0};
	Path *path;

	if (result == NULL)
		elog(ERROR, "could not join relations");
	if (hashed != NIL)
		path = make_hash_path(result, joined->cheapest_total_path,
							  next->cheapest_total_path, extra.restrictlist,
							  hashed);
	else
		path = &create_nestloop_path(root, result, JOIN_INNER, &costs, &extra,
									 joined->cheapest_total_path,
									 next->cheapest_total_path,
									 extra.restrictlist, NIL, NULL)
					->jpath.path;
	path->startup_cost = 0;
	path->total_cost = cost;
	add_path(result, path);
	set_cheapest(result);
	return result;
}

/* Orders relations as they are tried. */
static int
compare_relations(const ListCell *a, const ListCell *b)
{
	return wa_join_order(lfirst(a), lfirst(b));
}

/* Joins relations without a search if that is worth trying; else returns NULL. */
static RelOptInfo *
join_quickly(PlannerInfo *root, int levels, List *relations)
{
	List *ordered;
	RelOptInfo *joined;
	Cost least;
	ListCell *cell;

	if (quick == NULL || !is_simple(root) ||
		!are_simple(root, levels, relations))
		return NULL;
	ordered = list_copy(relations);
	list_sort(ordered, compare_relations);
	if (!are_star(root, ordered))
		return NULL;
	least = cost_at_least(root, ordered);
	if (least < LEAST_COST || least < cost_of_others(ordered) * OTHERS_SHARE)
		return NULL;
	ereport(DEBUG2,
			(errmsg_internal("warpagg has joins planned without a search "
							 "for their order")));
	quick->root = root;
	joined = (RelOptInfo *) linitial(ordered);
	for_each_from(cell, ordered, 1) joined =
		join_next(root, joined, (RelOptInfo *) lfirst(cell), least);
	return joined;
}

/* The hook.  A search that others have brought is theirs. */
static RelOptInfo *
search(PlannerInfo *root, int levels, List *relations)
{
	RelOptInfo *joined;

	if (previous_search != NULL)
		return previous_search(root, levels, relations);
	joined = join_quickly(root, levels, relations);
	if (joined != NULL)
		return joined;
	return enable_geqo && levels >= geqo_threshold
			   ? geqo(root, levels, relations)
			   : standard_join_search(root, levels, relations);
}

void
wa_quick_joins_init(void)
{
	previous_search = join_search_hook;
	join_search_hook = search;
}
