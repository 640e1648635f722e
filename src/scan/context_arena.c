/*
 * context_arena.c
 *		Memory contexts as arenas; see context_arena.h.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "scan/context_arena.h"

/* Blocks for groups take this part of their memory at most. */
#define BLOCK_PART 32

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

MemoryContext
wa_context_for_groups(MemoryContext parent, const char *name)
{
	const Size part =
		Max(get_hash_memory_limit() / BLOCK_PART, ALLOCSET_DEFAULT_INITSIZE);
	const Size largest =
		Min((Size) 1 << pg_leftmost_one_pos64(part), ALLOCSET_DEFAULT_MAXSIZE);

	return AllocSetContextCreateInternal(parent, name, ALLOCSET_DEFAULT_MINSIZE,
										 ALLOCSET_DEFAULT_INITSIZE, largest);
}
