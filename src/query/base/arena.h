/*
 * arena.h
 *		Where groups and accumulators get their memory from.
 *
 * In a backend that is a memory context, whose functions raise an error when
 * there is no memory; in warpaggd it is memory of our own up to a limit, and
 * then an allocation returns NULL and the arena has failed.  That cannot be
 * undone: what was computed in a failed arena is of no use, but stays sound, so
 * functions need to look at the arena only after they have grown something, and
 * their callers once a batch of rows.
 *
 * What the rows of a vector need does not grow with the groups, nor does what the codes
 * of a dictionary do.  It is no memory of theirs that a query would have to keep to a
 * limit, as it could not do so by having fewer, so an arena may have another one for
 * that.
 *
 * Arenas of our own may share a budget.  What one of them takes is for groups only once
 * that has been said.
 *
 * An arena is used by one thread at a time.
 */
#ifndef WA_QUERY_ARENA_H
#define WA_QUERY_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "core/must_check.h"
#include "query/base/budget.h"

typedef struct WaArena WaArena;

struct WaArena
{
	/*
	 * Allocate memory, zeroed or not, or give memory another size; return NULL,
	 * with the memory as it was, if that cannot be had.
	 */
	void *(*allocate)(WaArena *arena, size_t bytes, bool zero);
	void *(*resize)(WaArena *arena, void *memory, size_t bytes);

	/* Gives memory back. */
	void (*release)(WaArena *arena, void *memory);

	void *context;    /* a MemoryContext; or the latest block */
	size_t bytes;     /* of our own: taken */
	size_t limit;     /* what all groups may take; of our own: all there is */
	WaArena *vectors; /* has what is for the rows of a vector; NULL: this one */
	bool failed;      /* there was not enough memory */

	/* Of our own: */
	WaBudget *budget; /* that the bytes are taken from; NULL: there is none */
	size_t granted;   /* by it: not less than bytes */
	size_t exempt; /* of these, bytes that are not for groups; more than there
					   * are: nothing is */
};

/* Makes *arena one of at most limit bytes of our own. */
void wa_arena_init(WaArena *arena, size_t limit);

/* Has an arena without memory take it from a budget, and not for groups yet. */
void wa_arena_use_budget(WaArena *arena, WaBudget *budget);

/* Says that all that the arena takes from now on is for groups. */
void wa_arena_begin_groups(WaArena *arena);

/* Frees all memory of an arena that wa_arena_init has made. */
void wa_arena_reset(WaArena *arena);

/* Returns memory, NULL if there is not enough: then the arena has failed. */
void *wa_arena_alloc(WaArena *arena, size_t bytes);
void *wa_arena_alloc_zero(WaArena *arena, size_t bytes);

/* The same, zeroed and aligned to 64 bytes; it cannot be given back. */
void *wa_arena_alloc_aligned(WaArena *arena, size_t bytes);

/* Memory for the rows of a vector, which stays for as long as the arena. */
void *wa_arena_alloc_vector(WaArena *arena, size_t bytes);

/*
 * Gives the memory that a pointer points to, which may be NULL, another size;
 * pointer: the address of that pointer, of whatever type.  Returns false, with
 * nothing changed, if there is not enough: then the arena has failed.
 */
WA_MUST_CHECK bool wa_arena_resize(WaArena *arena, void *pointer, size_t bytes);

/* Gives memory back; NULL: nothing. */
void wa_arena_free(WaArena *arena, void *memory);

#endif /* WA_QUERY_ARENA_H */
