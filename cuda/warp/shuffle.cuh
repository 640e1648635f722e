//
// shuffle.cuh
//		The lanes of a warp, and how a state of any type goes from one to
//		another.
//
// Every function here is called by all 32 lanes together and needs no shared
// memory.  A state is moved as the 32-bit words it consists of.
//
#ifndef WA_CUDA_WARP_SHUFFLE_CUH
#define WA_CUDA_WARP_SHUFFLE_CUH

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

// Returns what move(word) makes of each 32-bit word of a state; move is a
// shuffle.
template <typename State, typename Move>
__device__ __forceinline__ State
wa_warp_move(const State &state, Move move)
{
	constexpr unsigned kWords = sizeof(State) / sizeof(uint32_t);
	static_assert(sizeof(State) % sizeof(uint32_t) == 0,
				  "a state consists of 32-bit words");
	uint32_t words[kWords];
	State moved;

	memcpy(words, &state, sizeof(State));
#pragma unroll
	for (unsigned i = 0; i < kWords; i++)
		words[i] = move(words[i]);
	memcpy(&moved, words, sizeof(State));
	return moved;
}

// Returns the state of the lane `distance` above; lanes without such a
// neighbour get their own back.
template <typename State>
__device__ __forceinline__ State
wa_warp_shuffle_down(const State &state, unsigned distance)
{
	return wa_warp_move(state,
						[=](uint32_t word) {
							return __shfl_down_sync(kFullMask, word, distance);
						});
}

// Returns the state of the lane whose number differs in the bits of `lanes`,
// which is below kWarpLanes.
template <typename State>
__device__ __forceinline__ State
wa_warp_shuffle_xor(const State &state, unsigned lanes)
{
	return wa_warp_move(state, [=](uint32_t word)
						{ return __shfl_xor_sync(kFullMask, word, lanes); });
}

#endif // WA_CUDA_WARP_SHUFFLE_CUH
