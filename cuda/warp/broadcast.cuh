//
// broadcast.cuh
//		What one lane tells the others, and slots that a leader takes for all.
//
// Every function here is called by all 32 lanes together and needs no shared
// memory.
//
#ifndef WA_CUDA_WARP_BROADCAST_CUH
#define WA_CUDA_WARP_BROADCAST_CUH

#include "warp/shuffle.cuh"

// Returns the state of one lane, of which all name the same one.  The result is valid
// in every lane.
template <typename State>
__device__ __forceinline__ State
wa_warp_broadcast(const State &state, unsigned lane)
{
	return wa_warp_move(state, [=](uint32_t word)
						{ return __shfl_sync(kFullMask, word, (int) lane); });
}

// Returns how many lanes below the calling one are in a set of lanes, as
// __ballot_sync gives it: to give lanes their places when they write one behind the
// other.
__device__ __forceinline__ unsigned
wa_warp_rank(unsigned lanes)
{
	return __popc(lanes & ((1u << wa_warp_lane()) - 1));
}

// Takes a slot for every lane that wants one from a counter in shared or global
// memory, by one atomic addition of the first such lane.  Returns the slot;
// valid in the lanes that want one.  A warp's slots follow one another in the
// order of its lanes, but which warp comes first is not deterministic.
__device__ __forceinline__ unsigned
wa_warp_take_slots(unsigned *counter, bool wants)
{
	unsigned wanting = __ballot_sync(kFullMask, wants);
	unsigned leader = (unsigned) __ffs((int) wanting) - 1;
	unsigned first = 0;

	if (wanting == 0)
		return 0;
	if (wa_warp_lane() == leader)
		first = atomicAdd(counter, (unsigned) __popc(wanting));
	return wa_warp_broadcast(first, leader) + wa_warp_rank(wanting);
}

#endif // WA_CUDA_WARP_BROADCAST_CUH
