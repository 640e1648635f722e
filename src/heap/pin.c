/*
 * pin.c
 *		Pins the blocks of a heap relation; see pin.h.
 */
#include "postgres.h"

#include "pgstat.h"

#include "compat.h"
#include "heap/pin.h"

/* Bytes that the memory fetches at once. */
#define LINE_BYTES 64

/*
 * How many buffers behind the last one are looked at before the buffer table is
 * asked.  Those of a relation that one process has read in one go follow one
 * another; where several have read, or a buffer was in use, there are gaps.
 */
#define NEAR_BUFFERS 8

void
wa_heap_pinner_begin(WaHeapPinner *pinner, Relation relation,
					 BufferAccessStrategy strategy)
{
	pinner->relation = relation;
	pinner->strategy = strategy;
	pinner->dense = false;
	pinner->near = true;
	pinner->block = InvalidBlockNumber;
}

/* Returns the buffer that the buffer table has for a block, or InvalidBuffer. */
static Buffer
look_up(BufferTag *tag)
{
	uint32 hash = BufTableHashCode(tag);
	LWLock *lock = BufMappingPartitionLock(hash);
	int id;

	LWLockAcquire(lock, LW_SHARED);
	id = BufTableLookup(tag, hash);
	LWLockRelease(lock);
	return id + 1;
}

/*
 * Returns where a block may be, or InvalidBuffer; last: the buffer of the block
 * before, or InvalidBuffer.
 */
static Buffer
find_buffer(WaHeapPinner *pinner, BlockNumber block, Buffer last)
{
	BufferTag tag = make_tag_compat(pinner->relation, block);
	Buffer end = Min(last + NEAR_BUFFERS, NBuffers);
	Buffer buffer;

	if (pinner->near && last != InvalidBuffer)
		for (buffer = last + 1; buffer <= end; buffer++)
			if (buffer_has_tag_compat(buffer, &tag))
				return buffer;
	buffer = look_up(&tag);
	pinner->near = last == InvalidBuffer || (buffer > last && buffer <= end);
	return buffer;
}

/*
 * Has the memory begin to fetch a page, all of it or its first line pointers,
 * into the second-level cache.  Nothing keeps it there.  (gcc drops calls of
 * functions that do nothing but this, so it must be inlined.)
 */
static pg_attribute_always_inline void
prefetch_page(Buffer buffer, bool whole)
{
	int bytes = whole ? BLCKSZ : 2 * LINE_BYTES;
	const char *page = (const char *) BufferGetBlock(buffer);

	for (int i = 0; i < bytes; i += LINE_BYTES)
		__builtin_prefetch(page + i, 0, 2);
}

/*
 * Looks for the buffers of the blocks that follow one that has just been pinned,
 * as far as that has not been done.
 */
static void
look_ahead(WaHeapPinner *pinner, BlockNumber block, Buffer buffer)
{
	Buffer *ahead = pinner->ahead;
	int nknown = pinner->block == block ? WA_HEAP_BLOCKS_AHEAD - 1 : 0;

	for (int i = 0; i < nknown; i++)
		ahead[i] = ahead[i + 1];
	for (int i = nknown; i < WA_HEAP_BLOCKS_AHEAD; i++)
	{
		Buffer last = i == 0 ? buffer : ahead[i - 1];

		ahead[i] = find_buffer(pinner, block + 1 + (BlockNumber) i, last);
		if (ahead[i] != InvalidBuffer)
			prefetch_page(ahead[i], pinner->dense);
	}
	pinner->block = block + 1;
}

Buffer
wa_heap_pin(WaHeapPinner *pinner, BlockNumber block)
{
	Relation relation = pinner->relation;
	Buffer buffer = pinner->block == block ? pinner->ahead[0] : InvalidBuffer;

	/* One that the clock sweep has found unused is marked the usual way. */
	if (buffer != InvalidBuffer && buffer_is_used_compat(buffer) &&
		read_recent_buffer_compat(relation, block, buffer))
	{
		pgstat_count_buffer_read(relation);
		pgstat_count_buffer_hit(relation);
	}
	else
		buffer = ReadBufferExtended(relation, MAIN_FORKNUM, block, RBM_NORMAL,
									pinner->strategy);
	look_ahead(pinner, block, buffer);
	return buffer;
}
