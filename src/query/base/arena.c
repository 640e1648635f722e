/*
 * arena.c
 *		Memory of groups and accumulators; see arena.h.
 *
 * Blocks are chained, so that they can be freed together.  Large ones are mapped,
 * as huge pages: to have the system map small ones took longer than to look up the
 * groups that they are for, and large tables are read with fewer misses.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "query/base/arena.h"

/* What a mapped block is a multiple of, in bytes and in its address. */
#define HUGE_BYTES ((size_t) 2 << 20)

/* Blocks are mapped from this size on. */
#define MAPPED_BYTES (2 * HUGE_BYTES)

/* What stands before the memory of a block; its size keeps that aligned. */
typedef struct Block
{
	struct Block *previous;
	struct Block *next;
	size_t bytes;
	size_t mapped; /* bytes of the mapping; 0: it is malloc's */
} Block;

/* Returns how many of so many bytes that were granted are for groups. */
static inline size_t
for_groups(const WaArena *arena, size_t granted)
{
	return granted > arena->exempt ? granted - arena->exempt : 0;
}

/* Has the budget grant what is lacking of so many bytes. */
static bool
take_from_budget(WaArena *arena, size_t bytes)
{
	size_t granted;

	if (arena->budget == NULL || bytes <= arena->granted)
		return true;
	granted = (bytes + WA_BUDGET_STEP - 1) / WA_BUDGET_STEP * WA_BUDGET_STEP;
	if (!wa_budget_take(arena->budget, granted - arena->granted,
						for_groups(arena, granted) -
							for_groups(arena, arena->granted)))
		return false;
	arena->granted = granted;
	return true;
}

/* Gives back to the budget what is not needed; some of it is soon needed again. */
static void
give_to_budget(WaArena *arena, size_t kept)
{
	const size_t granted =
		(arena->bytes + WA_BUDGET_STEP - 1) / WA_BUDGET_STEP * WA_BUDGET_STEP +
		kept;

	if (arena->budget == NULL || arena->granted <= granted)
		return;
	wa_budget_give(arena->budget, arena->granted - granted,
				   for_groups(arena, arena->granted) -
					   for_groups(arena, granted));
	arena->granted = granted;
}

/* Tells whether so many bytes more, with a block's head, are to be had. */
static bool
has_room(WaArena *arena, size_t bytes)
{
	return bytes <= arena->limit && sizeof(Block) <= arena->limit - bytes &&
		   arena->bytes <= arena->limit - bytes - sizeof(Block) &&
		   take_from_budget(arena, arena->bytes + sizeof(Block) + bytes);
}

/* Has the neighbours of a block, which may have moved, point to it. */
static void
link_block(WaArena *arena, Block *block)
{
	if (block->previous != NULL)
		block->previous->next = block;
	if (block->next != NULL)
		block->next->previous = block;
	else
		arena->context = block;
}

/* Returns the bytes to map for a block; 0: it is to be malloc's. */
static inline size_t
bytes_to_map(size_t bytes)
{
	if (bytes < MAPPED_BYTES || bytes > SIZE_MAX / 2)
		return 0;
	return (sizeof(Block) + bytes + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
}

/* Maps memory at a multiple of HUGE_BYTES, or returns NULL. */
static void *
map_aligned(size_t bytes)
{
	char *memory = mmap(NULL, bytes + HUGE_BYTES, PROT_READ | PROT_WRITE,
						MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t before;

	if (memory == MAP_FAILED)
		return NULL;
	before = (HUGE_BYTES - (uintptr_t) memory % HUGE_BYTES) % HUGE_BYTES;
	if (before > 0)
		(void) munmap(memory, before);
	(void) munmap(memory + before + bytes, HUGE_BYTES - before);
	(void) madvise(memory + before, bytes, MADV_HUGEPAGE);
	return memory + before;
}

/* Gives a mapping another size; returns NULL, with it as it was, if it cannot. */
static void *
remap(void *memory, size_t before, size_t after)
{
	void *place;
	void *moved;

	if (mremap(memory, before, after, 0) != MAP_FAILED)
		return memory;
	place = map_aligned(after);
	if (place == NULL)
		return NULL;
	moved = mremap(memory, before, after, MREMAP_MAYMOVE | MREMAP_FIXED, place);
	if (moved != MAP_FAILED)
		return moved;
	(void) munmap(place, after);
	return NULL;
}

/* Makes a block that is not chained, or returns NULL. */
static Block *
make_block(size_t bytes, bool zero)
{
	const size_t mapped = bytes_to_map(bytes);
	Block *block;

	if (mapped > 0)
		block = map_aligned(mapped);
	else
		block = zero ? calloc(1, sizeof(Block) + bytes)
					 : malloc(sizeof(Block) + bytes);
	if (block == NULL)
		return NULL;
	block->bytes = bytes;
	block->mapped = mapped;
	return block;
}

/* Frees a block that is not chained. */
static void
free_block(Block *block)
{
	if (block->mapped > 0)
		(void) munmap(block, block->mapped);
	else
		free(block);
}

static void *
allocate(WaArena *arena, size_t bytes, bool zero)
{
	Block *block = has_room(arena, bytes) ? make_block(bytes, zero) : NULL;

	if (block == NULL)
		return NULL;
	block->previous = arena->context;
	block->next = NULL;
	link_block(arena, block);
	arena->bytes += sizeof(Block) + bytes;
	return block + 1;
}

/* Moves what a block has to one of another size and kind, or returns NULL. */
static Block *
replace_block(Block *old, size_t bytes)
{
	Block *block = make_block(bytes, false);

	if (block == NULL)
		return NULL;
	block->previous = old->previous;
	block->next = old->next;
	memcpy(block + 1, old + 1, old->bytes < bytes ? old->bytes : bytes);
	free_block(old);
	return block;
}

static void *
resize(WaArena *arena, void *memory, size_t bytes)
{
	Block *old = (Block *) memory - 1;
	const size_t before = old->bytes;
	const size_t mapped = bytes_to_map(bytes);
	Block *block;

	if (bytes > before && !has_room(arena, bytes - before))
		return NULL;
	if ((old->mapped > 0) != (mapped > 0))
		block = replace_block(old, bytes);
	else if (mapped > 0)
		block = remap(old, old->mapped, mapped);
	else
		block = realloc(old, sizeof(Block) + bytes);
	if (block == NULL)
		return NULL;
	block->bytes = bytes;
	block->mapped = mapped;
	link_block(arena, block);
	arena->bytes += bytes - before;
	give_to_budget(arena, WA_BUDGET_STEP);
	return block + 1;
}

static void
release(WaArena *arena, void *memory)
{
	Block *block = (Block *) memory - 1;

	if (block->previous != NULL)
		block->previous->next = block->next;
	if (block->next != NULL)
		block->next->previous = block->previous;
	else
		arena->context = block->previous;
	arena->bytes -= sizeof(Block) + block->bytes;
	free_block(block);
	give_to_budget(arena, WA_BUDGET_STEP);
}

void
wa_arena_init(WaArena *arena, size_t limit)
{
	memset(arena, 0, sizeof(*arena));
	arena->allocate = allocate;
	arena->resize = resize;
	arena->release = release;
	arena->limit = limit;
}

void
wa_arena_use_budget(WaArena *arena, WaBudget *budget)
{
	arena->budget = budget;
	arena->exempt = SIZE_MAX;
}

void
wa_arena_begin_groups(WaArena *arena)
{
	arena->exempt = arena->granted;
}

void
wa_arena_reset(WaArena *arena)
{
	while (arena->context != NULL)
		release(arena, (Block *) arena->context + 1);
	give_to_budget(arena, 0);
	arena->failed = false;
}

/* Notes whether memory could be had, and returns it. */
static inline void *
note(WaArena *arena, void *memory)
{
	if (memory == NULL)
		arena->failed = true;
	return memory;
}

void *
wa_arena_alloc(WaArena *arena, size_t bytes)
{
	return note(arena, arena->allocate(arena, bytes, false));
}

void *
wa_arena_alloc_zero(WaArena *arena, size_t bytes)
{
	return note(arena, arena->allocate(arena, bytes, true));
}

void *
wa_arena_alloc_aligned(WaArena *arena, size_t bytes)
{
	char *memory = wa_arena_alloc_zero(arena, bytes + 63);

	return memory == NULL ? NULL : memory + (64 - (uintptr_t) memory % 64) % 64;
}

void *
wa_arena_alloc_vector(WaArena *arena, size_t bytes)
{
	WaArena *vectors = arena->vectors != NULL ? arena->vectors : arena;

	return note(arena, vectors->allocate(vectors, bytes, false));
}

bool
wa_arena_resize(WaArena *arena, void *pointer, size_t bytes)
{
	void *before;
	void *after;

	memcpy(&before, pointer, sizeof(before));
	after = note(arena, before == NULL ? arena->allocate(arena, bytes, false)
									   : arena->resize(arena, before, bytes));
	if (after != NULL)
		memcpy(pointer, &after, sizeof(after));
	return after != NULL;
}

void
wa_arena_free(WaArena *arena, void *memory)
{
	if (memory != NULL)
		arena->release(arena, memory);
}
