/*
 * likely.h
 *		How many groups a query is likely to have.
 */
#ifndef WA_SCAN_LIKELY_H
#define WA_SCAN_LIKELY_H

#include "scan/shape.h"

/*
 * Returns how many groups there will be in memory, before HAVING, at most as many
 * as PostgreSQL estimates.
 */
extern double wa_likely_groups(PlannerInfo *root, const WaShape *shape);

#endif /* WA_SCAN_LIKELY_H */
