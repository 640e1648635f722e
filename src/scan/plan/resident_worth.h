/*
 * resident_worth.h
 *		What is worth asking the device process for.
 */
#ifndef WA_SCAN_RESIDENT_WORTH_H
#define WA_SCAN_RESIDENT_WORTH_H

#include "settings.h"

/* Smaller relations are read faster than the device process is asked. */
#define WA_RESIDENT_MIN_BLOCKS 64

/*
 * A group costs 0.5 us to merge and to hand over, where 16 threads find groups, and
 * a block 1.5 us to read in one process (bench/results, 2026-11-22-h200-resident.md
 * and -scan.md, hits q15): so many groups a block are worth asking for.
 */
#define WA_RESIDENT_GROUPS_PER_BLOCK 3

/*
 * Fewer groups always are: the planner often expects too many.  Of a table of a
 * million rows, as many take as long one way as the other, on two processors.
 */
#define WA_RESIDENT_FEW_GROUPS 30000

/*
 * One block in so many is read here at most to come with a query that wants all rows: beyond,
 * there may be workers for them.
 */
#define WA_RESIDENT_REST_SHARE 8

/* Tells whether so many blocks of a relation are read here to come with a query. */
static inline bool
wa_resident_brings(uint32 nrest, uint32 nblocks)
{
	return nrest <= nblocks / WA_RESIDENT_REST_SHARE ||
		   wa_debug_sent_groups > 0;
}

/* Tells whether a query over one relation can have all rows, if that share is resident. */
static inline bool
wa_resident_is_whole(double share)
{
	return share > 1 - 1.0 / WA_RESIDENT_REST_SHARE;
}

/* Tells whether a relation of so many blocks is worth asking for. */
static inline bool
wa_resident_is_large(double nblocks)
{
	return nblocks >= WA_RESIDENT_MIN_BLOCKS;
}

/* Returns how many groups are worth asking for, of so many blocks. */
static inline double
wa_resident_most_groups(double nblocks, int nworkers)
{
	if (wa_debug_sent_groups > 0)
		return wa_debug_sent_groups;
	return Max(nblocks * WA_RESIDENT_GROUPS_PER_BLOCK / (nworkers + 1),
			   WA_RESIDENT_FEW_GROUPS);
}

/*
 * Tells whether to have so many groups sent is likely to be faster than to read so
 * many blocks with a number of workers beside us.
 */
static inline bool
wa_resident_takes_groups(double nblocks, double ngroups, int nworkers)
{
	return ngroups <= wa_resident_most_groups(nblocks, nworkers);
}

/*
 * Returns how many processes' memory a query may take in the device process, whose
 * threads do what that many would: those of a plan with so many workers.
 */
static inline int
wa_resident_shares(int nworkers)
{
	return nworkers + 1;
}

#endif /* WA_SCAN_RESIDENT_WORTH_H */
