/*
 * pin.h
 *		Pins the blocks of a heap relation, in the order in which a source names
 *		them.
 *
 * What a page costs is mostly waiting for memory, so pages that are in shared
 * buffers are asked for ahead.  Those that are not come from a read stream, which
 * reads neighbours together, and from 18 on before they are needed.
 */
#ifndef WA_HEAP_PIN_H
#define WA_HEAP_PIN_H

#include "storage/bufmgr.h"
#include "storage/bufpage.h"
#include "utils/relcache.h"

/* Line pointers of a page from which on most of its lines will be wanted. */
#define WA_HEAP_DENSE_POINTERS 32

/* How many blocks ahead of the one that is pinned buffers are looked for. */
#define WA_HEAP_BLOCKS_AHEAD 2

/*
 * Names the next block, or InvalidBlockNumber if there is none for now.  It is asked
 * before the block is pinned, by as many blocks as are looked at ahead, and must not
 * wait for anything that can last.
 */
typedef BlockNumber (*WaHeapSource)(void *data);

/* A block that is not pinned yet. */
typedef struct WaHeapAhead
{
	BlockNumber block;
	Buffer buffer; /* where it may be; or InvalidBuffer */
} WaHeapAhead;

typedef struct WaHeapPinner
{
	Relation relation;
	BufferAccessStrategy strategy; /* or NULL */
	MemoryContext memory;
	WaHeapSource source;
	void *data; /* of the source's own */
	bool dense; /* the last page had WA_HEAP_DENSE_POINTERS or more */
	bool near;  /* the last buffer lay not far behind the one before */
	Buffer last;
	int nahead; /* blocks that the source has named, in their order */
	WaHeapAhead ahead[1 + WA_HEAP_BLOCKS_AHEAD];
	struct ReadStream *stream; /* or NULL yet */
	bool is_streaming;         /* the next block comes from it */
	int nstreamed;             /* blocks that it was given since */
} WaHeapPinner;

/*
 * Prepares to pin blocks of a relation that a source names, in the current memory
 * context.
 */
extern void wa_heap_pinner_begin(WaHeapPinner *pinner, Relation relation,
								 BufferAccessStrategy strategy,
								 WaHeapSource source, void *data);

/*
 * Pins the next block; the caller lets go of it.  Returns InvalidBuffer if the source
 * has none; it may be asked again when it has.
 */
extern Buffer wa_heap_pin(WaHeapPinner *pinner);

/* Forgets blocks that the source has named and that have not been pinned. */
extern void wa_heap_pinner_reset(WaHeapPinner *pinner);

/* Lets go of everything. */
extern void wa_heap_pinner_end(WaHeapPinner *pinner);

/* Notes what the page that was pinned last is like; it is locked. */
static inline void
wa_heap_note_page(WaHeapPinner *pinner, Page page)
{
	pinner->dense = PageGetMaxOffsetNumber(page) >= WA_HEAP_DENSE_POINTERS;
}

#endif /* WA_HEAP_PIN_H */
