/*
 * suggest.c
 *		Having columns loaded that queries would gain from; see suggest.h.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/table.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/rel.h"

#include "client/residency.h"
#include "resident/autoload.h"
#include "resident/columns.h"
#include "resident/relation.h"
#include "scan/plan/suggest.h"
#include "scan/plan/suggest_columns.h"
#include "scan/state/scan_source.h"
#include "settings.h"

/*
 * The share of a table's rows that a query has to read for its columns to be suggested
 * where PostgreSQL answers it by a plan of its own: that finds a few rows sooner.
 */
#define MIN_SHARE 0.05

/*
 * A query without columns gains from any.  One of which not all blocks could be used may
 * find the others resident a moment later.
 */
void
wa_suggest_scanned(Relation relation, const WaSourceColumns *named,
				   bool are_resident)
{
	const Oid relid = RelationGetRelid(relation);
	AttrNumber attnums[WA_MAX_QUERY_COLUMNS];
	AttrNumber any;

	for (uint32 i = 0; i < named->ncolumns; i++)
		attnums[i] = named->columns[i].attribute;
	if (named->ncolumns > 0)
		wa_autoload_suggest(relid, (int) named->ncolumns, attnums,
							are_resident);
	else if (wa_columns_narrowest(relation, &any))
		wa_autoload_suggest(relid, 1, &any, are_resident);
}

bool
wa_suggest_is_possible(const WaPlannedQuery *planned)
{
	return wa_enable_resident && !IsParallelWorker() &&
		   planned->query.compiler->ncolumns > 0 &&
		   planned->query.compiler->ncolumns <= WA_MAX_QUERY_COLUMNS &&
		   wa_suggest_is_wanted(planned->sources.pages);
}

bool
wa_suggest_is_worth(const WaPlannedQuery *planned)
{
	const WaPlannedSources *sources = &planned->sources;

	return wa_suggest_is_possible(planned) &&
		   sources->rows >= sources->tuples * MIN_SHARE;
}

/* Suggests the columns of a query in one of its sources, if they can be resident. */
static void
suggest_source(const WaScanSource *source, const WaPlannedQuery *planned)
{
	const WaCompiler *compiler = planned->query.compiler;
	AttrNumber *attnums = palloc(sizeof(AttrNumber) * (compiler->ncolumns + 1));
	WaColumnName name;

	if (wa_resident_refusal(source->relation) != NULL)
		return;
	for (int i = 0; i < compiler->ncolumns; i++)
	{
		attnums[i] = wa_source_attnum(source, compiler->attnums[i]);
		if (!wa_resident_column(source->relation, attnums[i], &name))
			return;
	}
	wa_autoload_suggest(RelationGetRelid(source->relation), compiler->ncolumns,
						attnums, false);
}

void
wa_suggest_planned(PlannerInfo *root, const WaPlannedQuery *planned)
{
	const Relation table = wa_planned_sources_open(root, planned->relation);
	const List *taken = planned->sources.taken;
	const int first = Max(list_length(taken) - WA_SUGGEST_MOST, 0);

	if (wa_suggest_may_load(RelationGetRelid(table), planned->relation->userid,
							planned->query.compiler->attnums,
							planned->query.compiler->ncolumns))
		for (int i = list_length(taken) - 1; i >= first; i--)
		{
			WaScanSource source = {
				.relation = wa_planned_sources_open(
					root, (const RelOptInfo *) list_nth(taken, i))};

			wa_source_map(&source, RelationGetDescr(table));
			suggest_source(&source, planned);
			table_close(source.relation, NoLock);
		}
	table_close(table, NoLock);
}
