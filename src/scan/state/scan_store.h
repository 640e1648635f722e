/*
 * scan_store.h
 *		The groups of a query that are in memory at a time, and what was spilled of the
 *		others.
 */
#ifndef WA_SCAN_SCAN_STORE_H
#define WA_SCAN_SCAN_STORE_H

#include "scan/groups/accumulate.h"
#include "scan/groups/transitions.h"
#include "scan/state/scan_query.h"
#include "scan/state/scan_source.h"

/* What was spilled, for EXPLAIN. */
typedef struct WaSpillCounts
{
	int64 rows;
	int64 disk_bytes; /* at present, but for tapes */
	int64 most_disk_bytes;
	Size memory_bytes; /* of groups and files of a process that took most */
} WaSpillCounts;

/* How the memory that groups take grows, from one look at it to the next. */
typedef struct WaSpillGrowth
{
	Size empty_bytes; /* without groups */
	Size bytes;       /* when looked at last */
	Size step;        /* the largest */
	int free_piece; /* rows to take at once while there are none, or no more */
} WaSpillGrowth;

typedef struct WaScanStore
{
	const WaScanQuery *query;
	WaScanSources *sources;          /* of the rows */
	MemoryContext context;           /* of the groups */
	WaGroups *groups;                /* NULL: there is one group */
	uint32 times_made;               /* so often groups have been made anew */
	WaAccumulator **columns;         /* the aggregated ones, of each group */
	WaTransitions **transitions;     /* what its other aggregates have */
	struct WaDependents *dependents; /* scan/output/dependents.h; NULL: none */
	double answered;       /* part of an answer that is merged, or 0 */
	struct WaSpill *spill; /* scan/spill/spill.h; NULL: nothing is spilled */
	bool
		never_spills; /* that the groups have outgrown the memory is noted alone: */
	bool has_outgrown;
	struct WaSpillRows *spill_rows; /* NULL: not yet needed */
	WaSpillGrowth growth;
	WaSpillCounts spilled; /* of the present scan */
} WaScanStore;

#endif /* WA_SCAN_SCAN_STORE_H */
