//
// scratch.h
//		The memory of queries that are under way: pools that grow, one set for
//		each query that may run at once.
//
#ifndef WA_CUDA_QUERY_SCRATCH_H
#define WA_CUDA_QUERY_SCRATCH_H

#include <condition_variable>
#include <cuda_runtime.h>
#include <mutex>
#include <vector>

#include "groups.h"
#include "query/error.h"
#include "query/host.h"
#include "query/tables.h"

// A piece of memory.
struct WaQueryChunk
{
	char *memory;
	size_t bytes;
	size_t used;
};

// Memory of a device, or pinned host memory.  What a query takes is given back
// all at once, or what it took last before the rest, and stays allocated for the
// next one, then in one piece and with some to spare.
struct WaQueryPool
{
	bool pinned;
	size_t max_bytes;
	size_t most_used; // at once, since the memory was allocated
	std::vector<WaQueryChunk> chunks;
};

// How much was taken at some time.
struct WaQueryMark
{
	size_t nchunks;
	size_t used; // of the last one
};

// Takes memory, aligned to 256 bytes, for *memory.
cudaError_t wa_query_pool_take(WaQueryPool *pool, size_t bytes, void **memory);

// Returns how much has been taken so far.
WaQueryMark wa_query_pool_mark(const WaQueryPool *pool);

// Gives back what was taken since; nothing may be using it.
void wa_query_pool_rewind(WaQueryPool *pool, WaQueryMark mark);

// Gives back all that was taken; nothing may be using it.
void wa_query_pool_reset(WaQueryPool *pool);

// Frees all memory.
void wa_query_pool_free(WaQueryPool *pool);

// What a query uses alone.
struct WaQuerySlot
{
	bool busy;
	int ordinal;
	WaGroupDevice device;
	cudaStream_t stream;
	cudaEvent_t done;
	void *d_scratch; // of wa_kernel_launch
	WaQueryPool d_pool;
	WaQueryPool pool;                   // pinned
	std::vector<WaQueryTable *> tables; // in use
	WaQueryHost *host;                  // of all queries
};

// Makes a slot on the current device.  What was made has to be freed anyway.
void wa_query_slot_open(WaQuerySlot *slot, int ordinal, size_t max_bytes);
void wa_query_slot_close(WaQuerySlot *slot);

// Waits until the stream has come past all that was started.
void wa_query_slot_wait(WaQuerySlot *slot);

// Takes memory of a slot for so many elements.
template <typename Element>
inline Element *
wa_query_take(WaQueryPool *pool, size_t count)
{
	void *memory = NULL;

	wa_query_check(wa_query_pool_take(pool, count * sizeof(Element), &memory));
	return static_cast<Element *>(memory);
}

// Start copies of so many elements, to the device and from it.
template <typename Element>
inline void
wa_query_send(WaQuerySlot *slot, Element *d_to, const Element *from,
			  size_t count)
{
	wa_query_check(cudaMemcpyAsync(d_to, from, count * sizeof(Element),
								   cudaMemcpyHostToDevice, slot->stream));
}

template <typename Element>
inline void
wa_query_fetch(WaQuerySlot *slot, Element *to, const Element *d_from,
			   size_t count)
{
	wa_query_check(cudaMemcpyAsync(to, d_from, count * sizeof(Element),
								   cudaMemcpyDeviceToHost, slot->stream));
}

// lock guards busy of the slots; all else is constant, or the query's that has
// the slot, or has a lock of its own.
struct WaCudaQueries
{
	WaQueryTables tables;
	WaQueryHost host;
	std::mutex lock;
	std::condition_variable freed;
	std::vector<WaQuerySlot> slots;
};

#endif // WA_CUDA_QUERY_SCRATCH_H
