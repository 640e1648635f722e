/*
 * heap.h
 *		Reads the tuples of a heap relation that a snapshot sees, in bulk.
 *
 * The pages of a batch of rows stay pinned until the next batch is read, so that
 * tuples are read where they lie.
 */
#ifndef WA_SCAN_HEAP_H
#define WA_SCAN_HEAP_H

#include "access/htup.h"
#include "access/relscan.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

#include "core/vector.h"

/* A tuple that the snapshot sees, in a pinned page. */
typedef struct WaRow
{
	HeapTupleHeader tuple;
	uint32 length; /* bytes of the tuple */
	BlockNumber block;
	OffsetNumber offset;
} WaRow;

/* What a scan has done so far. */
typedef struct WaHeapCounts
{
	int64 blocks; /* pages read */
	int64 rows;   /* visible tuples in them */
} WaHeapCounts;

typedef struct WaHeapScan WaHeapScan;

/*
 * Begins to scan a heap relation, in the current memory context.  Takes the
 * predicate lock that a sequential scan takes.  The relation stays open and the
 * snapshot registered until wa_heap_end, by the caller.
 */
extern WaHeapScan *wa_heap_begin(Relation relation, Snapshot snapshot);

/*
 * Reads on: lets go of the pages of the last batch, and stores the next rows, at
 * most WA_VECTOR_ROWS, block by block and in the order of their line pointers.
 * Returns how many; 0 at the end.  Checks for interrupts.
 */
extern int wa_heap_next(WaHeapScan *scan, WaRow *rows);

/* Starts again from the first block. */
extern void wa_heap_rescan(WaHeapScan *scan);

/* Lets go of everything. */
extern void wa_heap_end(WaHeapScan *scan);

extern WaHeapCounts wa_heap_counts(const WaHeapScan *scan);

#endif /* WA_SCAN_HEAP_H */
