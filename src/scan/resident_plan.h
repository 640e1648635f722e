/*
 * resident_plan.h
 *		What the planner knows of resident columns.
 */
#ifndef WA_SCAN_RESIDENT_PLAN_H
#define WA_SCAN_RESIDENT_PLAN_H

#include "scan/shape.h"

/*
 * Returns the share of a query's rows that warpaggd is likely to have, with all the
 * columns that are needed, for a plan of so many workers.  Never waits for it to
 * start.
 */
extern double wa_resident_plan_share(PlannerInfo *root, const WaShape *shape,
									 int nworkers);

#endif /* WA_SCAN_RESIDENT_PLAN_H */
