/*
 * combine_plan.h
 *		What the planner knows of queries that the device process answers in part
 *		(scan/resident/combine.h).
 */
#ifndef WA_SCAN_COMBINE_PLAN_H
#define WA_SCAN_COMBINE_PLAN_H

#include "scan/plan/planned_query.h"
#include "scan/program/pushdown.h"

/*
 * Returns how many combinations the device process is likely to send for a query
 * that it cannot answer as a whole; 0: no part of it can be pushed.  spared: the
 * tables that there may be none of.
 */
extern double wa_combine_estimate(PlannerInfo *root,
								  const WaPlannedQuery *planned,
								  WaSpared spared);

#endif /* WA_SCAN_COMBINE_PLAN_H */
