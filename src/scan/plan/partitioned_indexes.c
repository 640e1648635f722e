/*
 * partitioned_indexes.c
 *		Unique indexes of partitioned tables; see partitioned_indexes.h.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "utils/rel.h"

#include "scan/plan/partitioned_indexes.h"
#include "scan/plan/planned_sources.h"
#include "scan/plan/planner_compat.h"

/* Describes a unique index, as far as that is needed. */
static IndexOptInfo *
describe(RelOptInfo *relation, Relation index)
{
	const int nkeys = IndexRelationGetNumberOfKeyAttributes(index);
	IndexOptInfo *info = makeNode(IndexOptInfo);

	info->indexoid = RelationGetRelid(index);
	info->rel = relation;
	info->unique = true;
	info->immediate = true;
	info->ncolumns = info->nkeycolumns = nkeys;
	info->indexkeys = palloc(sizeof(int) * nkeys);
	info->indexcollations = palloc(sizeof(Oid) * nkeys);
	info->opfamily = palloc(sizeof(Oid) * nkeys);
	for (int i = 0; i < nkeys; i++)
	{
		info->indexkeys[i] = index->rd_index->indkey.values[i];
		info->indexcollations[i] = index->rd_indcollation[i];
		info->opfamily[i] = index->rd_opfamily[i];
	}
	return info;
}

/* Tells whether an index is one of columns, by which all rows are different. */
static bool
is_unique(Relation index)
{
	const Form_pg_index form = index->rd_index;

	return form->indisunique && form->indimmediate && form->indisvalid &&
		   RelationGetIndexExpressions(index) == NIL &&
		   RelationGetIndexPredicate(index) == NIL;
}

List *
wa_unique_indexes(PlannerInfo *root, RelOptInfo *relation)
{
	Relation table;
	List *infos = NIL;
	ListCell *cell;

	if (lists_partitioned_indexes_compat() || relation->part_scheme == NULL)
		return relation->indexlist;
	table = wa_planned_sources_open(root, relation);
	foreach (cell, RelationGetIndexList(table))
	{
		/* The planner has locked the table only. */
		Relation index = index_open(lfirst_oid(cell), AccessShareLock);

		if (is_unique(index))
			infos = lappend(infos, describe(relation, index));
		index_close(index, NoLock);
	}
	table_close(table, NoLock);
	return infos;
}
