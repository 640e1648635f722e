/*
 * group_message.h
 *		Groups of a node as messages (query/message/partial_groups.h).
 */
#ifndef WA_SCAN_GROUP_MESSAGE_H
#define WA_SCAN_GROUP_MESSAGE_H

#include "query/message/partial_groups.h"
#include "scan/state/scan_store.h"

/*
 * Returns the shape of a node's groups, in the current memory context; scales
 * are those of the present.
 */
extern WaPartialShape *wa_scan_shape(const WaScanStore *store);

/*
 * Writes a message of groups: those from number *next on, below end, until there
 * are enough bytes; sets *next to the first that is not in it.  order: the groups
 * by these numbers; NULL: they are the same.  What a group has beyond records
 * goes there as transition states.
 */
extern void wa_scan_write_groups(WaScanStore *store,
								 const WaPartialShape *shape,
								 const uint32 *order, uint32 *next, uint32 end,
								 WaWriter *writer);

/* Writes a message of all groups. */
extern void wa_scan_write_all_groups(WaScanStore *store,
									 const WaPartialShape *shape,
									 WaWriter *writer);

/* Appends a group's state, which may be none, in place of a record. */
extern void wa_scan_write_state(WaAggState *state, WaWriter *writer);

#endif /* WA_SCAN_GROUP_MESSAGE_H */
