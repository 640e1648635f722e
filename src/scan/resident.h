/*
 * resident.h
 *		Queries that the device process answers for the blocks that it has.
 */
#ifndef WA_SCAN_RESIDENT_H
#define WA_SCAN_RESIDENT_H

#include "scan/node.h"

/*
 * Tells whether resident columns are likely to be faster than a relation of so many
 * blocks, read by a number of workers beside us, for so many groups.
 */
extern bool wa_resident_pays(double nblocks, double ngroups, int nworkers);

/*
 * Has the device process compute the node's groups over resident blocks, of those
 * that the scan has not begun to read, and merges them with those of the node,
 * which are not closed; the scan leaves these blocks out from then on.  Constants have been computed.
 * Does nothing if there is no gain or no device process, or if that fails.
 */
extern void wa_resident_use(WaScanState *state);

#endif /* WA_SCAN_RESIDENT_H */
