/*
 * pushed_states.h
 *		From what another server has aggregated to states.
 *
 * Of a group such a server returns, after the keys, some values for each aggregated
 * column: how many rows it has that are not NULL, and for each of its operations, in the
 * order of WaOp, what PostgreSQL's own aggregate of that name comes to.
 */
#ifndef WA_SCAN_PUSHED_STATES_H
#define WA_SCAN_PUSHED_STATES_H

#include "core/must_check.h"
#include "state/state.h"

/*
 * Tells whether such values of a column can be merged with others without a difference:
 * whether of none of them it matters in which order PostgreSQL adds.
 */
extern WA_MUST_CHECK bool wa_pushed_is_exact(const WaPlanKey *key);

/* Returns how many values a column with these operations has. */
extern int wa_pushed_values(WaOpSet ops);

/*
 * Returns the state, in the current memory context, that the values of a column stand for;
 * NULL: it has no rows.  Raises an error if they do not fit each other.
 */
extern WaAggState *wa_pushed_state(const WaAggPlan *plan, const Datum *values,
								   const bool *nulls);

#endif /* WA_SCAN_PUSHED_STATES_H */
