/*
 * planned_finer.h
 *		Nodes whose groups are rolled up to those of another one, for aggregates over several
 *		values in each group (scan/state/rolled_query.h).
 */
#ifndef WA_SCAN_PLANNED_FINER_H
#define WA_SCAN_PLANNED_FINER_H

#include "scan/plan/planned_query.h"

/*
 * Finds the groupings of a relation whose groups are rolled up to those of a query that was
 * recognised, beside its own: planned->finer.  Returns why the scan tier does not take one, as
 * the end of a sentence, or NULL.
 */
extern WA_MUST_CHECK const char *
wa_planned_finer_find(PlannerInfo *root, RelOptInfo *relation,
					  const WaGrouping *grouping, WaPlannedQuery *planned);

#endif /* WA_SCAN_PLANNED_FINER_H */
