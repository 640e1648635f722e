/*
 * join_read.h
 *		The rows of plans, or of some blocks, for the sides of joins.
 */
#ifndef WA_SCAN_JOIN_READ_H
#define WA_SCAN_JOIN_READ_H

#include "scan/tables/join_side.h"

/* Tells whether it is known of the rows of a plan which blocks they are in. */
extern bool wa_join_plan_has_blocks(const PlanState *plan);

/*
 * Adds the rows that a plan returns to those of a side, which has none; with the blocks that
 * they are in, if the side's rows are to have them.  If they would take more memory than they
 * may, no more are read, and the tables are full.
 */
extern void wa_join_read_all(const WaJoinBuild *build, WaJoinSide *side,
							 PlanState *plan);

/*
 * Replaces those rows of a side that are in changed blocks of the table that its plan scans,
 * which returns no others.  Returns what wa_join_rows_replace does; false if the tables are
 * full then.
 */
extern bool wa_join_read_changed(const WaJoinBuild *build, WaJoinSide *side,
								 PlanState *plan,
								 const WaChangedBlocks *changed);

/* Has the workers of a plan that has been read end; it may be read anew. */
extern void wa_join_read_end(PlanState *plan);

#endif /* WA_SCAN_JOIN_READ_H */
