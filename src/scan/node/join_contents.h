/*
 * join_contents.h
 *		What tables of joins are made of, so that other queries find them.
 */
#ifndef WA_SCAN_JOIN_CONTENTS_H
#define WA_SCAN_JOIN_CONTENTS_H

#include "scan/state/scan_state.h"
#include "scan/tables/join_cache.h"

/*
 * Finds out what the tables of some units of joins are made of.  plans: of all joins, or
 * NULL.  Returns a list of WaJoinContents, without those tables that may be others for the
 * next query; a relation that has no stamp may be loaded soon.
 */
extern List *wa_join_contents_find(const WaScanState *state, const List *plans,
								   const Bitmapset *units);

/*
 * Gives contents that lack stamps some that nobody has, so that their tables are those of
 * this moment alone.
 */
extern void wa_join_contents_stamp_once(WaJoinContents *contents);

/* Finds out what blocks the relation of a unit itself has, if only its plan scans that. */
extern void wa_join_contents_find_blocks(const WaScanState *state,
										 WaJoinContents *contents);

#endif /* WA_SCAN_JOIN_CONTENTS_H */
