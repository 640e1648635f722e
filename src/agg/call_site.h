/*
 * call_site.h
 *		Finds out how the aggregates of one call site are evaluated.
 *
 * A call site is a place in an executor tree where a support function of the
 * family is called; what it needs to know is found out at its first call and
 * kept, for the life of the query.
 */
#ifndef WA_AGG_CALL_SITE_H
#define WA_AGG_CALL_SITE_H

#include "state/plan.h"

/*
 * Returns the plan of this call of a transition function, in memory that lives
 * as long as the function's.  moving tells that the function belongs to a
 * moving-aggregate implementation.  Raises an error for a type that has no such
 * aggregate, which the declarations in SQL exclude.
 */
extern const WaAggPlan *wa_plan_transition(FunctionCallInfo fcinfo,
										   bool moving);

/* Returns the plan of this call that takes states with the key, likewise. */
extern const WaAggPlan *wa_plan_states(FunctionCallInfo fcinfo,
									   const WaPlanKey *key);

#endif /* WA_AGG_CALL_SITE_H */
