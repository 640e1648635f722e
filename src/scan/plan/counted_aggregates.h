/*
 * counted_aggregates.h
 *		Aggregates over joins to a table that is counted (counted_query.h), told from what
 *		the subquery returns.
 *
 * A row that is joined stands for as many as the table has for it, which is its weight.
 * Sums and averages of integers and numerics are told exactly, and look the same.
 */
#ifndef WA_SCAN_COUNTED_AGGREGATES_H
#define WA_SCAN_COUNTED_AGGREGATES_H

#include "core/must_check.h"
#include "scan/plan/counted.h"

/*
 * Returns what an aggregate comes to, of the same type, or NULL and counted->reason.
 * argument, filter: what it is over and which rows of, NULL if all, in terms of the level
 * with the subquery; the argument is not used where it is over the table's columns alone.
 */
extern WA_MUST_CHECK Expr *wa_counted_aggregate(WaCounted *counted,
												const Aggref *aggregate,
												Expr *argument, Expr *filter);

#endif /* WA_SCAN_COUNTED_AGGREGATES_H */
