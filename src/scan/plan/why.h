/*
 * why.h
 *		Why levels of a query with aggregates have no node of the scan tier.
 *
 * The planner's hooks tell, level by level, what becomes of the node; when the plan is
 * made that is put down in it.  It stays with the plan, also in a plan cache, and EXPLAIN
 * reads it there.
 */
#ifndef WA_SCAN_WHY_H
#define WA_SCAN_WHY_H

#include "nodes/pathnodes.h"

/* Installs the hooks; called once, from _PG_init. */
extern void wa_why_init(void);

/*
 * Notes, while a query is planned, that a level has no path of ours.  reason: the end of
 * a sentence, which stays as long as the planner's memory.
 */
extern void wa_why_refused(PlannerInfo *root, const char *reason);

/*
 * Notes that it has one, which is about to be added to those of its grouping.  outgrows:
 * the groups are thought to outgrow the memory.
 */
extern void wa_why_offered(PlannerInfo *root, const RelOptInfo *grouped,
						   const CustomPath *path, bool outgrows);

/* Returns the cheapest path of a grouping that is not ours, or NULL. */
extern const Path *wa_why_rival(const RelOptInfo *grouped,
								const struct CustomPathMethods *ours);

/* Notes that the path has become part of the plan. */
extern void wa_why_chosen(PlannerInfo *root);

#endif /* WA_SCAN_WHY_H */
