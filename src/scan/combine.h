/*
 * combine.h
 *		Queries that the device process answers in part (scan/divide.h): it groups
 *		by the columns that the rest needs, too, and PostgreSQL evaluates that for
 *		each combination of their values that comes back.
 */
#ifndef WA_SCAN_COMBINE_H
#define WA_SCAN_COMBINE_H

#include "scan/merge.h"

/* Such a query: the node whose it is, and how it is divided. */
typedef struct WaCombine WaCombine;

/*
 * Divides a node's query, in the current memory context.  Returns NULL if it cannot
 * be divided, or if the planner has expected too many combinations.
 */
extern WaCombine *wa_combine_make(WaScanState *state);

/*
 * Returns the query for the device process: a node's state of which what it asks is
 * set, and how it makes groups, which are the combinations.
 */
extern WaScanState *wa_combine_asked(const WaCombine *combine);

/*
 * Brings the combinations of an answer into the groups of the node, which has none
 * yet, and adds their rows to those that it has kept.  Returns false, with nothing
 * taken, if PostgreSQL has to see the rows: an expression has raised an error, what
 * is shown would depend on their order, or the groups take too much memory.
 */
extern bool wa_combine_take(WaCombine *combine, const void *message, Size bytes,
							const WaRanks *ranks);

#endif /* WA_SCAN_COMBINE_H */
