/*
 * key_bound.h
 *		Rows whose groups come behind all that are wanted, which are left out of these.
 *
 * Where the first groups by a key of INT are wanted, as by ORDER BY day DESC LIMIT 7, and so many
 * are there, no other group can be one of them whose key comes behind the last of these.
 * That holds for what one process has of the table, and so for all of it.
 */
#ifndef WA_SCAN_KEY_BOUND_H
#define WA_SCAN_KEY_BOUND_H

#include "scan/state/scan_state.h"

/*
 * Finds out which groups of a node are wanted now: a worker is told by its leader, which may
 * not have begun.
 */
extern WaWantedKeys wa_wanted_keys(const WaScanState *state);

/* Has a state begin without groups, of which these are wanted. */
extern void wa_key_bound_begin(WaScanState *state, const WaWantedKeys *wanted);

/*
 * Leaves out rows of a batch that has been computed in vectors, before their groups are
 * looked for; returns how many are left.
 */
extern size_t wa_key_bound_leave_out(WaScanState *state, size_t nrows);

/* Takes note of groups that there were none of before. */
extern void wa_key_bound_note(WaScanState *state);

/*
 * Returns a number that tells behind which keys rows have been left out, so far; and has
 * groups behind what that is of a worker be excluded.
 */
extern int64 wa_key_bound_last(const WaScanState *state);
extern void wa_key_bound_tighten(WaScanState *state, int64 last);

/* Tells whether a group is not one of the first that are wanted, and may lack rows. */
extern bool wa_key_bound_excludes(const WaScanState *state, uint32 group);

#endif /* WA_SCAN_KEY_BOUND_H */
