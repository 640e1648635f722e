/*
 * memory.h
 *		The surface to a GPU's memory: ranges of addresses that are reserved as a
 *		whole and get memory piece by piece, and copies to them.
 *
 * A part of the CUDA side's surface: see warpagg_cuda.h, whose rules for
 * statuses and error texts hold here.  A WaCudaMemory is one thread's at a time.
 */
#ifndef WARPAGG_CUDA_MEMORY_H
#define WARPAGG_CUDA_MEMORY_H

#include "core/protocol.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Ranges get memory in pieces of so many bytes. */
#define WA_CUDA_PIECE_BYTES ((size_t) 2 << 20)

/* Bytes that one copy takes at most. */
#define WA_CUDA_STAGING_BYTES ((size_t) 4 << 20)

/* A stream of a GPU, and pinned memory to copy from. */
typedef struct WaCudaMemory WaCudaMemory;

/*
 * Opens the memory of the GPU with this ordinal.  WA_UNSUPPORTED: its driver
 * does not know ranges.
 */
WaStatus wa_cuda_memory_open(int ordinal, WaCudaMemory **memory, char *error,
							 size_t error_bytes);
void wa_cuda_memory_close(WaCudaMemory *memory);

/*
 * Reserves a range of addresses, without memory, which begins at a multiple of
 * a piece.  The bytes are a multiple of a piece's.
 */
WaStatus wa_cuda_memory_reserve(WaCudaMemory *memory, size_t bytes,
								void **d_range, char *error,
								size_t error_bytes);

/* Gives a range up, all of whose pieces are unmapped. */
WaStatus wa_cuda_memory_unreserve(WaCudaMemory *memory, void *d_range,
								  size_t bytes, char *error,
								  size_t error_bytes);

/* Gives a piece of a range memory, which holds anything. */
WaStatus wa_cuda_memory_map(WaCudaMemory *memory, void *d_piece, char *error,
							size_t error_bytes);

/* Takes the memory of a piece, which nothing on the GPU may be using. */
WaStatus wa_cuda_memory_unmap(WaCudaMemory *memory, void *d_piece, char *error,
							  size_t error_bytes);

/*
 * Returns pinned memory of WA_CUDA_STAGING_BYTES to write to; waits until the
 * copy from it that was queued before the last one is done.
 */
WaStatus wa_cuda_memory_staging(WaCudaMemory *memory, void **staging,
								char *error, size_t error_bytes);

/* Queues a copy of the memory that wa_cuda_memory_staging returned last. */
WaStatus wa_cuda_memory_copy(WaCudaMemory *memory, void *d_to, size_t bytes,
							 char *error, size_t error_bytes);

/* Queues the setting of all bytes to one value. */
WaStatus wa_cuda_memory_fill(WaCudaMemory *memory, void *d_to, int byte,
							 size_t bytes, char *error, size_t error_bytes);

/* Waits until all that is queued is done. */
WaStatus wa_cuda_memory_wait(WaCudaMemory *memory, char *error,
							 size_t error_bytes);

#ifdef __cplusplus
}
#endif

#endif /* WARPAGG_CUDA_MEMORY_H */
