/*
 * limit.h
 *		Whether a query wants only the first few of its groups.
 *
 * PostgreSQL's own nodes sort and limit what the node of the scan tier returns,
 * so that need not be more than the groups that may be among the first.
 */
#ifndef WA_SCAN_LIMIT_H
#define WA_SCAN_LIMIT_H

#include "nodes/pathnodes.h"

#include "scan/plan/planned_query.h"
#include "scan/state/plan.h"

/* The groups that a query wants. */
typedef struct WaLimit
{
	WaPlanTop top;
	double ngroups; /* that LIMIT and OFFSET come to; -1: that is not known */
} WaLimit;

/*
 * Describes in *limit which groups the query wants.  target: what is computed for
 * each group below the sort; where that may raise errors, all are wanted.
 */
extern void wa_limit_recognise(PlannerInfo *root, const WaPlannedQuery *planned,
							   const PathTarget *target, WaLimit *limit);

/*
 * Likewise the rows of a query with DISTINCT ON, the first by ORDER BY of each combination of what
 * is distinct.
 */
extern void wa_limit_recognise_parts(PlannerInfo *root,
									 const WaPlannedQuery *planned,
									 const PathTarget *target, WaLimit *limit);

/* Returns how many of so many groups are thought to be wanted, at most. */
extern double wa_limit_estimate(const WaLimit *limit, double ngroups);

#endif /* WA_SCAN_LIMIT_H */
