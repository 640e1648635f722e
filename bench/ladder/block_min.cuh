//
// block_min.cuh
//		The smallest value of a block of any size, partial warps included.
//
// An exhibit: production launches blocks of whole warps (cuda/grid/args.cuh).
// Two things are easy to get wrong here, and test/emu/test_block_min.cpp has
// kernels that do.  A thread without a row must not matter, so it holds the last
// value of the type in PostgreSQL's order, infinities and NaN counted in, and
// not 0.  And a shuffle must name the lanes that call it: in a block of 40
// threads the second warp has 8 lanes, and 0xffffffff would name 24 others.
//
#ifndef WA_BENCH_LADDER_BLOCK_MIN_CUH
#define WA_BENCH_LADDER_BLOCK_MIN_CUH

#include "cuda/block/shared.cuh"
#include "cuda/op/extreme.cuh"
#include "cuda/warp/shuffle.cuh"

// Returns how many lanes the calling thread's warp has.
__device__ __forceinline__ unsigned
wa_ladder_warp_size()
{
	unsigned first = threadIdx.x / kWarpLanes * kWarpLanes;

	return min(blockDim.x - first, kWarpLanes);
}

// Merges the states of the first `lanes` lanes of a warp by
// Operation::merge(into, from), in a fixed order.  These lanes call it, and no
// others.  The result is valid in lane 0 only.
template <typename Operation, typename State>
__device__ __forceinline__ State
wa_ladder_reduce_lanes(State state, unsigned lanes)
{
	unsigned mask = kFullMask >> (kWarpLanes - lanes);
	unsigned lane = wa_warp_lane();

	for (unsigned distance = kWarpLanes / 2; distance > 0; distance /= 2)
	{
		bool exists = lane + distance < lanes;
		int source = (int) (exists ? lane + distance : lane);
		State other = wa_warp_move(state, [=](uint32_t word)
								   { return __shfl_sync(mask, word, source); });

		if (exists)
			Operation::merge(state, other);
	}
	return state;
}

// Finds the smallest value of each block's rows; a block without rows finds the
// last value of the type.  A row a thread; one-dimensional grids and blocks of
// any size.  Shared memory: a Kept for each warp, whole or not.  The result is
// valid in thread 0 of a block, which writes it to results[blockIdx.x]; it is
// deterministic (of 0 and -0 it is the one that comes first in a fixed tree).
template <WaStorage kStorage>
__global__ void
wa_ladder_block_min(const typename WaStorageValue<kStorage>::Type *values,
					unsigned nrows,
					typename WaExtreme<WA_OP_MIN, kStorage>::Kept *results)
{
	using Min = WaExtreme<WA_OP_MIN, kStorage>;
	using State = typename Min::State;
	State *warp_states = &wa_block_shared<State>();
	unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned lanes = wa_ladder_warp_size();
	unsigned warps = (blockDim.x + kWarpLanes - 1) / kWarpLanes;
	State state = Min::init();

	if (row < nrows)
		state.extreme = values[row];
	state = wa_ladder_reduce_lanes<Min>(state, lanes);
	if (wa_warp_lane() == 0)
		warp_states[threadIdx.x / kWarpLanes] = state;
	__syncthreads();
	if (threadIdx.x >= kWarpLanes)
		return;
	// A block of several warps has a first one that is whole.
	state = threadIdx.x < warps ? warp_states[threadIdx.x] : Min::init();
	state = wa_ladder_reduce_lanes<Min>(state, lanes);
	if (threadIdx.x == 0)
		results[blockIdx.x] = state.extreme;
}

#endif // WA_BENCH_LADDER_BLOCK_MIN_CUH
