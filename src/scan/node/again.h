/*
 * again.h
 *		Rows of a joined relation once more, by the plan that a node has read some of them
 *		from: nodes of an alternative (alternative.h) in the place of a scan.
 */
#ifndef WA_SCAN_AGAIN_H
#define WA_SCAN_AGAIN_H

#include "nodes/execnodes.h"
#include "nodes/pg_list.h"

/*
 * Has all such nodes of a tree that has just begun read the plans (PlanState) of what is joined.
 * Returns how many there are.
 */
extern int wa_again_introduce(PlanState *tree, List *plans);

/*
 * Stores the row of another plan in a slot, as that of a virtual tuple, and returns it.  Columns
 * that only the slot has are NULL.
 */
extern TupleTableSlot *wa_again_store(TupleTableSlot *from,
									  TupleTableSlot *row);

#endif /* WA_SCAN_AGAIN_H */
