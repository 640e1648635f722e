/*
 * why_note.h
 *		Where a plan says why levels of its query have no node of the scan tier.
 */
#ifndef WA_SCAN_WHY_NOTE_H
#define WA_SCAN_WHY_NOTE_H

#include "nodes/plannodes.h"

#include "core/must_check.h"

/* What a plan says of a level of its query that has aggregates. */
typedef struct WaWhy
{
	const char *level;  /* its name; empty: it is the only one */
	const char *reason; /* why it has no node; empty: it has one */
	const char *costs;  /* what was compared, if it was for these; else empty */
} WaWhy;

/* Puts a list of WaWhy down in a plan, if it has a range table. */
extern void wa_why_write(PlannedStmt *plan, const List *whys);

/*
 * Returns what a plan says: a list of WaWhy, in the current memory context.  NIL if its
 * query has no aggregates.  Returns false if the plan was made while the library was not
 * loaded.
 */
extern WA_MUST_CHECK bool wa_why_read(const PlannedStmt *plan, List **whys);

#endif /* WA_SCAN_WHY_NOTE_H */
