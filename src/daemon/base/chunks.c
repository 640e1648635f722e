/*
 * chunks.c
 *		Pieces of chunks of huge pages; see chunks.h.
 *
 * A chunk begins at a multiple of its size, so that the address of a piece tells its
 * chunk.  It is divided into ranges, pieces and free ones, each with a tag before it.  The
 * tag of a free range lies in a huge page that others use as well, or it is the first of
 * the chunk; so huge pages that a free range has to itself can go.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

#include "daemon/base/chunks.h"

#define HUGE_BYTES ((size_t) 2 * 1024 * 1024)

/* A power of 2 as large as the smallest piece. */
#define FIRST_POWER 14

/* Free bytes that may stay in memory, beside one of so many of those that are used. */
#define KEPT_BYTES ((size_t) 16 * 1024 * 1024)
#define KEPT_PART  16

/* So many ranges are tried that may be too small. */
#define MAX_TRIES 32

/* What lies before a piece, and at the beginning of a free range. */
struct WaChunkRange
{
	_Alignas(64) size_t bytes;    /* with this */
	size_t bytes_before;          /* of the range before it; 0: there is none */
	WaChunkRange *before, *after; /* of its list, if it is free */
	bool is_free;
};

/* The beginning of a chunk. */
typedef struct Chunk
{
	_Alignas(
		64) uint32_t present; /* a bit for each huge page that is in memory */
} Chunk;

#define TAG_BYTES   sizeof(WaChunkRange)
#define RANGE_BYTES (WA_CHUNK_BYTES - sizeof(Chunk))

_Static_assert(WA_CHUNK_BYTES / HUGE_BYTES <= 32, "bits for all huge pages");
_Static_assert(RANGE_BYTES >> FIRST_POWER < 1 << 12, "lists for all sizes");

void
wa_chunks_init(WaChunks *chunks)
{
	*chunks = (WaChunks){.used = 0};
	(void) pthread_mutex_init(&chunks->lock, NULL);
}

/* Returns the chunk in which a range lies. */
static Chunk *
chunk_of(const WaChunkRange *range)
{
	return (Chunk *) ((uintptr_t) range / WA_CHUNK_BYTES * WA_CHUNK_BYTES);
}

/* Returns the range behind another one, or NULL if it is the last. */
static WaChunkRange *
range_behind(WaChunkRange *range)
{
	uint8_t *end = (uint8_t *) range + range->bytes;

	return (uintptr_t) end % WA_CHUNK_BYTES == 0 ? NULL : (WaChunkRange *) end;
}

/* Returns the list in which a free range of so many bytes is. */
static unsigned
list_of(size_t bytes)
{
	const unsigned power = 63 - (unsigned) __builtin_clzll(bytes);

	return (power - FIRST_POWER) * WA_CHUNKS_LISTS_EACH +
		   (unsigned) (bytes * WA_CHUNKS_LISTS_EACH >> power) %
			   WA_CHUNKS_LISTS_EACH;
}

/* Puts a range into the list of its size. */
static void
insert(WaChunks *chunks, WaChunkRange *range)
{
	WaChunkRange **list = &chunks->lists[list_of(range->bytes)];

	range->is_free = true;
	range->before = NULL;
	range->after = *list;
	if (*list != NULL)
		(*list)->before = range;
	*list = range;
}

/* Takes a range from its list. */
static void
remove_range(WaChunks *chunks, WaChunkRange *range)
{
	if (range->before != NULL)
		range->before->after = range->after;
	else
		chunks->lists[list_of(range->bytes)] = range->after;
	if (range->after != NULL)
		range->after->before = range->before;
	range->is_free = false;
}

/* Sets how large a range is, which is known to the one behind it, too. */
static void
set_bytes(WaChunkRange *range, size_t bytes)
{
	WaChunkRange *behind;

	range->bytes = bytes;
	behind = range_behind(range);
	if (behind != NULL)
		behind->bytes_before = bytes;
}

/* Returns a free range of so many bytes or more, or NULL. */
static WaChunkRange *
find(const WaChunks *chunks, size_t bytes)
{
	unsigned list = list_of(bytes);
	WaChunkRange *range = chunks->lists[list];

	for (int i = 0; i < MAX_TRIES && range != NULL; i++, range = range->after)
		if (range->bytes >= bytes)
			return range;
	while (++list < WA_CHUNKS_LISTS)
		if (chunks->lists[list] != NULL)
			return chunks->lists[list];
	return NULL;
}

/* Counts huge pages that have come or, number being negative, gone. */
static void
count_pages(WaChunks *chunks, int number)
{
	(void) __atomic_add_fetch(&chunks->bytes, (size_t) number * HUGE_BYTES,
							  __ATOMIC_RELAXED);
}

/* Notes that what lies between two addresses is in memory. */
static void
note_present(WaChunks *chunks, Chunk *chunk, const void *begin, const void *end)
{
	const size_t first = (uintptr_t) begin % WA_CHUNK_BYTES / HUGE_BYTES;
	const size_t last = ((uintptr_t) end - 1) % WA_CHUNK_BYTES / HUGE_BYTES;

	for (size_t i = first; i <= last; i++)
		if ((chunk->present >> i & 1) == 0)
		{
			chunk->present |= UINT32_C(1) << i;
			count_pages(chunks, 1);
		}
}

/* Makes a chunk, all of which is free; false if there is no memory. */
static bool
add_chunk(WaChunks *chunks)
{
	uint8_t *place = mmap(NULL, 2 * WA_CHUNK_BYTES, PROT_READ | PROT_WRITE,
						  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	WaChunkRange *range;
	Chunk *chunk;
	size_t before;

	if (place == MAP_FAILED)
		return false;
	before = -(uintptr_t) place % WA_CHUNK_BYTES;
	chunk = (Chunk *) (place + before);
	if (before > 0)
		(void) munmap(place, before);
	(void) munmap((uint8_t *) chunk + WA_CHUNK_BYTES, WA_CHUNK_BYTES - before);
	/* Without huge pages it is slower, and that is all. */
	(void) madvise(chunk, WA_CHUNK_BYTES, MADV_HUGEPAGE);
	range = (WaChunkRange *) (chunk + 1);
	note_present(chunks, chunk, chunk, range + 1);
	set_bytes(range, RANGE_BYTES);
	insert(chunks, range);
	return true;
}

/* Leaves a range that is not free what it has to have; the rest is free. */
static void
cut(WaChunks *chunks, WaChunkRange *range, size_t bytes)
{
	WaChunkRange *rest = (WaChunkRange *) ((uint8_t *) range + bytes);
	const size_t left = range->bytes - bytes;

	if (left < WA_CHUNKS_MIN_BYTES)
		return;
	note_present(chunks, chunk_of(range), rest, rest + 1);
	range->bytes = bytes;
	rest->bytes_before = bytes;
	set_bytes(rest, left);
	insert(chunks, rest);
}

/* Takes a free range of so many bytes, or a little more; NULL if there is none. */
static WaChunkRange *
take(WaChunks *chunks, size_t bytes)
{
	WaChunkRange *range = find(chunks, bytes);

	if (range == NULL && add_chunk(chunks))
		range = find(chunks, bytes);
	if (range == NULL)
		return NULL;
	remove_range(chunks, range);
	cut(chunks, range, bytes);
	note_present(chunks, chunk_of(range), range,
				 (uint8_t *) range + range->bytes);
	chunks->used += range->bytes;
	return range;
}

void *
wa_chunks_get(WaChunks *chunks, size_t bytes)
{
	WaChunkRange *range;

	(void) pthread_mutex_lock(&chunks->lock);
	range = take(chunks, bytes + TAG_BYTES);
	(void) pthread_mutex_unlock(&chunks->lock);
	return range == NULL ? NULL : range + 1;
}

/* Makes one of a range and the free ones on both sides of it; returns it. */
static WaChunkRange *
join(WaChunks *chunks, WaChunkRange *range)
{
	WaChunkRange *behind = range_behind(range);

	if (behind != NULL && behind->is_free)
	{
		remove_range(chunks, behind);
		set_bytes(range, range->bytes + behind->bytes);
	}
	if (range->bytes_before != 0)
	{
		WaChunkRange *before =
			(WaChunkRange *) ((uint8_t *) range - range->bytes_before);

		if (before->is_free)
		{
			remove_range(chunks, before);
			set_bytes(before, before->bytes + range->bytes);
			range = before;
		}
	}
	return range;
}

/* Gives the huge pages that a range has to itself back to the system. */
static void
give_back(WaChunks *chunks, const WaChunkRange *range)
{
	Chunk *chunk = chunk_of(range);
	const uintptr_t base = (uintptr_t) chunk;
	const size_t first =
		((uintptr_t) (range + 1) - base + HUGE_BYTES - 1) / HUGE_BYTES;
	const size_t end = ((uintptr_t) range - base + range->bytes) / HUGE_BYTES;

	for (size_t i = first; i < end; i++)
		if ((chunk->present >> i & 1) != 0)
		{
			(void) madvise((uint8_t *) chunk + i * HUGE_BYTES, HUGE_BYTES,
						   MADV_DONTNEED);
			chunk->present &= ~(UINT32_C(1) << i);
			count_pages(chunks, -1);
		}
}

/* Gives a free chunk back. */
static void
remove_chunk(WaChunks *chunks, Chunk *chunk)
{
	count_pages(chunks, -__builtin_popcount(chunk->present));
	(void) munmap(chunk, WA_CHUNK_BYTES);
}

void
wa_chunks_free(WaChunks *chunks, void *place)
{
	WaChunkRange *range = (WaChunkRange *) place - 1;
	bool has_many;

	(void) pthread_mutex_lock(&chunks->lock);
	chunks->used -= range->bytes;
	has_many =
		chunks->bytes - chunks->used > KEPT_BYTES + chunks->used / KEPT_PART;
	range = join(chunks, range);
	if (has_many && range->bytes == RANGE_BYTES)
		remove_chunk(chunks, chunk_of(range));
	else
	{
		if (has_many)
			give_back(chunks, range);
		insert(chunks, range);
	}
	(void) pthread_mutex_unlock(&chunks->lock);
}

size_t
wa_chunks_bytes(const WaChunks *chunks)
{
	return __atomic_load_n(&chunks->bytes, __ATOMIC_RELAXED);
}
