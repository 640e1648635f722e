//
// finish.cuh
//		How the blocks of a column agree on which of them is the last, and count
//		its valid rows on the way.
//
#ifndef WA_CUDA_GRID_FINISH_CUH
#define WA_CUDA_GRID_FINISH_CUH

#include "grid/args.cuh"

// What the blocks of a column leave one another in one atomic addition.
struct WaGridTicket
{
	unsigned last; // whether the block is the last one, to all its threads
	unsigned rows; // in the last block: those of all blocks, to thread 0
};

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
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0)
	{
		const unsigned long long own = (unsigned long long) rows << 32 | 1;
		const unsigned long long all = atomicAdd(tickets, own) + own;

		ticket.last = (unsigned) all == blocks;
		ticket.rows = (unsigned) (all >> 32);
		if (ticket.last != 0)
			*tickets = 0;
	}
	__syncthreads();
	__threadfence();
	return ticket.last != 0;
}

#endif // WA_CUDA_GRID_FINISH_CUH
