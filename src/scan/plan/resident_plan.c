/*
 * resident_plan.c
 *		What the planner knows of resident columns; see resident_plan.h.
 *
 * What is resident need not be fresh: that is found out when the query runs.  Here
 * it is taken to be, as what has changed is soon read again.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/table.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "client/connection.h"
#include "client/residency.h"
#include "scan/plan/group_estimate.h"
#include "scan/plan/resident_plan.h"
#include "scan/plan/resident_worth.h"
#include "scan/plan/top_n.h"
#include "scan/program/pushdown.h"
#include "scan/state/rolled_query.h"
#include "scan/state/scan_source.h"
#include "scan/state/source_names.h"
#include "scan/tables/table_values.h"
#include "settings.h"

/*
 * Distinct inputs of times take the place of tables if there are so many rows to each of
 * them at least.  Of 28000 rows with as many times the heap took 7.5 ms, distinct inputs
 * 11.5; of 2 million with 1351 35 and 12.5, on two processors (2026-11-23).
 */
#define ROWS_PER_TIME 4

/* What a text takes in a table, besides its own bytes, while that is made. */
#define BYTES_PER_TEXT 128

/*
 * Returns how many distinct inputs the device process is likely to send
 * (scan/resident/distinct_inputs.h); 0: no part of the query can be pushed.  excluded: the tables
 * that there may be none of.
 */
static double
estimate_inputs(PlannerInfo *root, const WaPlannedQuery *planned,
				WaExcluded excluded)
{
	RelOptInfo *relation = planned->relation;
	const double rows = relation->rows;
	double distinct_inputs;
	WaPushdown pushdown;

	wa_scan_query_push_down(&planned->query, &pushdown);
	pushdown.excluded = excluded;
	if (!wa_push_down(&pushdown))
		return 0;
	/* PostgreSQL's estimate goes by the rows that fulfil all clauses. */
	if (pushdown.unpushed_filters != NIL)
		relation->rows = clamp_row_est(
			planned->sources.tuples *
			clauselist_selectivity(root, pushdown.pushed_filters,
								   (int) relation->relid, JOIN_INNER, NULL));
	distinct_inputs = wa_estimate_groups(root, pushdown.by, relation->rows);
	relation->rows = rows;
	return distinct_inputs;
}

/*
 * Returns which share of the rows is likely to be resident, by one request for a sample of
 * the sources: the others are taken to be like these.
 */
static double
resident_share(PlannerInfo *root, const WaPlannedQuery *planned)
{
	const Relation table = wa_planned_sources_open(root, planned->relation);
	const List *taken = planned->sources.taken;
	const uint32 step = wa_residency_step((uint32) list_length(taken));
	uint64 blocks = 0;
	double pages = 0;
	WaSourceNames names;

	wa_source_names_make(&names, planned->query.compiler, WA_RESIDENCY_SAMPLE);
	for (int i = 0; i < list_length(taken); i += (int) step)
	{
		const RelOptInfo *rel = (const RelOptInfo *) list_nth(taken, i);
		WaScanSource source = {.relation = wa_planned_sources_open(root, rel)};

		pages += rel->pages;
		wa_source_map(&source, RelationGetDescr(table));
		(void) wa_source_names_add(&names, &source, rel->pages);
		table_close(source.relation, NoLock);
	}
	table_close(table, NoLock);
	if (names.named.nsources > 0)
		blocks = wa_residency_estimate(&names.named, NULL);
	return pages == 0 ? 0 : Min((double) blocks / pages, 1);
}

bool
wa_resident_plan_has_tables(PlannerInfo *root, const WaPlannedQuery *planned)
{
	const Relation table = wa_planned_sources_open(root, planned->relation);
	WaScanSource source = {.relation = table};
	WaResidentMessage resident;
	WaSourceNames names;
	uint32 first;
	bool has;

	wa_source_names_make(&names, planned->query.compiler, 1);
	wa_source_map(&source, RelationGetDescr(table));
	has = wa_source_names_add(&names, &source, planned->relation->pages) ==
			  NULL &&
		  wa_residency_describe(&names.named, &resident, &first);
	for (uint32 i = 0; i < names.named.ncolumns && has; i++)
	{
		const int32 width =
			get_attavgwidth(RelationGetRelid(table), names.attributes[i]);

		has = resident.columns[i].texts <= WA_MAX_ENTRIES &&
			  (double) resident.columns[i].texts * (width + BYTES_PER_TEXT) <=
				  (double) wa_table_most_bytes();
	}
	table_close(table, NoLock);
	return has;
}

/*
 * Finds out which share of the rows is likely to be resident, and whether GPUs compute it:
 * as the device process said when this session connected, so that nothing more is asked.
 */
static void
find_share(PlannerInfo *root, WaPlannedQuery *planned, bool is_loaded)
{
	planned->resident_share = is_loaded ? 1 : resident_share(root, planned);
	/* The first rows are found by threads, wherever there are GPUs. */
	planned->has_gpus = wa_connection_state()->gpus > 0 &&
						!wa_compiler_has_places(planned->query.compiler);
}

/* Tells whether so many distinct inputs are worth asking for. */
static bool
are_worth(const WaPlannedQuery *planned, double distinct_inputs, int nworkers,
		  WaExcluded excluded)
{
	return wa_resident_takes_groups(planned->sources.pages, distinct_inputs,
									nworkers) &&
		   (excluded != WA_EXCLUDES_TIMES ||
			distinct_inputs * ROWS_PER_TIME <= planned->sources.tuples);
}

/* Returns how many values what some calls are given is likely to have. */
static double
estimate_given(PlannerInfo *root, const WaPlannedQuery *planned,
			   const List *calls)
{
	List *inputs = NIL;
	ListCell *call;
	ListCell *source;

	foreach (call, calls)
		foreach (source, ((const WaCallExpression *) lfirst(call))->sources)
			inputs = list_append_unique(
				inputs, ((const WaSource *) lfirst(source))->expression);
	return wa_estimate_groups(root, inputs, planned->relation->rows);
}

/*
 * Returns an estimate of the distinct inputs of a query that is pushed as a whole where
 * calls have no tables, or, as this takes less time, of some of them if these are too many,
 * or of the rows, if these are few; 0: there are no such calls.
 */
static double
estimate_inputs_of_calls(PlannerInfo *root, const WaPlannedQuery *planned,
						 int nworkers, WaExcluded excluded)
{
	const List *calls = wa_calls_excluded(planned->query.compiler, excluded);
	const double rows = planned->relation->rows;
	double given;

	if (calls == NIL)
		return 0;
	if (are_worth(planned, rows, nworkers, excluded))
		return rows;
	given = estimate_given(root, planned, calls);
	return are_worth(planned, given, nworkers, excluded)
			   ? estimate_inputs(root, planned, excluded)
			   : given;
}

/*
 * Finds out how many distinct inputs there are in case that there are no tables of some
 * calls, as these have too many values: of integers, or `first`, and then of times.
 */
static void
plan_inputs_without_tables(PlannerInfo *root, WaPlannedQuery *planned,
						   int nworkers, WaExcluded first)
{
	for (WaExcluded excluded = first; excluded <= WA_EXCLUDES_TIMES; excluded++)
	{
		const double distinct_inputs =
			planned->can_push
				? estimate_inputs_of_calls(root, planned, nworkers, excluded)
				: estimate_inputs(root, planned, excluded);

		/* It may be that all is pushed, and there is nothing to be combined. */
		if (distinct_inputs == 0)
			continue;
		if (!are_worth(planned, distinct_inputs, nworkers, excluded))
			return;
		planned->inputs_without_tables =
			Max(planned->inputs_without_tables, distinct_inputs);
		planned->excluded = excluded;
	}
}

/*
 * Likewise of a query that the device process cannot answer as a whole, if it is to
 * answer it in part.
 */
static void
plan_inputs(PlannerInfo *root, WaPlannedQuery *planned, int nworkers,
			bool is_loaded)
{
	double distinct_inputs;

	find_share(root, planned, is_loaded);
	if (planned->resident_share == 0)
		return;
	distinct_inputs = estimate_inputs(root, planned, WA_EXCLUDES_NONE);
	if (distinct_inputs == 0 ||
		!wa_resident_takes_groups(planned->sources.pages, distinct_inputs,
								  nworkers))
	{
		planned->resident_share = 0;
		return;
	}
	planned->distinct_inputs = distinct_inputs;
	plan_inputs_without_tables(root, planned, nworkers, WA_EXCLUDES_TIMES);
}

/* Tells whether the device process has words for values that are brought into order. */
static bool
has_words(const WaPlannedQuery *planned)
{
	const WaScanQuery *query = &planned->query;
	const WaVectorKind kind =
		query->group_keys[wa_rolled_query_place(query)].kind;

	return kind == WA_VECTOR_INT || kind == WA_VECTOR_BOOL ||
		   kind == WA_VECTOR_FLOAT;
}

/*
 * Returns how many groups the device process is likely to send if it has all rows, or -1 if it
 * is to send all.
 */
static double
wanted_groups(const WaPlannedQuery *planned, const WaLimit *limit)
{
	const double ngroups = planned->nreturned;

	if (planned->is_listed || (planned->is_ranked && !has_words(planned)))
		return -1;
	if (wa_top_n_is_likely(planned, limit))
		return Min(wa_limit_estimate(limit, ngroups), ngroups);
	return planned->rolls ? ngroups : -1;
}

void
wa_resident_plan(PlannerInfo *root, WaPlannedQuery *planned,
				 const WaLimit *limit, int nworkers, double filling,
				 bool is_loaded)
{
	const double pages = planned->sources.pages;
	const bool has_room = filling <= wa_resident_shares(nworkers);
	/* Workers would send as many. */
	const bool takes_all =
		has_room && wa_resident_takes_groups(pages, planned->ngroups, 0);
	const double wanted = wanted_groups(planned, limit);
	const bool has_wanted = wanted >= 0 && (has_room || planned->rolls);

	planned->resident_share = 0;
	planned->has_gpus = false;
	planned->resident_groups = planned->ngroups;
	planned->distinct_inputs = 0;
	planned->inputs_without_tables = 0;
	planned->excluded = WA_EXCLUDES_NONE;
	if (!wa_enable_resident || IsParallelWorker() ||
		planned->query.ntransitions > 0 ||
		planned->query.compiler->ncolumns > WA_MAX_QUERY_COLUMNS ||
		!wa_resident_is_large(pages) || (!takes_all && !has_wanted))
		return;
	if (!planned->can_push && planned->joins.list != NIL)
		return;
	if (!planned->can_push)
	{
		plan_inputs(root, planned, nworkers, is_loaded);
		return;
	}
	find_share(root, planned, is_loaded);
	if (has_wanted && wa_planned_query_is_whole(planned))
		planned->resident_groups = wanted;
	else if (!takes_all)
		planned->resident_share = 0;
	if (planned->resident_share > 0 && planned->joins.list == NIL &&
		planned->query.compiler->calls != NIL)
		plan_inputs_without_tables(root, planned, nworkers,
								   WA_EXCLUDES_INTEGERS);
}
