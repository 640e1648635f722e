//
// reduce.cuh
//		Reduction over the threads of a block: warps, then one hop through
//		shared memory, then one warp over what the warps found.
//
#ifndef WA_CUDA_BLOCK_REDUCE_CUH
#define WA_CUDA_BLOCK_REDUCE_CUH

#include "warp/reduce.cuh"

// Merges the states of all threads of the block by Operation::merge, in a
// fixed order.  Every thread calls it; blockDim.x is a multiple of 32 and at
// most 32 * kWarpLanes; `neutral` merges without effect.  The result is valid
// in thread 0 only.  Between two calls with the same warp_states lies a
// __syncthreads.
template <typename Operation, typename State>
__device__ __forceinline__ State
wa_block_reduce(State state, const State &neutral, State *warp_states)
{
	unsigned warp = threadIdx.x / kWarpLanes;
	unsigned lane = wa_warp_lane();

	state = wa_warp_reduce<Operation>(state);
	if (lane == 0)
		warp_states[warp] = state;
	__syncthreads();
	if (warp == 0)
	{
		state = lane < blockDim.x / kWarpLanes ? warp_states[lane] : neutral;
		state = wa_warp_reduce<Operation>(state);
	}
	return state;
}

#endif // WA_CUDA_BLOCK_REDUCE_CUH
