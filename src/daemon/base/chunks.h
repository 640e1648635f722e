/*
 * chunks.h
 *		Memory for columns, in chunks of huge pages.
 *
 * Columns of an extent are a few hundred kilobytes each: to have the system map
 * and clear these page by page takes longer than to fill them.  Chunks are large
 * enough for huge pages; pieces are taken from them one behind the other.  What a
 * piece that is freed had goes back to the system, its addresses with the last
 * piece of its chunk.
 *
 * Where a piece will be wanted soon that is as large as one that is freed, that one is
 * kept, with its memory, for a number of pieces and bytes.
 */
#ifndef WA_DAEMON_CHUNKS_H
#define WA_DAEMON_CHUNKS_H

#include <pthread.h>
#include <stddef.h>

/* A piece has so many bytes at least, and at most. */
#define WA_CHUNKS_MIN_BYTES ((size_t) 16 * 1024)
#define WA_CHUNKS_MAX_BYTES ((size_t) 4 * 1024 * 1024)

/* Threads of different processors take pieces from so many chunks at a time. */
#define WA_CHUNKS_LANES 16

typedef struct WaChunk WaChunk;

/* lock guards the rest; current: the chunk that pieces are taken from, or NULL. */
typedef struct WaChunkLane
{
	pthread_mutex_t lock;
	WaChunk *current;
} WaChunkLane;

/* Pieces, and bytes of them, that are kept at most. */
#define WA_CHUNKS_SPARES      64
#define WA_CHUNKS_SPARE_BYTES ((size_t) 16 * 1024 * 1024)

typedef struct WaSparePiece
{
	void *place;
	size_t bytes;
} WaSparePiece;

/* lock guards the rest; nspares may be read without. */
typedef struct WaChunks
{
	WaChunkLane lanes[WA_CHUNKS_LANES];
	pthread_mutex_t lock;
	unsigned nspares;
	size_t spare_bytes;
	WaSparePiece spares[WA_CHUNKS_SPARES]; /* the first is the oldest */
} WaChunks;

/* Prepares to give memory; nothing is taken from the system yet. */
void wa_chunks_init(WaChunks *chunks);

/*
 * Returns a piece of so many bytes, a multiple of 64 and within the limits above,
 * at such an address; or NULL if there is no memory.
 */
void *wa_chunks_get(WaChunks *chunks, size_t bytes);

/* Frees a piece of so many bytes. */
void wa_chunks_free(void *place, size_t bytes);

/* Keeps it for who wants about as many bytes; older ones are freed for it. */
void wa_chunks_keep(WaChunks *chunks, void *place, size_t bytes);

#endif /* WA_DAEMON_CHUNKS_H */
