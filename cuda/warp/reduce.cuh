//
// reduce.cuh
//		Reductions over the lanes of a warp.
//
// Every function here is called by all 32 lanes together and needs no shared
// memory.  Lanes are merged in a fixed tree, so results are deterministic.
//
#ifndef WA_CUDA_WARP_REDUCE_CUH
#define WA_CUDA_WARP_REDUCE_CUH

#include "warp/shuffle.cuh"

// The addition of numbers, as an operation.
template <typename Number> struct WaAddition
{
	__device__ __forceinline__ static void
	merge(Number &into, const Number &from)
	{
		into += from;
	}
};

// Merges the states of the lanes by Operation::merge(into, from), which is
// associative and commutative.  The result is valid in lane 0 only: the others have
// merged some states twice.
template <typename Operation, typename State>
__device__ __forceinline__ State
wa_warp_reduce(State state)
{
#pragma unroll
	for (unsigned distance = kWarpLanes / 2; distance > 0; distance /= 2)
		Operation::merge(state, wa_warp_shuffle_down(state, distance));
	return state;
}

// The same by a butterfly: lanes swap states, so that for as many shuffles the
// result is valid in every lane, and the same bit for bit.
template <typename Operation, typename State>
__device__ __forceinline__ State
wa_warp_reduce_all(State state)
{
#pragma unroll
	for (unsigned lanes = kWarpLanes / 2; lanes > 0; lanes /= 2)
		Operation::merge(state, wa_warp_shuffle_xor(state, lanes));
	return state;
}

// Adds a number of every lane.  The result is valid in lane 0 only.
template <typename Number>
__device__ __forceinline__ Number
wa_warp_sum(Number number)
{
	return wa_warp_reduce<WaAddition<Number>>(number);
}

// The larger one, as an operation.
struct WaLarger
{
	__device__ __forceinline__ static void
	merge(uint32_t &into, uint32_t from)
	{
		into = max(into, from);
	}
};

// Adds a number of every lane, modulo 2^32.  The result is valid in all lanes.
__device__ __forceinline__ uint32_t
wa_warp_sum_all(uint32_t number)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	return __reduce_add_sync(kFullMask, number);
#else
	return wa_warp_reduce_all<WaAddition<uint32_t>>(number);
#endif
}

// Returns the largest of the lanes' numbers, in all lanes.
__device__ __forceinline__ uint32_t
wa_warp_max_all(uint32_t number)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	return __reduce_max_sync(kFullMask, number);
#else
	return wa_warp_reduce_all<WaLarger>(number);
#endif
}

#endif // WA_CUDA_WARP_REDUCE_CUH
