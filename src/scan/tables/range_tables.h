/*
 * range_tables.h
 *		Tables (core/lookup_table.h) of what PostgreSQL evaluates, for queries to take
 *		along.
 *
 * An expression over one date, time or integer that raises no errors, and is a
 * function of nothing else but the time zone, is evaluated once for each entry of a
 * range of values.  What is not known of an entry has to be computed otherwise.
 */
#ifndef WA_SCAN_RANGE_TABLES_H
#define WA_SCAN_RANGE_TABLES_H

#include "core/lookup_table.h"
#include "core/must_check.h"
#include "core/protocol.h"
#include "scan/tables/buckets.h"

/* Tells whether there may be a table for a call. */
extern bool wa_range_table_is_possible(const WaCallExpression *call);

/*
 * Finds or makes the table of a call, whose constants have been computed, over
 * the values that are resident of its column, or most of them.  buckets: of a call of
 * that kind, else NULL.  Returns NULL if it would be too large for so few rows, if too
 * little of it is known, or if there are too many tables.  It stays for the query.
 */
extern WA_MUST_CHECK const WaLookupTable *
wa_range_table_find(const WaCallExpression *call, WaEvaluation *evaluation,
					const WaBuckets *buckets, const WaResidency *column);

#endif /* WA_SCAN_RANGE_TABLES_H */
