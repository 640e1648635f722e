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
#include "scan/resident.h"
#include "scan/resident_plan.h"
#include "settings.h"

/* Returns how many blocks of an open relation are resident. */
static uint64
resident_blocks(Relation relation, const WaShape *shape)
{
	const WaRelation storage = wa_resident_storage(relation);
	WaColumnName names[WA_MAX_RESIDENT_COLUMNS];

	if (wa_resident_refusal(relation) != NULL)
		return 0;
	for (int i = 0; i < shape->ncolumns; i++)
		if (!wa_resident_column(relation, shape->attnums[i], &names[i]))
			return 0;
	return wa_residency_estimate(&storage, (uint32) shape->ncolumns, names);
}

double
wa_resident_plan_share(PlannerInfo *root, const WaShape *shape, int nworkers)
{
	const RelOptInfo *rel = shape->relation;
	Relation relation;
	uint64 blocks;

	if (!wa_enable_resident || IsParallelWorker() || !shape->can_travel ||
		shape->ncolumns > WA_MAX_RESIDENT_COLUMNS ||
		!wa_resident_pays(rel->pages, shape->ngroups, nworkers))
		return 0;
	relation = table_open(planner_rt_fetch(rel->relid, root)->relid, NoLock);
	blocks = resident_blocks(relation, shape);
	table_close(relation, NoLock);
	return Min((double) blocks / rel->pages, rel->allvisfrac);
}
