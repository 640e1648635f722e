/*
 * join_making.h
 *		Having the device process make tables of joins of resident columns, so that rows of
 *		these need not be read here.
 *
 * What a unit of joins has tables of (scan/expr/joins.h) is computed as a query over its
 * relation then, to which what is folded into it is joined: a row is an entry.
 */
#ifndef WA_SCAN_JOIN_MAKING_H
#define WA_SCAN_JOIN_MAKING_H

#include "scan/state/scan_state.h"
#include "scan/tables/join_digests.h"

/* The query of a unit, as the state of a node that has no plan. */
typedef struct WaJoinMaking
{
	WaScanState state;
	const WaJoinContents *contents;
	bool is_unique;
	List *plans; /* PlanState of the joins of its query, or NULL */
} WaJoinMaking;

/*
 * Prepares to make the tables of contents, in the memory of the query of a node's state, of
 * whose joins these are the plans.  Returns NULL if their rows cannot be computed in this
 * way.
 */
extern WaJoinMaking *wa_join_making_begin(const WaScanState *state,
										  const List *plans,
										  const WaJoinContents *contents);

/*
 * Has the tables made; those of the query's joins are there.  Where the contents have no
 * stamps of their own, rows of some blocks of the relation may be read here.  Returns false if the device
 * process has not made them; else stores what EXPLAIN tells of the joins in the uses of all
 * joins of the node.
 */
extern WA_MUST_CHECK bool wa_join_making_run(WaJoinMaking *making,
											 WaJoinUse *uses);

/* Lets go of everything. */
extern void wa_join_making_end(WaJoinMaking *making);

#endif /* WA_SCAN_JOIN_MAKING_H */
