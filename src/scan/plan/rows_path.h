/*
 * rows_path.h
 *		Paths for a few rows of a table: the first by ORDER BY and LIMIT, or those that
 *		WHERE selects.
 *
 * No two rows lie in the same place, so rows are groups by what they are ordered by and by
 * their places, without aggregates: the node of the scan tier finds them, and has the device
 * process choose the first ones.  Above it PostgreSQL sorts these few, and a node of ours
 * (scan/node/first_rows.c) reads the rows themselves, with all columns that the query wants.
 */
#ifndef WA_SCAN_ROWS_PATH_H
#define WA_SCAN_ROWS_PATH_H

#include "nodes/pathnodes.h"

/*
 * Adds such a path to those of a table, if a level of the query reads no other, wants a few of its
 * rows, and what that takes is resident.
 */
extern void wa_rows_path_add(PlannerInfo *root, RelOptInfo *relation);

/* Has its plans be known; called once, from _PG_init. */
extern void wa_rows_path_init(void);

#endif /* WA_SCAN_ROWS_PATH_H */
