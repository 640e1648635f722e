/*
 * parallel_cost.h
 *		What parallel workers cost, and how many blocks are worth them: in the
 *		planner's units, for a plan and when it is executed.
 */
#ifndef WA_SCAN_PARALLEL_COST_H
#define WA_SCAN_PARALLEL_COST_H

#include "nodes/nodes.h"

/*
 * Returns what it costs to compute with so many workers what costs one process so
 * much, where each process finds so many groups.
 */
extern Cost wa_parallel_cost(Cost computing, double ngroups, int nworkers);

/*
 * Returns how many groups each process finds, of so many workers and the leader, where there are so
 * many in all the rows, which they share.
 */
static inline double
wa_parallel_groups(double ngroups, double nrows, int nworkers)
{
	return Min(ngroups, nrows / (nworkers + 1));
}

/*
 * Returns how many workers, of so many at most, are the best to read and compute a relation of so
 * many blocks.  computing: what that costs one process, but for its pages.
 */
extern int wa_parallel_best(double nblocks, Cost computing, double ngroups,
							double nrows, int most);

/*
 * Returns how many workers, of so many at most, the blocks of a relation are worth that
 * are left to read beside resident ones: as many as compute_parallel_worker gives a
 * relation of that size, or none.  computing: what these blocks cost one process.
 */
extern int wa_parallel_workers_for(double nblocks, Cost computing,
								   double ngroups, int most);

#endif /* WA_SCAN_PARALLEL_COST_H */
