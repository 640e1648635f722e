/*
 * operation.h
 *		What the aggregates that share a transition state ask of it.
 */
#ifndef WA_AGG_OPERATION_H
#define WA_AGG_OPERATION_H

#include "fmgr.h"

#include "core/types.h"

/* How the aggregates of one transition function call are evaluated. */
typedef struct WaAggPlan
{
	WaType type;         /* of the column */
	WaOpSet ops;         /* of all aggregates that share the state */
	bool many;           /* there may be a state for each of many groups */
	bool may_use_device; /* not in a window, where every row is a result */
} WaAggPlan;

/*
 * Finds out how the aggregates served by this call of the transition function
 * are evaluated.  Raises an error for a type that has no reduction, which the
 * declarations in SQL exclude.
 */
extern void wa_operation_plan(FunctionCallInfo fcinfo, WaAggPlan *plan);

#endif /* WA_AGG_OPERATION_H */
