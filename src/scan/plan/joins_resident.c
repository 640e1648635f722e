/*
 * joins_resident.c
 *		Whether what is joined is likely to be there; see joins_resident.h.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/table.h"
#include "utils/rel.h"

#include "client/residency.h"
#include "resident/columns.h"
#include "resident/relation.h"
#include "scan/plan/joins_resident.h"
#include "scan/plan/planned_sources.h"
#include "settings.h"

/* Blocks that are resident of a table are likely to be all if they are such a share. */
#define MOST 0.9

/* Tells whether a column of a table, the one that is loaded for joins, is resident. */
static bool
is_resident(Relation table, double pages)
{
	WaColumnName column;
	WaRunSource source;
	int16_t attribute;
	const WaNamedSources named = {.nsources = 1,
								  .ncolumns = 1,
								  .columns = &column,
								  .sources = &source,
								  .attributes = &attribute};
	AttrNumber any;

	if (pages == 0)
		return true;
	if (wa_resident_refusal(table) != NULL ||
		!wa_columns_narrowest(table, &any) ||
		!wa_resident_column(table, any, &column))
		return false;
	attribute = column.attribute;
	column.attribute = 0;
	memset(&source, 0, sizeof(source));
	source.relation = wa_resident_storage(table);
	source.nblocks = (uint32) pages;
	return (double) wa_residency_estimate(&named, NULL) >= pages * MOST;
}

/* Likewise of a relation of the query. */
static bool
is_relation_resident(PlannerInfo *root, const RelOptInfo *relation)
{
	Relation table;
	bool found;

	if (relation->rtekind != RTE_RELATION || relation->part_scheme != NULL)
		return false;
	table = wa_planned_sources_open(root, relation);
	found = is_resident(table, relation->pages);
	table_close(table, NoLock);
	return found;
}

bool
wa_joins_are_resident(PlannerInfo *root, const WaPlannedJoins *joins)
{
	ListCell *cell;

	if (!wa_enable_resident || IsParallelWorker())
		return false;
	/* What subqueries return is not known to be. */
	foreach (cell, joins->list)
		if (((const WaJoin *) lfirst(cell))->subplan != NULL)
			return false;
	foreach (cell, joins->relations)
	{
		const RelOptInfo *relation = (const RelOptInfo *) lfirst(cell);
		int number = -1;

		while ((number = bms_next_member(relation->relids, number)) >= 0)
			if (root->simple_rel_array[number] != NULL &&
				!is_relation_resident(root, root->simple_rel_array[number]))
				return false;
	}
	return true;
}
