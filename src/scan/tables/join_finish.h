/*
 * join_finish.h
 *		From the rows of a side of joins to its tables.
 */
#ifndef WA_SCAN_JOIN_FINISH_H
#define WA_SCAN_JOIN_FINISH_H

#include "scan/tables/join_side.h"

/*
 * Has the tables of a side of joins, by its number, and of the parts of its key, have its
 * rows, which are in the order of their keys then; or, if it is folded, has others find them.
 */
extern void wa_join_side_finish(const WaJoinBuild *build, int number);

#endif /* WA_SCAN_JOIN_FINISH_H */
