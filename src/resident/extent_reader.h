/*
 * extent_reader.h
 *		What the files of the extent reader share.
 *
 * extent.c leads and reads, extent_choose.c finds out which columns an extent can
 * have, extent_decide.c which tuples are rows; extent_write.c writes parcels.
 */
#ifndef WA_RESIDENT_EXTENT_READER_H
#define WA_RESIDENT_EXTENT_READER_H

#include "storage/bufmgr.h"

#include "heap/gather.h"
#include "heap/heap.h"
#include "heap/pin.h"
#include "resident/blocks.h"
#include "resident/collect.h"
#include "resident/extent.h"

/* Pages that are pinned at the same time: few, as they may be of a ring. */
#define WA_EXTENT_PINS 8

/* A block whose rows are in the batch. */
typedef struct WaPinnedBlock
{
	Buffer buffer;
	uint32 place; /* of the block, in the extent */
	int nrows;
} WaPinnedBlock;

struct WaExtentReader
{
	Relation relation;
	BlockNumber nblocks;
	BufferAccessStrategy strategy;
	WaHeapPinner pinner;
	uint32 named_extent;             /* the one whose blocks are being pinned */
	uint64_t named[WA_EXTENT_WORDS]; /* those that are still to be */
	int ncolumns;
	WaCollected columns[WA_MAX_RESIDENT_COLUMNS];
	WaVector vectors[WA_MAX_RESIDENT_COLUMNS];
	WaGather *single[WA_MAX_RESIDENT_COLUMNS]; /* of a column; or NULL yet */
	MemoryContext memory;
	int64 odd; /* blocks read that some column lacks, of all extents */

	/* the columns that the extent has */
	uint64 chosen; /* a bit for each */
	int nchosen;
	int places
		[WA_MAX_RESIDENT_COLUMNS]; /* in columns, of each that is chosen */
	WaVector *chosen_vectors[WA_MAX_RESIDENT_COLUMNS];
	WaGather *gather;
	MemoryContext gather_memory;

	/* the batch */
	int npinned;
	WaPinnedBlock pinned[WA_EXTENT_PINS];
	int nrows;
	WaRow rows[WA_VECTOR_ROWS];

	/* what is known of transactions, and of WAL, before the extent is read */
	uint64 next_xid;
	uint64 settled;
	uint64 position;
	bool is_recovering;

	/* the extent; blocks that are not kept have no rows */
	uint32 number;
	bool is_patch;
	uint64_t kept[WA_EXTENT_WORDS];
	uint64_t flux[WA_EXTENT_WORDS]; /* could not be: see wa_extent_decide */
	uint64 block_lsn[WA_EXTENT_BLOCKS];
	uint64 first_xid[WA_EXTENT_BLOCKS];
	uint64 last_xid[WA_EXTENT_BLOCKS];
	uint32 row_end[WA_EXTENT_BLOCKS];
	uint32 collected_rows;
};

/*
 * Has blocks of an extent, of which `named` has the bits, be pinned by wa_extent_lock.
 */
extern void wa_extent_name(WaExtentReader *reader, uint32 number,
						   const uint64_t *named);

/*
 * Pins the next block that was named, locks it for reading, and finds out its place in
 * the extent.  Returns InvalidBuffer if there is none.  Checks for interrupts.
 */
extern Buffer wa_extent_lock(WaExtentReader *reader, uint32 *place);

/*
 * Stores the rows of a block of the extent, which is pinned and locked; there is room for
 * MaxHeapTuplesPerPage.  Returns how many, or -1 if the block is in flux: transactions in
 * progress have inserted or deleted some.  Stores which transactions decide.
 */
extern int wa_extent_decide(WaExtentReader *reader, Buffer buffer, uint32 place,
							WaRow *rows);

/* Tells whether a column's values in rows fit a vector. */
extern bool wa_extent_fits(WaExtentReader *reader, int column,
						   const WaRow *rows, int nrows);

/*
 * Has the reader read, from now on, the columns of which `columns` has the bits.
 */
extern void wa_extent_set_columns(WaExtentReader *reader, uint64 columns);

#endif /* WA_RESIDENT_EXTENT_READER_H */
