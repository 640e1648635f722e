/*
 * join_conditions.h
 *		Conditions that relations are joined by beside a key.
 */
#ifndef WA_SCAN_JOIN_CONDITIONS_H
#define WA_SCAN_JOIN_CONDITIONS_H

#include "nodes/pathnodes.h"

#include "scan/expr/joins.h"

/* Tells whether one of some conditions (RestrictInfo) is about columns of a relation. */
extern bool wa_join_conditions_use(const List *infos,
								   const RelOptInfo *relation);

/* Returns conditions (RestrictInfo) as expressions, in the order of their evaluation. */
extern List *wa_join_conditions(PlannerInfo *root, const List *infos);

/*
 * Tells whether the key of a join is a value of one that is there only where conditions
 * hold that may raise errors: keys are computed before clauses of WHERE, perhaps for rows
 * that do not fulfil these.  joins: the list of WaJoin before it.
 */
extern bool wa_join_key_may_raise(List *joins, const WaJoin *join);

#endif /* WA_SCAN_JOIN_CONDITIONS_H */
