/*
 * joins_resident.h
 *		What it costs to have what is joined, where it is resident.
 */
#ifndef WA_SCAN_JOINS_RESIDENT_H
#define WA_SCAN_JOINS_RESIDENT_H

#include "scan/plan/planned_joins.h"

/*
 * Finds out whether all that is joined is resident, so that stamps tell whether it is as it
 * was (scan/resident/stamps.h), and of what the device process is likely to make the tables,
 * as it has all columns.  is_loaded: what would be if they had been loaded.
 */
extern void wa_joins_look(PlannerInfo *root, WaPlannedJoins *joins,
						  bool is_loaded);

/* Suggests the columns of those of which it would make them then, and does not. */
extern void wa_joins_suggest(PlannerInfo *root, const WaPlannedJoins *joins);

/*
 * Returns what it costs to have what is joined to a table of so many rows, after that: tables
 * of what is resident are used again, if they are likely to be kept.
 */
extern Cost wa_joins_cost(const WaPlannedJoins *joins, double tuples);

#endif /* WA_SCAN_JOINS_RESIDENT_H */
