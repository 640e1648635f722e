/*
 * join_build.h
 *		From the rows of plans to tables of joins (join_tables.h).
 */
#ifndef WA_SCAN_JOIN_BUILD_H
#define WA_SCAN_JOIN_BUILD_H

#include "scan/tables/join_digests.h"
#include "scan/tables/join_side.h"

/* Prepares to fill tables, in the current memory context. */
extern WaJoinBuild *wa_join_build_make(WaJoinTables *tables, EState *estate);

/*
 * Has the tables of some units of joins (scan/expr/joins.h) have the rows that plans
 * (PlanState) return, one of each join; NULL: it numbers parts of the keys of another one.
 * What they are made of (WaJoinContents) is in a list, if it is known: rows that the session
 * keeps are used again if their blocks are known to be the same, and kept for others.  If the
 * tables would take more memory than they may they are full, and of no use.
 */
extern void wa_join_build_fill(WaJoinBuild *build, const List *plans,
							   const Bitmapset *units, const List *contents);

#endif /* WA_SCAN_JOIN_BUILD_H */
