/*
 * alternative.h
 *		PostgreSQL's plan for what a node computes, which the node goes back to when the
 *		tables of what is joined would take more memory than they may.
 */
#ifndef WA_SCAN_ALTERNATIVE_H
#define WA_SCAN_ALTERNATIVE_H

#include "scan/state/scan_state.h"

typedef struct WaAlternative WaAlternative;

/* Returns the alternative of a node, which does not begin yet; NULL: it has none. */
extern WaAlternative *wa_alternative_make(const WaScanState *state, int eflags);

/*
 * Begins the node's alternative, from which all of its rows come from then on.  To be called
 * before any row has been returned.
 */
extern void wa_alternative_begin(WaScanState *state);

/* Tells whether the rows are those of the alternative (NULL: there is none). */
extern bool wa_alternative_is_used(const WaAlternative *alternative);

/* Returns the next row of the alternative as the node's scan tuple; NULL: there is none. */
extern TupleTableSlot *wa_alternative_next(WaScanState *state);

/*
 * Has the rows of the alternative come anew, after some parameters have changed (NULL: none);
 * returns false if they are not the node's.
 */
extern bool wa_alternative_rescan(WaScanState *state, Bitmapset *changed);

/* Ends the alternative (NULL: there is none). */
extern void wa_alternative_end(WaAlternative *alternative);

#endif /* WA_SCAN_ALTERNATIVE_H */
