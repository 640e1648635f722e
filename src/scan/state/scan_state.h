/*
 * scan_state.h
 *		The execution state of a node of the scan tier.
 */
#ifndef WA_SCAN_SCAN_STATE_H
#define WA_SCAN_SCAN_STATE_H

#include "nodes/extensible.h"

#include "heap/heap.h"
#include "scan/base/clock.h"
#include "scan/expr/aggregates.h"
#include "scan/expr/shift.h"
#include "scan/groups/accumulate.h"
#include "scan/groups/group_datum.h"
#include "scan/program/interpreter.h"

/* Room for why a node reads the heap. */
#define WA_HEAP_REASON_BYTES 160

/* An aggregated column: all aggregates over the same rows and values share it. */
typedef struct WaScanColumn
{
	Expr *argument;        /* NULL: rows are counted */
	Expr *filter;          /* NULL: none */
	uint32 hash;           /* of both, while columns are made */
	int argument_register; /* -1: rows are counted */
	int filter_register;   /* -1: none */
	WaAggPlan plan;
	WaVectorKind kind;
	WaAccumulator *accumulator; /* while there are groups */
} WaScanColumn;

/* A key of GROUP BY. */
typedef struct WaScanKey
{
	Expr *expression;
	int number; /* its register */
} WaScanKey;

/* A clause of WHERE: instructions begin to end - 1 leave it in a register. */
typedef struct WaScanFilter
{
	int begin;
	int end;
	int number;
} WaScanFilter;

/* An aggregate of the result. */
typedef struct WaScanResult
{
	WaAggregate aggregate;
	WaOutput output;
	int column;
	WaShift *shift; /* of what the column has; NULL: none */
} WaScanResult;

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

/* How many rows are tried in vectors at once. */
typedef struct WaPace
{
	int rows;
	int nright;  /* tries since it changed, or since one was of no use */
	int nwrong;  /* tries of the fewest rows in a row that were of no use */
	int nsingly; /* rows that are not tried, as such tries were of no use */
} WaPace;

/* What EXPLAIN ANALYZE counts of a node. */
typedef struct WaInstrument
{
	WaHeapCounts read;
	int64 kept_rows;       /* that fulfilled WHERE */
	int64 rowwise_rows;    /* that were computed one by one */
	int64 compared_groups; /* for ORDER BY ... LIMIT */
	int64 resident_blocks; /* that the device process has answered for */
	int64 resident_rows;   /* of these */
	int64 combinations;    /* scan/resident/combine.h */
	int64 refusals;        /* it would have taken too much memory */
	double resident_ms;    /* that the device took, and */
	bool is_gpu;           /* what it was */
	int64 spilled_rows;
	int64 batches;     /* of the scan that had most */
	int64 disk_bytes;  /* when there were most of them */
	Size memory_bytes; /* of groups, in one process, likewise */
	double spent_ms[WA_PHASE_COUNT];
} WaInstrument;

typedef struct WaScanState
{
	CustomScanState css;
	Relation relation; /* the table */

	/* What the plan says, with columns by their numbers in the table */
	Index varno; /* of the table */
	int nworkers;
	int planned_batches;
	int planned_groups;
	int planned_combinations; /* scan/resident/combine.h; 0: there are not to be any */
	int planned_spared; /* WaSpared: tables that these may do without */
	Cost block_cost;    /* of a block's rows, for one process */
	uint32 most_groups; /* that are asked for; 0: any number */
	List *filter_clauses;
	List *one_time_clauses; /* of WHERE, too, but without columns */
	WaScanKey *keys;
	int nkeys;
	WaScanColumn *columns;
	int ncolumns;
	WaScanResult *results;
	int nresults;
	bool is_ours; /* has one of the aggregates of the extension */

	/* How rows become groups */
	ExprState *one_time_filter; /* without it no row is read */
	WaScanFilter *filters;
	int nfilters;
	int begin; /* instructions for keys and columns */
	int end;
	WaInterpreter *interpreter;
	struct WaGather *gather;
	const AttrNumber *attnums; /* of the columns in the interpreter's order */
	WaVector **key_vectors;
	WaGroupKey *group_keys;
	WaVector ones; /* what is counted where rows are */
	uint8 *keep;   /* rows that pass the filter of an aggregate */
	uint32 *group_numbers;
	uint16_t *selection;
	WaRow *rows; /* of the batch, or what is left of it */
	WaPace pace;
	WaHeapScan *heap;
	struct WaRowwise *rowwise;

	/* The groups that are in memory at a time: a batch of them */
	MemoryContext group_context;
	WaGroups *groups;      /* NULL: there is one group */
	bool is_started;       /* those of some batch are there */
	uint32 next;           /* the group that is returned next */
	struct WaTop *top;     /* chooses which ones are; NULL: all are */
	int batches;           /* since wa_scan_start */
	struct WaSpill *spill; /* scan/spill/spill.h; NULL: nothing is spilled */
	struct WaSpillRows
		*spill_rows; /* scan/spill/spill_row.h; NULL: not yet needed */

	/* What the device process has answered for */
	bool is_covered;       /* the device process has answered for blocks */
	uint64_t *covered;     /* these (wa_heap_leave_out); NULL: none, or all */
	int64 resident_blocks; /* for EXPLAIN, like the others: of all passes */
	int64 resident_rows;   /* of these */
	int64 combinations;    /* that were evaluated, scan/resident/combine.h */
	int64 refusals;        /* it would have taken too much memory */
	double resident_ms;    /* that the device took, and */
	bool is_gpu;           /* what it was, the last time */
	char heap_reason
		[WA_HEAP_REASON_BYTES]; /* scan/state/why_heap.h; empty: none */
	double answered;            /* part of an answer that is merged, or 0 */

	/* For EXPLAIN; what WaInstrument does not say of all scans is of the present one. */
	int64 kept_rows;       /* that fulfilled WHERE */
	int64 rowwise_rows;    /* that were computed one by one */
	int64 compared_groups; /* of all scans */
	WaHeapCounts worker_counts;
	int nlaunched; /* workers */
	WaSpillCounts spilled;
	WaSpillGrowth growth;
	WaClock clock;
	WaInstrument past; /* of earlier scans, where it is not in these */
	struct WaSharedInstrument
		*shared_instrument; /* NULL: no process counts for another */
} WaScanState;

#endif /* WA_SCAN_SCAN_STATE_H */
