/*
 * parallel_cost.c
 *		What parallel workers cost; see parallel_cost.h.
 *
 * It takes milliseconds until workers have begun, and the leader, which reads in the
 * meantime, waits for them even if it has left them nothing to do.
 */
#include "postgres.h"

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"

#include "scan/plan/parallel_cost.h"

/*
 * So much of what a page costs is the processor's, which workers share: PostgreSQL takes all of it
 * for the disk's.  Of 760,000 pages in memory one process read 10 million rows of 105 columns in 1.2
 * s, 16 in 0.12 (an H200's host, 2026-11-30).
 */
#define PROCESSOR_SHARE 0.2

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

int
wa_parallel_best(double nblocks, Cost computing, double ngroups, double nrows,
				 int most)
{
	const Cost alone = computing + nblocks * seq_page_cost * PROCESSOR_SHARE;
	Cost least = alone;
	int best = 0;

	for (int i = 1; i <= most; i++)
	{
		const Cost cost =
			wa_parallel_cost(alone, wa_parallel_groups(ngroups, nrows, i), i);

		if (cost < least)
		{
			least = cost;
			best = i;
		}
	}
	return best;
}

int
wa_parallel_workers_for(double nblocks, Cost computing, double ngroups,
						int most)
{
	uint64 size = Max((uint64) min_parallel_table_scan_size, 1);
	int nworkers = 0;

	for (; size <= nblocks && nworkers < most; size *= 3)
		nworkers++;
	return wa_parallel_cost(computing, ngroups, nworkers) < computing ? nworkers
																	  : 0;
}
