/*
 * transition_order.h
 *		Rows of an aggregate that wants them in an order, or each value once, group by group.
 *
 * Rows are brought together by group, and then sorted group by group, as PostgreSQL does it, so
 * that no more than one state is there.
 */
#ifndef WA_SCAN_TRANSITION_ORDER_H
#define WA_SCAN_TRANSITION_ORDER_H

#include "nodes/primnodes.h"

typedef struct WaTransitionOrder WaTransitionOrder;

/*
 * Makes the order of an aggregate's rows, in the current memory context, in which it stays; NULL:
 * it wants none.  has_groups: there are others than group 0.
 */
extern WaTransitionOrder *wa_transition_order_make(const Aggref *aggref,
												   bool has_groups);

/* Begins without rows. */
extern void wa_transition_order_begin(WaTransitionOrder *order);

/*
 * Adds a row of a group, with all that Aggref.args is; what is constant is not looked at, and all
 * else is copied.
 */
extern void wa_transition_order_add(WaTransitionOrder *order, uint32 group,
									const NullableDatum *arguments);

/*
 * Reads the next row of a group, which is the one before it asked for or a later one; returns false
 * if there is none.  What is not constant is stored, and stays until the next call.  To be called
 * when all rows have been added.
 */
extern bool wa_transition_order_next(WaTransitionOrder *order, uint32 group,
									 NullableDatum *arguments);

/* Forgets all rows. */
extern void wa_transition_order_end(WaTransitionOrder *order);

#endif /* WA_SCAN_TRANSITION_ORDER_H */
