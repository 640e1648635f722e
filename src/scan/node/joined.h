/*
 * joined.h
 *		What is joined to the rows of a node's table: PostgreSQL's plans return it.
 */
#ifndef WA_SCAN_JOINED_H
#define WA_SCAN_JOINED_H

#include "scan/state/scan_state.h"
#include "scan/tables/join_tables.h"

typedef struct WaJoined WaJoined;

/* Begins the plans of what a node's plan joins; returns NULL if that is nothing. */
extern WaJoined *wa_joined_begin(WaScanState *state, int eflags);

/*
 * Has tables of what is joined (scan/tables/join_tables.h), which may be those of an earlier
 * query, unless they are there; or such that the device process keeps, which it alone may
 * look anything up in.  Returns false if they would take more memory than they may (nothing
 * is left of them then), and the node has an alternative; raises an error if it has none.
 */
extern WA_MUST_CHECK bool wa_joined_read(WaScanState *state);

/* Returns what EXPLAIN tells of each join; NULL: nothing has been joined. */
extern const WaJoinUse *wa_joined_uses(const WaScanState *state);

/* Has the plans begin again when such parameters change. */
extern void wa_joined_rescan(WaJoined *joined, Bitmapset *changed);

/* Returns the plans (PlanState) below the node, one of each join that has such a one. */
extern List *wa_joined_plans(const WaJoined *joined);

/* Ends the plans. */
extern void wa_joined_end(WaJoined *joined);

#endif /* WA_SCAN_JOINED_H */
