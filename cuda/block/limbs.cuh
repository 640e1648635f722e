//
// limbs.cuh
//		A block's exact sum in shared memory.
//
// The sum is a structure of 64-bit words, the first of which are limbs as
// core/exact_sum.h describes them.  All additions are integer additions modulo
// 2^64, so the content after the last one does not depend on their order: it
// is deterministic.
//
#ifndef WA_CUDA_BLOCK_LIMBS_CUH
#define WA_CUDA_BLOCK_LIMBS_CUH

#include "core/exact_sum.h"
#include "warp/reduce.cuh"

// The words of a Sum.  Word i is high[i] * 2^32 + low[i].
template <typename Sum> struct WaBlockLimbs
{
	static constexpr unsigned kWords = sizeof(Sum) / sizeof(int64_t);

	uint32_t low[kWords];
	uint32_t high[kWords];
};

// Sets all words to zero.  Every thread of the block calls it; before the
// first addition lies a __syncthreads.
template <typename Sum>
__device__ __forceinline__ void
wa_block_limbs_clear(WaBlockLimbs<Sum> &limbs)
{
	for (unsigned i = threadIdx.x; i < limbs.kWords; i += blockDim.x)
	{
		limbs.low[i] = 0;
		limbs.high[i] = 0;
	}
}

// Adds to one word, from any thread.  GPUs add 32 bits in shared memory by one
// instruction, but 64 bits by a loop of compare-and-swap; so the halves are
// added one by one and the old low half tells the carry.
template <typename Sum>
__device__ __forceinline__ void
wa_block_limbs_add_word(WaBlockLimbs<Sum> &limbs, unsigned word, int64_t number)
{
	uint32_t low = (uint32_t) number;
	uint32_t high = (uint32_t) ((uint64_t) number >> 32);

	if (low != 0 && atomicAdd(&limbs.low[word], low) > 0xffffffffu - low)
		high++;
	if (high != 0)
		atomicAdd(&limbs.high[word], high);
}

// Adds three neighbouring chunks, from any thread.
template <typename Sum>
__device__ __forceinline__ void
wa_block_limbs_add(WaBlockLimbs<Sum> &limbs, const WaExactChunks &chunks)
{
#pragma unroll
	for (int i = 0; i < 3; i++)
		wa_block_limbs_add_word(limbs, chunks.limb + i, chunks.chunk[i]);
}

// Adds sums[i] * 2^exponent(i) of all lanes of the calling warp, whose exponents
// are the same in all of them; kCount is at most 32.  Each sum is brought
// together in pieces that leave room for 32 lanes, and then lane i adds the sum
// i, so that all are added at once.
template <unsigned kCount, typename Sum, typename Exponent>
__device__ __forceinline__ void
wa_block_limbs_add_warp(WaBlockLimbs<Sum> &limbs, const int64_t (&sums)[kCount],
						Exponent exponent)
{
	constexpr unsigned kBits = 27;
	constexpr uint64_t kPiece = ((uint64_t) 1 << kBits) - 1;
	const unsigned lane = wa_warp_lane();
	uint64_t low = 0;
	int32_t high = 0;

#pragma unroll
	for (unsigned i = 0; i < kCount; i++)
	{
		const uint64_t number = (uint64_t) sums[i];
		const uint32_t first = wa_warp_sum_all((uint32_t) (number & kPiece));
		const uint32_t second =
			wa_warp_sum_all((uint32_t) (number >> kBits & kPiece));
		const uint32_t third =
			wa_warp_sum_all((uint32_t) (sums[i] >> (2 * kBits)));

		if (lane == i)
		{
			low = ((uint64_t) second << kBits) + first;
			high = (int32_t) third;
		}
	}
	if (lane < kCount)
	{
		wa_block_limbs_add(limbs,
						   wa_exact_split((int64_t) low, exponent((int) lane)));
		wa_block_limbs_add(limbs, wa_exact_split(high, exponent((int) lane) +
														   2 * (int) kBits));
	}
}

// Adds a count of every lane of the calling warp to one word.
template <typename Sum>
__device__ __forceinline__ void
wa_block_limbs_count_warp(WaBlockLimbs<Sum> &limbs, unsigned word,
						  uint32_t count)
{
	count = wa_warp_sum_all(count);
	if (wa_warp_lane() == 0)
		wa_block_limbs_add_word(limbs, word, count);
}

#endif // WA_CUDA_BLOCK_LIMBS_CUH
