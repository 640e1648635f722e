/*
 * combine.h
 *		Queries that the device process answers in part (scan/program/pushdown.h): it groups
 *		by the columns that the rest needs, too, and PostgreSQL evaluates that for
 *		each combination of their values that comes back.
 */
#ifndef WA_SCAN_COMBINE_H
#define WA_SCAN_COMBINE_H

#include "core/must_check.h"
#include "scan/program/pushdown.h"
#include "scan/rows/merge.h"
#include "scan/state/scan_state.h"

/* Such a query: the node whose it is, and what of it is pushed. */
typedef struct WaCombine WaCombine;

/*
 * Pushes parts of a node's query, in the current memory context, without the tables that
 * are to be spared.  Returns NULL if none can be pushed, or if the planner has expected
 * too many combinations.
 */
extern WaCombine *wa_combine_make(WaScanState *state, WaSpared spared);

/* Returns the query for the device process: its groups are the combinations. */
extern const WaScanQuery *wa_combine_asked(const WaCombine *combine);

/*
 * Tells whether what PostgreSQL is to evaluate waits for a subselect, which must not be
 * run before a row needs it.
 */
extern bool wa_combine_waits(const WaCombine *combine);

/*
 * Makes the combinations of an answer, which is not needed any more then.  Returns false
 * if it is not what it should be.
 */
extern WA_MUST_CHECK bool wa_combine_receive(WaCombine *combine,
											 const void *message, Size bytes,
											 const WaRanks *ranks);

/*
 * Brings the combinations into the groups of the node, which has none yet, and adds
 * their rows to those that it has kept.  Returns false, with nothing taken, if the groups
 * take too much memory.  Functions of users may run queries, which ask the device process
 * as well.
 */
extern WA_MUST_CHECK bool wa_combine_take(WaCombine *combine);

#endif /* WA_SCAN_COMBINE_H */
