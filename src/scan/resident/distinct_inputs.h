/*
 * distinct_inputs.h
 *		Queries that the device process answers in part (scan/program/pushdown.h): it groups
 *		by the columns that the rest needs, too, and PostgreSQL evaluates that for
 *		each distinct input of their values that comes back.
 */
#ifndef WA_SCAN_DISTINCT_INPUTS_H
#define WA_SCAN_DISTINCT_INPUTS_H

#include "core/must_check.h"
#include "scan/program/pushdown.h"
#include "scan/rows/merge.h"
#include "scan/state/scan_state.h"

/* Such a query: the node whose it is, and what of it is pushed. */
typedef struct WaDistinctInputs WaDistinctInputs;

/*
 * Pushes parts of a node's query, in the current memory context, without the tables that
 * are to be excluded.  Returns NULL if none can be pushed, or if the planner has expected
 * too many distinct inputs.
 */
extern WaDistinctInputs *wa_distinct_inputs_make(WaScanState *state,
												 WaExcluded excluded);

/* Returns the query for the device process: its groups are the distinct inputs. */
extern const WaScanQuery *
wa_distinct_inputs_asked(const WaDistinctInputs *inputs);

/*
 * Tells whether what PostgreSQL is to evaluate waits for a subselect, which must not be
 * run before a row needs it.
 */
extern bool wa_distinct_inputs_waits(const WaDistinctInputs *inputs);

/*
 * Makes the distinct inputs of an answer, which is not needed any more then.  Returns false
 * if it is not what it should be.
 */
extern WA_MUST_CHECK bool wa_distinct_inputs_receive(WaDistinctInputs *inputs,
													 const void *message,
													 Size bytes,
													 const WaRanks *ranks);

/*
 * Brings the distinct inputs into the groups of the node, which has none yet, and adds
 * their rows to those that it has kept.  Returns false, with nothing taken, if the groups
 * take too much memory.  Functions of users may run queries, which ask the device process
 * as well.
 */
extern WA_MUST_CHECK bool wa_distinct_inputs_take(WaDistinctInputs *inputs);

#endif /* WA_SCAN_DISTINCT_INPUTS_H */
