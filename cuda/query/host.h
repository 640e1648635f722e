//
// host.h
//		Pinned memory of the host in which rows are handed over.
//
// It outlives the query, and stays allocated for others: to pin memory takes longer than to
// fill it.
//
#ifndef WA_CUDA_QUERY_HOST_H
#define WA_CUDA_QUERY_HOST_H

#include <cuda_runtime.h>
#include <mutex>
#include <vector>

// A piece of memory.
struct WaQueryPiece
{
	void *memory;
	size_t bytes;
	bool busy;
};

// lock guards all else but max_bytes.
struct WaQueryHost
{
	std::mutex lock;
	size_t max_bytes;
	size_t bytes; // of all pieces
	std::vector<WaQueryPiece> pieces;
};

// Takes a piece of so many bytes; others that nobody uses may go for that.  Returns NULL if
// pieces in use leave no room.  Throws what CUDA says.
void *wa_query_host_take(WaQueryHost *host, size_t bytes);

// Gives a piece back, which nothing uses any more.
void wa_query_host_give(WaQueryHost *host, void *memory);

// Frees all pieces; none is in use.
void wa_query_host_close(WaQueryHost *host);

#endif // WA_CUDA_QUERY_HOST_H
