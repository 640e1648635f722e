/*
 * memory.h
 *		The memory that resident columns take: counted, and limited.
 *
 * Who needs room gets it by make_room, which gives up other columns; so does who
 * needs memory for something else, when all that the process may take is in use.
 */
#ifndef WA_DAEMON_MEMORY_H
#define WA_DAEMON_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/chunks.h"
#include "daemon/base/ledger.h"

/* All memory begins at a multiple of this. */
#define WA_MEMORY_ALIGNMENT 64

typedef struct WaMemory
{
	WaLedger ledger; /* its own rules: ledger.h */
	WaChunks chunks; /* its own rules: chunks.h */

	/*
	 * Constant: tries to give up so many bytes for user, who wants them.  Returns
	 * false if nothing at all was given up.  NULL: never.
	 */
	bool (*make_room)(void *arg, const void *user, uint64_t bytes);
	void *arg;

	/*
	 * Constant: gives something up that is kept for queries.  Returns false if there is
	 * nothing.  NULL: nothing is.
	 */
	bool (*drop_kept)(void *kept);
	void *kept;
} WaMemory;

/*
 * Returns so many bytes for user, to be freed by wa_memory_free, or NULL if
 * they are not to be had.  Waits for whatever make_room waits for.
 */
void *wa_memory_get(WaMemory *memory, const void *user, size_t bytes);

/* Frees what wa_memory_get returned; NULL is nothing. */
void wa_memory_free(WaMemory *memory, void *place, size_t bytes);

/*
 * Counts bytes that are taken for something other than columns, unless there is no
 * room.  Waits as wa_memory_get does.
 */
bool wa_memory_take(WaMemory *memory, WaMemoryKind kind, uint64_t bytes);

/* Counts them as given back. */
void wa_memory_give(WaMemory *memory, WaMemoryKind kind, uint64_t bytes);

/* Returns the bytes of columns that are in use. */
uint64_t wa_memory_used(const WaMemory *memory);

/* Returns how many may be; after it was lowered there may be more. */
uint64_t wa_memory_limit(const WaMemory *memory);

/* Returns by how many bytes the use exceeds the limit, or 0. */
uint64_t wa_memory_excess(const WaMemory *memory);

/*
 * Prepares the process's allocator: what is freed has to go back to the system.
 * To be called once, before there are threads.
 */
void wa_memory_prepare(void);

/* Gives freed memory that the allocator still holds back to the system. */
void wa_memory_trim(void);

#endif /* WA_DAEMON_MEMORY_H */
