/*
 * batch_loop.h
 *		Reads rows and brings them into groups, a batch at a time.
 */
#ifndef WA_SCAN_BATCH_LOOP_H
#define WA_SCAN_BATCH_LOOP_H

#include "scan/state/scan_state.h"

/* Makes empty groups, and has the scan begin at the first row. */
extern void wa_scan_begin(WaScanState *state);

/* The same for a worker, which is told which groups are wanted. */
extern void wa_scan_begin_share(WaScanState *state, const WaWantedKeys *wanted);

/* Brings the rows that the scan has left into their groups, or spills them. */
extern void wa_scan_read(WaScanState *state);

/* Brings the next batch of rows into their groups.  Returns false if there is none. */
extern bool wa_scan_take_batch(WaScanState *state);

/* Brings what the next partition of what was spilled has into groups of its own. */
extern void wa_scan_read_partition(WaScanState *state);

#endif /* WA_SCAN_BATCH_LOOP_H */
