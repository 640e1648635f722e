/*
 * parallel_cost.c
 *		What parallel workers cost; see parallel_cost.h.
 *
 * It takes milliseconds until workers have begun, and the leader, which reads in the
 * meantime, waits for them even if it has left them nothing to do.
 */
#include "postgres.h"

#include "optimizer/optimizer.h"
#include "optimizer/paths.h"

#include "scan/plan/parallel_cost.h"

/* Returns by how much the processes together are faster than one. */
static double
divisor(int nworkers)
{
	/* As PostgreSQL has it: workers keep the leader busy. */
	return nworkers + Max(1.0 - 0.3 * nworkers, 0);
}

Cost
wa_parallel_cost(Cost computing, double ngroups, int nworkers)
{
	if (nworkers == 0)
		return computing;
	return computing / divisor(nworkers) + parallel_setup_cost +
		   parallel_tuple_cost * ngroups * nworkers;
}

bool
wa_parallel_is_worth(Cost computing, double ngroups, int nworkers)
{
	return wa_parallel_cost(computing, ngroups, nworkers) < computing;
}

int
wa_parallel_workers_for(double nblocks, Cost computing, double ngroups,
						int most)
{
	uint64 size = Max((uint64) min_parallel_table_scan_size, 1);
	int nworkers = 0;

	for (; size <= nblocks && nworkers < most; size *= 3)
		nworkers++;
	return wa_parallel_is_worth(computing, ngroups, nworkers) ? nworkers : 0;
}
