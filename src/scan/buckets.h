/*
 * buckets.h
 *		Expressions over a time that seldom change: the start of its day, its
 *		hour, its date in some time zone, and what is computed from these.
 *
 * Time is cut into buckets: dates are such by themselves, timestamps are cut into
 * 15 minutes.  The expression has one value within a bucket if the step that
 * PostgreSQL brings the time to (scan/times.h) is the same at both ends, and the
 * time itself is not moved by a change of an offset from UTC in between; that
 * value is evaluated once and kept.  For other buckets each row is evaluated.
 */
#ifndef WA_SCAN_BUCKETS_H
#define WA_SCAN_BUCKETS_H

#include "scan/evaluate.h"

typedef struct WaBuckets WaBuckets;

/* As wa_evaluation_make, for a call of kind BUCKETS. */
extern WaBuckets *wa_buckets_make(const WaCallExpression *call,
								  const WaVector *registers,
								  ParamListInfo parameters);

/* As wa_evaluation_prepare; forgets all results. */
extern void wa_buckets_prepare(WaBuckets *buckets, const ExprContext *econtext);

/* A WaVectorFunction over a WaBuckets. */
extern bool wa_buckets_call(void *context, const WaVector *a, WaVector *out,
							size_t nrows);

#endif /* WA_SCAN_BUCKETS_H */
