/*
 * path_cost.c
 *		What the node of the scan tier costs; see path_cost.h.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "scan/expr/ranked.h"
#include "scan/expr/transition.h"
#include "scan/groups/value_sort.h"
#include "scan/plan/parallel_cost.h"
#include "scan/plan/path_cost.h"
#include "scan/plan/planner_compat.h"
#include "scan/spill/spill_pace.h"

/*
 * Costs, in the planner's units; src/README.md has how they were measured.  What a
 * row costs before anything is computed with it, and an instruction of the query
 * program or the reading of a column.
 */
#define ROW_COST         0.0012
#define INSTRUCTION_COST 0.0005

/* What an aggregate costs for each group returned, and the group by itself. */
#define RESULT_COST 0.0025
#define GROUP_COST  0.0075

/* What it costs to find out whether a group is one of the first. */
#define COMPARE_COST 0.005

/*
 * What it costs to bring the value of a finer group into order, and to look at it, where the
 * groups are in memory, and beyond.
 */
#define ORDER_COST      0.3
#define ORDER_COST_HERE 0.06

/*
 * What it takes the device process to find a group, and to send one and have it taken, or to evaluate a distinct input; and by how much it is faster than
 * one process.
 */
#define FOUND_GROUP_COST 0.05
#define SENT_GROUP_COST  0.15
#define INPUT_COST       0.3
#define RESIDENT_DIVISOR 4

/*
 * Likewise where it has GPUs.  The Star Schema Benchmark took 1.8 to 14 ms for 60 million
 * rows, and 17 to 37 for 6 million on two processors (bench/results/2026-11-29-*-ssb.md):
 * an H200 is 22 to 99 times as fast as two.  It takes 0.1 to 0.5 ms whatever it computes.
 */
#define GPU_ASKING_COST 200
#define GPU_DIVISOR     (RESIDENT_DIVISOR * 20)

/* Bytes that a group takes for each key, and for each aggregated column. */
#define GROUP_BYTES  32
#define RESULT_BYTES 32

/*
 * What it costs to spill a row and to read it again, beside its pages.  It takes 70
 * to 200 ns, with these: a million rows, by keys of a hundred thousand and a million
 * values, with work_mem 4MB and 16MB against 512MB, where the kernel has room for
 * the files.  PostgreSQL's plans that spill or sort them take 40 to 48 ns for what
 * they count as 0.01, so 0.015 to 0.05.
 */
#define SPILL_ROW_COST 0.02

double
wa_path_filling(const WaPlannedQuery *planned)
{
	const WaScanQuery *query = &planned->query;
	double bytes = GROUP_BYTES * query->nkeys + RESULT_BYTES * query->ncolumns;

	for (int i = 0; i < query->ntransitions; i++)
		bytes += wa_transition_bytes(query->transitions[i].aggref);
	return query->nkeys == 0 ? 0
							 : planned->nkept * bytes / get_hash_memory_limit();
}

Cost
wa_path_row_cost(const WaPlannedQuery *planned)
{
	return ROW_COST + INSTRUCTION_COST * planned->ninstructions;
}

Cost
wa_path_rows_cost(const WaPlannedQuery *planned)
{
	const WaPlannedSources *sources = &planned->sources;

	return sources->tuples * wa_path_row_cost(planned) +
		   sources->rows * (INSTRUCTION_COST * (planned->query.ncolumns +
												planned->query.nkeys) +
							planned->transition_cost);
}

/*
 * Returns what it costs to spill the rows of groups beyond the memory, to read them
 * back, both one page after the other, and to compute them again.
 */
static Cost
spill_cost(const WaPlannedQuery *planned)
{
	const RelOptInfo *relation = planned->relation;
	const double filling = Max(wa_path_filling(planned), 1);
	/* Rows of groups that are in memory are not spilled. */
	double share = 1 - 1 / filling;
	double depth = ceil(log2(ceil(filling)) / wa_spill_most_bits());
	double rows = planned->sources.rows * share * depth;
	double pages =
		rows * (MAXALIGN(relation->reltarget->width) + SizeofHeapTupleHeader) /
		BLCKSZ;

	return pages * 2 * seq_page_cost +
		   rows * (SPILL_ROW_COST + INSTRUCTION_COST * planned->ninstructions);
}

/* Returns what it costs to bring the values of groups into order. */
static Cost
order_cost(const WaPlannedQuery *planned)
{
	const bool is_here =
		wa_path_filling(planned) <= 1 && wa_value_sort_fits(planned->ngroups);

	if (!planned->is_ranked)
		return 0;
	return planned->ngroups * (is_here ? ORDER_COST_HERE : ORDER_COST);
}

/*
 * Returns what it costs to read a share of the table from the heap, with so many
 * workers at most.
 */
static Cost
heap_cost(const WaPlannedQuery *planned, double share, int nworkers)
{
	const double pages = planned->sources.pages * share;
	const Cost computing = wa_path_rows_cost(planned) * share;

	if (share < 1)
		nworkers =
			wa_parallel_workers_for(pages, computing, planned->nkept, nworkers);
	return pages * seq_page_cost +
		   wa_parallel_cost(
			   computing,
			   wa_parallel_groups(planned->nkept, planned->ngrouping, nworkers),
			   nworkers);
}

/* Returns what it costs to have the device process compute a share of the rows. */
static Cost
resident_cost(const WaPlannedQuery *planned, double share)
{
	const double divisor = planned->has_gpus ? GPU_DIVISOR : RESIDENT_DIVISOR;

	if (share <= 0)
		return 0;
	return (planned->has_gpus ? GPU_ASKING_COST : WA_ASKING_COST) +
		   FOUND_GROUP_COST * Max(planned->ngroups, planned->distinct_inputs) +
		   SENT_GROUP_COST * planned->resident_groups +
		   INPUT_COST * planned->distinct_inputs +
		   wa_path_rows_cost(planned) * share / divisor;
}

/*
 * Returns what the path costs before its first row, with so many workers, where it
 * returns so many groups.  What is resident makes it no dearer: of a small table
 * with many groups, of which there may turn out to be few, it costs more to have
 * them sent than to read the heap.
 */
static Cost
startup_cost(const WaPlannedQuery *planned, double nreturned, int nworkers)
{
	const double share = planned->resident_share;
	const Cost reading = heap_cost(planned, 1, nworkers);
	const Cost asking =
		resident_cost(planned, share) + heap_cost(planned, 1 - share, nworkers);
	Cost all = spill_cost(planned) + order_cost(planned);

	if (nreturned < planned->ngroups)
		all += planned->ngroups * COMPARE_COST;
	/* If only some are sent, no others are kept here. */
	return planned->resident_groups < planned->ngroups
			   ? Min(reading + all, asking)
			   : Min(reading, asking) + all;
}

void
wa_path_set_costs(Path *path, const PlannerInfo *root,
				  const WaPlannedQuery *planned, const WaLimit *limit,
				  int nworkers)
{
	const PathTarget *target = path->pathtarget;
	const double nreturned = wa_limit_estimate(limit, planned->nreturned);
	QualCost having = {0, 0};

	if (planned->having != NIL)
		cost_qual_eval(&having, planned->having, (PlannerInfo *) root);
	path->startup_cost = startup_cost(planned, nreturned, nworkers) +
						 planned->sources.others_cost +
						 planned->sources.pushed_cost + planned->joins_cost +
						 target->cost.startup + having.startup;
	if (!enable_seqscan)
		disable_path_compat(path);
	path->total_cost =
		path->startup_cost + planned->nreturned * having.per_tuple +
		nreturned * (GROUP_COST + target->cost.per_tuple +
					 RESULT_COST * list_length(planned->query.aggregates));
}

/* Returns what it costs PostgreSQL to sort the values of one aggregate, group by group. */
static Cost
sorting_cost(PlannerInfo *root, const WaPlannedQuery *planned,
			 const Node *argument)
{
	const double ngroups = Max(planned->nreturned, 1);
	const int width = get_typavgwidth(exprType(argument), exprTypmod(argument));

	return ngroups * sort_cost_compat(root,
									  clamp_row_est(planned->rows / ngroups),
									  width, work_mem);
}

void
wa_path_scale_costs(Path *path, PlannerInfo *root,
					const WaPlannedQuery *planned, const Path *rival)
{
	const WaScanQuery *rolled = planned->query.rolled;
	Cost sorting = 0;
	ListCell *cell;
	double share;

	if (rolled == NULL)
		return;
	foreach (cell, rolled->aggregates)
	{
		const Aggref *aggref = lfirst_node(Aggref, cell);

		if ((aggref->aggdistinct != NIL || wa_ranked_is(aggref)) &&
			!is_presorted_compat(aggref))
			sorting += sorting_cost(
				root, planned,
				(Node *) linitial_node(TargetEntry, aggref->args)->expr);
	}
	share = rival->total_cost / (rival->total_cost + sorting);
	path->startup_cost *= share;
	path->total_cost *= share;
}
