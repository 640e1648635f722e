/*
 * ties.h
 *		Values that are equal but look different, such as 0 and -0, or 1.0 and 1.00.
 *
 * GROUP BY shows the key of a group's first row, min and max the last of equal values.
 * What the device process sends tells nothing of the order of rows, and it sends nothing
 * if that would matter among its own.  Where rows of the heap follow what it has sent,
 * the node watches whether it matters (groups their keys, records and states what they
 * keep of min and max), and if so the whole table is read in order.  Not
 * so in parallel plans, where PostgreSQL's rows have no order either.
 */
#ifndef WA_SCAN_TIES_H
#define WA_SCAN_TIES_H

#include "scan/node.h"

/*
 * Tells whether rows of the heap follow, in order, what the device process has answered
 * for.
 */
extern bool wa_ties_matter(const WaScanState *state);

/* Begins to watch, with groups that are empty. */
extern void wa_ties_watch(WaScanState *state);

/* Ends it. */
extern void wa_ties_stop(WaScanState *state);

/*
 * Ends it because groups are about to be closed: what is in files is not compared, so
 * there may be ties.
 */
extern void wa_ties_give_up(WaScanState *state);

/* Tells whether there are ties of keys, at little cost. */
extern bool wa_ties_have_keys(const WaScanState *state);

/*
 * Tells whether what the node shows may depend on the order of rows, as far as somebody
 * has watched.
 */
extern bool wa_ties_found(const WaScanState *state);

#endif /* WA_SCAN_TIES_H */
