//
// tree.cuh
//		The part of a reduction whose states merge by shuffles: of a block
//		first, then of all blocks of a column, always in the same order, so
//		that the result is deterministic for a given grid (and the operations
//		make it the same for any).
//
#ifndef WA_CUDA_GRID_TREE_CUH
#define WA_CUDA_GRID_TREE_CUH

#include "block/reduce.cuh"
#include "grid/args.cuh"
#include "op/operation.cuh"
#include "op/values.cuh"

// See grid/reduce.cuh for what a part is, and who calls what.
template <WaOp kOp, typename O> struct WaTreePart
{
	using Operation = O;
	using State = typename Operation::State;

	struct Shared
	{
		State warps[kBlockThreads / kWarpLanes];
	};

	__device__ __forceinline__ static void
	clear(Shared &)
	{
	}

	template <typename Value>
	__device__ __forceinline__ static void
	prime(State &, Value)
	{
	}

	template <typename Values, typename Mask>
	__device__ __forceinline__ static void
	add(State &state, const Values &values, Mask valid, Shared &)
	{
		Operation::add(state,
					   wa_valid_or(values, valid, Operation::neutral()).values);
	}

	__device__ __forceinline__ static void
	gather(const State &state, Shared &shared)
	{
		wa_block_gather<Operation>(state, shared.warps);
	}

	__device__ __forceinline__ static void
	publish(const Shared &shared, const WaColumnArgs &column)
	{
		static_assert(sizeof(State) <= kMaxStateBytes,
					  "the scratch is too small");
		if (threadIdx.x >= kWarpLanes)
			return;
		const State state =
			wa_block_merge<Operation>(shared.warps, Operation::init());
		if (threadIdx.x == 0)
			memcpy(part(column).states[wa_column_block(column)], &state,
				   sizeof(State));
	}

	__device__ __forceinline__ static void
	collect(const WaColumnArgs &column, Shared &shared)
	{
		State state = Operation::init();

		for (unsigned i = threadIdx.x; i < column.blocks; i += kBlockThreads)
			Operation::merge(state, state_of_block(part(column), i));
		gather(state, shared);
	}

	__device__ __forceinline__ static void
	store(const Shared &shared, WaKernelResult *result)
	{
		if (threadIdx.x >= kWarpLanes)
			return;
		const State state =
			wa_block_merge<Operation>(shared.warps, Operation::init());
		if (threadIdx.x == 0)
			Operation::store(state, result);
	}

  private:
	__device__ __forceinline__ static WaGridPart &
	part(const WaColumnArgs &column)
	{
		return column.scratch->parts[kOp];
	}

	// Returns what a block has left, read past the first-level cache.
	__device__ __forceinline__ static State
	state_of_block(const WaGridPart &part, unsigned block)
	{
		constexpr unsigned kWords = sizeof(State) / sizeof(uint32_t);
		uint32_t words[kWords];
		State state;

#pragma unroll
		for (unsigned i = 0; i < kWords; i++)
			words[i] = __ldcg(
				reinterpret_cast<const uint32_t *>(part.states[block]) + i);
		memcpy(&state, words, sizeof(State));
		return state;
	}
};

#endif // WA_CUDA_GRID_TREE_CUH
