/*
 * joins_resident.c
 *		What it costs to have what is joined; see joins_resident.h.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "executor/nodeHash.h"
#include "optimizer/optimizer.h"
#include "utils/rel.h"

#include "client/residency.h"
#include "resident/columns.h"
#include "resident/relation.h"
#include "scan/plan/joins_resident.h"
#include "scan/plan/planned_sources.h"
#include "scan/plan/resident_worth.h"
#include "scan/plan/suggest_columns.h"
#include "settings.h"

/* Blocks that are resident of a table are likely to be all if they are such a share. */
#define MOST 0.9

/*
 * What is joined is read again after it has changed: tables of what is resident are thought
 * to be used four times before that, by whatever sessions.
 */
#define RESIDENT_SHARE 0.25

/*
 * Tables that the device process makes: to ask for them, rows that it looks at, and those
 * that are left.
 */
#define MADE_COST       40
#define MADE_ROW_COST   0.001
#define MADE_ENTRY_COST 0.012

/* Tells whether columns of a table are resident. */
static bool
are_resident(Relation table, double pages, const AttrNumber *attnums, int count)
{
	WaColumnName columns[WA_MAX_QUERY_COLUMNS];
	int16_t attributes[WA_MAX_QUERY_COLUMNS];
	WaRunSource source;
	const WaNamedSources named = {.nsources = 1,
								  .ncolumns = (uint32) count,
								  .columns = columns,
								  .sources = &source,
								  .attributes = attributes};

	if (count > WA_MAX_QUERY_COLUMNS)
		return false;
	for (int i = 0; i < count; i++)
	{
		if (!wa_resident_column(table, attnums[i], &columns[i]))
			return false;
		attributes[i] = columns[i].attribute;
		columns[i].attribute = 0;
	}
	memset(&source, 0, sizeof(source));
	source.relation = wa_resident_storage(table);
	source.nblocks = (uint32) pages;
	return (double) wa_residency_estimate(&named, NULL) >= pages * MOST;
}

/* Tells whether a column of a table, the one that is loaded for joins, is resident. */
static bool
is_resident(Relation table, double pages)
{
	AttrNumber any;

	return pages == 0 || (wa_resident_refusal(table) == NULL &&
						  wa_columns_narrowest(table, &any) &&
						  are_resident(table, pages, &any, 1));
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

/* Tells whether all tables that are joined have stamps. */
static bool
have_stamps(PlannerInfo *root, const WaPlannedJoins *joins)
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

/* Stores the columns of a relation that a join uses; returns how many, -1: too many. */
static int
find_columns(const RelOptInfo *relation, const WaJoin *join,
			 AttrNumber *attnums)
{
	Bitmapset *used = NULL;
	int count = 0;
	int number = -1;
	ListCell *cell;

	pull_varattnos((Node *) join->columns, relation->relid, &used);
	foreach (cell, relation->baserestrictinfo)
		pull_varattnos((Node *) lfirst_node(RestrictInfo, cell)->clause,
					   relation->relid, &used);
	while ((number = bms_next_member(used, number)) >= 0)
	{
		if (count == WA_MAX_QUERY_COLUMNS)
			return -1;
		attnums[count++] =
			(AttrNumber) (number + FirstLowInvalidHeapAttributeNumber);
	}
	return count;
}

/* Returns what it costs to have a table that the device process makes. */
static Cost
cost_of_making(const RelOptInfo *relation)
{
	return MADE_COST + relation->tuples * MADE_ROW_COST +
		   relation->rows * MADE_ENTRY_COST;
}

/* Tells whether the device process could make the tables of a join, if it had the columns. */
static bool
can_be_made(const RelOptInfo *relation, const WaJoin *join)
{
	return relation->reloptkind == RELOPT_BASEREL &&
		   relation->rtekind == RTE_RELATION && relation->part_scheme == NULL &&
		   wa_join_key_is_integer(join) &&
		   wa_resident_is_large(relation->pages) &&
		   wa_planned_join_cost(relation) > cost_of_making(relation);
}

/* Tells whether it has the columns that a join uses. */
static bool
has_columns(PlannerInfo *root, const RelOptInfo *relation, const WaJoin *join)
{
	AttrNumber attnums[WA_MAX_QUERY_COLUMNS];
	const int count = find_columns(relation, join, attnums);
	Relation table;
	bool found;

	if (count < 0)
		return false;
	table = wa_planned_sources_open(root, relation);
	found = are_resident(table, relation->pages, attnums, count);
	table_close(table, NoLock);
	return found;
}

/* Returns the joins whose tables it could make, by the places of their relations. */
static Bitmapset *
find_possible(const WaPlannedJoins *joins, List **list)
{
	Bitmapset *possible = NULL;
	int place = 0;
	ListCell *cell;

	*list = NIL;
	foreach (cell, joins->list)
	{
		const WaJoin *join = (const WaJoin *) lfirst(cell);

		if (!wa_join_has_plan(join->kind))
			continue;
		if (can_be_made((const RelOptInfo *) list_nth(joins->relations, place),
						join))
			possible = bms_add_member(possible, place);
		*list = lappend(*list, lfirst(cell));
		place++;
	}
	return possible;
}

void
wa_joins_look(PlannerInfo *root, WaPlannedJoins *joins, bool is_loaded)
{
	Bitmapset *possible;
	List *list;
	int place = -1;

	joins->made = NULL;
	joins->are_resident =
		joins->list != NIL && (is_loaded || have_stamps(root, joins));
	if (!joins->are_resident)
		return;
	possible = find_possible(joins, &list);
	while ((place = bms_next_member(possible, place)) >= 0)
		if (is_loaded ||
			has_columns(root,
						(const RelOptInfo *) list_nth(joins->relations, place),
						(const WaJoin *) list_nth(list, place)))
			joins->made = bms_add_member(joins->made, place);
}

/* Suggests the columns that a join uses of a relation. */
static void
suggest(PlannerInfo *root, const RelOptInfo *relation, const WaJoin *join)
{
	AttrNumber attnums[WA_MAX_QUERY_COLUMNS];
	const int count = find_columns(relation, join, attnums);
	Relation table;

	if (count <= 0 || !wa_suggest_is_wanted(relation->pages))
		return;
	table = wa_planned_sources_open(root, relation);
	wa_suggest_columns(table, relation->userid, attnums, count);
	table_close(table, NoLock);
}

void
wa_joins_suggest(PlannerInfo *root, const WaPlannedJoins *joins)
{
	Bitmapset *possible;
	List *list;
	int place = -1;

	if (!wa_enable_resident || IsParallelWorker())
		return;
	possible = find_possible(joins, &list);
	while ((place = bms_next_member(possible, place)) >= 0)
		if (!bms_is_member(place, joins->made))
			suggest(root,
					(const RelOptInfo *) list_nth(joins->relations, place),
					(const WaJoin *) list_nth(list, place));
}

/*
 * Tells whether what sessions read is likely to stay.  What is more than the table, and more
 * than a session keeps, would be read again by each query beside which it is written to: that
 * takes several times as long as PostgreSQL's plan.
 */
static bool
may_be_kept(const WaPlannedJoins *joins, double tuples)
{
	return wa_planned_joins_rows(joins) <= tuples ||
		   wa_planned_joins_bytes(joins) <= (double) get_hash_memory_limit();
}

Cost
wa_joins_cost(const WaPlannedJoins *joins, double tuples)
{
	Cost cost = joins->cost;
	ListCell *cell;

	if (!joins->are_resident)
		return cost;
	foreach (cell, joins->relations)
		if (bms_is_member(foreach_current_index(cell), joins->made))
			cost -= wa_planned_join_cost((const RelOptInfo *) lfirst(cell));
	if (may_be_kept(joins, tuples))
		cost *= RESIDENT_SHARE;
	foreach (cell, joins->relations)
		if (bms_is_member(foreach_current_index(cell), joins->made))
			cost += cost_of_making((const RelOptInfo *) lfirst(cell)) *
					RESIDENT_SHARE;
	return cost;
}
