/*
 * path_cost.h
 *		What the node of the scan tier costs, in the planner's units.
 */
#ifndef WA_SCAN_PATH_COST_H
#define WA_SCAN_PATH_COST_H

#include "scan/plan/limit.h"
#include "scan/plan/planned_query.h"

/* What it costs to ask the device process. */
#define WA_ASKING_COST 40

/* Returns how much memory the groups will take, as a part of what they may take. */
extern double wa_path_filling(const WaPlannedQuery *planned);

/* Returns what it costs one process to compute a row, as far as WHERE. */
extern Cost wa_path_row_cost(const WaPlannedQuery *planned);

/* Returns what it costs one process to compute all rows. */
extern Cost wa_path_rows_cost(const WaPlannedQuery *planned);

/*
 * Sets what a path for the groups that a limit wants costs, with so many workers, once it is
 * known what is resident.  It is a sequential scan to those who want none.
 */
extern void wa_path_set_costs(Path *path, const PlannerInfo *root,
							  const WaPlannedQuery *planned,
							  const WaLimit *limit, int nworkers);

/*
 * Makes a path as much cheaper as PostgreSQL's is said to be than it is: of aggregates with DISTINCT
 * what they cost does not have their sorting, unless the path below sorts for them.
 */
extern void wa_path_scale_costs(Path *path, PlannerInfo *root,
								const WaPlannedQuery *planned,
								const Path *rival);

#endif /* WA_SCAN_PATH_COST_H */
