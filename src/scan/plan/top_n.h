/*
 * top_n.h
 *		Which groups the device process is told to be wanted.
 *
 * Where a query has ORDER BY and LIMIT only the groups that may be among the
 * first need to be sent.  They are told by keys and aggregates alone, and not by
 * text, whose order the device process does not know.
 */
#ifndef WA_SCAN_TOP_N_H
#define WA_SCAN_TOP_N_H

#include "scan/output/top.h"
#include "scan/plan/limit.h"
#include "scan/plan/planned_query.h"
#include "scan/state/scan_query.h"

/*
 * Tells whether rows whose groups come behind all that are wanted are likely to be left out
 * (scan/rows/key_bound.h), for the planner.
 */
extern bool wa_top_n_is_bounded(const WaPlannedQuery *planned,
								const WaLimit *limit);

/*
 * Tells whether the device process is likely to be told which groups a query
 * wants, for the planner.
 */
extern bool wa_top_n_is_likely(const WaPlannedQuery *planned,
							   const WaLimit *limit);

/*
 * Tells whether the device process would be told of all of ORDER BY, so that as many groups
 * are wanted as LIMIT says.
 */
extern bool wa_top_n_is_all(const WaScanQuery *query, const WaLimit *limit);

/*
 * Describes in *top_n which groups of a node, of whose query top (NULL: nothing) chooses
 * some, are wanted now; its limit is 0 if all are, or if the device process could not
 * tell which.
 */
extern void wa_top_n_describe(const WaScanQuery *query, const PlanState *ps,
							  const WaTop *top, WaTopN *top_n);

#endif /* WA_SCAN_TOP_N_H */
