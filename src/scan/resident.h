/*
 * resident.h
 *		Queries that the device process answers for the blocks that it has.
 */
#ifndef WA_SCAN_RESIDENT_H
#define WA_SCAN_RESIDENT_H

#include "scan/node.h"

/* Tells whether a relation of so many blocks is worth asking for. */
extern bool wa_resident_is_large(double nblocks);

/*
 * Tells whether to have so many groups sent is likely to be faster than to read so
 * many blocks with a number of workers beside us.
 */
extern bool wa_resident_takes_groups(double nblocks, double ngroups,
									 int nworkers);

/*
 * Returns how many processes' memory a query may take in the device process, whose
 * threads do what that many would: those of a plan with so many workers.
 */
extern int wa_resident_shares(int nworkers);

/*
 * Has the device process compute the node's groups over resident blocks, and
 * merges them with those of the node, which has none yet; the scan, of which no row
 * was read, leaves these blocks out from then on.  Constants have been computed.
 * Does nothing if there is no gain or no device process, or if that fails; where that was
 * for want of memory the node does not ask again.
 */
extern void wa_resident_use(WaScanState *state);

/*
 * Has the scan, of which no row was read, leave out the blocks whose bits are set; NULL:
 * all.
 */
extern void wa_resident_leave_out(WaScanState *state, const uint64_t *covered);

#endif /* WA_SCAN_RESIDENT_H */
