/*
 * partitioned_indexes.h
 *		Unique indexes of partitioned tables.
 */
#ifndef WA_SCAN_PARTITIONED_INDEXES_H
#define WA_SCAN_PARTITIONED_INDEXES_H

#include "nodes/pathnodes.h"

/*
 * Returns the unique indexes of a table of the query (IndexOptInfo), and perhaps others: as
 * PostgreSQL lists them, and before 16, where it lists none of a table with partitions, as
 * the catalog does, with what tells that rows are unique, and no more.
 */
extern List *wa_unique_indexes(PlannerInfo *root, RelOptInfo *relation);

#endif /* WA_SCAN_PARTITIONED_INDEXES_H */
