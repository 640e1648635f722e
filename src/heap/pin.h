/*
 * pin.h
 *		Pins the blocks of a heap relation, one after the other.
 *
 * What a page costs is mostly waiting for memory, so pages are asked for ahead.
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

typedef struct WaHeapPinner
{
	Relation relation;
	BufferAccessStrategy strategy; /* or NULL */
	bool dense;        /* the last page had WA_HEAP_DENSE_POINTERS or more */
	bool near;         /* the last buffer lay not far behind the one before */
	BlockNumber block; /* the next one, if they follow one another */
	Buffer ahead[WA_HEAP_BLOCKS_AHEAD]; /* where it and the following ones may
										 * be; or InvalidBuffer */
} WaHeapPinner;

/* Prepares to pin blocks of a relation. */
extern void wa_heap_pinner_begin(WaHeapPinner *pinner, Relation relation,
								 BufferAccessStrategy strategy);

/*
 * Pins a block.  Buffers of the blocks that follow are looked for before they are
 * needed, so that memory can be asked for them in time.
 */
extern Buffer wa_heap_pin(WaHeapPinner *pinner, BlockNumber block);

/* Notes what the page that was pinned last is like; it is locked. */
static inline void
wa_heap_note_page(WaHeapPinner *pinner, Page page)
{
	pinner->dense = PageGetMaxOffsetNumber(page) >= WA_HEAP_DENSE_POINTERS;
}

#endif /* WA_HEAP_PIN_H */
