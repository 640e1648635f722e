/*
 * buffer.h
 *		Value buffers of aggregate states, within one budget a backend.
 */
#ifndef WA_STATE_BUFFER_H
#define WA_STATE_BUFFER_H

#include "core/must_check.h"
#include "core/partial.h"

/* A buffer borrowed from the budget. */
typedef struct WaBuffer
{
	MemoryContextCallback at_reset;
	void *memory; /* aligned for any type */
	Size bytes;
	const WaPartial *partial; /* that its batches are reduced into */
} WaBuffer;

/*
 * Borrows a buffer of so many bytes that lives as long as the contents of
 * owner: when owner is reset or deleted the buffer is freed, its bytes return
 * to the budget, and a reduction of it that is still under way into *partial,
 * which lies in owner too, is dropped.  Returns NULL if warpagg.buffer_memory
 * does not allow it.
 */
extern WaBuffer *wa_buffer_borrow(MemoryContext owner, Size bytes,
								  const WaPartial *partial);

/*
 * Exchanges the buffer's memory for a larger piece with the same contents.
 * Returns false, with the buffer as it was, if the budget does not allow it.
 */
extern WA_MUST_CHECK bool wa_buffer_grow(WaBuffer *buffer, Size bytes);

#endif /* WA_STATE_BUFFER_H */
