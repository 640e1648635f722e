/*
 * group_estimate.h
 *		How many groups a query is likely to have.
 */
#ifndef WA_SCAN_GROUP_ESTIMATE_H
#define WA_SCAN_GROUP_ESTIMATE_H

#include "nodes/pathnodes.h"

/*
 * Returns how many groups there will be in memory, before HAVING, of so many rows of a
 * table, at most as many as PostgreSQL estimates.
 */
extern double wa_estimate_groups(PlannerInfo *root, List *keys, double rows);

#endif /* WA_SCAN_GROUP_ESTIMATE_H */
