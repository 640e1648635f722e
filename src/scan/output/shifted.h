/*
 * shifted.h
 *		The results of aggregates over shifted expressions (scan/expr/shift.h).
 */
#ifndef WA_SCAN_SHIFTED_H
#define WA_SCAN_SHIFTED_H

#include "core/must_check.h"
#include "scan/state/scan_store.h"

/*
 * Raises PostgreSQL's error if a value of a group that is there is out of range.  To
 * be called before any result of these groups is asked for.
 */
extern void wa_shifted_check(const WaScanStore *store);

/*
 * Returns the result of an aggregate that has a shift.  Needs memory in the
 * current context; what is returned lives there.
 */
extern Datum wa_shifted_result(const WaScanStore *store,
							   const WaScanResult *result, uint32 group,
							   bool *is_null);

/* The same estimate as that of wa_accumulator_estimate. */
extern WA_MUST_CHECK bool wa_shifted_estimate(const WaScanStore *store,
											  const WaScanResult *result,
											  uint32 group, double *value);

#endif /* WA_SCAN_SHIFTED_H */
