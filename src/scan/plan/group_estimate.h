/*
 * group_estimate.h
 *		How many groups a query is likely to have.
 */
#ifndef WA_SCAN_GROUP_ESTIMATE_H
#define WA_SCAN_GROUP_ESTIMATE_H

#include "scan/plan/planned_query.h"

/*
 * Returns how many groups there will be in memory, before HAVING, at most as many
 * as PostgreSQL estimates.
 */
extern double wa_estimate_groups(PlannerInfo *root,
								 const WaPlannedQuery *planned);

#endif /* WA_SCAN_GROUP_ESTIMATE_H */
