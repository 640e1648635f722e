//
// scan.cuh
//		Prefixes over the lanes of a warp, or over groups of kWidth neighbouring
//		lanes (2, 4, 8, 16 or 32), each group for itself: to give lanes their
//		places when they write one behind the other.
//
// Every function here is called by all 32 lanes together and needs no shared
// memory.  Results are valid in every lane, and deterministic.  The scheme is
// that of W. D. Hillis and G. L. Steele, "Data Parallel Algorithms", 1986: in
// round r every lane takes over what the lane 2^r below has gathered.
//
#ifndef WA_CUDA_WARP_SCAN_CUH
#define WA_CUDA_WARP_SCAN_CUH

#include "warp/shuffle.cuh"

// Returns the states of the group's lanes up to the calling one, merged in
// their order by Operation::merge(into, from), which need not be commutative.
template <typename Operation, unsigned kWidth = kWarpLanes, typename State>
__device__ __forceinline__ State
wa_warp_scan_inclusive(State state)
{
	static_assert(kIsWarpWidth<kWidth>, "a power of two up to 32");
	unsigned lane = wa_warp_lane() % kWidth;

#pragma unroll
	for (unsigned distance = 1; distance < kWidth; distance *= 2)
	{
		State lower = wa_warp_shuffle_up(state, distance);

		if (lane >= distance)
		{
			Operation::merge(lower, state);
			state = lower;
		}
	}
	return state;
}

// The same without the calling lane's own state: `neutral` in the first lane of
// each group.
template <typename Operation, unsigned kWidth = kWarpLanes, typename State>
__device__ __forceinline__ State
wa_warp_scan_exclusive(State state, const State &neutral)
{
	State lower =
		wa_warp_shuffle_up(wa_warp_scan_inclusive<Operation, kWidth>(state), 1);

	return wa_warp_lane() % kWidth == 0 ? neutral : lower;
}

// Returns how many lanes below the calling one are in a set of lanes, as
// __ballot_sync gives it: the exclusive scan of its bits in one instruction.
__device__ __forceinline__ unsigned
wa_warp_rank(unsigned lanes)
{
	return __popc(lanes & ((1u << wa_warp_lane()) - 1));
}

#endif // WA_CUDA_WARP_SCAN_CUH
