/*
 * buckets.h
 *		Expressions over a time that seldom change: the start of its day, its
 *		hour, its date in some time zone, and what is computed from these.
 *
 * Time is cut into buckets: dates are such by themselves, timestamps are cut into
 * 15 minutes.  The expression has one value within a bucket if the step that
 * PostgreSQL brings the time to (scan/expr/times.h) is the same at both ends, and the
 * time itself is not moved by a change of an offset from UTC in between; that
 * value is evaluated once and kept.  For other buckets each row is evaluated.
 */
#ifndef WA_SCAN_BUCKETS_H
#define WA_SCAN_BUCKETS_H

#include "core/lookup_table.h"
#include "core/must_check.h"
#include "scan/expr/evaluate.h"

typedef struct WaBuckets WaBuckets;

/* Makes buckets for what a call of kind BUCKETS stands for, in the current context. */
extern WaBuckets *wa_buckets_make(const WaCallExpression *call,
								  WaEvaluation *evaluation);

/* Forgets all results: the evaluation has been prepared anew. */
extern void wa_buckets_forget(WaBuckets *buckets);

/*
 * Has rows be looked up in a table of the expression that wa_range_table_find has found
 * since it forgot its results, for as long as the table stays, which is for the present query
 * (wa_tables_query); NULL: in none.
 */
extern void wa_buckets_use_table(WaBuckets *buckets,
								 const WaLookupTable *table);

/*
 * Finds the value that the expression has from a time first to a time last, which
 * wa_time_is_safe holds for, and which lie in one bucket, or are the ends of an
 * hour, half an hour or a day of UTC.  Returns false if it may have several.  The
 * value stays until the next one.
 */
extern WA_MUST_CHECK bool wa_buckets_value(const WaBuckets *buckets,
										   int64 first, int64 last,
										   Datum *value, bool *is_null);

/* A WaVectorFunction over a WaBuckets; traps if it is not prepared. */
extern WA_MUST_CHECK bool wa_buckets_call(void *context, const WaVector *a,
										  WaVector *out, size_t nrows);

#endif /* WA_SCAN_BUCKETS_H */
