/*
 * buckets.h
 *		Functions of a timestamp that seldom change: the start of its day, its
 *		hour, its date in the session's time zone.
 *
 * Time is cut into buckets of 15 minutes.  Within a bucket in which the offset
 * from UTC does not change such a function has one value if it has the same at
 * both ends; that is computed once, by PostgreSQL's own function, and kept.  For
 * other buckets the function is called for each row.
 */
#ifndef WA_SCAN_BUCKETS_H
#define WA_SCAN_BUCKETS_H

#include "nodes/primnodes.h"

#include "core/program.h"

typedef struct WaBuckets WaBuckets;

/*
 * Prepares calls of a function whose last argument is the timestamp, and whose
 * other one, if there is one, a constant.  kind: of the result.  In the current
 * memory context.
 */
extern WaBuckets *wa_buckets_make(const FuncExpr *call, WaVectorKind kind);

/* Sets the constant argument and forgets all results. */
extern void wa_buckets_reset(WaBuckets *buckets, Datum argument, bool is_null);

/* A WaVectorFunction over a WaBuckets. */
extern bool wa_buckets_call(void *context, const WaVector *a, WaVector *out,
							size_t nrows);

#endif /* WA_SCAN_BUCKETS_H */
