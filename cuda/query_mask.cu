//
// query_mask.cu
//		The bitmap of the rows that may be used.
//
#include <algorithm>

#include "core/batch.h"
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

uint64_t *
wa_query_start_mask(WaQueryWork *work)
{
	const WaCudaQuery *query = work->query;
	const size_t words = wa_validity_bytes(work->nrows) / 8;
	WaQuerySlot *slot = work->slot;
	WaCudaRange *ranges =
		wa_query_take<WaCudaRange>(&slot->pool, query->nranges);
	WaCudaRange *d_ranges =
		wa_query_take<WaCudaRange>(&slot->d_pool, query->nranges);
	const WaQueryMask args = {d_ranges, query->nranges, work->nrows,
							  wa_query_take<uint64_t>(&slot->d_pool, words)};

	std::copy(query->ranges, query->ranges + query->nranges, ranges);
	wa_query_send(slot, d_ranges, ranges, query->nranges);
	wa_query_launch(work, wa_query_mask_kernel, words, 0, args);
	return args.mask;
}
