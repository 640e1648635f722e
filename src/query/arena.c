/*
 * arena.c
 *		Memory of groups and accumulators; see arena.h.
 *
 * Blocks of malloc's are chained, so that they can be freed together.
 */
#include <stdlib.h>
#include <string.h>

#include "query/arena.h"

/* What stands before the memory of a block; its size keeps that aligned. */
typedef struct Block
{
	struct Block *previous;
	struct Block *next;
	size_t bytes;
	size_t unused;
} Block;

/* Tells whether so many bytes more, with a block's head, are allowed. */
static bool
has_room(const WaArena *arena, size_t bytes)
{
	return bytes <= arena->limit && sizeof(Block) <= arena->limit - bytes &&
		   arena->bytes <= arena->limit - bytes - sizeof(Block);
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

static void *
allocate(WaArena *arena, size_t bytes, bool zero)
{
	Block *block;

	if (!has_room(arena, bytes))
		return NULL;
	block =
		zero ? calloc(1, sizeof(Block) + bytes) : malloc(sizeof(Block) + bytes);
	if (block == NULL)
		return NULL;
	block->previous = arena->context;
	block->next = NULL;
	block->bytes = bytes;
	link_block(arena, block);
	arena->bytes += sizeof(Block) + bytes;
	return block + 1;
}

static void *
resize(WaArena *arena, void *memory, size_t bytes)
{
	Block *old = (Block *) memory - 1;
	size_t before = old->bytes;
	Block *block;

	if (bytes > before && !has_room(arena, bytes - before))
		return NULL;
	block = realloc(old, sizeof(Block) + bytes);
	if (block == NULL)
		return NULL;
	block->bytes = bytes;
	link_block(arena, block);
	arena->bytes += bytes - before;
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
	free(block);
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
wa_arena_reset(WaArena *arena)
{
	while (arena->context != NULL)
		release(arena, (Block *) arena->context + 1);
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
