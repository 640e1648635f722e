/*
 * node.h
 *		The execution state of a node of the scan tier.
 */
#ifndef WA_SCAN_NODE_H
#define WA_SCAN_NODE_H

#include "nodes/extensible.h"

#include "scan/accumulate.h"
#include "scan/aggregates.h"
#include "scan/groups.h"
#include "scan/heap.h"
#include "scan/rowwise.h"
#include "scan/runner.h"

/* An aggregated column: all aggregates over the same rows and values share it. */
typedef struct WaScanColumn
{
	Expr *argument;        /* NULL: rows are counted */
	Expr *filter;          /* NULL: none */
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
	int column;
} WaScanResult;

typedef struct WaScanState
{
	CustomScanState css;

	/* What the plan says, with columns by their numbers in the table */
	List *filter_clauses;
	WaScanKey *keys;
	int nkeys;
	WaScanColumn *columns;
	int ncolumns;
	WaScanResult *results;
	int nresults;
	bool is_ours; /* has one of the aggregates of the extension */

	/* How rows become groups */
	WaScanFilter *filters;
	int nfilters;
	int begin; /* instructions for keys and columns */
	int end;
	WaRunner *runner;
	struct WaGather *gather;
	WaVector **key_vectors;
	WaGroupKey *group_keys;
	WaVector ones; /* what is counted where rows are */
	uint8 *keep;   /* rows that pass the filter of an aggregate */
	uint32 *group_numbers;
	uint16_t *selection;
	WaRow *rows;
	WaHeapScan *heap;
	WaRowwise *rowwise;

	/* The groups */
	MemoryContext group_context;
	WaGroups *groups; /* NULL: there is one group */
	bool is_done;     /* all rows are in their groups */
	uint32 next;      /* the group that is returned next */

	/* For EXPLAIN */
	int64 kept_rows;    /* that fulfilled WHERE */
	int64 rowwise_rows; /* that were computed one by one */
} WaScanState;

/* Reads the table and brings all rows into their groups. */
extern void wa_scan_fill(WaScanState *state);

/* Returns how many groups there are. */
extern uint32 wa_scan_groups(const WaScanState *state);

/* Prints the node's part of EXPLAIN, for CustomExecMethods. */
extern void wa_scan_explain(CustomScanState *node, List *ancestors,
							struct ExplainState *es);

#endif /* WA_SCAN_NODE_H */
