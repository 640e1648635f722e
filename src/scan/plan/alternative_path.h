/*
 * alternative_path.h
 *		What computes a query when the tables of what is joined turn out to take more memory
 *		than they may: PostgreSQL's own plan.
 */
#ifndef WA_SCAN_ALTERNATIVE_PATH_H
#define WA_SCAN_ALTERNATIVE_PATH_H

#include "scan/plan/planned_query.h"

/* Prepares for plans with such paths; called once, from _PG_init. */
extern void wa_alternative_path_init(void);

/*
 * Returns PostgreSQL's cheapest path for a grouping, without parallel workers, which returns
 * the columns of the scan tuple of our node (scan/state/plan.h): the query's keys and
 * aggregates, and what keys tell.  Returns NULL if it has none of which a plan can be made
 * beside ours.  output_rel: the grouped relation; ours: methods of our custom paths.
 */
extern Path *wa_alternative_path(PlannerInfo *root,
								 const RelOptInfo *output_rel,
								 const WaPlannedQuery *planned,
								 const struct CustomPathMethods *ours);

#endif /* WA_SCAN_ALTERNATIVE_PATH_H */
