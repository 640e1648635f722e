/*
 * group_order.h
 *		What groups are sorted by above their node.
 */
#ifndef WA_SCAN_GROUP_ORDER_H
#define WA_SCAN_GROUP_ORDER_H

#include "nodes/pathnodes.h"

#include "scan/state/scan_query.h"

/*
 * Returns the WaOrderColumns of a query's ORDER BY; NIL if there is none, if one is not what
 * scan/output/order.h compares, or if it is not the groups, all of them, that are sorted.
 */
extern List *wa_group_order(const PlannerInfo *root, const WaScanQuery *query);

#endif /* WA_SCAN_GROUP_ORDER_H */
