//
// mask.cuh
//		The bitmap of the rows that may be used.
//
#ifndef WA_CUDA_QUERY_MASK_CUH
#define WA_CUDA_QUERY_MASK_CUH

#include "query/work.h"

// Returns the bits first to end - 1 of a word; first is below 64 and below end,
// which is at most 64.
__device__ __forceinline__ uint64_t
wa_query_bits(uint32_t first, uint32_t end)
{
	const uint64_t below_end =
		end == 64 ? ~(uint64_t) 0 : ((uint64_t) 1 << end) - 1;

	return below_end & ~(uint64_t) 0 << first;
}

// Returns the first range that ends behind a row; nranges if none does.
__device__ __forceinline__ uint32_t
wa_query_find_range(const WaCudaRange *ranges, uint32_t nranges, uint32_t row)
{
	uint32_t low = 0;
	uint32_t high = nranges;

	while (low < high)
	{
		const uint32_t middle = low + (high - low) / 2;

		if (ranges[middle].end > row)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

// What the mask kernel takes.
struct WaQueryMask
{
	const WaCudaRange *ranges; // in device memory
	uint32_t nranges;
	uint32_t nrows;
	uint64_t *mask;
};

// Makes the bitmap of the rows of some ranges.  Any grid of kQueryThreads
// threads; deterministic.
__global__ void
wa_query_mask_kernel(const WaQueryMask args)
{
	const uint32_t words = (args.nrows + 63) / 64;

	for (uint32_t word = blockIdx.x * blockDim.x + threadIdx.x; word < words;
		 word += gridDim.x * blockDim.x)
	{
		const uint32_t first = word * 64;
		uint64_t bits = 0;

		for (uint32_t i = wa_query_find_range(args.ranges, args.nranges, first);
			 i < args.nranges && args.ranges[i].begin < first + 64; i++)
			bits |= wa_query_bits(
				args.ranges[i].begin > first ? args.ranges[i].begin - first : 0,
				min(args.ranges[i].end - first, 64u));
		args.mask[word] = bits;
	}
}

#endif // WA_CUDA_QUERY_MASK_CUH
