/*
 * context_arena.c
 *		Memory contexts as arenas; see context_arena.h.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "scan/base/context_arena.h"

/* Blocks for groups take this part of their memory at most; the first, this one. */
#define BLOCK_PART       32
#define FIRST_BLOCK_PART 128

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
	arena->limit = get_hash_memory_limit();
}

void
wa_context_arena_resize(WaArena *arena, void *pointer, Size bytes)
{
	if (!wa_arena_resize(arena, pointer, bytes))
		elog(ERROR, "an arena of a memory context has failed");
}

/* Returns a part of the memory of groups, as a size of blocks, up to a limit. */
static Size
part_of_memory(int part, Size most)
{
	const Size bytes =
		Max(get_hash_memory_limit() / part, ALLOCSET_SMALL_INITSIZE);

	return Min((Size) 1 << pg_leftmost_one_pos64(bytes), most);
}

MemoryContext
wa_context_for_groups(MemoryContext parent, const char *name)
{
	return AllocSetContextCreateInternal(
		parent, name, ALLOCSET_DEFAULT_MINSIZE,
		part_of_memory(FIRST_BLOCK_PART, ALLOCSET_DEFAULT_INITSIZE),
		part_of_memory(BLOCK_PART, ALLOCSET_DEFAULT_MAXSIZE));
}
