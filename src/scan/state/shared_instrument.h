/*
 * shared_instrument.h
 *		Brings together what the processes of another node count of a node.
 *
 * A node without workers of its own may run in those of a Gather above, where each
 * counts for itself.  The executor gives shared memory to nodes that are parallel
 * aware, which this one is not and must not seem to be: each process that runs it
 * does so from the first row to the last.  So it has, where EXPLAIN ANALYZE wants to
 * know, a part that is aware.
 */
#ifndef WA_SCAN_SHARED_INSTRUMENT_H
#define WA_SCAN_SHARED_INSTRUMENT_H

#include "scan/state/scan_state.h"

typedef struct WaSharedInstrument WaSharedInstrument;

/* Gives a node its part, if its plan may run in workers and somebody counts. */
extern void wa_shared_instrument_make(WaScanState *state);

/*
 * Leaves what a process has counted to the leader, if it is a worker; nothing is
 * counted after that.
 */
extern void wa_shared_instrument_leave(const WaScanState *state);

/*
 * Adds what workers have counted, and takes the part away from the node, lest EXPLAIN
 * takes it for a node.
 */
extern void wa_shared_instrument_collect(WaScanState *state,
										 WaInstrument *instrument);

#endif /* WA_SCAN_SHARED_INSTRUMENT_H */
