/*
 * chunks.h
 *		Memory for columns, in chunks of huge pages.
 *
 * Columns of an extent are a few hundred kilobytes each: to have the system map
 * and clear these page by page takes longer than to fill them, and to read them from
 * small pages longer than from huge ones.  So pieces are taken from chunks of a few huge
 * pages each, and huge pages are never split: one goes back to the system when all of it
 * is free, and what is free beside pieces stays until another piece is put there.
 *
 * Free ranges are found by size, in lists of such as are about as large, and those that
 * are next to each other are one: two-level segregated fit (Masmano, Ripoll, Crespo,
 * Real: TLSF, a new dynamic memory allocator for real-time systems, 2004).
 */
#ifndef WA_DAEMON_CHUNKS_H
#define WA_DAEMON_CHUNKS_H

#include <pthread.h>
#include <stddef.h>

/* A piece has so many bytes at least, and at most. */
#define WA_CHUNKS_MIN_BYTES ((size_t) 16 * 1024)
#define WA_CHUNKS_MAX_BYTES ((size_t) 4 * 1024 * 1024)

#define WA_CHUNK_BYTES ((size_t) 32 * 1024 * 1024)

/* Lists of free ranges: for each power of 2, so many. */
#define WA_CHUNKS_LISTS_EACH 16
#define WA_CHUNKS_LISTS      (12 * WA_CHUNKS_LISTS_EACH)

typedef struct WaChunkRange WaChunkRange;

/* lock guards the rest; bytes may be read without. */
typedef struct WaChunks
{
	pthread_mutex_t lock;
	size_t used;  /* bytes of pieces */
	size_t bytes; /* of all huge pages that are in memory */
	WaChunkRange *lists[WA_CHUNKS_LISTS];
} WaChunks;

/* Prepares to give memory; nothing is taken from the system yet. */
void wa_chunks_init(WaChunks *chunks);

/*
 * Returns a piece of so many bytes, a multiple of 64 and within the limits above,
 * at such an address; or NULL if there is no memory.
 */
void *wa_chunks_get(WaChunks *chunks, size_t bytes);

/* Frees a piece. */
void wa_chunks_free(WaChunks *chunks, void *place);

/* Returns how many bytes are in memory, free ones included. */
size_t wa_chunks_bytes(const WaChunks *chunks);

#endif /* WA_DAEMON_CHUNKS_H */
