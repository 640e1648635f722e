/*
 * path.h
 *		Brings the node of the scan tier into plans.
 */
#ifndef WA_SCAN_PATH_H
#define WA_SCAN_PATH_H

/* Installs the planner's hook; called once, from _PG_init. */
extern void wa_scan_init(void);

#endif /* WA_SCAN_PATH_H */
