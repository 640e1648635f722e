//
// broadcast.cuh
//		What one lane tells the others, and slots that a leader takes for all.
//
// Every function here is called by all 32 lanes together and needs no shared
// memory.
//
#ifndef WA_CUDA_WARP_BROADCAST_CUH
#define WA_CUDA_WARP_BROADCAST_CUH

#include "warp/scan.cuh"

// Returns the state of one lane of each group of kWidth neighbouring lanes (2,
// 4, 8, 16 or 32): that with number `lane`, below kWidth, in the group.  All
// lanes of a group name the same one.  The result is valid in every lane.
template <unsigned kWidth = kWarpLanes, typename State>
__device__ __forceinline__ State
wa_warp_broadcast(const State &state, unsigned lane)
{
	static_assert(kIsWarpWidth<kWidth>, "a power of two up to 32");
	unsigned source = wa_warp_lane() / kWidth * kWidth + lane;

	return wa_warp_move(state, [=](uint32_t word)
						{ return __shfl_sync(kFullMask, word, (int) source); });
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
