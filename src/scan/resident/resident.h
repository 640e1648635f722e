/*
 * resident.h
 *		Queries that the device process answers for the blocks that it has.
 */
#ifndef WA_SCAN_RESIDENT_H
#define WA_SCAN_RESIDENT_H

#include "scan/state/scan_state.h"

/*
 * Has the device process compute the node's groups over resident blocks, and
 * merges them with those of the node, which has none yet; the scan, of which no row
 * was read, leaves these blocks out from then on.  Constants have been computed.
 * Does nothing if there is no gain or no device process, or if that fails; where that was
 * for want of memory the node does not ask again.
 * has_other_rows: whether rows are to come that are none of the scan's.
 */
extern void wa_resident_use(WaScanState *state, bool has_other_rows);

#endif /* WA_SCAN_RESIDENT_H */
