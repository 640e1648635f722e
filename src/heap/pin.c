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

/* Of so many blocks of a stream one is looked for in shared buffers. */
#define STREAMED_BLOCKS 16

void
wa_heap_pinner_begin(WaHeapPinner *pinner, Relation relation,
					 BufferAccessStrategy strategy, WaHeapSource source,
					 void *data)
{
	memset(pinner, 0, sizeof(*pinner));
	pinner->relation = relation;
	pinner->strategy = strategy;
	pinner->memory = CurrentMemoryContext;
	pinner->source = source;
	pinner->data = data;
	pinner->near = true;
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

/* Has the source name blocks, and looks for their buffers, until `wanted` are known. */
static void
look_ahead(WaHeapPinner *pinner, int wanted)
{
	while (pinner->nahead < wanted)
	{
		WaHeapAhead *next = &pinner->ahead[pinner->nahead];
		Buffer last = pinner->nahead == 0 ? pinner->last : next[-1].buffer;

		next->block = pinner->source(pinner->data);
		if (next->block == InvalidBlockNumber)
			break;
		next->buffer = find_buffer(pinner, next->block, last);
		if (next->buffer != InvalidBuffer)
			prefetch_page(next->buffer, pinner->dense);
		pinner->nahead++;
	}
}

/* Takes the first of the blocks that the source has named. */
static BlockNumber
take_ahead(WaHeapPinner *pinner)
{
	BlockNumber block = pinner->ahead[0].block;

	pinner->nahead--;
	for (int i = 0; i < pinner->nahead; i++)
		pinner->ahead[i] = pinner->ahead[i + 1];
	return block;
}

/*
 * Pins the first of the blocks that the source has named where it was found; it may
 * have gone since.  One that the clock sweep has found unused is marked the usual way.
 */
static Buffer
pin_found(WaHeapPinner *pinner)
{
	Buffer buffer = pinner->ahead[0].buffer;
	BlockNumber block = take_ahead(pinner);

	if (!buffer_is_used_compat(buffer) ||
		!read_recent_buffer_compat(pinner->relation, block, buffer))
		return ReadBufferExtended(pinner->relation, MAIN_FORKNUM, block,
								  RBM_NORMAL, pinner->strategy);
	pgstat_count_buffer_read(pinner->relation);
	pgstat_count_buffer_hit(pinner->relation);
	return buffer;
}

/*
 * Names the next block for the stream: a ReadStreamBlockNumberCB.  From a block that is
 * found in shared buffers on there is none for the stream.
 */
static BlockNumber
name_for_stream(ReadStream *stream, void *data, void *buffer_data)
{
	WaHeapPinner *pinner = data;

	if (pinner->nahead > 0)
		return take_ahead(pinner);
	if (++pinner->nstreamed % STREAMED_BLOCKS != 0)
		return pinner->source(pinner->data);
	pinner->last = InvalidBuffer;
	look_ahead(pinner, 1);
	if (pinner->nahead > 0 && pinner->ahead[0].buffer == InvalidBuffer)
		return take_ahead(pinner);
	return InvalidBlockNumber;
}

/* Has the next blocks come from the stream. */
static void
begin_streaming(WaHeapPinner *pinner)
{
	MemoryContext old = MemoryContextSwitchTo(pinner->memory);

	if (pinner->stream == NULL)
		pinner->stream = begin_stream_compat(pinner->relation, pinner->strategy,
											 name_for_stream, pinner);
	pinner->is_streaming = true;
	pinner->nstreamed = 0;
	MemoryContextSwitchTo(old);
}

/* Has the next blocks be looked for again. */
static void
end_streaming(WaHeapPinner *pinner)
{
	if (pinner->is_streaming)
		read_stream_reset(pinner->stream);
	pinner->is_streaming = false;
}

Buffer
wa_heap_pin(WaHeapPinner *pinner)
{
	if (pinner->is_streaming)
	{
		Buffer buffer = read_stream_next_buffer(pinner->stream, NULL);

		if (buffer != InvalidBuffer)
			return buffer;
		end_streaming(pinner);
	}
	look_ahead(pinner, 1);
	if (pinner->nahead == 0)
		return InvalidBuffer;
	if (pinner->ahead[0].buffer == InvalidBuffer)
	{
		begin_streaming(pinner);
		return read_stream_next_buffer(pinner->stream, NULL);
	}
	pinner->last = pin_found(pinner);
	look_ahead(pinner, 1 + WA_HEAP_BLOCKS_AHEAD);
	return pinner->last;
}

void
wa_heap_pinner_reset(WaHeapPinner *pinner)
{
	end_streaming(pinner);
	pinner->nahead = 0;
	pinner->last = InvalidBuffer;
}

void
wa_heap_pinner_end(WaHeapPinner *pinner)
{
	wa_heap_pinner_reset(pinner);
	if (pinner->stream != NULL)
		read_stream_end(pinner->stream);
	pinner->stream = NULL;
}
