/*
 * chunks.c
 *		Pieces of chunks of huge pages; see chunks.h.
 *
 * A chunk begins at a multiple of its size, so that the address of a piece tells
 * its chunk.  Pieces are taken from it until it is full; then it lives as long as
 * any of them.
 */
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "daemon/base/chunks.h"

#define CHUNK_BYTES ((size_t) 32 * 1024 * 1024)

/* A piece that is kept is of use if one part in so many of it is left over at most. */
#define LEFT_OVER_PART 4

/* Where the first piece of a chunk begins. */
#define FIRST_PIECE ((size_t) 64)

/* What the system gives back at least. */
#define PAGE_BYTES ((uintptr_t) 4096)

/* The beginning of a chunk; the lane's lock guards it.  lane is constant. */
struct WaChunk
{
	WaChunkLane *lane;
	size_t used;   /* bytes, this and what has been freed included */
	size_t pieces; /* that have not been freed */
};

void
wa_chunks_init(WaChunks *chunks)
{
	for (int i = 0; i < WA_CHUNKS_LANES; i++)
	{
		(void) pthread_mutex_init(&chunks->lanes[i].lock, NULL);
		chunks->lanes[i].current = NULL;
	}
	(void) pthread_mutex_init(&chunks->lock, NULL);
	__atomic_store_n(&chunks->nspares, 0, __ATOMIC_RELAXED);
	chunks->spare_bytes = 0;
}

/* Makes a chunk, or returns NULL. */
static WaChunk *
make_chunk(WaChunkLane *lane)
{
	uint8_t *place = mmap(NULL, 2 * CHUNK_BYTES, PROT_READ | PROT_WRITE,
						  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	WaChunk *chunk;
	size_t before;

	if (place == MAP_FAILED)
		return NULL;
	before = -(uintptr_t) place % CHUNK_BYTES;
	chunk = (WaChunk *) (place + before);
	if (before > 0)
		(void) munmap(place, before);
	(void) munmap((uint8_t *) chunk + CHUNK_BYTES, CHUNK_BYTES - before);
	/* Without huge pages it is slower, and that is all. */
	(void) madvise(chunk, CHUNK_BYTES, MADV_HUGEPAGE);
	chunk->lane = lane;
	chunk->used = FIRST_PIECE;
	chunk->pieces = 0;
	return chunk;
}

/* Gives the pages that lie within a piece back to the system. */
static void
give_back(uint8_t *place, size_t bytes)
{
	const size_t before = -(uintptr_t) place % PAGE_BYTES;
	const size_t pages = (bytes - before) / PAGE_BYTES * PAGE_BYTES;

	(void) madvise(place + before, pages, MADV_DONTNEED);
}

/* Takes a piece that is kept; the caller has the lock. */
static WaSparePiece
remove_spare(WaChunks *chunks, unsigned i)
{
	const WaSparePiece spare = chunks->spares[i];
	const unsigned left = chunks->nspares - 1;

	memmove(&chunks->spares[i], &chunks->spares[i + 1],
			(left - i) * sizeof(spare));
	chunks->spare_bytes -= spare.bytes;
	__atomic_store_n(&chunks->nspares, left, __ATOMIC_RELAXED);
	return spare;
}

/* Returns a piece that is kept and has so many bytes, or few more, or NULL. */
static void *
take_spare(WaChunks *chunks, size_t bytes)
{
	WaSparePiece spare = {NULL, 0};
	unsigned best = WA_CHUNKS_SPARES;

	if (__atomic_load_n(&chunks->nspares, __ATOMIC_RELAXED) == 0)
		return NULL;
	(void) pthread_mutex_lock(&chunks->lock);
	for (unsigned i = 0; i < chunks->nspares; i++)
		if (chunks->spares[i].bytes >= bytes &&
			chunks->spares[i].bytes - bytes <=
				chunks->spares[i].bytes / LEFT_OVER_PART &&
			(best == WA_CHUNKS_SPARES ||
			 chunks->spares[i].bytes < chunks->spares[best].bytes))
			best = i;
	if (best < WA_CHUNKS_SPARES)
		spare = remove_spare(chunks, best);
	(void) pthread_mutex_unlock(&chunks->lock);
	/* Whoever frees the piece does not know of what is left over. */
	if (spare.bytes > bytes)
		give_back((uint8_t *) spare.place + bytes, spare.bytes - bytes);
	return spare.place;
}

void *
wa_chunks_get(WaChunks *chunks, size_t bytes)
{
	const int processor = sched_getcpu();
	WaChunkLane *lane =
		&chunks->lanes[(processor < 0 ? 0 : processor) % WA_CHUNKS_LANES];
	uint8_t *place = take_spare(chunks, bytes);

	if (place != NULL)
		return place;
	(void) pthread_mutex_lock(&lane->lock);
	if (lane->current == NULL || bytes > CHUNK_BYTES - lane->current->used)
	{
		WaChunk *made = make_chunk(lane);

		if (made != NULL)
			lane->current = made;
	}
	if (lane->current != NULL && bytes <= CHUNK_BYTES - lane->current->used)
	{
		place = (uint8_t *) lane->current + lane->current->used;
		lane->current->used += bytes;
		lane->current->pieces++;
	}
	(void) pthread_mutex_unlock(&lane->lock);
	return place;
}

void
wa_chunks_free(void *place, size_t bytes)
{
	WaChunk *chunk =
		(WaChunk *) ((uintptr_t) place / CHUNK_BYTES * CHUNK_BYTES);
	WaChunkLane *lane = chunk->lane;
	bool is_dead;

	/* As long as the piece is there nobody else has its place. */
	give_back(place, bytes);
	(void) pthread_mutex_lock(&lane->lock);
	chunk->pieces--;
	is_dead = chunk->pieces == 0 && chunk != lane->current;
	if (chunk->pieces == 0)
		chunk->used = FIRST_PIECE;
	(void) pthread_mutex_unlock(&lane->lock);
	if (is_dead)
		(void) munmap(chunk, CHUNK_BYTES);
}

void
wa_chunks_keep(WaChunks *chunks, void *place, size_t bytes)
{
	WaSparePiece oldest;

	do
	{
		oldest = (WaSparePiece){NULL, 0};
		(void) pthread_mutex_lock(&chunks->lock);
		if (chunks->nspares == WA_CHUNKS_SPARES ||
			(chunks->nspares > 0 &&
			 chunks->spare_bytes + bytes > WA_CHUNKS_SPARE_BYTES))
			oldest = remove_spare(chunks, 0);
		else
		{
			chunks->spares[chunks->nspares] = (WaSparePiece){place, bytes};
			chunks->spare_bytes += bytes;
			__atomic_store_n(&chunks->nspares, chunks->nspares + 1,
							 __ATOMIC_RELAXED);
		}
		(void) pthread_mutex_unlock(&chunks->lock);
		if (oldest.place != NULL)
			wa_chunks_free(oldest.place, oldest.bytes);
	} while (oldest.place != NULL);
}
