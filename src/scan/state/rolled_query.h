/*
 * rolled_query.h
 *		Queries whose groups are made of finer ones.
 *
 * An aggregate with DISTINCT wants each value of its argument once for each group: the
 * query groups by this argument as well, with the other aggregates, and its groups are
 * rolled up to those that are wanted (scan/rows/roll_up.h): what they have is merged, and
 * the value of each is taken once.  Where there are several such arguments, other nodes group
 * by the same keys and one of these each, without aggregates.  So they do where a query has
 * other aggregates, and few groups, but many with the argument (is_apart).
 *
 * A query with grouping sets groups by all keys, and each of its groups is merged with one of each
 * set.  Aggregates with DISTINCT have other nodes then, set by set, each for all of their arguments.
 */
#ifndef WA_SCAN_ROLLED_QUERY_H
#define WA_SCAN_ROLLED_QUERY_H

#include "core/must_check.h"
#include "scan/state/scan_query.h"

/* Returns the query whose groups are returned: *query, or what it is rolled up to. */
extern const WaScanQuery *wa_scan_query_returned(const WaScanQuery *query);

/*
 * Has a query group by the arguments of its aggregates with DISTINCT, if it has some, or by what
 * all its grouping sets have: then query->rolled is the query as it was.  Keys and aggregates are
 * those of the plan, and nothing else has been made of them.  Returns why it cannot, as the end of
 * a sentence, or NULL.
 */
extern WA_MUST_CHECK const char *wa_rolled_query_split(WaScanQuery *query);

/*
 * Finds the columns and results of what the query is rolled up to, whose own columns are
 * there.  check: as of wa_scan_query_aggregate, and returns as that.
 */
extern WA_MUST_CHECK const char *
wa_rolled_query_aggregate(WaScanQuery *query,
						  const char *(*check)(const WaAggregateCall *call));

/* Returns how many other nodes have groups that are rolled up, too. */
extern int wa_rolled_query_finer(const WaScanQuery *query);

/* Returns the number of the key that has the values that are taken once. */
extern int wa_rolled_query_place(const WaScanQuery *query);

/* Completes what the query is rolled up to when it has been compiled. */
extern void wa_rolled_query_complete(WaScanQuery *query);

#endif /* WA_SCAN_ROLLED_QUERY_H */
