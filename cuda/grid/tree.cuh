//
// tree.cuh
//		The kernel of operations whose states merge by shuffles.
//
#ifndef WA_CUDA_GRID_TREE_CUH
#define WA_CUDA_GRID_TREE_CUH

#include "block/reduce.cuh"
#include "block/shared.cuh"
#include "grid/finish.cuh"
#include "grid/traverse.cuh"
#include "op/operation.cuh"

// An operation's state with the number of rows it has taken.
template <typename Operation> struct WaTally
{
	typename Operation::State state;
	int64_t rows;

	__device__ __forceinline__ static void
	merge(WaTally &into, const WaTally &from)
	{
		Operation::merge(into.state, from.state);
		into.rows += from.rows;
	}
};

template <typename Operation> struct WaTreeShared
{
	WaTally<Operation> warps[kBlockThreads / kWarpLanes];
	unsigned last;
};

// Leaves the calling block's tally for the last block.  Called by one thread.
template <typename Tally>
__device__ __forceinline__ void
wa_tree_publish(WaGridScratch *scratch, const Tally &tally)
{
	static_assert(sizeof(Tally) <= kMaxStateBytes, "the scratch is too small");
	memcpy(scratch->states[blockIdx.x], &tally, sizeof(Tally));
}

// Returns what a block has left, read past the first-level cache.
template <typename Tally>
__device__ __forceinline__ Tally
wa_tree_collect(const WaGridScratch *scratch, unsigned block)
{
	constexpr unsigned kWords = sizeof(Tally) / sizeof(uint32_t);
	uint32_t words[kWords];
	Tally tally;

#pragma unroll
	for (unsigned i = 0; i < kWords; i++)
		words[i] = __ldcg(
			reinterpret_cast<const uint32_t *>(scratch->states[block]) + i);
	memcpy(&tally, words, sizeof(Tally));
	return tally;
}

// Reduces a batch.  Any one-dimensional grid of at most kMaxBlocks blocks of
// kBlockThreads threads; sizeof(WaTreeShared<Operation>) of dynamic shared
// memory.  The last block to finish merges the states of all blocks in the
// order of their numbers, so the result is deterministic for a given grid (and
// the operations make it the same for any); its thread 0 writes it.
template <typename Operation, bool kBitmap>
__global__ void
__launch_bounds__(kBlockThreads, kBlocksPerMultiprocessor)
	wa_tree_kernel(WaKernelArgs args)
{
	using Tally = WaTally<Operation>;
	auto &shared = wa_block_shared<WaTreeShared<Operation>>();
	const Tally empty = {Operation::init(), 0};
	Tally tally = empty;

	tally.rows = wa_grid_for_each<kBitmap>(
		args, Operation::neutral(),
		[&](const auto &values) { Operation::add(tally.state, values); });
	tally = wa_block_reduce<Tally>(tally, empty, shared.warps);
	if (threadIdx.x == 0)
		wa_tree_publish(args.scratch, tally);
	if (!wa_grid_is_last(&args.scratch->ticket, shared.last))
		return;

	tally = empty;
	for (unsigned i = threadIdx.x; i < gridDim.x; i += kBlockThreads)
		Tally::merge(tally, wa_tree_collect<Tally>(args.scratch, i));
	tally = wa_block_reduce<Tally>(tally, empty, shared.warps);
	if (threadIdx.x == 0)
	{
		args.result->rows = kBitmap ? tally.rows : (int64_t) args.nrows;
		Operation::store(tally.state, args.result);
	}
}

#endif // WA_CUDA_GRID_TREE_CUH
