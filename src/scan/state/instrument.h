/*
 * instrument.h
 *		What EXPLAIN ANALYZE counts of a node.
 */
#ifndef WA_SCAN_INSTRUMENT_H
#define WA_SCAN_INSTRUMENT_H

#include "scan/state/scan_state.h"

/*
 * Adds what was counted to other counts.  at_once: both were at work at the same time,
 * so that their files were there together.
 */
extern void wa_instrument_add(WaInstrument *instrument,
							  const WaInstrument *other, bool at_once);

/* Puts away what the last scan of a node has counted: the next one begins. */
extern void wa_instrument_start(WaScanState *state);

/* Returns what all scans of a node have counted in this process and its workers. */
extern WaInstrument wa_instrument_of(const WaScanState *state);

#endif /* WA_SCAN_INSTRUMENT_H */
