/*
 * planned_finer.c
 *		Nodes whose groups are rolled up to those of another one; see planned_finer.h.
 */
#include "postgres.h"

#include "scan/plan/planned_finer.h"
#include "scan/plan/planner_compat.h"
#include "scan/state/rolled_query.h"

/*
 * Returns the grouping of another node whose groups are rolled up: by the values of a number, or,
 * with grouping sets, of a number in those of all sets.
 */
static WaGrouping
finer_grouping_of(const PlannerInfo *root, const WaGrouping *grouping,
				  const WaScanQuery *rolled, int number)
{
	const int nvalues = list_length(rolled->values);
	const WaRolledValues *values =
		(const WaRolledValues *) list_nth(rolled->values, number % nvalues);
	WaGrouping finer = {.is_finer = true,
						.results = wa_rolled_query_aggregates_of(values)};
	ListCell *cell;

	if (rolled->sets == NIL)
	{
		finer.clauses = grouping->clauses;
		finer.keys = list_copy(rolled->keys);
	}
	else
		foreach (cell, (const List *) linitial((const List *) list_nth(
						   rolled->sets, number / nvalues)))
		{
			finer.clauses = lappend(
				finer.clauses, list_nth(grouping->clauses, lfirst_int(cell)));
			finer.keys = lappend(
				finer.keys,
				ungrouped_compat(
					root, (Node *) list_nth(rolled->keys, lfirst_int(cell))));
		}
	finer.keys = lappend(finer.keys, values->expression);
	return finer;
}

/* Sets what becomes of the values of a node whose groups are rolled up, by its number. */
static void
set_values(WaPlannedQuery *planned, const WaScanQuery *rolled, int number)
{
	const int nvalues = list_length(rolled->values);
	const WaRolledValues *values =
		(const WaRolledValues *) list_nth(rolled->values, number % nvalues);

	planned->is_ranked = values->order != NULL;
	planned->is_listed = values->are_listed;
}

const char *
wa_planned_finer_find(PlannerInfo *root, RelOptInfo *relation,
					  const WaGrouping *grouping, WaPlannedQuery *planned)
{
	const WaScanQuery *rolled = planned->query.rolled;
	const int nfiner = wa_rolled_query_finer(&planned->query);
	const int count = rolled == NULL        ? 0
					  : rolled->sets == NIL ? list_length(rolled->values)
											: nfiner;
	const char *reason = NULL;

	planned->rolls = count > 0 && !planned->query.is_apart;
	if (planned->rolls)
		set_values(planned, rolled, 0);
	if (nfiner > 0 && !wa_planned_query_is_simple(planned))
		return rolled->sets != NIL
				   ? "it has grouping sets, and aggregates with DISTINCT or "
					 "percentiles"
				   : "aggregates have DISTINCT, or percentiles, over several "
					 "arguments";
	for (int i = 0; i < nfiner && reason == NULL; i++)
	{
		WaPlannedQuery *finer = palloc(sizeof(WaPlannedQuery));
		const WaGrouping finer_grouping =
			finer_grouping_of(root, grouping, rolled, count - nfiner + i);

		reason =
			wa_planned_query_recognise(root, relation, &finer_grouping, finer);
		finer->rolls = rolled->sets == NIL;
		set_values(finer, rolled, count - nfiner + i);
		planned->finer = lappend(planned->finer, finer);
	}
	return reason;
}
