/*
 * planned_sets.h
 *		Subqueries of a node that are looked up: x IN (SELECT ...), and NOT, where PostgreSQL
 *		hashes their rows.
 */
#ifndef WA_SCAN_PLANNED_SETS_H
#define WA_SCAN_PLANNED_SETS_H

#include "core/must_check.h"
#include "scan/plan/planned_joins.h"

/*
 * Adds a join for each subplan in clauses of WHERE and in other expressions to those of a
 * query.  Returns NULL, or why one of them is not covered, as the end of a sentence.
 */
extern WA_MUST_CHECK const char *wa_planned_sets_find(PlannerInfo *root,
													  List *clauses,
													  List *others,
													  WaPlannedJoins *joins);

#endif /* WA_SCAN_PLANNED_SETS_H */
