//
// query_scratch.cu
//		The memory of queries; see query/scratch.h.
//
#include "query/scratch.h"

#include <algorithm>
#include <string.h>

#include "kernels.h"

// What memory is aligned to.
static const size_t kAlignment = 256;

// Chunks are at least so large.
static const size_t kChunkBytes = (size_t) 1 << 20;

// What stays allocated is by this part larger than what was needed: tables that are
// written to grow, and to allocate takes as long as a query.
static const size_t kSparePart = 16;

// Pinned memory of a query at most.
static const size_t kMaxPinnedBytes = (size_t) 1 << 30;

// Pinned memory that stays allocated for the next query at most.
static const size_t kKeptPinnedBytes = (size_t) 64 << 20;

// How often a query looks for the end of its work before it sleeps: for a few
// milliseconds, which most take less than.
static const int kLooks = 4000;

// Frees one piece of memory.
static void
free_chunk(const WaQueryPool *pool, const WaQueryChunk &chunk)
{
	if ((pool->pinned ? cudaFreeHost(chunk.memory) : cudaFree(chunk.memory)) !=
		cudaSuccess)
		(void) cudaGetLastError();
}

// Adds a piece of memory to a pool, unless that would have too much then.
static cudaError_t
add_chunk(WaQueryPool *pool, size_t bytes)
{
	WaQueryChunk chunk = {NULL, bytes, 0};
	size_t total = bytes;
	cudaError_t error;

	for (const WaQueryChunk &other : pool->chunks)
		total += other.bytes;
	if (total > pool->max_bytes)
		return cudaErrorMemoryAllocation;
	pool->chunks.reserve(pool->chunks.size() + 1);
	error = pool->pinned
				? cudaHostAlloc(&chunk.memory, bytes, cudaHostAllocPortable)
				: cudaMalloc(&chunk.memory, bytes);
	if (error == cudaSuccess)
		pool->chunks.push_back(chunk);
	else
		(void) cudaGetLastError();
	return error;
}

// Notes how much is in use.
static void
note_used(WaQueryPool *pool)
{
	size_t used = 0;

	for (const WaQueryChunk &chunk : pool->chunks)
		used += chunk.used;
	pool->most_used = std::max(pool->most_used, used);
}

cudaError_t
wa_query_pool_take(WaQueryPool *pool, size_t bytes, void **memory)
{
	const size_t padded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
	cudaError_t error = cudaSuccess;
	WaQueryChunk *chunk;

	if (pool->chunks.empty() ||
		pool->chunks.back().bytes - pool->chunks.back().used < padded)
		error = add_chunk(pool, std::max(padded, kChunkBytes));
	if (error != cudaSuccess)
		return error;
	chunk = &pool->chunks.back();
	*memory = chunk->memory + chunk->used;
	chunk->used += padded;
	note_used(pool);
	return cudaSuccess;
}

WaQueryMark
wa_query_pool_mark(const WaQueryPool *pool)
{
	return {pool->chunks.size(),
			pool->chunks.empty() ? 0 : pool->chunks.back().used};
}

void
wa_query_pool_rewind(WaQueryPool *pool, WaQueryMark mark)
{
	// A single chunk stays, whatever is in it.
	while (pool->chunks.size() > std::max(mark.nchunks, (size_t) 1))
	{
		free_chunk(pool, pool->chunks.back());
		pool->chunks.pop_back();
	}
	if (!pool->chunks.empty())
		pool->chunks.back().used = mark.nchunks > 0 ? mark.used : 0;
}

// Allocates so many bytes for the next query, in one piece, with some to spare if they
// can be had.
static void
allocate_ahead(WaQueryPool *pool, size_t bytes)
{
	const size_t needed = std::max(bytes, kChunkBytes);
	size_t excluded = needed + needed / kSparePart;

	if (pool->pinned)
		excluded = std::max(needed, std::min(excluded, kKeptPinnedBytes));
	if (add_chunk(pool, excluded) != cudaSuccess)
		(void) add_chunk(pool, needed);
}

void
wa_query_pool_reset(WaQueryPool *pool)
{
	const size_t most_used = pool->most_used;

	if (pool->chunks.size() == 1 && pool->chunks[0].bytes >= most_used &&
		(!pool->pinned || pool->chunks[0].bytes <= kKeptPinnedBytes))
	{
		pool->chunks[0].used = 0;
		return;
	}
	wa_query_pool_free(pool);
	if (most_used > 0 && (!pool->pinned || most_used <= kKeptPinnedBytes))
		allocate_ahead(pool, most_used);
}

void
wa_query_pool_free(WaQueryPool *pool)
{
	for (const WaQueryChunk &chunk : pool->chunks)
		free_chunk(pool, chunk);
	pool->chunks.clear();
	pool->most_used = 0;
}

void
wa_query_slot_open(WaQuerySlot *slot, int ordinal, size_t max_bytes)
{
	const size_t scratch_bytes = wa_kernel_scratch_bytes();

	slot->ordinal = ordinal;
	slot->d_pool.max_bytes = max_bytes;
	slot->pool.pinned = true;
	slot->pool.max_bytes = kMaxPinnedBytes;
	wa_query_check(wa_group_device(ordinal, &slot->device));
	wa_query_check(
		cudaStreamCreateWithFlags(&slot->stream, cudaStreamNonBlocking));
	wa_query_check(cudaEventCreateWithFlags(
		&slot->done, cudaEventDisableTiming | cudaEventBlockingSync));
	wa_query_check(cudaMalloc(&slot->d_scratch, scratch_bytes));
	wa_query_check(
		cudaMemsetAsync(slot->d_scratch, 0, scratch_bytes, slot->stream));
	wa_query_check(cudaStreamSynchronize(slot->stream));
}

void
wa_query_slot_close(WaQuerySlot *slot)
{
	wa_query_pool_free(&slot->pool);
	wa_query_pool_free(&slot->d_pool);
	(void) cudaFree(slot->d_scratch);
	if (slot->done != NULL)
		(void) cudaEventDestroy(slot->done);
	if (slot->stream != NULL)
		(void) cudaStreamDestroy(slot->stream);
	(void) cudaGetLastError();
}

void
wa_query_slot_wait(WaQuerySlot *slot)
{
	cudaError_t state = cudaErrorNotReady;

	wa_query_check(cudaEventRecord(slot->done, slot->stream));
	for (int i = 0; i < kLooks && state == cudaErrorNotReady; i++)
		state = cudaEventQuery(slot->done);
	if (state == cudaErrorNotReady)
		state = cudaEventSynchronize(slot->done);
	wa_query_check(state);
}
