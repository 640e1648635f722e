/*
 * transitions.h
 *		What the groups of a query have of an aggregate that its own functions compute
 *		(scan/expr/transition.h): a transition state each.
 *
 * Functions are called as PostgreSQL's executor/nodeAgg.c calls them: the state lives in the
 * memory of the aggregate (AggCheckCallContext), what else they need goes with the row.
 */
#ifndef WA_SCAN_TRANSITIONS_H
#define WA_SCAN_TRANSITIONS_H

#include "nodes/execnodes.h"

#include "scan/base/datum.h"

/* An argument. */
typedef struct WaTransitionInput
{
	const WaVector *vector; /* NULL: it is the constant */
	WaDatumForm form;
	NullableDatum constant;
} WaTransitionInput;

typedef struct WaTransitions WaTransitions;

/*
 * Prepares to compute an aggregate, of no groups, for as long as the executor's state is there;
 * the inputs, of all that Aggref.args is, have to last as long.  has_groups: there are others than
 * group 0.  Raises an error if the aggregate's owner may not call its
 * functions.
 */
extern WaTransitions *wa_transitions_make(EState *estate, const Aggref *aggref,
										  bool has_groups,
										  const WaTransitionInput *inputs);

/* Has there be no groups. */
extern void wa_transitions_clear(WaTransitions *transitions);

/* Makes room for groups up to ngroups - 1; new ones have no rows. */
extern void wa_transitions_grow(WaTransitions *transitions, uint32 ngroups);

/*
 * Takes rows of the inputs' vectors: where keep is not NULL, those that have keep[i] set.  Row i
 * belongs to group groups[i]; to group 0 where groups is NULL.  The groups are there.
 */
extern void wa_transitions_take(WaTransitions *transitions,
								const uint32 *groups, const uint8 *keep,
								size_t nrows);

/* Takes one row with these arguments. */
extern void wa_transitions_take_row(WaTransitions *transitions, uint32 group,
									const NullableDatum *arguments);

/*
 * Returns what a group's rows come to, in the current memory context or the aggregate's.  No row
 * of the group may follow; and if the aggregate wants rows in an order, none of any group, and
 * groups are asked for in the order of their numbers.
 */
extern Datum wa_transitions_result(WaTransitions *transitions, uint32 group,
								   bool *is_null);

/* Returns the bytes that the groups take, but for rows that come in an order. */
extern Size wa_transitions_bytes(const WaTransitions *transitions);

/* Forgets what has files. */
extern void wa_transitions_end(WaTransitions *transitions);

#endif /* WA_SCAN_TRANSITIONS_H */
