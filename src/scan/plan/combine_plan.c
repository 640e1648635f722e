/*
 * combine_plan.c
 *		How many combinations a query is likely to have; see combine_plan.h.
 */
#include "postgres.h"

#include "optimizer/optimizer.h"

#include "scan/plan/combine_plan.h"
#include "scan/plan/group_estimate.h"
#include "scan/program/pushdown.h"

/* Returns how many rows fulfil the clauses that the device process applies. */
static double
sent_rows(PlannerInfo *root, const WaPlannedQuery *planned,
		  const WaPushdown *pushdown)
{
	List *clauses = NIL;
	ListCell *cell;

	foreach (cell, pushdown->filters)
		if (bms_is_member(foreach_current_index(cell), pushdown->sent_filters))
			clauses = lappend(clauses, lfirst(cell));
	return clamp_row_est(planned->relation->tuples *
						 clauselist_selectivity(root, clauses,
												(int) planned->relation->relid,
												JOIN_INNER, NULL));
}

double
wa_combine_estimate(PlannerInfo *root, const WaPlannedQuery *planned,
					WaSpared spared)
{
	RelOptInfo *relation = planned->relation;
	const double rows = relation->rows;
	WaPlannedQuery combined = *planned;
	WaPushdown pushdown;

	wa_scan_query_push_down(&planned->query, &pushdown);
	pushdown.spared = spared;
	if (!wa_push_down(&pushdown))
		return 0;
	combined.keys = pushdown.by;
	/* PostgreSQL's estimate goes by the rows that fulfil all clauses. */
	relation->rows = sent_rows(root, planned, &pushdown);
	combined.ngroups = wa_estimate_groups(root, &combined);
	relation->rows = rows;
	return combined.ngroups;
}
