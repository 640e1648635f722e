/*
 * transition.h
 *		Aggregates that their own functions compute: PostgreSQL's other ones, as string_agg,
 *		array_agg and json_agg, users' own, and those of the family in a form that it has not, as
 *		with ORDER BY.
 *
 * They see rows in the order of the table, as without the node, which is that of the heap: no
 * process shares them, and the device process knows nothing of them.
 */
#ifndef WA_SCAN_TRANSITION_H
#define WA_SCAN_TRANSITION_H

#include "access/htup.h"
#include "nodes/primnodes.h"

#include "core/must_check.h"

/*
 * Returns NULL if an aggregate can be computed by its functions, or why not, as the end of a
 * sentence.
 */
extern WA_MUST_CHECK const char *wa_transition_refusal(const Aggref *aggref);

/* Returns the row of an aggregate in pg_aggregate, to be released (ReleaseSysCache). */
extern HeapTuple wa_transition_find(const Aggref *aggref);

/* Returns the transition function of an aggregate. */
extern Oid wa_transition_function(const Aggref *aggref);

/* Returns the bytes that a state of such an aggregate is likely to take, for the planner. */
extern int wa_transition_bytes(const Aggref *aggref);

#endif /* WA_SCAN_TRANSITION_H */
