/*
 * memory.c
 *		Counting and limiting memory; see memory.h.
 */
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "daemon/base/memory.h"

/*
 * Pieces from this size on are mappings of their own, which go when freed.  Smaller ones
 * are not, and so much of what is free stays with the process: of a query of 1 ms over
 * 3,700 extents it took 0.4 ms to have the system map what it needs for each of them.
 */
#define MAPPING_BYTES (4 * 1024 * 1024)
#define TRIM_BYTES    (16 * 1024 * 1024)

/* Chunks may have one of so many of the limit's bytes free, beside a chunk. */
#define FREE_PART 8

#define PAGE_BYTES ((uintptr_t) 4096)

/* As many, half of what Linux allows a process; the rest comes from the heap. */
#define MAX_MAPPINGS 32768

/* Returns how many bytes are taken for so many that are asked for. */
static size_t
rounded(size_t bytes)
{
	return (bytes + WA_MEMORY_ALIGNMENT - 1) / WA_MEMORY_ALIGNMENT *
		   WA_MEMORY_ALIGNMENT;
}

/*
 * Tells whether a piece of so many bytes is one of chunks.  Where a sanitizer
 * watches what is allocated each is allocated alone.
 */
static bool
is_of_chunks(size_t bytes)
{
#ifdef __SANITIZE_ADDRESS__
	(void) bytes;
	return false;
#else
	return bytes >= WA_CHUNKS_MIN_BYTES && bytes <= WA_CHUNKS_MAX_BYTES;
#endif
}

/*
 * Returns memory for a piece that is not one of chunks.  Large ones are for random
 * access, which huge pages make faster.
 */
static void *
get_alone(size_t bytes)
{
	uint8_t *place = aligned_alloc(WA_MEMORY_ALIGNMENT, bytes);

	if (place != NULL && bytes > WA_CHUNKS_MAX_BYTES)
	{
		const size_t before = -(uintptr_t) place % PAGE_BYTES;

		(void) madvise(place + before,
					   (bytes - before) / PAGE_BYTES * PAGE_BYTES,
					   MADV_HUGEPAGE);
	}
	return place;
}

/* Tells whether so much is free between pieces that others have to go. */
static bool
is_full(const WaMemory *memory)
{
	const uint64_t limit = wa_memory_limit(memory);

	return wa_chunks_bytes(&memory->chunks) >
		   limit + limit / FREE_PART + WA_CHUNK_BYTES;
}

void *
wa_memory_get(WaMemory *memory, const void *user, size_t bytes)
{
	void *place;

	if (bytes > SIZE_MAX / 2)
		return NULL;
	bytes = rounded(bytes);
	while (is_full(memory) ||
		   wa_ledger_take(&memory->ledger, WA_MEMORY_RESIDENT, bytes) !=
			   WA_TAKEN)
		if (bytes > wa_memory_limit(memory) || memory->make_room == NULL ||
			!memory->make_room(memory->arg, user, bytes))
			return NULL;
	place = is_of_chunks(bytes) ? wa_chunks_get(&memory->chunks, bytes)
								: get_alone(bytes);
	if (place == NULL)
		wa_memory_give(memory, WA_MEMORY_RESIDENT, bytes);
	return place;
}

void
wa_memory_free(WaMemory *memory, void *place, size_t bytes)
{
	if (place == NULL)
		return;
	bytes = rounded(bytes);
	if (is_of_chunks(bytes))
		wa_chunks_free(&memory->chunks, place);
	else
		free(place);
	wa_memory_give(memory, WA_MEMORY_RESIDENT, bytes);
}

/* Gives up something that is kept, if that may be of use. */
static bool
drops_kept(WaMemory *memory, WaMemoryKind kind, WaTaken taken)
{
	return (taken == WA_TAKEN_ALL || kind == WA_MEMORY_QUERIES) &&
		   memory->drop_kept != NULL && memory->drop_kept(memory->kept);
}

bool
wa_memory_take(WaMemory *memory, WaMemoryKind kind, uint64_t bytes)
{
	for (;;)
	{
		const WaTaken taken = wa_ledger_take(&memory->ledger, kind, bytes);

		if (taken == WA_TAKEN)
			return true;
		if (drops_kept(memory, kind, taken))
			continue;
		if (taken != WA_TAKEN_ALL)
			return false;
		if (memory->make_room == NULL ||
			!memory->make_room(memory->arg, NULL, bytes))
			return false;
	}
}

void
wa_memory_give(WaMemory *memory, WaMemoryKind kind, uint64_t bytes)
{
	wa_ledger_give(&memory->ledger, kind, bytes);
}

uint64_t
wa_memory_used(const WaMemory *memory)
{
	return __atomic_load_n(&memory->ledger.used[WA_MEMORY_RESIDENT],
						   __ATOMIC_RELAXED);
}

uint64_t
wa_memory_limit(const WaMemory *memory)
{
	return __atomic_load_n(&memory->ledger.limit[WA_MEMORY_RESIDENT],
						   __ATOMIC_RELAXED);
}

uint64_t
wa_memory_excess(const WaMemory *memory)
{
	const uint64_t used = wa_memory_used(memory);
	const uint64_t limit = wa_memory_limit(memory);

	return used > limit ? used - limit : 0;
}

void
wa_memory_prepare(void)
{
	(void) mallopt(M_MMAP_THRESHOLD, MAPPING_BYTES);
	(void) mallopt(M_TRIM_THRESHOLD, TRIM_BYTES);
	(void) mallopt(M_MMAP_MAX, MAX_MAPPINGS);
}

void
wa_memory_trim(void)
{
	(void) malloc_trim(0);
}
