/*
 * heap.h
 *		Reads the tuples of a heap relation that a snapshot sees, in bulk.
 *
 * The pages of a batch of rows stay pinned until the next batch is read, so that
 * tuples are read where they lie.
 */
#ifndef WA_HEAP_HEAP_H
#define WA_HEAP_HEAP_H

#include "access/htup_details.h"
#include "access/relscan.h"
#include "port/atomics.h"
#include "storage/bufpage.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

#include "core/resident.h"
#include "heap/pin.h"

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

/*
 * The blocks of a relation that several scans read, each block one of them; in
 * memory that their processes share.
 */
typedef struct WaHeapShare
{
	pg_atomic_uint64 next_block; /* the first that nobody has taken */
	BlockNumber nblocks;         /* this and nscans do not change */
	int nscans;
} WaHeapShare;

/* Pages that a batch keeps pinned, at most. */
#define WA_HEAP_MAX_PINS 64

/*
 * Of a page whose tuples did not all fit the last batch, the others wait in
 * `rest`, from rest_next on; its pin is then the last one.
 */
typedef struct WaHeapScan
{
	TableScanDesc scan;
	BlockNumber next_block;  /* the pinner has been given those before it */
	BlockNumber read_block;  /* the first that is not read yet */
	BlockNumber end_block;   /* of those that only this scan reads */
	WaHeapShare *share;      /* where it gets others from; NULL: nowhere */
	const uint64_t *covered; /* blocks to leave out; NULL: none */
	WaHeapPinner pinner;
	Buffer map;    /* of the visibility map, pinned; or invalid */
	bool may_mark; /* pruned pages as all-visible (from 19), unless covered */
	int max_pins;
	int npins;
	Buffer pins[WA_HEAP_MAX_PINS];
	int rest_next;
	int rest_end;
	WaRow *rest; /* room for MaxHeapTuplesPerPage; NULL: none was needed yet */
	WaHeapCounts counts;
} WaHeapScan;

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

/*
 * Tells whether there is a row to come, at the beginning of a scan: looks at its
 * blocks up to the first that has one.
 */
extern bool wa_heap_has_rows(WaHeapScan *scan);

/*
 * Finds the rows of the block at which wa_heap_has_rows has found one, which are
 * still to be read; they stay until then.  Returns how many.
 */
extern int wa_heap_peek(const WaHeapScan *scan, const WaRow **rows);

/*
 * Has a scan of which no row was read leave out the blocks whose bits are set in
 * `covered`, which lives as long as the scan and has wa_heap_covered_bytes.  NULL: it
 * reads them all.  Stays so when it is rescanned.
 */
extern void wa_heap_leave_out(WaHeapScan *scan, const uint64_t *covered);

/* Has a scan of which no row was read leave out all blocks, until it is rescanned. */
extern void wa_heap_leave_out_all(WaHeapScan *scan);

/*
 * Stores the tuples of all normal line pointers of a block, whoever sees them, that is
 * pinned and locked; there is room for MaxHeapTuplesPerPage.  Returns how many.
 */
extern int wa_heap_take_all(Page page, BlockNumber block, WaRow *rows);

/* Returns the bytes of a bit for each of the blocks of the relation's extents. */
extern Size wa_heap_covered_bytes(const WaHeapScan *scan);

/* Returns how many blocks a relation has for a scan. */
extern BlockNumber wa_heap_nblocks(const WaHeapScan *scan);

/* Returns how many blocks a scan that shares with nobody has left. */
extern BlockNumber wa_heap_blocks_left(const WaHeapScan *scan);

/*
 * Returns which part of the blocks has been taken, by all that share them, or is
 * left out.
 */
extern double wa_heap_progress(const WaHeapScan *scan);

/* Has nscans scans, this one among them, share the blocks that it has left. */
extern void wa_heap_share(WaHeapScan *scan, WaHeapShare *share, int nscans);

/*
 * Makes a scan that has not read yet one of those that share the blocks.  Its
 * relation and its snapshot are those of the others.
 */
extern void wa_heap_join(WaHeapScan *scan, WaHeapShare *share);

/* Tells whether all blocks that scans share have been taken. */
extern bool wa_heap_share_is_taken(WaHeapShare *share);

/* Starts again from the first block, sharing with nobody. */
extern void wa_heap_rescan(WaHeapScan *scan);

/* Lets go of everything. */
extern void wa_heap_end(WaHeapScan *scan);

#endif /* WA_HEAP_HEAP_H */
