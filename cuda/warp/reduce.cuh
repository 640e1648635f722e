//
// reduce.cuh
//		Reductions over the 32 lanes of a warp.
//
// Every function here is called by all 32 lanes together and needs no shared
// memory.  Lanes are merged in a fixed tree, so results are deterministic.
//
#ifndef WA_CUDA_WARP_REDUCE_CUH
#define WA_CUDA_WARP_REDUCE_CUH

#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>

constexpr unsigned kWarpLanes = 32;
constexpr unsigned kFullMask = 0xffffffffu;

// Returns the lane of the calling thread; blocks are one-dimensional.
__device__ __forceinline__ unsigned
wa_warp_lane()
{
	return threadIdx.x % kWarpLanes;
}

// Returns the state of the lane `distance` above, whatever its type, moved as
// 32-bit words; lanes without such a neighbour get their own back.
template <typename State>
__device__ __forceinline__ State
wa_warp_shuffle_down(const State &state, unsigned distance)
{
	constexpr unsigned kWords = sizeof(State) / sizeof(uint32_t);
	static_assert(sizeof(State) % sizeof(uint32_t) == 0,
				  "a state consists of 32-bit words");
	uint32_t words[kWords];
	State moved;

	memcpy(words, &state, sizeof(State));
#pragma unroll
	for (unsigned i = 0; i < kWords; i++)
		words[i] = __shfl_down_sync(kFullMask, words[i], distance);
	memcpy(&moved, words, sizeof(State));
	return moved;
}

// Merges the states of all lanes by Operation::merge(into, from).  The result
// is valid in lane 0 only.
template <typename Operation, typename State>
__device__ __forceinline__ State
wa_warp_reduce(State state)
{
#pragma unroll
	for (unsigned distance = kWarpLanes / 2; distance > 0; distance /= 2)
		Operation::merge(state, wa_warp_shuffle_down(state, distance));
	return state;
}

// Adds a number of every lane.  The result is valid in lane 0 only.
template <typename Number>
__device__ __forceinline__ Number
wa_warp_sum(Number number)
{
#pragma unroll
	for (unsigned distance = kWarpLanes / 2; distance > 0; distance /= 2)
		number += wa_warp_shuffle_down(number, distance);
	return number;
}

#endif // WA_CUDA_WARP_REDUCE_CUH
