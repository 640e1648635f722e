/*
 * resident_plan.c
 *		What the planner knows of resident columns; see resident_plan.h.
 *
 * What is resident need not be fresh: that is found out when the query runs.  Here
 * it is taken to be, but for the share of the blocks that were not all-visible when
 * the table was last vacuumed or analyzed.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/table.h"
#include "parser/parsetree.h"
#include "utils/rel.h"

#include "client/residency.h"
#include "resident/relation.h"
#include "scan/combine_plan.h"
#include "scan/resident.h"
#include "scan/resident_plan.h"
#include "scan/wanted.h"
#include "settings.h"

/* Returns how many blocks of an open relation are resident. */
static uint64
resident_blocks(Relation relation, const WaShape *shape)
{
	const WaRelation storage = wa_resident_storage(relation);
	WaColumnName names[WA_MAX_QUERY_COLUMNS];

	if (wa_resident_refusal(relation) != NULL)
		return 0;
	for (int i = 0; i < shape->ncolumns; i++)
		if (!wa_resident_column(relation, shape->attnums[i], &names[i]))
			return 0;
	return wa_residency_estimate(&storage, (uint32) shape->ncolumns, names);
}

/* Returns which share of the rows is likely to be resident. */
static double
resident_share(PlannerInfo *root, const WaShape *shape)
{
	const RelOptInfo *rel = shape->relation;
	Relation relation =
		table_open(planner_rt_fetch(rel->relid, root)->relid, NoLock);
	const uint64 blocks = resident_blocks(relation, shape);

	table_close(relation, NoLock);
	return Min((double) blocks / rel->pages, rel->allvisfrac);
}

/*
 * Likewise of a query that the device process cannot answer as a whole, if it is to
 * answer it in part.
 */
static void
plan_combinations(PlannerInfo *root, WaShape *shape, int nworkers)
{
	double combinations;

	shape->resident_share = resident_share(root, shape);
	if (shape->resident_share == 0)
		return;
	combinations = wa_combine_estimate(root, shape, false);
	if (combinations > 0 && wa_resident_takes_groups(shape->relation->pages,
													 combinations, nworkers))
		shape->combinations = combinations;
	else
		shape->resident_share = 0;
}

/*
 * Likewise of one that it can answer if there are tables for all calls, in case that
 * there are none for those of integers, as these have too many values.
 */
static void
plan_spare_combinations(PlannerInfo *root, WaShape *shape, int nworkers)
{
	const double combinations =
		shape->ncalls > 0 ? wa_combine_estimate(root, shape, true) : 0;

	if (wa_resident_takes_groups(shape->relation->pages, combinations,
								 nworkers))
		shape->spare_combinations = combinations;
}

void
wa_resident_plan(PlannerInfo *root, WaShape *shape, const WaLimit *limit,
				 int nworkers)
{
	const RelOptInfo *rel = shape->relation;
	const bool takes_all =
		wa_resident_takes_groups(rel->pages, shape->ngroups, nworkers);
	const bool has_wanted = wa_wanted_is_likely(shape, limit);

	shape->resident_share = 0;
	shape->resident_groups = shape->ngroups;
	shape->combinations = 0;
	shape->spare_combinations = 0;
	if (!wa_enable_resident || IsParallelWorker() ||
		shape->ncolumns > WA_MAX_QUERY_COLUMNS ||
		!wa_resident_is_large(rel->pages) || (!takes_all && !has_wanted))
		return;
	if (!shape->can_travel)
	{
		plan_combinations(root, shape, nworkers);
		return;
	}
	shape->resident_share = resident_share(root, shape);
	if (has_wanted && shape->resident_share == 1)
		shape->resident_groups =
			Min(wa_limit_estimate(limit, shape->ngroups), shape->ngroups);
	else if (!takes_all)
		shape->resident_share = 0;
	if (shape->resident_share > 0)
		plan_spare_combinations(root, shape, nworkers);
}
