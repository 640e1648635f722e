/*
 * extent_reader.h
 *		What the files of the extent reader share.
 *
 * extent.c leads and reads, extent_choose.c finds out which columns an extent can
 * have, extent_write.c writes parcels.
 */
#ifndef WA_RESIDENT_EXTENT_READER_H
#define WA_RESIDENT_EXTENT_READER_H

#include "storage/bufmgr.h"

#include "heap/gather.h"
#include "heap/heap.h"
#include "heap/pin.h"
#include "resident/collect.h"
#include "resident/extent.h"
#include "resident/map.h"

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
	Buffer map_pin;
	int ncolumns;
	WaCollected columns[WA_MAX_RESIDENT_COLUMNS];
	WaVector vectors[WA_MAX_RESIDENT_COLUMNS];
	WaGather *single[WA_MAX_RESIDENT_COLUMNS]; /* of a column; or NULL yet */
	MemoryContext memory;
	WaExtentCounts counts;

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

	/* the extent; blocks that are not kept have rows all the same */
	uint32 number;
	uint64 map_lsn;
	uint64_t kept[WA_EXTENT_WORDS];
	uint64 block_lsn[WA_EXTENT_BLOCKS];
	uint32 row_end[WA_EXTENT_BLOCKS];
	uint32 collected_rows;
};

/* Tells whether bit i of some words is set. */
static inline bool
wa_extent_has_bit(const uint64_t *words, uint32 i)
{
	return (words[i / 64] >> i % 64 & 1) != 0;
}

/* Sets bit i. */
static inline void
wa_extent_set_bit(uint64_t *words, uint32 i)
{
	words[i / 64] |= UINT64CONST(1) << i % 64;
}

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

/* Tells whether a column's values in rows fit a vector. */
extern bool wa_extent_fits(WaExtentReader *reader, int column,
						   const WaRow *rows, int nrows);

/*
 * Has the reader read, from now on, the columns of which `columns` has the bits.
 */
extern void wa_extent_set_columns(WaExtentReader *reader, uint64 columns);

#endif /* WA_RESIDENT_EXTENT_READER_H */
