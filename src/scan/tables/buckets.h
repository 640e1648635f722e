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

#include "core/must_check.h"
#include "core/steps.h"
#include "scan/expr/evaluate.h"

typedef struct WaBuckets WaBuckets;

/* As wa_evaluation_make. */
extern WaBuckets *wa_buckets_make(const WaCallExpression *call,
								  const WaVector *registers,
								  ParamListInfo parameters);

/* As wa_evaluation_prepare; forgets all results. */
extern void wa_buckets_prepare(WaBuckets *buckets, const ExprContext *econtext);

/*
 * Has rows be looked up in a table of the expression that wa_step_table_find has found
 * since it was prepared, for as long as the table stays, which is for the present query
 * (wa_tables_query); NULL: in none.
 */
extern void wa_buckets_use_table(WaBuckets *buckets, const WaSteps *table,
								 const uint64 *query);

/* As wa_evaluation_reset. */
extern void wa_buckets_reset(WaBuckets *buckets);

/*
 * Finds the value that the expression has from a time first to a time last, which
 * wa_time_is_safe holds for, and which lie in one bucket, or are the ends of an
 * hour, half an hour or a day of UTC.  Returns false if it may have several.  The
 * value stays until the next one.
 *
 * The call may also be one of kind EVALUATE with one source that varies, an
 * integer or a date, if first is last.
 */
extern WA_MUST_CHECK bool wa_buckets_value(const WaBuckets *buckets,
										   int64 first, int64 last,
										   Datum *value, bool *is_null);

/* Likewise, the value where what varies is NULL. */
extern bool wa_buckets_null_value(const WaBuckets *buckets, Datum *value,
								  bool *is_null);

/* Returns what the expression is evaluated from. */
extern const WaEvaluation *wa_buckets_evaluation(const WaBuckets *buckets);

/* A WaVectorFunction over a WaBuckets; traps if it is not prepared. */
extern WA_MUST_CHECK bool wa_buckets_call(void *context, const WaVector *a,
										  WaVector *out, size_t nrows);

#endif /* WA_SCAN_BUCKETS_H */
