//
// limbs.cuh
//		The part of a reduction that adds to limbs: threads to those of their
//		block in shared memory, blocks to those of their column.  All additions
//		are of integers, so the result is deterministic and the same for any
//		grid.
//
#ifndef WA_CUDA_GRID_LIMBS_CUH
#define WA_CUDA_GRID_LIMBS_CUH

#include "block/limbs.cuh"
#include "grid/args.cuh"
#include "op/operation.cuh"

// Adds a block's limbs to those of its column.  Every thread calls it.
template <typename Sum>
__device__ __forceinline__ void
wa_limbs_publish(const WaBlockLimbs<Sum> &limbs, WaGridPart &part)
{
	static_assert(WaBlockLimbs<Sum>::kWords <= kMaxLimbsWords,
				  "the scratch is too small");
	for (unsigned i = threadIdx.x; i < limbs.kWords; i += kBlockThreads)
	{
		unsigned long long word =
			(unsigned long long) limbs.high[i] << 32 | limbs.low[i];

		if (word != 0)
			atomicAdd(&part.limbs[i], word);
	}
}

// Moves a column's limbs to *sum and leaves zeros.  Every thread of the last
// block calls it.
template <typename Sum>
__device__ __forceinline__ void
wa_limbs_collect(WaGridPart &part, Sum *sum)
{
	int64_t *words = reinterpret_cast<int64_t *>(sum);

	for (unsigned i = threadIdx.x; i < WaBlockLimbs<Sum>::kWords;
		 i += kBlockThreads)
		words[i] = (int64_t) atomicExch(&part.limbs[i], 0);
}

// See grid/reduce.cuh for what a part is, and who calls what.  With
// Operation::kSquares the sum of the numbers and that of their squares, else
// the former alone.
template <typename O> struct WaLimbsPart
{
	using Operation = O;
	using State = typename Operation::State;
	using Shared = typename Operation::Limbs;

	__device__ __forceinline__ static void
	clear(Shared &limbs)
	{
		wa_block_limbs_clear(limbs.sum);
		if constexpr (Operation::kSquares)
			wa_block_limbs_clear(limbs.squares);
	}

	template <typename Value>
	__device__ __forceinline__ static void
	prime(State &state, Value value)
	{
		if constexpr (Operation::kSquares)
			Operation::prime(state, value);
	}

	template <typename Values, typename Mask>
	__device__ __forceinline__ static void
	add(State &state, const Values &values, Mask valid, Shared &limbs)
	{
		Operation::add(state, values, valid, limbs);
	}

	__device__ __forceinline__ static void
	gather(const State &state, Shared &limbs)
	{
		Operation::finish(state, limbs);
	}

	__device__ __forceinline__ static void
	publish(const Shared &limbs, const WaColumnArgs &column)
	{
		wa_limbs_publish(limbs.sum, column.scratch->parts[WA_OP_SUM]);
		if constexpr (Operation::kSquares)
			wa_limbs_publish(limbs.squares,
							 column.scratch->parts[WA_OP_SQUARES]);
	}

	__device__ __forceinline__ static void
	collect(const WaColumnArgs &column, Shared &)
	{
		wa_limbs_collect(column.scratch->parts[WA_OP_SUM],
						 &column.result->exact);
		if constexpr (Operation::kSquares)
			wa_limbs_collect(column.scratch->parts[WA_OP_SQUARES],
							 &column.result->exact_squares);
	}

	__device__ __forceinline__ static void
	store(const Shared &, WaKernelResult *)
	{
	}
};

#endif // WA_CUDA_GRID_LIMBS_CUH
