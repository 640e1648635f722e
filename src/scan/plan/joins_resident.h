/*
 * joins_resident.h
 *		Whether what is joined is likely to be there from an earlier query.
 */
#ifndef WA_SCAN_JOINS_RESIDENT_H
#define WA_SCAN_JOINS_RESIDENT_H

#include "scan/plan/planned_joins.h"

/*
 * Tells whether all tables that are joined are resident, so that stamps tell whether they
 * are as they were (scan/resident/stamps.h), and tables of their rows are used again.
 */
extern bool wa_joins_are_resident(PlannerInfo *root,
								  const WaPlannedJoins *joins);

#endif /* WA_SCAN_JOINS_RESIDENT_H */
