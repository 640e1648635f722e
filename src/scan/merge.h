/*
 * merge.h
 *		Groups of other processes (query/partial_groups.h) and a node's own.
 */
#ifndef WA_SCAN_MERGE_H
#define WA_SCAN_MERGE_H

#include "query/partial_groups.h"
#include "scan/node.h"

/*
 * Returns the shape of a node's groups, in the current memory context; scales
 * are those of the present.
 */
extern WaPartialShape *wa_scan_shape(const WaScanState *state);

/*
 * Appends a group to a message.  What it has beyond records goes there as
 * transition states.
 */
extern void wa_scan_write_group(WaScanState *state, const WaPartialShape *shape,
								uint32 group, WaWriter *writer);

/*
 * Merges the groups of a message with those of the node; where order matters,
 * their rows came later.  own: the message was written by a process of the
 * server, and may have states.  Raises an error if the message is not one of the
 * node's shape.  Needs memory in the current context.
 */
extern void wa_scan_merge_groups(WaScanState *state, const void *message,
								 Size bytes, bool own);

#endif /* WA_SCAN_MERGE_H */
