/*
 * wire.h
 *		Transition states as bytes, for another process of the same
 *		server.
 */
#ifndef WA_STATE_WIRE_H
#define WA_STATE_WIRE_H

#include "lib/stringinfo.h"

#include "state/state.h"

/* Appends the components of the sums as they lie, and reads them. */
extern void wa_wire_put_components(StringInfo buffer, const WaAggState *state);
extern void wa_wire_get_components(StringInfo buffer, WaAggState *state);

/* Appends a state whose rows are all in its components. */
extern void wa_wire_put_state(StringInfo buffer, WaAggState *state);

/*
 * Returns a state, whose device work is waited for, as aggregates serialize theirs: its
 * plan's key, and it.
 */
extern bytea *wa_wire_state(WaAggState *state);

/*
 * Reads a state of a plan whose key matches that of the plan it was written by,
 * into the current memory context.  Raises an error if it cannot be one.
 */
extern WaAggState *wa_wire_get_state(StringInfo buffer, const WaAggPlan *plan);

#endif /* WA_STATE_WIRE_H */
