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

#endif /* WA_SCAN_AGAIN_H */
