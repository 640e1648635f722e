//
// reduce.cuh
//		Reduction over the threads of a block: warps, then one hop through
//		shared memory, then one warp over what the warps found.
//
#ifndef WA_CUDA_BLOCK_REDUCE_CUH
#define WA_CUDA_BLOCK_REDUCE_CUH

#include "warp/reduce.cuh"

// Merges the states of each warp and leaves them in warp_states, one a warp, in
// a fixed order.  Every thread of the block calls it; blockDim.x is a multiple
// of 32.  After a __syncthreads every thread sees them.
template <typename Operation, typename State>
__device__ __forceinline__ void
wa_block_gather(State state, State *warp_states)
{
	state = wa_warp_reduce<Operation>(state);
	if (wa_warp_lane() == 0)
		warp_states[threadIdx.x / kWarpLanes] = state;
}

// Merges what wa_block_gather has left, in a fixed order.  All lanes of one
// warp call it; blockDim.x is at most 32 * kWarpLanes; `neutral` merges without
// effect.  The result is valid in lane 0 only.
template <typename Operation, typename State>
__device__ __forceinline__ State
wa_block_merge(const State *warp_states, const State &neutral)
{
	const unsigned lane = wa_warp_lane();

	return wa_warp_reduce<Operation>(
		lane < blockDim.x / kWarpLanes ? warp_states[lane] : neutral);
}

#endif // WA_CUDA_BLOCK_REDUCE_CUH
