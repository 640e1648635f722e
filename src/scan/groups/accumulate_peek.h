/*
 * accumulate_peek.h
 *		Results that can be told from a group's record at once.
 */
#ifndef WA_SCAN_ACCUMULATE_PEEK_H
#define WA_SCAN_ACCUMULATE_PEEK_H

#include "core/must_check.h"
#include "scan/groups/accumulate.h"
#include "state/result.h"

/* Far above what is lost in a double, and when PostgreSQL rounds an average. */
#define WA_ESTIMATE_ERROR 1e-9

/*
 * Returns what wa_aggregate_result would of the group's state, for counts, and
 * for sums, minima and maxima of integers; or stores nothing and returns false,
 * if that takes the state.  Stored values are passed by value.
 */
extern WA_MUST_CHECK bool wa_accumulator_peek(const WaAccumulator *accumulator,
											  const WaAggPlan *plan,
											  WaVectorKind kind, uint32 group,
											  WaAggregate aggregate,
											  Datum *result, bool *is_null);

/*
 * Stores a number in proportion to the result of a sum or average of integers or
 * numerics, the same proportion for all groups that there are now, but for a
 * relative error below WA_ESTIMATE_ERROR; or returns false if the result is NULL
 * or that takes the state.
 */
extern WA_MUST_CHECK bool
wa_accumulator_estimate(const WaAccumulator *accumulator, const WaAggPlan *plan,
						WaVectorKind kind, uint32 group, WaAggregate aggregate,
						double *result);

#endif /* WA_SCAN_ACCUMULATE_PEEK_H */
