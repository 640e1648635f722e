/*
 * combine_plan.c
 *		How many combinations a query is likely to have; see combine_plan.h.
 */
#include "postgres.h"

#include "optimizer/optimizer.h"

#include "scan/expr/aggregates.h"
#include "scan/plan/combine_plan.h"
#include "scan/plan/group_estimate.h"
#include "scan/program/pushdown.h"

/* Describes the query; returns false if an aggregate cannot be described. */
static bool
describe(const WaShape *shape, WaPushdown *pushdown)
{
	ListCell *cell;

	memset(pushdown, 0, sizeof(*pushdown));
	pushdown->varno = shape->relation->relid;
	pushdown->filters = shape->filters;
	pushdown->keys = shape->keys;
	pushdown->columns = palloc0(sizeof(WaPushdownColumn) *
								(list_length(shape->aggregates) + 1));
	foreach (cell, shape->aggregates)
	{
		WaAggregateCall call;

		if (wa_aggregate_describe(lfirst_node(Aggref, cell), &call) != NULL)
			return false;
		pushdown->columns[pushdown->ncolumns++] =
			(WaPushdownColumn){.argument = call.argument,
							   .filter = call.filter,
							   .ops = wa_aggregate_operations(call.aggregate)};
	}
	return true;
}

/* Returns how many rows fulfil the clauses that the device process applies. */
static double
sent_rows(PlannerInfo *root, const WaShape *shape, const WaPushdown *pushdown)
{
	List *clauses = NIL;
	ListCell *cell;

	foreach (cell, pushdown->filters)
		if (bms_is_member(foreach_current_index(cell), pushdown->sent_filters))
			clauses = lappend(clauses, lfirst(cell));
	return clamp_row_est(shape->relation->tuples *
						 clauselist_selectivity(root, clauses,
												(int) shape->relation->relid,
												JOIN_INNER, NULL));
}

double
wa_combine_estimate(PlannerInfo *root, const WaShape *shape, WaSpared spared)
{
	RelOptInfo *relation = shape->relation;
	const double rows = relation->rows;
	WaShape combined = *shape;
	WaPushdown pushdown;

	if (!describe(shape, &pushdown))
		return 0;
	pushdown.spared = spared;
	if (!wa_push_down(&pushdown))
		return 0;
	combined.keys = pushdown.by;
	/* PostgreSQL's estimate goes by the rows that fulfil all clauses. */
	relation->rows = sent_rows(root, shape, &pushdown);
	combined.ngroups = wa_estimate_groups(root, &combined);
	relation->rows = rows;
	return combined.ngroups;
}
