/*
 * node_path.h
 *		Paths and plans of the node of the scan tier.
 */
#ifndef WA_SCAN_NODE_PATH_H
#define WA_SCAN_NODE_PATH_H

#include "nodes/extensible.h"

#include "scan/plan/limit.h"
#include "scan/plan/planned_query.h"

/* Those of its paths. */
extern const CustomPathMethods wa_node_path_methods;

/*
 * Makes a path of ours for the groups of a query that a limit wants, with such a target.
 * parent: the grouped relation.  Its number of rows is the caller's to set.
 */
extern CustomPath *wa_node_path_make(PlannerInfo *root, RelOptInfo *parent,
									 PathTarget *target,
									 WaPlannedQuery *planned,
									 const WaLimit *limit);

/* Has plans of the node be known; called once, from _PG_init. */
extern void wa_node_path_init(void);

#endif /* WA_SCAN_NODE_PATH_H */
