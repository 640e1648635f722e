/*
 * parallel.h
 *		Reads a table with parallel workers.
 *
 * The node drives workers of its own.  When control returns from wa_parallel_read
 * they have let go of all that is shared, and a LIMIT or a cursor finds no parallel
 * mode; the kernel may still be ending their processes (parallel_exit.c).
 */
#ifndef WA_SCAN_PARALLEL_H
#define WA_SCAN_PARALLEL_H

#include "scan/state/scan_state.h"

/*
 * Returns how many workers to ask for so many blocks: those of the plan or, where the
 * device process answers for the others, as many as they are worth.
 */
extern int wa_parallel_wanted(const WaScanState *state, uint64 left,
							  bool is_covered);

/*
 * Brings the rows that the scan has left into their groups, or spills them,
 * together with as many workers as the plan has, they are worth and the server
 * gives.  Does nothing where there are none.  What is computed once has been computed.
 * Raises the errors of workers.
 */
extern void wa_parallel_read(WaScanState *state);

#endif /* WA_SCAN_PARALLEL_H */
