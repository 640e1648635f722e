/*
 * counted_plan.h
 *		Plans of queries whose joins have tables with several rows for one: such a query is
 *		planned again with one of them counted (counted_query.h), and the cheaper plan is
 *		taken if a node of the scan tier is in it.
 */
#ifndef WA_SCAN_COUNTED_PLAN_H
#define WA_SCAN_COUNTED_PLAN_H

#include "nodes/pathnodes.h"

/* Installs the hook, above that of why.h; called once, from _PG_init. */
extern void wa_counted_init(void);

/*
 * Notes, while a query is planned, that a relation is not joined, as it may have several
 * rows for one.  reason: what is said of that, which ends why a level has no node; it stays
 * as long as the planner's memory.
 */
extern void wa_counted_refused(PlannerInfo *root, const RelOptInfo *relation,
							   const char *text);

/*
 * Has a NOTICE say why a level has no node, if the plan that is being made is the one that is
 * taken.  text: likewise.
 */
extern void wa_counted_notice(const char *text);

#endif /* WA_SCAN_COUNTED_PLAN_H */
