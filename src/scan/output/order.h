/*
 * order.h
 *		The order in which groups are returned, where the query has ORDER BY.
 *
 * PostgreSQL sorts them; of rows that come in the right order it finds that out by comparing
 * each with the next one.  Here groups are compared by numbers: integers, and the ranks of
 * texts, each of which is compared once however many groups share it.  Nothing depends on
 * the order's being right: where it is not worth it, or cannot be had, groups keep theirs.
 */
#ifndef WA_SCAN_ORDER_H
#define WA_SCAN_ORDER_H

#include "scan/state/scan_store.h"

typedef struct WaOrder WaOrder;

/*
 * Makes what it takes to order the groups of a node, in the current context; NULL if its
 * plan says of no order.
 */
extern WaOrder *wa_order_make(const WaScanStore *store);

/*
 * Orders the groups that are there now.  Raises errors of the results that they are sorted
 * by.
 */
extern void wa_order_groups(WaOrder *order);

/* Returns the number of the i-th group. */
extern uint32 wa_order_group(const WaOrder *order, uint32 i);

#endif /* WA_SCAN_ORDER_H */
