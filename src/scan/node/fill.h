/*
 * fill.h
 *		Batch after batch of groups: of the table, and of what was spilled.
 */
#ifndef WA_SCAN_FILL_H
#define WA_SCAN_FILL_H

#include "scan/state/scan_state.h"

/* Forgets all groups: all batches are to come. */
extern void wa_scan_start(WaScanState *state);

/*
 * Brings the rows of the next batch of groups into these: those of the table, or
 * of what was spilled.  Returns false, with nothing changed, if none is left.
 */
extern bool wa_scan_fill(WaScanState *state);

#endif /* WA_SCAN_FILL_H */
