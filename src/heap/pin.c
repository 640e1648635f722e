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

/* How far ahead of the page that is read memory is asked for pages. */
#define PAGES_AHEAD 2

void
wa_heap_pinner_begin(WaHeapPinner *pinner, Relation relation,
					 BufferAccessStrategy strategy)
{
	pinner->relation = relation;
	pinner->strategy = strategy;
	pinner->dense = false;
	pinner->last_buffer = InvalidBuffer;
	pinner->guess = InvalidBuffer;
}

/*
 * Has the memory begin to fetch the page that is PAGES_AHEAD buffers ahead, all
 * of it or its first line pointers, into the second-level cache.  Nothing keeps
 * it there, and it need not be of this relation.  (gcc drops calls of functions
 * that do nothing but this, so it must be inlined.)
 */
static pg_attribute_always_inline void
prefetch_page(Buffer buffer, bool whole)
{
	int bytes = whole ? BLCKSZ : 2 * LINE_BYTES;
	const char *page;

	if (buffer > NBuffers - PAGES_AHEAD)
		return;
	page = (const char *) BufferGetBlock(buffer + PAGES_AHEAD);
	for (int i = 0; i < bytes; i += LINE_BYTES)
		__builtin_prefetch(page + i, 0, 2);
}

Buffer
wa_heap_pin(WaHeapPinner *pinner, BlockNumber block)
{
	Relation relation = pinner->relation;
	Buffer guess = pinner->guess;
	Buffer buffer;

	/* One that the clock sweep has found unused is marked the usual way. */
	if (guess != InvalidBuffer && buffer_is_used_compat(guess) &&
		read_recent_buffer_compat(relation, block, guess))
	{
		pgstat_count_buffer_read(relation);
		pgstat_count_buffer_hit(relation);
		prefetch_page(guess, pinner->dense);
		buffer = guess;
	}
	else
		buffer = ReadBufferExtended(relation, MAIN_FORKNUM, block, RBM_NORMAL,
									pinner->strategy);
	pinner->guess = InvalidBuffer;
	if (buffer == pinner->last_buffer + 1 && buffer > 0 && buffer < NBuffers)
		pinner->guess = buffer + 1;
	pinner->last_buffer = buffer;
	return buffer;
}
