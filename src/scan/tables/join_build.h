/*
 * join_build.h
 *		From the rows of plans to tables of joins (join_tables.h).
 */
#ifndef WA_SCAN_JOIN_BUILD_H
#define WA_SCAN_JOIN_BUILD_H

#include "scan/tables/join_tables.h"

typedef struct WaJoinBuild WaJoinBuild;

/* Prepares to fill tables, in the current memory context. */
extern WaJoinBuild *wa_join_build_make(WaJoinTables *tables, EState *estate);

/*
 * Has the tables of some units of joins (scan/expr/joins.h) have the rows that plans
 * (PlanState) return, one of each join; NULL: it numbers parts of the keys of another one.
 */
extern void wa_join_build_fill(WaJoinBuild *build, const List *plans,
							   const Bitmapset *units);

#endif /* WA_SCAN_JOIN_BUILD_H */
