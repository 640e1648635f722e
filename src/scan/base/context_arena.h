/*
 * context_arena.h
 *		Memory contexts for the functions of src/query.
 */
#ifndef WA_SCAN_CONTEXT_ARENA_H
#define WA_SCAN_CONTEXT_ARENA_H

#include "utils/palloc.h"

#include "query/base/arena.h"

/*
 * Makes *arena one that takes its memory from the context and raises an error if
 * there is none.  It is to keep to the memory that groups may take.
 */
extern void wa_context_arena_init(WaArena *arena, MemoryContext context);

/*
 * As wa_arena_resize, in an arena of that kind; there is nothing to look at, as it raises
 * an error if there is no memory.
 */
extern void wa_context_arena_resize(WaArena *arena, void *pointer, Size bytes);

/*
 * Makes a memory context for groups, whose blocks are small beside the memory that
 * groups may take: else these would have outgrown it by a block that is empty.
 */
extern MemoryContext wa_context_for_groups(MemoryContext parent,
										   const char *name);

#endif /* WA_SCAN_CONTEXT_ARENA_H */
