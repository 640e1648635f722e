/*
 * context_arena.c
 *		Memory contexts as arenas; see context_arena.h.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "scan/context_arena.h"

static void *
allocate(WaArena *arena, size_t bytes, bool zero)
{
	return MemoryContextAllocExtended((MemoryContext) arena->context, bytes,
									  zero ? MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO
										   : MCXT_ALLOC_HUGE);
}

static void *
resize(WaArena *arena, void *memory, size_t bytes)
{
	return repalloc_huge(memory, bytes);
}

static void
release(WaArena *arena, void *memory)
{
	pfree(memory);
}

void
wa_context_arena_init(WaArena *arena, MemoryContext context)
{
	memset(arena, 0, sizeof(*arena));
	arena->allocate = allocate;
	arena->resize = resize;
	arena->release = release;
	arena->context = context;
}
