/*
 * transition_order.h
 *		Rows of an aggregate that wants them in an order, or each value once.
 *
 * As long as they have room in work_mem, rows of all groups are sorted together, so that each
 * group sees its own in their order.  Beyond, they are brought together by group, and sorted group
 * by group, so that no more than one state is there.
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

/* Tells whether rows come group by group.  To be called when all have been added. */
extern bool wa_transition_order_is_by_group(const WaTransitionOrder *order);

/*
 * Reads the next row: where rows come group by group, one of *group, which is the group that was
 * asked for before or a later one; else *group becomes its group.  Returns false if there is none.
 * What is not constant is stored, and stays until the next call.
 */
extern bool wa_transition_order_next(WaTransitionOrder *order, uint32 *group,
									 NullableDatum *arguments);

/* Forgets all rows. */
extern void wa_transition_order_end(WaTransitionOrder *order);

#endif /* WA_SCAN_TRANSITION_ORDER_H */
