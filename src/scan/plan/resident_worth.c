/*
 * resident_worth.c
 *		What is worth asking the device process for; see resident_worth.h.
 */
#include "postgres.h"

#include "scan/plan/resident_worth.h"

/* Smaller relations are read faster than the device process is asked. */
#define MIN_BLOCKS 64

/*
 * A group costs 0.5 us to merge and to hand over, where 16 threads find groups, and
 * a block 1.5 us to read in one process (bench/results, 2026-11-22-h200-resident.md
 * and -scan.md, hits q15): so many groups a block are worth asking for.
 */
#define GROUPS_PER_BLOCK 3

/*
 * Fewer groups always are: the planner often expects too many.  Of a table of a
 * million rows, as many take as long one way as the other, on two processors.
 */
#define FEW_GROUPS 30000

bool
wa_resident_is_large(double nblocks)
{
	return nblocks >= MIN_BLOCKS;
}

double
wa_resident_most_groups(double nblocks, int nworkers)
{
	return Max(nblocks * GROUPS_PER_BLOCK / (nworkers + 1), FEW_GROUPS);
}

bool
wa_resident_takes_groups(double nblocks, double ngroups, int nworkers)
{
	return ngroups <= wa_resident_most_groups(nblocks, nworkers);
}

int
wa_resident_shares(int nworkers)
{
	return nworkers + 1;
}
