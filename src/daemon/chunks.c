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
#include <sys/mman.h>

#include "daemon/chunks.h"

#define CHUNK_BYTES ((size_t) 32 * 1024 * 1024)

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

void *
wa_chunks_get(WaChunks *chunks, size_t bytes)
{
	const int processor = sched_getcpu();
	WaChunkLane *lane =
		&chunks->lanes[(processor < 0 ? 0 : processor) % WA_CHUNKS_LANES];
	uint8_t *place = NULL;

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

/* Gives the pages that lie within a piece back to the system. */
static void
give_back(uint8_t *place, size_t bytes)
{
	const size_t before = -(uintptr_t) place % PAGE_BYTES;
	const size_t pages = (bytes - before) / PAGE_BYTES * PAGE_BYTES;

	(void) madvise(place + before, pages, MADV_DONTNEED);
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
