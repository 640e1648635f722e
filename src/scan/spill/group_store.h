/*
 * group_store.h
 *		The groups that a node has in memory.
 */
#ifndef WA_SCAN_GROUP_STORE_H
#define WA_SCAN_GROUP_STORE_H

#include "scan/state/scan_store.h"

/* Returns how many groups there are. */
extern uint32 wa_scan_groups(const WaScanStore *store);

/* Makes empty groups in place of those that are there. */
extern void wa_scan_make_groups(WaScanStore *store);

/* Forgets what their aggregates have in files; there are no groups then. */
extern void wa_scan_end_groups(WaScanStore *store);

#endif /* WA_SCAN_GROUP_STORE_H */
