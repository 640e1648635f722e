/*
 * plan.h
 *		What a plan node of the scan tier consists of.
 *
 * custom_scan_tlist holds the columns of the node's scan tuple: the grouping
 * keys, the aggregate calls, and every column of the table that is used, which
 * is there for the planner's sake and NULL in the tuple.  custom_exprs holds the
 * clauses of WHERE, and whatever parameters the others use, which the planner
 * then knows of.  custom_private: the numbers of WaPlanNumber.
 */
#ifndef WA_SCAN_PLAN_H
#define WA_SCAN_PLAN_H

#include "nodes/execnodes.h"

typedef enum WaPlanNumber
{
	WA_PLAN_KEYS,       /* how many keys */
	WA_PLAN_AGGREGATES, /* how many aggregates */
	WA_PLAN_FILTERS,    /* how many clauses of WHERE */
	WA_PLAN_WORKERS     /* how many workers, at most */
} WaPlanNumber;

/* Makes the state of a node, for CustomScanMethods. */
extern Node *wa_scan_create_state(CustomScan *plan);

#endif /* WA_SCAN_PLAN_H */
