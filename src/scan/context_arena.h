/*
 * context_arena.h
 *		Memory contexts for the functions of src/query.
 */
#ifndef WA_SCAN_CONTEXT_ARENA_H
#define WA_SCAN_CONTEXT_ARENA_H

#include "utils/palloc.h"

#include "query/arena.h"

/*
 * Makes *arena one that takes its memory from the context and raises an error if
 * there is none.
 */
extern void wa_context_arena_init(WaArena *arena, MemoryContext context);

#endif /* WA_SCAN_CONTEXT_ARENA_H */
