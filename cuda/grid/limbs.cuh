//
// limbs.cuh
//		The kernel of exact sums: of floats and of their squares.
//
#ifndef WA_CUDA_GRID_LIMBS_CUH
#define WA_CUDA_GRID_LIMBS_CUH

#include "block/limbs.cuh"
#include "block/shared.cuh"
#include "grid/finish.cuh"
#include "grid/traverse.cuh"
#include "op/operation.cuh"

template <typename Operation> struct WaLimbsShared
{
	WaBlockLimbs<typename Operation::Sum> limbs;
	unsigned last;
};

// Adds the block's limbs to those of the grid.  Every thread calls it.
template <typename Sum>
__device__ __forceinline__ void
wa_limbs_publish(WaGridScratch *scratch, const WaBlockLimbs<Sum> &limbs)
{
	constexpr unsigned kWords = WaBlockLimbs<Sum>::kWords;

	static_assert(kWords <= kMaxTotalWords, "the scratch is too small");
	for (unsigned i = threadIdx.x; i < kWords; i += kBlockThreads)
	{
		unsigned long long word =
			(unsigned long long) limbs.high[i] << 32 | limbs.low[i];

		if (word != 0)
			atomicAdd(&scratch->totals[i], word);
	}
}

// Moves the grid's limbs to *sum and *rows and leaves zeros.  Every thread of
// the last block calls it.
template <typename Sum>
__device__ __forceinline__ void
wa_limbs_collect(WaGridScratch *scratch, Sum *sum, int64_t *rows)
{
	using Limbs = WaBlockLimbs<Sum>;
	int64_t *words = reinterpret_cast<int64_t *>(sum);

	for (unsigned i = threadIdx.x; i < Limbs::kWords; i += kBlockThreads)
	{
		int64_t word = (int64_t) atomicExch(&scratch->totals[i], 0);

		if (i == Limbs::kRowsWord)
			*rows = word;
		else
			words[i] = word;
	}
}

// Sums a batch exactly.  Any one-dimensional grid of blocks of kBlockThreads
// threads; sizeof(WaLimbsShared<Operation>) of dynamic shared memory.  Blocks
// meet by integer atomics, so the result is deterministic and the same for any
// grid; the threads of the last block write it.
template <typename Operation, bool kBitmap>
__global__ void
__launch_bounds__(kBlockThreads, kBlocksPerMultiprocessor)
	wa_limbs_kernel(WaKernelArgs args)
{
	auto &shared = wa_block_shared<WaLimbsShared<Operation>>();
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
		wa_block_limbs_count_warp(shared.limbs, shared.limbs.kRowsWord, rows);
	else if (blockIdx.x == 0 && threadIdx.x == 0)
		wa_block_limbs_add_word(shared.limbs, shared.limbs.kRowsWord,
								args.nrows);
	__syncthreads();
	wa_limbs_publish(args.scratch, shared.limbs);
	if (wa_grid_is_last(&args.scratch->ticket, shared.last))
		wa_limbs_collect(args.scratch, Operation::sum(args.result),
						 &args.result->rows);
}

#endif // WA_CUDA_GRID_LIMBS_CUH
