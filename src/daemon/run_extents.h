/*
 * run_extents.h
 *		The extents of a run: collecting them, and giving them up.
 */
#ifndef WA_DAEMON_RUN_EXTENTS_H
#define WA_DAEMON_RUN_EXTENTS_H

#include "daemon/runner.h"
#include "daemon/store.h"

/* An extent with the references that the run has to it. */
typedef struct WaHeldExtent
{
	WaRunExtent extent;
	WaShape *shape;
	uint64_t usable[WA_EXTENT_WORDS];
	WaColumn *columns[]; /* and after these the ranges */
} WaHeldExtent;

/* Belongs to whoever collects, and is constant afterwards. */
typedef struct WaRunExtents
{
	uint32_t ncolumns;
	uint64_t count;
	uint64_t room;
	WaHeldExtent **held;
	uint64_t rows; /* of all ranges */
} WaRunExtents;

/*
 * Collects all extents that a use of ncolumns columns finds, in the order of
 * their numbers.  Returns false if there is no memory; what was collected has
 * to be released anyway.
 */
bool wa_run_extents_collect(WaRunExtents *extents, WaStore *store, WaUse *use);

/* Gives all of them up. */
void wa_run_extents_release(WaRunExtents *extents);

#endif /* WA_DAEMON_RUN_EXTENTS_H */
