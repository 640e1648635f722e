/*
 * joins_resident.h
 *		What it costs to have what is joined, where it is resident.
 */
#ifndef WA_SCAN_JOINS_RESIDENT_H
#define WA_SCAN_JOINS_RESIDENT_H

#include "scan/plan/planned_joins.h"

/*
 * Returns what it costs to have the rows of what is joined.  If all of it is resident, stamps
 * tell whether it is as it was (scan/resident/stamps.h): tables are used again, if they may
 * be kept, and the device process makes those of which it has all columns.
 */
extern Cost wa_joins_cost(PlannerInfo *root, const WaPlannedJoins *joins,
						  bool may_be_kept);

#endif /* WA_SCAN_JOINS_RESIDENT_H */
