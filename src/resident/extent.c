/*
 * extent.c
 *		Reading extents from a heap relation; see extent.h.
 *
 * The rows of a few blocks at a time, which stay pinned, become vectors, and
 * these are appended to what has been collected of each column.  If a value of
 * the few blocks fits no vector they are taken one by one, and the column that has
 * it lacks that block.
 *
 * The position of WAL is read before the blocks: all that was changed up to there is in
 * what is read then.  Blocks in flux are left out.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "port/pg_bitutils.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "resident/extent_reader.h"
#include "resident/full_xid.h"
#include "resident/relation.h"
#include "settings.h"
#include "wal/wal.h"

/*
 * Rows with which a batch ends: so few that its pages are still in the first-level
 * cache when the last column is read.
 */
#define ENOUGH_ROWS 192

StaticAssertDecl(ENOUGH_ROWS + MaxHeapTuplesPerPage <= WA_VECTOR_ROWS,
				 "the rows of one more page have room in a batch");

/* Of a larger relation than this part of the buffers, a ring is used. */
#define RING_FRACTION 4

/* Makes the vectors that the columns of a batch become. */
static void
make_vectors(WaExtentReader *reader)
{
	for (int i = 0; i < reader->ncolumns; i++)
	{
		WaVectorKind kind = (WaVectorKind) reader->columns[i].name.kind;
		Size bytes = wa_vector_register_bytes(kind);
		void *memory = (void *) TYPEALIGN(PG_CACHE_LINE_SIZE,
										  palloc(bytes + PG_CACHE_LINE_SIZE));

		wa_vector_place_register(&reader->vectors[i], kind, memory);
	}
}

/* Names the next block of the extent: a WaHeapSource. */
static BlockNumber
name_block(void *data)
{
	WaExtentReader *reader = data;

	for (uint32 i = 0; i < WA_EXTENT_WORDS; i++)
	{
		uint64_t *word = &reader->named[i];

		if (*word != 0)
		{
			const uint32 place = i * 64 + pg_rightmost_one_pos64(*word);

			*word &= *word - 1;
			return wa_extent_first_block(reader->named_extent) + place;
		}
	}
	return InvalidBlockNumber;
}

void
wa_extent_name(WaExtentReader *reader, uint32 number, const uint64_t *named)
{
	wa_heap_pinner_reset(&reader->pinner);
	reader->named_extent = number;
	memcpy(reader->named, named, sizeof(reader->named));
}

Buffer
wa_extent_lock(WaExtentReader *reader, uint32 *place)
{
	Buffer buffer;

	CHECK_FOR_INTERRUPTS();
	buffer = wa_heap_pin(&reader->pinner);
	if (buffer == InvalidBuffer)
		return InvalidBuffer;
	*place = BufferGetBlockNumber(buffer) -
			 wa_extent_first_block(reader->named_extent);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	return buffer;
}

WaExtentReader *
wa_extent_begin(Relation relation, BlockNumber nblocks, int ncolumns,
				const WaColumnName *columns)
{
	WaExtentReader *reader = palloc0(sizeof(*reader));

	Assert(ncolumns <= WA_MAX_RESIDENT_COLUMNS);
	reader->relation = relation;
	reader->nblocks = nblocks;
	reader->memory = CurrentMemoryContext;
	reader->ncolumns = ncolumns;
	for (int i = 0; i < ncolumns; i++)
		reader->columns[i].name = columns[i];
	if (nblocks > (BlockNumber) NBuffers / RING_FRACTION)
		reader->strategy = GetAccessStrategy(BAS_BULKREAD);
	wa_heap_pinner_begin(&reader->pinner, relation, reader->strategy,
						 name_block, reader);
	reader->gather_memory = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg gather", ALLOCSET_SMALL_SIZES);
	make_vectors(reader);
	return reader;
}

void
wa_extent_end(WaExtentReader *reader)
{
	wa_heap_pinner_end(&reader->pinner);
	if (reader->strategy != NULL)
		FreeAccessStrategy(reader->strategy);
	reader->strategy = NULL;
}

/* The LSN of a block that has none in the heap. */
#define NO_LSN 1

/*
 * Returns the LSN of a locked block.  That of a block that has never been written, or was
 * filled without WAL when wal_level was minimal, is 0; every change that makes rows of it
 * known to others is logged, so that any other number, too, tells that there was none.
 */
static uint64
lsn_of_block(Buffer buffer)
{
	return Max(BufferGetLSNAtomic(buffer), NO_LSN);
}

/* Appends rows of the batch to all columns; if that fails, to none. */
static bool
collect_rows(WaExtentReader *reader, const WaRow *rows, int nrows)
{
	wa_gather_begin(reader->gather, rows, nrows);
	if (!wa_gather_step(reader->gather, 0, reader->chosen_vectors))
		return false;
	for (int i = 0; i < reader->nchosen; i++)
	{
		if (wa_collect_append(&reader->columns[reader->places[i]],
							  reader->chosen_vectors[i], (uint32) nrows))
			continue;
		for (int j = 0; j < i; j++)
			wa_collect_cut(&reader->columns[reader->places[j]],
						   reader->collected_rows);
		return false;
	}
	reader->collected_rows += (uint32) nrows;
	return true;
}

/* Notes that the rows of a block have been collected. */
static void
note_block(WaExtentReader *reader, const WaPinnedBlock *pinned)
{
	wa_bits_set(reader->kept, pinned->place);
	reader->row_end[pinned->place] = (uint32) pinned->nrows;
}

/* Appends the rows of a block to the columns that can hold them. */
static void
collect_apart(WaExtentReader *reader, const WaRow *rows,
			  const WaPinnedBlock *pinned)
{
	for (int i = 0; i < reader->nchosen; i++)
	{
		int place = reader->places[i];
		WaCollected *column = &reader->columns[place];

		if (!wa_extent_fits(reader, place, rows, pinned->nrows) ||
			!wa_collect_append(column, &reader->vectors[place],
							   (uint32) pinned->nrows))
			wa_collect_skip(column, pinned->place, (uint32) pinned->nrows);
	}
	reader->collected_rows += (uint32) pinned->nrows;
	reader->odd++;
}

/* Collects the rows of the blocks of the batch one by one. */
static void
collect_blocks_alone(WaExtentReader *reader)
{
	const WaRow *rows = reader->rows;

	for (int i = 0; i < reader->npinned; i++)
	{
		const WaPinnedBlock *pinned = &reader->pinned[i];

		if (!collect_rows(reader, rows, pinned->nrows))
			collect_apart(reader, rows, pinned);
		note_block(reader, pinned);
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

/*
 * Adds the rows of a block, which is pinned and locked, to the batch, or lets go of it if
 * it is in flux.  That hints are set may have changed its LSN, but no rows.
 */
static void
read_block(WaExtentReader *reader, Buffer buffer, uint32 place)
{
	const int nrows =
		wa_extent_decide(reader, buffer, place, &reader->rows[reader->nrows]);

	reader->block_lsn[place] = lsn_of_block(buffer);
	wa_heap_note_page(&reader->pinner, BufferGetPage(buffer));
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	if (nrows < 0)
	{
		wa_bits_set(reader->flux, place);
		ReleaseBuffer(buffer);
		return;
	}
	reader->pinned[reader->npinned++] =
		(WaPinnedBlock){.buffer = buffer, .place = place, .nrows = nrows};
	reader->nrows += nrows;
}

/* Forgets the extent that was read last. */
static void
reset(WaExtentReader *reader)
{
	memset(reader->kept, 0, sizeof(reader->kept));
	memset(reader->flux, 0, sizeof(reader->flux));
	memset(reader->row_end, 0, sizeof(reader->row_end));
	reader->collected_rows = 0;
	for (int i = 0; i < reader->ncolumns; i++)
		wa_collect_begin(&reader->columns[i]);
}

/* Reads blocks of the extent. */
static void
read_blocks(WaExtentReader *reader, const uint64_t *blocks)
{
	uint32 end = 0;
	uint32 place;
	Buffer buffer;

	wa_extent_name(reader, reader->number, blocks);
	while ((buffer = wa_extent_lock(reader, &place)) != InvalidBuffer)
	{
		read_block(reader, buffer, place);
		if (reader->npinned == WA_EXTENT_PINS || reader->nrows >= ENOUGH_ROWS)
			collect_batch(reader);
	}
	collect_batch(reader);
	/* From the rows of each block to where they end. */
	for (uint32 i = 0; i < WA_EXTENT_BLOCKS; i++)
	{
		end += reader->row_end[i];
		reader->row_end[i] = end;
	}
}

/*
 * Finds out, before an extent is read, what is known of transactions and of WAL.  All
 * transactions before the snapshot's have ended.
 */
static void
look_around(WaExtentReader *reader)
{
	reader->is_recovering = RecoveryInProgress();
	reader->next_xid = wa_next_full_xid();
	reader->settled = wa_full_xid(reader->next_xid, GetActiveSnapshot()->xmin);
	reader->position = wa_wal_insert_position();
}

/* Waits for what a test does meanwhile. */
static void
wait_for_test(void)
{
	if (wa_debug_load_delay_ms == 0)
		return;
	(void) WaitLatch(MyLatch, WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 wa_debug_load_delay_ms, PG_WAIT_EXTENSION);
	CHECK_FOR_INTERRUPTS();
}

bool
wa_extent_read(WaExtentReader *reader, uint32 number, const uint64_t *blocks,
			   uint64 columns, bool is_patch)
{
	if (!is_patch)
		columns &= wa_extent_choose(reader, number, blocks);
	reader->number = number;
	reader->is_patch = is_patch;
	reset(reader);
	wa_extent_set_columns(reader, columns);
	if (columns == 0)
		return false;
	look_around(reader);
	read_blocks(reader, blocks);
	wait_for_test();
	if (!wa_resident_has_rule(WA_RULE_POSITION_FIRST))
		reader->position = wa_wal_insert_position();
	return wa_blocks_count(reader->kept) > 0;
}

bool
wa_extent_has_all(const WaExtentReader *reader, const WaExtentState *state)
{
	for (uint32 i = 0; i < WA_EXTENT_BLOCKS; i++)
		if (wa_bits_get(state->cached, i) &&
			(!wa_bits_get(reader->kept, i) ||
			 reader->block_lsn[i] != state->block_lsn[i]))
			return false;
	return true;
}

uint64
wa_extent_compare(WaExtentReader *reader, uint32 number,
				  const WaExtentState *state, const uint64_t *blocks,
				  uint64_t *same)
{
	const uint64 position = wa_wal_insert_position();
	uint32 place;
	Buffer buffer;

	memset(same, 0, WA_EXTENT_WORDS * sizeof(*same));
	wa_extent_name(reader, number, blocks);
	while ((buffer = wa_extent_lock(reader, &place)) != InvalidBuffer)
	{
		const uint64 lsn = lsn_of_block(buffer);

		/* One without may be of another relation that has got the name. */
		if (lsn == state->block_lsn[place] && lsn != NO_LSN)
			wa_bits_set(same, place);
		UnlockReleaseBuffer(buffer);
	}
	return position;
}
