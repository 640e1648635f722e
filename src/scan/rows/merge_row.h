/*
 * merge_row.h
 *		Groups that other servers have aggregated and a node's own.
 */
#ifndef WA_SCAN_MERGE_ROW_H
#define WA_SCAN_MERGE_ROW_H

#include "nodes/execnodes.h"

#include "scan/state/scan_store.h"

/*
 * Merges a row of another server, which is a group (scan/groups/pushed_states.h), with the
 * node's group with its keys.  If the node's are closed and it is none of these, it is
 * spilled.  Needs memory in the current context.  Raises an error if the row is no such one.
 */
extern void wa_scan_merge_row(WaScanStore *store, TupleTableSlot *row);

#endif /* WA_SCAN_MERGE_ROW_H */
