//
// finish.cuh
//		How the blocks of a column agree on which of them is the last, and count
//		its valid rows on the way.
//
#ifndef WA_CUDA_GRID_FINISH_CUH
#define WA_CUDA_GRID_FINISH_CUH

#include "grid/args.cuh"

#ifdef __CUDA_ARCH__
#include <cuda/atomic>
#endif

// What the blocks of a column leave one another in one atomic addition.
struct WaGridTicket
{
	unsigned last; // whether the block is the last one, to all its threads
	unsigned rows; // in the last block: those of all blocks, to thread 0
};

// Adds to *number and returns what it was before.  What the calling thread knows
// of global memory is then visible to those that add to it later.
__device__ __forceinline__ unsigned long long
wa_grid_hand_in(unsigned long long *number, unsigned long long more)
{
#ifdef __CUDA_ARCH__
	return cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(
			   *number)
		.fetch_add(more, cuda::memory_order_acq_rel);
#else
	return atomicAdd(number, more);
#endif
}

// Hands in the calling block with `rows` valid rows (known to thread 0), and
// tells whether it is the last of `blocks` to come here.  What the threads of
// all blocks wrote to global memory before is then visible to the last block,
// if it reads past the first-level cache.  Every thread calls it once; `ticket`
// lies in shared memory; it contains a __syncthreads.  *tickets, whose lower
// half counts blocks and whose upper half rows, is 0 again afterwards.
__device__ __forceinline__ bool
wa_grid_is_last(unsigned long long *tickets, unsigned blocks, unsigned rows,
				WaGridTicket &ticket)
{
	// One thread tells the others what its block has written, which it knows
	// from the barrier, and its block what theirs have.
	__syncthreads();
	if (threadIdx.x == 0)
	{
		const unsigned long long own = (unsigned long long) rows << 32 | 1;
		const unsigned long long all = wa_grid_hand_in(tickets, own) + own;

		ticket.last = (unsigned) all == blocks;
		ticket.rows = (unsigned) (all >> 32);
		if (ticket.last != 0)
			*tickets = 0;
	}
	__syncthreads();
	return ticket.last != 0;
}

#endif // WA_CUDA_GRID_FINISH_CUH
