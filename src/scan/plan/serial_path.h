/*
 * serial_path.h
 *		Paths of PostgreSQL's as they are without parallel workers, for a second plan in the
 *		same run of the planner.
 */
#ifndef WA_SCAN_SERIAL_PATH_H
#define WA_SCAN_SERIAL_PATH_H

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

/* How paths are copied. */
typedef struct WaSerialPaths
{
	PlannerInfo *root;
	const struct CustomPathMethods *ours; /* of custom paths that are known */

	/*
	 * Returns what is in place of a path that is not planned twice, as it is a subquery's or
	 * not known; NULL: there is nothing.
	 */
	Path *(*instead)(const Path *path, void *context);
	void *context; /* which this is given */
} WaSerialPaths;

/*
 * Returns a copy of a path that one process computes, and that what else is done with paths
 * leaves as it is.  Returns NULL if it is not known that a plan can be made of it beside
 * another plan of the same relations.
 */
extern Path *wa_serial_path(const WaSerialPaths *copying, const Path *path);

#endif /* WA_SCAN_SERIAL_PATH_H */
