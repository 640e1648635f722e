/*
 * heap.c
 *		Reads the tuples of a heap relation that a snapshot sees; see heap.h.
 *
 * A scan of PostgreSQL's own is begun for what it sets up: the predicate lock,
 * the number of blocks, the strategy for large relations and the statistics.
 * Its pages are then read here, by the rules of heapgetpage in heapam.c: prune
 * if that is worth it, look at line pointers and visibility under a share lock,
 * and keep but the pin, which keeps tuples where they are.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/tableam.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "port/pg_bitutils.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"
#include "storage/proc.h"

#include "compat.h"
#include "heap/heap.h"

/*
 * The same where buffers are taken from the ring of a strategy, of 256 kB or
 * more: a ring that is pinned is left for buffers that others need.
 */
#define MAX_RING_PINS 8

/* Bytes that the memory fetches at once. */
#define LINE_BYTES 64

/* Blocks that a scan takes from a share at once, at most. */
#define CHUNK_BLOCKS 64

/* So many chunks or more for each scan are left after one has been taken. */
#define CHUNKS_LEFT 4

/* Takes over what the scan of PostgreSQL has set up. */
static void
set_up(WaHeapScan *scan)
{
	HeapScanDesc heap = (HeapScanDesc) scan->scan;
	/* Half of a process's share of all buffers: the stream holds some, too. */
	int fair_share = NBuffers / (MaxBackends + NUM_AUXILIARY_PROCS) / 2;

	scan->end_block = heap->rs_nblocks;
	scan->share = NULL;
	scan->pinner.strategy = heap->rs_strategy;
	scan->max_pins =
		heap->rs_strategy == NULL ? WA_HEAP_MAX_PINS : MAX_RING_PINS;
	scan->max_pins = Max(Min(scan->max_pins, fair_share), 1);
	scan->next_block = 0;
	scan->read_block = 0;
	scan->rest_next = 0;
	scan->rest_end = 0;
}

/* Returns the first block from one on, below end, that is not left out; or end. */
static inline BlockNumber
find_wanted(const uint64_t *covered, BlockNumber block, BlockNumber end)
{
	BlockNumber i = block / 64;
	uint64 wanted;

	if (block >= end)
		return end;
	wanted = ~covered[i] & (~UINT64CONST(0) << (block % 64));
	while (wanted == 0 && ++i <= (end - 1) / 64)
		wanted = ~covered[i];
	return wanted == 0 ? end
					   : Min(i * 64 + pg_rightmost_one_pos64(wanted), end);
}

/* Lets go of pages, the last first, but for the first `kept` of them. */
static void
unpin(WaHeapScan *scan, int kept)
{
	while (scan->npins > kept)
		ReleaseBuffer(scan->pins[--scan->npins]);
}

/*
 * Has the blocks be named again that the pinner was given and has not returned, which
 * it lets go of.
 */
static void
name_again(WaHeapScan *scan)
{
	wa_heap_pinner_reset(&scan->pinner);
	scan->next_block = scan->read_block;
}

/* Forgets a block that was only looked at; nothing else was read. */
static void
forget_rest(WaHeapScan *scan)
{
	unpin(scan, 0);
	scan->counts.blocks--;
	scan->counts.rows -= scan->rest_end;
	pgstat_count_index_tuples(scan->scan->rs_rd, -scan->rest_end);
	scan->rest_next = 0;
	scan->rest_end = 0;
}

void
wa_heap_leave_out(WaHeapScan *scan, const uint64_t *covered)
{
	BlockNumber waiting;

	name_again(scan);
	scan->covered = covered;
	if (covered == NULL || scan->rest_next == scan->rest_end)
		return;
	waiting = scan->rest[0].block;
	if (find_wanted(covered, waiting, waiting + 1) != waiting)
		forget_rest(scan);
}

void
wa_heap_leave_out_all(WaHeapScan *scan)
{
	if (scan->rest_next < scan->rest_end)
		forget_rest(scan);
	name_again(scan);
	scan->next_block = scan->end_block;
	scan->read_block = scan->end_block;
}

/* Adds a tuple to rows. */
static inline void
store_row(WaRow *row, Page page, ItemId pointer, BlockNumber block,
		  OffsetNumber offset)
{
	row->tuple = (HeapTupleHeader) ((char *) page + ItemIdGetOffset(pointer));
	row->length = ItemIdGetLength(pointer);
	row->block = block;
	row->offset = offset;
}

/*
 * The headers of the tuples are not looked at, but will be: the memory may begin
 * to fetch them, and as much of their columns as two cache lines hold.
 */
int
wa_heap_take_all(Page page, BlockNumber block, WaRow *rows)
{
	int npointers = PageGetMaxOffsetNumber(page);
	ItemId pointer = PageGetItemId(page, FirstOffsetNumber);
	int nrows = 0;

	for (int i = 0; i < npointers; i++, pointer++)
	{
		store_row(&rows[nrows], page, pointer, block,
				  (OffsetNumber) (FirstOffsetNumber + i));
		__builtin_prefetch(rows[nrows].tuple);
		__builtin_prefetch((char *) rows[nrows].tuple + LINE_BYTES);
		nrows += ItemIdIsNormal(pointer) ? 1 : 0;
	}
	return nrows;
}

/*
 * Tells whether HeapTupleSatisfiesMVCC would find a tuple visible at the first
 * looks that it takes: known to be inserted by a transaction that ended before
 * all of the snapshot's, and deleted by none.
 */
static inline bool
is_plainly_visible(HeapTupleHeader tuple, Snapshot snapshot)
{
	TransactionId xmin = HeapTupleHeaderGetRawXmin(tuple);

	if ((tuple->t_infomask & HEAP_XMAX_INVALID) == 0 ||
		!HeapTupleHeaderXminCommitted(tuple))
		return false;
	/* The second half is TransactionIdPrecedes, for normal ones. */
	return HeapTupleHeaderXminFrozen(tuple) ||
		   (TransactionIdIsNormal(xmin) && (int32) (xmin - snapshot->xmin) < 0);
}

/*
 * The same for any page, tuple by tuple.  all_visible: it is known that
 * everybody sees them.  check_conflicts: the transaction is serializable.
 */
static int
take_visible(WaHeapScan *scan, Buffer buffer, BlockNumber block,
			 bool all_visible, bool check_conflicts, WaRow *rows)
{
	Relation relation = scan->scan->rs_rd;
	Snapshot snapshot = scan->scan->rs_snapshot;
	Page page = BufferGetPage(buffer);
	OffsetNumber last = PageGetMaxOffsetNumber(page);
	int nrows = 0;

	for (OffsetNumber offset = FirstOffsetNumber; offset <= last; offset++)
	{
		ItemId pointer = PageGetItemId(page, offset);
		HeapTupleData tuple;
		bool visible;

		if (!ItemIdIsNormal(pointer))
			continue;
		tuple.t_tableOid = RelationGetRelid(relation);
		tuple.t_data = (HeapTupleHeader) PageGetItem(page, pointer);
		tuple.t_len = ItemIdGetLength(pointer);
		ItemPointerSet(&tuple.t_self, block, offset);
		visible = all_visible || is_plainly_visible(tuple.t_data, snapshot) ||
				  HeapTupleSatisfiesVisibility(&tuple, snapshot, buffer);
		if (check_conflicts)
			HeapCheckForSerializableConflictOut(visible, relation, &tuple,
												buffer, snapshot);
		if (visible)
			store_row(&rows[nrows++], page, pointer, block, offset);
	}
	return nrows;
}

/* Returns the room for the rest of a page, which lives as long as the scan. */
static WaRow *
rest_room(WaHeapScan *scan)
{
	if (scan->rest == NULL)
		scan->rest = MemoryContextAlloc(GetMemoryChunkContext(scan),
										sizeof(WaRow) * MaxHeapTuplesPerPage);
	return scan->rest;
}

/*
 * Stores the visible tuples of a block that has just been pinned in rows, if there is
 * room for as many as it might have, else in the scan's rest.  Returns how many went
 * to rows.  The page stays pinned if it has any.
 */
static int
read_page(WaHeapScan *scan, Buffer buffer, WaRow *rows, int room)
{
	Relation relation = scan->scan->rs_rd;
	Snapshot snapshot = scan->scan->rs_snapshot;
	BlockNumber block = BufferGetBlockNumber(buffer);
	Page page = BufferGetPage(buffer);
	bool all_visible;
	bool check_conflicts;
	bool fits;
	int nrows;

	prune_page_compat(relation, buffer, &scan->map,
					  scan->may_mark && scan->covered == NULL);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	test_for_old_snapshot_compat(snapshot, relation, page);
	/* A standby may see the flag before it may rely on it. */
	all_visible = PageIsAllVisible(page) && !snapshot->takenDuringRecovery;
	fits = PageGetMaxOffsetNumber(page) <= room;
	wa_heap_note_page(&scan->pinner, page);
	if (!fits)
		rows = rest_room(scan);
	check_conflicts = CheckForSerializableConflictOutNeeded(relation, snapshot);
	if (all_visible && !check_conflicts)
		nrows = wa_heap_take_all(page, block, rows);
	else
		nrows = take_visible(scan, buffer, block, all_visible, check_conflicts,
							 rows);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);

	scan->read_block = block + 1;
	scan->counts.blocks++;
	scan->counts.rows += nrows;
	pgstat_count_index_tuples(relation, nrows);
	if (nrows == 0)
		ReleaseBuffer(buffer);
	else
		scan->pins[scan->npins++] = buffer;
	if (fits)
		return nrows;
	scan->rest_next = 0;
	scan->rest_end = nrows;
	return 0;
}

/* Moves what fits of the rest to rows.  Returns how many. */
static int
take_rest(WaHeapScan *scan, WaRow *rows, int room)
{
	int nrows = Min(scan->rest_end - scan->rest_next, room);

	if (nrows == 0)
		return 0;
	memcpy(rows, &scan->rest[scan->rest_next], (Size) nrows * sizeof(*rows));
	scan->rest_next += nrows;
	return nrows;
}

/* Lets go of the pages whose rows have all been handed out. */
static void
release_last_batch(WaHeapScan *scan)
{
	bool has_rest = scan->rest_next < scan->rest_end;

	if (has_rest && scan->npins > 1)
	{
		Buffer last = scan->pins[scan->npins - 1];

		scan->pins[scan->npins - 1] = scan->pins[0];
		scan->pins[0] = last;
	}
	unpin(scan, has_rest ? 1 : 0);
}

BlockNumber
wa_heap_nblocks(const WaHeapScan *scan)
{
	return ((HeapScanDesc) scan->scan)->rs_nblocks;
}

Size
wa_heap_covered_bytes(const WaHeapScan *scan)
{
	return wa_extents_bytes(wa_heap_nblocks(scan));
}

/* Returns how many of the blocks from one on, below end, are not left out. */
static BlockNumber
count_wanted(const WaHeapScan *scan, BlockNumber block, BlockNumber end)
{
	BlockNumber wanted = 0;

	if (scan->covered == NULL)
		return end - block;
	while ((block = find_wanted(scan->covered, block, end)) < end)
	{
		wanted++;
		block++;
	}
	return wanted;
}

BlockNumber
wa_heap_blocks_left(const WaHeapScan *scan)
{
	return count_wanted(scan, scan->read_block, scan->end_block);
}

double
wa_heap_progress(const WaHeapScan *scan)
{
	BlockNumber all = wa_heap_nblocks(scan);
	uint64 taken = scan->share != NULL
					   ? pg_atomic_read_u64(&scan->share->next_block)
					   : scan->read_block;

	if (taken >= all)
		return 1;
	return 1 - (double) count_wanted(scan, (BlockNumber) taken, all) / all;
}

void
wa_heap_share(WaHeapScan *scan, WaHeapShare *share, int nscans)
{
	name_again(scan);
	pg_atomic_init_u64(&share->next_block, scan->next_block);
	share->nblocks = scan->end_block;
	share->nscans = nscans;
	wa_heap_join(scan, share);
}

void
wa_heap_join(WaHeapScan *scan, WaHeapShare *share)
{
	scan->share = share;
	scan->end_block = scan->next_block;
}

/*
 * Takes a chunk of blocks from the share, if there is one; returns false if none
 * is left.  Chunks become smaller towards the end, for all scans to end at the
 * same time.
 */
static bool
take_chunk(WaHeapScan *scan)
{
	WaHeapShare *share = scan->share;
	uint64 first;
	uint64 size;

	if (share == NULL)
		return false;
	first = pg_atomic_read_u64(&share->next_block);
	do
	{
		if (first >= share->nblocks)
		{
			scan->share = NULL;
			return false;
		}
		size = (share->nblocks - first) / (CHUNKS_LEFT * share->nscans);
		size = Min(Max(size, 1), CHUNK_BLOCKS);
	} while (!pg_atomic_compare_exchange_u64(&share->next_block, &first,
											 first + size));
	scan->next_block = (BlockNumber) first;
	scan->end_block = (BlockNumber) (first + size);
	return true;
}

/* Names the next block that is to be read: a WaHeapSource. */
static BlockNumber
name_block(void *data)
{
	WaHeapScan *scan = data;

	do
	{
		if (scan->covered != NULL)
			scan->next_block =
				find_wanted(scan->covered, scan->next_block, scan->end_block);
		if (scan->next_block < scan->end_block)
			return scan->next_block++;
	} while (take_chunk(scan));
	return InvalidBlockNumber;
}

WaHeapScan *
wa_heap_begin(Relation relation, Snapshot snapshot)
{
	WaHeapScan *scan = palloc0(sizeof(*scan));

	Assert(snapshot->snapshot_type == SNAPSHOT_MVCC);
	scan->scan =
		table_beginscan_strat(relation, snapshot, 0, NULL, true, false);
	wa_heap_pinner_begin(&scan->pinner, relation, NULL, name_block, scan);
	set_up(scan);
	return scan;
}

/*
 * Reads the next block: see read_page.  Returns false if there is none, else how many
 * rows it has stored in *nrows.
 */
static bool
read_next(WaHeapScan *scan, WaRow *rows, int room, int *nrows)
{
	Buffer buffer;

	CHECK_FOR_INTERRUPTS();
	buffer = wa_heap_pin(&scan->pinner);
	if (buffer == InvalidBuffer)
		return false;
	*nrows = read_page(scan, buffer, rows, room);
	return true;
}

bool
wa_heap_has_rows(WaHeapScan *scan)
{
	int nrows;

	while (scan->rest_next == scan->rest_end &&
		   read_next(scan, NULL, 0, &nrows))
		;
	/* The caller may wait before it reads on. */
	name_again(scan);
	return scan->rest_next < scan->rest_end;
}

int
wa_heap_peek(const WaHeapScan *scan, const WaRow **rows)
{
	*rows = &scan->rest[scan->rest_next];
	return scan->rest_end - scan->rest_next;
}

int
wa_heap_next(WaHeapScan *scan, WaRow *rows)
{
	int nrows;
	int nread;

	release_last_batch(scan);
	nrows = take_rest(scan, rows, WA_VECTOR_ROWS);
	while (nrows < WA_VECTOR_ROWS && scan->npins < scan->max_pins &&
		   read_next(scan, rows + nrows, WA_VECTOR_ROWS - nrows, &nread))
	{
		nrows += nread;
		nrows += take_rest(scan, rows + nrows, WA_VECTOR_ROWS - nrows);
	}
	return nrows;
}

bool
wa_heap_share_is_taken(WaHeapShare *share)
{
	return pg_atomic_read_u64(&share->next_block) >= share->nblocks;
}

void
wa_heap_rescan(WaHeapScan *scan)
{
	unpin(scan, 0);
	wa_heap_pinner_end(&scan->pinner);
	table_rescan(scan->scan, NULL);
	set_up(scan);
}

void
wa_heap_end(WaHeapScan *scan)
{
	unpin(scan, 0);
	wa_heap_pinner_end(&scan->pinner);
	if (BufferIsValid(scan->map))
		ReleaseBuffer(scan->map);
	table_endscan(scan->scan);
	if (scan->rest != NULL)
		pfree(scan->rest);
	pfree(scan);
}
