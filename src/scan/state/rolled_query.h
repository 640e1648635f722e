/*
 * rolled_query.h
 *		Queries whose groups are made of finer ones.
 *
 * An aggregate with DISTINCT wants each value of its argument once for each group: the
 * query groups by this argument as well, with the other aggregates, and its groups are
 * rolled up to those that are wanted (scan/rows/roll_up.h): what they have is merged, and
 * the value of each is taken once.  Percentiles, modes and lists (scan/expr/ranked.h) want values
 * in order, with the number of rows that have each: the query counts rows then, too.
 *
 * Where there are several such arguments, other nodes group by the same keys and one of these
 * each, and have no aggregates, or count rows.  So they do where a query has other aggregates, and
 * few groups, but many with the argument (is_apart).
 *
 * A query with grouping sets groups by all keys, and each of its groups is merged with one of each
 * set.  Aggregates with DISTINCT, and percentiles, have other nodes then, set by set, each for
 * all of their arguments.
 */
#ifndef WA_SCAN_ROLLED_QUERY_H
#define WA_SCAN_ROLLED_QUERY_H

#include "core/must_check.h"
#include "scan/expr/ranked.h"
#include "scan/state/scan_query.h"

/* What is found in the order of values. */
typedef struct WaRank
{
	WaRankKind kind;
	Expr *fraction; /* or an array of such; NULL: none */
	int element;    /* of the array, from 0; -1: it is none */

	/* Of lists, as of WaRankedCall */
	const Aggref *listed;
	int argument;
	bool skips_nulls;
} WaRank;

/* Values that finer groups have as their last key, and what becomes of them. */
typedef struct WaRolledValues
{
	Expr *expression;
	const SortGroupClause *order; /* NULL: they are taken once each */
	bool are_listed;              /* in that order, NULL too */
	int column;   /* of what the query is rolled up to, that they go to, */
	int ncolumns; /* or the first of so many, with an order: */
	WaRank *ranks;
} WaRolledValues;

/* Returns the query whose groups are returned: *query, or what it is rolled up to. */
extern const WaScanQuery *wa_scan_query_returned(const WaScanQuery *query);

/*
 * Returns why values cannot be a key of groups, as the end of a sentence, or NULL.  clause: of
 * GROUP BY, DISTINCT or an order; NULL if there is one value in each group anyway.
 */
extern WA_MUST_CHECK const char *
wa_rolled_query_key_refusal(const SortGroupClause *clause, const Node *key);

/*
 * Has a query group by the arguments of its aggregates with DISTINCT and of its percentiles, if it
 * has some, or by what all its grouping sets have: then query->rolled is the query as it was.  Keys and aggregates are
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

/* Returns the number of the key that has the values. */
extern int wa_rolled_query_place(const WaScanQuery *query);

/*
 * Stores the keys that a query with grouping sets has for a group of one of these.  read: those
 * of the group, of all keys or of the set's alone.
 */
extern void wa_rolled_query_set_keys(const WaScanQuery *rolled, int number,
									 const WaQueryValue *read, bool of_all,
									 WaQueryValue *keys);

/* Returns the aggregates of another node of these values. */
extern List *wa_rolled_query_aggregates_of(const WaRolledValues *values);

/* Returns the number of the column that counts rows, which a query has. */
extern int wa_rolled_query_count(const WaScanQuery *query);

/* Completes what the query is rolled up to when it has been compiled. */
extern void wa_rolled_query_complete(WaScanQuery *query);

#endif /* WA_SCAN_ROLLED_QUERY_H */
