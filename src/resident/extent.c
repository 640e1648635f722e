/*
 * extent.c
 *		Reading extents from a heap relation; see extent.h.
 *
 * The rows of a few blocks at a time, which stay pinned, become vectors, and
 * these are appended to what has been collected of each column.  If a value of
 * the few blocks fits no vector they are taken one by one, and the block that has
 * it is left out.
 *
 * The page of the visibility map is read before the blocks and after them.  Only
 * blocks that were all-visible both times, with the page's LSN unchanged, are
 * kept: so their rows are those that everybody sees, and were between the two.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "resident/collect.h"
#include "resident/extent.h"
#include "resident/map.h"
#include "resident/relation.h"
#include "scan/gather.h"
#include "scan/heap.h"

/* Pages that are pinned at the same time: few, as they may be of a ring. */
#define MAX_PINS 8

/* An extent is read so often before it is given up. */
#define MAX_TRIES 2

/* Of a larger relation than this part of the buffers, a ring is used. */
#define RING_FRACTION 4

/* A block whose rows are in the batch. */
typedef struct Pinned
{
	Buffer buffer;
	uint32 place; /* of the block, in the extent */
	int nrows;
} Pinned;

struct WaExtentReader
{
	Relation relation;
	BlockNumber nblocks;
	BufferAccessStrategy strategy;
	Buffer map_pin;
	WaGather *gather;
	int ncolumns;
	WaCollected columns[WA_MAX_RESIDENT_COLUMNS];
	WaVector vectors[WA_MAX_RESIDENT_COLUMNS];
	WaVector *vector_list[WA_MAX_RESIDENT_COLUMNS];
	MemoryContext memory;
	WaExtentCounts counts;

	/* the batch */
	int npinned;
	Pinned pinned[MAX_PINS];
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

static inline bool
has_bit(const uint64_t *words, uint32 i)
{
	return (words[i / 64] >> i % 64 & 1) != 0;
}

static inline void
set_bit(uint64_t *words, uint32 i)
{
	words[i / 64] |= UINT64CONST(1) << i % 64;
}

/* Makes the vectors that the columns of a batch become. */
static void
make_vectors(WaExtentReader *reader)
{
	for (int i = 0; i < reader->ncolumns; i++)
	{
		WaVectorKind kind = (WaVectorKind) reader->columns[i].name.kind;
		char *memory = palloc(wa_vector_bytes(kind) + PG_CACHE_LINE_SIZE);

		wa_vector_place(&reader->vectors[i], kind,
						(void *) TYPEALIGN(PG_CACHE_LINE_SIZE, memory));
		reader->vector_list[i] = &reader->vectors[i];
	}
}

WaExtentReader *
wa_extent_begin(Relation relation, BlockNumber nblocks, int ncolumns,
				const WaColumnName *columns)
{
	WaExtentReader *reader = palloc0(sizeof(*reader));
	WaGatherUse uses[WA_MAX_RESIDENT_COLUMNS] = {0};

	Assert(ncolumns <= WA_MAX_RESIDENT_COLUMNS);
	reader->relation = relation;
	reader->nblocks = nblocks;
	reader->memory = CurrentMemoryContext;
	reader->ncolumns = ncolumns;
	for (int i = 0; i < ncolumns; i++)
	{
		reader->columns[i].name = columns[i];
		uses[i].attnum = columns[i].attribute;
	}
	if (nblocks > (BlockNumber) NBuffers / RING_FRACTION)
		reader->strategy = GetAccessStrategy(BAS_BULKREAD);
	reader->gather =
		wa_gather_make(RelationGetDescr(relation), ncolumns, uses);
	make_vectors(reader);
	return reader;
}

void
wa_extent_end(WaExtentReader *reader)
{
	if (BufferIsValid(reader->map_pin))
		ReleaseBuffer(reader->map_pin);
	if (reader->strategy != NULL)
		FreeAccessStrategy(reader->strategy);
	reader->map_pin = InvalidBuffer;
	reader->strategy = NULL;
}

WaExtentCounts
wa_extent_counts(const WaExtentReader *reader)
{
	return reader->counts;
}

/* Pins a block and locks it for reading. */
static Buffer
lock_block(WaExtentReader *reader, BlockNumber block)
{
	Buffer buffer = ReadBufferExtended(reader->relation, MAIN_FORKNUM, block,
									   RBM_NORMAL, reader->strategy);

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	return buffer;
}

/*
 * Returns the LSN of a locked block.  That of a block that was filled without WAL
 * when wal_level was minimal is 0; since then every change is logged, so that any
 * other number, too, tells that there was none.
 */
static uint64
lsn_of_block(Buffer buffer)
{
	return Max(BufferGetLSNAtomic(buffer), 1);
}

/* Appends rows of the batch to all columns; if that fails, to none. */
static bool
collect_rows(WaExtentReader *reader, const WaRow *rows, int nrows)
{
	wa_gather_begin(reader->gather, rows, nrows);
	if (!wa_gather_step(reader->gather, 0, reader->vector_list))
		return false;
	for (int i = 0; i < reader->ncolumns; i++)
	{
		if (wa_collect_append(&reader->columns[i], &reader->vectors[i],
							  (uint32) nrows))
			continue;
		for (int j = 0; j < i; j++)
			wa_collect_cut(&reader->columns[j], reader->collected_rows);
		return false;
	}
	reader->collected_rows += (uint32) nrows;
	return true;
}

/* Notes that the rows of a block have been collected. */
static void
note_block(WaExtentReader *reader, const Pinned *pinned)
{
	set_bit(reader->kept, pinned->place);
	reader->row_end[pinned->place] = (uint32) pinned->nrows;
}

/* Collects the rows of the blocks of the batch, but for those with odd values. */
static void
collect_blocks_alone(WaExtentReader *reader)
{
	const WaRow *rows = reader->rows;

	for (int i = 0; i < reader->npinned; i++)
	{
		const Pinned *pinned = &reader->pinned[i];

		if (collect_rows(reader, rows, pinned->nrows))
			note_block(reader, pinned);
		else
			reader->counts.dropped++;
		rows += pinned->nrows;
	}
}

/* Collects the rows of the batch and lets go of its pages. */
static void
collect_batch(WaExtentReader *reader)
{
	MemoryContext old = MemoryContextSwitchTo(reader->memory);

	if (!collect_rows(reader, reader->rows, reader->nrows))
		collect_blocks_alone(reader);
	else
		for (int i = 0; i < reader->npinned; i++)
			note_block(reader, &reader->pinned[i]);
	while (reader->npinned > 0)
		ReleaseBuffer(reader->pinned[--reader->npinned].buffer);
	reader->nrows = 0;
	MemoryContextSwitchTo(old);
}

/* Adds the rows of a block to the batch. */
static void
read_block(WaExtentReader *reader, uint32 place)
{
	BlockNumber block = wa_extent_first_block(reader->number) + place;
	Pinned *pinned;
	Buffer buffer;

	if (reader->npinned == MAX_PINS ||
		reader->nrows + MaxHeapTuplesPerPage > WA_VECTOR_ROWS)
		collect_batch(reader);
	buffer = lock_block(reader, block);
	pinned = &reader->pinned[reader->npinned++];
	pinned->buffer = buffer;
	pinned->place = place;
	pinned->nrows = wa_heap_take_all(BufferGetPage(buffer), block,
									 &reader->rows[reader->nrows]);
	reader->nrows += pinned->nrows;
	reader->block_lsn[place] = lsn_of_block(buffer);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	reader->counts.blocks++;
}

/* Reads the blocks of the extent that are all-visible. */
static void
read_blocks(WaExtentReader *reader, const uint64_t *visible)
{
	uint32 end = 0;

	memset(reader->kept, 0, sizeof(reader->kept));
	memset(reader->row_end, 0, sizeof(reader->row_end));
	reader->collected_rows = 0;
	for (int i = 0; i < reader->ncolumns; i++)
		wa_collect_begin(&reader->columns[i]);
	for (uint32 i = 0; i < WA_EXTENT_BLOCKS; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (has_bit(visible, i))
			read_block(reader, i);
	}
	collect_batch(reader);
	/* From the rows of each block to where they end. */
	for (uint32 i = 0; i < WA_EXTENT_BLOCKS; i++)
	{
		end += reader->row_end[i];
		reader->row_end[i] = end;
	}
}

/* Reads what the map has of the extent. */
static void
read_map(WaExtentReader *reader, WaMapExtent *part)
{
	wa_map_read_extent(reader->relation, reader->nblocks, reader->number,
					   &reader->map_pin, part);
}

bool
wa_extent_read(WaExtentReader *reader, uint32 number, const uint64_t *wanted)
{
	WaMapExtent before;
	WaMapExtent after;

	reader->number = number;
	for (int i = 0; i < MAX_TRIES; i++)
	{
		read_map(reader, &before);
		for (int j = 0; j < WA_EXTENT_WORDS && wanted != NULL; j++)
			before.visible[j] &= wanted[j];
		if (wa_map_count(before.visible) == 0)
			return false;
		read_blocks(reader, before.visible);
		after = before;
		if (wa_resident_has_rule(WA_RULE_MAP_TWICE))
			read_map(reader, &after);
		if (before.lsn != after.lsn)
			continue;
		reader->map_lsn = after.lsn;
		for (int j = 0; j < WA_EXTENT_WORDS; j++)
			reader->kept[j] &= after.visible[j];
		return wa_map_count(reader->kept) > 0;
	}
	return false;
}

const uint64_t *
wa_extent_kept(const WaExtentReader *reader)
{
	return reader->kept;
}

void
wa_extent_compare(WaExtentReader *reader, uint32 number,
				  const WaExtentState *state, const uint64_t *visible,
				  uint64_t *kept)
{
	BlockNumber first = wa_extent_first_block(number);

	memset(kept, 0, WA_EXTENT_WORDS * sizeof(*kept));
	for (uint32 i = 0; i < WA_EXTENT_BLOCKS; i++)
	{
		Buffer buffer;

		if (!has_bit(visible, i) || !has_bit(state->cached, i))
			continue;
		CHECK_FOR_INTERRUPTS();
		buffer = lock_block(reader, first + i);
		if (lsn_of_block(buffer) == state->block_lsn[i])
			set_bit(kept, i);
		UnlockReleaseBuffer(buffer);
	}
}

/* Returns how many blocks the extent has. */
static uint32
blocks_of_extent(const WaExtentReader *reader)
{
	BlockNumber first = wa_extent_first_block(reader->number);
	BlockNumber next = wa_extent_first_block(reader->number + 1);

	return Min(next, reader->nblocks) - first;
}

/*
 * Stores which rows belong to blocks that are kept, as runs, of which there may
 * be WA_EXTENT_BLOCKS.  Returns how many; adds the rows up in *nrows.
 */
static int
find_runs(const WaExtentReader *reader, WaRowRun *runs, uint32 *nrows)
{
	uint32 start = 0;
	int nruns = 0;

	*nrows = 0;
	for (uint32 i = 0; i < WA_EXTENT_BLOCKS; i++)
	{
		uint32 end = reader->row_end[i];

		if (has_bit(reader->kept, i) && end > start)
		{
			if (nruns == 0 || runs[nruns - 1].end != start)
				runs[nruns++].first = start;
			runs[nruns - 1].end = end;
			*nrows += end - start;
		}
		start = end;
	}
	return nruns;
}

/* Places the columns in a parcel; returns how many bytes that takes. */
static uint64
place_columns(const WaExtentReader *reader, const WaRowRun *runs, int nruns,
			  uint32 nrows, WaExtentColumn *columns)
{
	uint64 offset = TYPEALIGN64(PG_CACHE_LINE_SIZE, sizeof(WaExtentHead));

	for (int i = 0; i < reader->ncolumns; i++)
		wa_collect_place(&reader->columns[i], runs, nruns, nrows, &columns[i],
						 &offset);
	return offset;
}

uint64
wa_extent_bytes(const WaExtentReader *reader)
{
	WaRowRun runs[WA_EXTENT_BLOCKS];
	WaExtentColumn columns[WA_MAX_RESIDENT_COLUMNS];
	uint32 nrows;
	int nruns = find_runs(reader, runs, &nrows);

	return place_columns(reader, runs, nruns, nrows, columns);
}

/* Writes of each block the LSN, if it is kept, and where its rows end. */
static void
write_blocks(const WaExtentReader *reader, WaExtentHead *head)
{
	uint32 start = 0;
	uint32 nrows = 0;

	for (uint32 i = 0; i < head->nblocks; i++)
	{
		uint32 end = reader->row_end[i];

		if (has_bit(reader->kept, i))
		{
			head->block_lsn[i] = reader->block_lsn[i];
			nrows += end - start;
		}
		head->row_end[i] = nrows;
		start = end;
	}
}

uint32
wa_extent_write(const WaExtentReader *reader, void *parcel)
{
	WaExtentHead *head = (WaExtentHead *) parcel;
	WaRowRun runs[WA_EXTENT_BLOCKS];
	uint32 nrows;
	int nruns = find_runs(reader, runs, &nrows);

	memset(head, 0, sizeof(*head));
	head->relation = wa_resident_storage(reader->relation);
	head->number = reader->number;
	head->map_lsn = reader->map_lsn;
	head->nblocks = blocks_of_extent(reader);
	head->nrows = nrows;
	head->ncolumns = (uint32) reader->ncolumns;
	write_blocks(reader, head);
	(void) place_columns(reader, runs, nruns, nrows, head->columns);
	for (int i = 0; i < reader->ncolumns; i++)
		wa_collect_write(&reader->columns[i], runs, nruns, &head->columns[i],
						 parcel);
	return nrows;
}
