/*
 * accumulate_peek.h
 *		Results that can be told from a group's record at once.
 */
#ifndef WA_SCAN_ACCUMULATE_PEEK_H
#define WA_SCAN_ACCUMULATE_PEEK_H

#include "scan/accumulate.h"
#include "state/result.h"

/*
 * Returns what wa_aggregate_result would of the group's state, for counts, and
 * for sums, minima and maxima of integers; or stores nothing and returns false,
 * if that takes the state.  Stored values are passed by value.
 */
extern bool wa_accumulator_peek(const WaAccumulator *accumulator,
								const WaAggPlan *plan, WaVectorKind kind,
								uint32 group, WaAggregate aggregate,
								Datum *result, bool *is_null);

#endif /* WA_SCAN_ACCUMULATE_PEEK_H */
