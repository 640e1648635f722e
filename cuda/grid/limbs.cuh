//
// limbs.cuh
//		The kernel of exact float sums.
//
#ifndef WA_CUDA_GRID_LIMBS_CUH
#define WA_CUDA_GRID_LIMBS_CUH

#include "block/shared.cuh"
#include "grid/finish.cuh"
#include "grid/traverse.cuh"
#include "op/operation.cuh"

struct WaLimbsShared
{
	WaBlockLimbs limbs;
	unsigned last;
};

// Adds the block's limbs to those of the grid.  Every thread calls it.
__device__ __forceinline__ void
wa_limbs_publish(WaGridScratch *scratch, const WaBlockLimbs &limbs)
{
	for (unsigned i = threadIdx.x; i < kTotalWords; i += kBlockThreads)
	{
		unsigned long long word =
			(unsigned long long) limbs.high[i] << 32 | limbs.low[i];

		if (word != 0)
			atomicAdd(&scratch->totals[i], word);
	}
}

// Moves the grid's limbs to the result and leaves zeros.  Every thread of the
// last block calls it.
__device__ __forceinline__ void
wa_limbs_collect(WaGridScratch *scratch, WaKernelResult *result)
{
	int64_t *words = reinterpret_cast<int64_t *>(&result->exact);

	for (unsigned i = threadIdx.x; i < kTotalWords; i += kBlockThreads)
	{
		int64_t word = (int64_t) atomicExch(&scratch->totals[i], 0);

		if (i == kRowsWord)
			result->rows = word;
		else
			words[i] = word;
	}
}

// Sums a batch exactly.  Any one-dimensional grid of blocks of kBlockThreads
// threads; sizeof(WaLimbsShared) of dynamic shared memory.  Blocks meet by
// integer atomics, so the result is the same for any order and any grid; the
// threads of the last block write it.
template <typename Operation, bool kBitmap>
__global__ void
__launch_bounds__(kBlockThreads, kBlocksPerMultiprocessor)
	wa_limbs_kernel(WaKernelArgs args)
{
	auto &shared = wa_block_shared<WaLimbsShared>();
	typename Operation::State state = Operation::init();
	unsigned rows;

	wa_block_limbs_clear(shared.limbs);
	__syncthreads();
	rows = wa_grid_for_each<kBitmap>(
		args, Operation::neutral(),
		[&](const auto &values)
		{ Operation::add(state, values, shared.limbs); });
	Operation::finish(state, shared.limbs);
	if (kBitmap)
		wa_block_limbs_count_warp(shared.limbs, kRowsWord, rows);
	else if (blockIdx.x == 0 && threadIdx.x == 0)
		wa_block_limbs_add_word(shared.limbs, kRowsWord, args.nrows);
	__syncthreads();
	wa_limbs_publish(args.scratch, shared.limbs);
	if (wa_grid_is_last(&args.scratch->ticket, shared.last))
		wa_limbs_collect(args.scratch, args.result);
}

#endif // WA_CUDA_GRID_LIMBS_CUH
