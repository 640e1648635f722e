/*
 * buffer.c
 *		Value buffers of aggregate states, within one budget a backend.
 *
 * The buffers do not lie in the aggregate's memory context: the memory
 * accounting of hash aggregation would count them and spill groups because of
 * them.  They lie in a context of their own; the small WaBuffer in the
 * aggregate's context frees its buffer through a reset callback, which runs on
 * errors too.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "client/client.h"
#include "settings.h"
#include "state/buffer.h"

/* Small blocks, so that little memory is taken beyond the budget. */
#define MAX_BLOCK_BYTES ((Size) 64 * 1024)

/* The context of all buffers of this backend, made at first use. */
static MemoryContext buffer_context = NULL;

/* What they take together. */
static Size borrowed_bytes = 0;

/* Tells whether the budget allows so many more bytes. */
static bool
is_affordable(Size more_bytes)
{
	return borrowed_bytes + more_bytes <= (Size) wa_buffer_memory_kb * 1024;
}

/* Allocates the memory of a buffer; NULL if the machine has none left. */
static void *
allocate(Size bytes)
{
	if (buffer_context == NULL)
		buffer_context = AllocSetContextCreate(
			TopMemoryContext, "warpagg buffers", ALLOCSET_DEFAULT_MINSIZE,
			ALLOCSET_DEFAULT_INITSIZE, MAX_BLOCK_BYTES);
	return MemoryContextAllocExtended(buffer_context, bytes, MCXT_ALLOC_NO_OOM);
}

/* Gives the buffer's memory back; called when its owner is reset. */
static void
give_back(void *argument)
{
	WaBuffer *buffer = (WaBuffer *) argument;

	wa_client_forget(buffer->partial);
	borrowed_bytes -= buffer->bytes;
	pfree(buffer->memory);
}

WaBuffer *
wa_buffer_borrow(MemoryContext owner, Size bytes, const WaPartial *partial)
{
	WaBuffer *buffer;
	void *memory;

	if (!is_affordable(bytes))
		return NULL;
	buffer = MemoryContextAlloc(owner, sizeof(WaBuffer));
	memory = allocate(bytes);
	if (memory == NULL)
	{
		pfree(buffer);
		return NULL;
	}
	buffer->memory = memory;
	buffer->bytes = bytes;
	buffer->partial = partial;
	buffer->at_reset.func = give_back;
	buffer->at_reset.arg = buffer;
	MemoryContextRegisterResetCallback(owner, &buffer->at_reset);
	borrowed_bytes += bytes;
	return buffer;
}

bool
wa_buffer_grow(WaBuffer *buffer, Size bytes)
{
	void *memory;

	/* Both pieces exist for a moment. */
	if (!is_affordable(bytes))
		return false;
	memory = allocate(bytes);
	if (memory == NULL)
		return false;
	memcpy(memory, buffer->memory, buffer->bytes);
	pfree(buffer->memory);
	borrowed_bytes += bytes - buffer->bytes;
	buffer->memory = memory;
	buffer->bytes = bytes;
	return true;
}
