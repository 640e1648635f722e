/*
 * resident_plan.h
 *		What the planner knows of resident columns.
 */
#ifndef WA_SCAN_RESIDENT_PLAN_H
#define WA_SCAN_RESIDENT_PLAN_H

#include "scan/plan/limit.h"
#include "scan/plan/planned_query.h"

/*
 * Finds out which share of a query's rows warpaggd is likely to have, with all the
 * columns that are needed, for a plan of so many workers, and how many of the groups it
 * will send.  filling: how often all groups would fill the memory of one process.
 * is_loaded: what would be if the columns had been loaded is asked for.  Never waits
 * for warpaggd to start.
 */
extern void wa_resident_plan(PlannerInfo *root, WaPlannedQuery *planned,
							 const WaLimit *limit, int nworkers, double filling,
							 bool is_loaded);

/*
 * Tells whether the texts that a query reads of its only source, which is resident, are likely to
 * be so few that there are tables of them.
 */
extern bool wa_resident_plan_has_tables(PlannerInfo *root,
										const WaPlannedQuery *planned);

#endif /* WA_SCAN_RESIDENT_PLAN_H */
