//
// finish.cuh
//		How the blocks of a column agree on which of them is the last.
//
#ifndef WA_CUDA_GRID_FINISH_CUH
#define WA_CUDA_GRID_FINISH_CUH

#include "grid/args.cuh"

// Tells every thread of the block whether its block is the last of `blocks` to
// come here.  What the threads of all blocks wrote to global memory before is
// then visible to the last block, if it reads past the first-level cache.
// Every thread calls it once; `last` lies in shared memory; it contains a
// __syncthreads.  The ticket is 0 again afterwards.
__device__ __forceinline__ bool
wa_grid_is_last(unsigned *ticket, unsigned blocks, unsigned &last)
{
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0)
		last = atomicInc(ticket, blocks - 1) == blocks - 1;
	__syncthreads();
	__threadfence();
	return last != 0;
}

#endif // WA_CUDA_GRID_FINISH_CUH
