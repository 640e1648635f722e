//
// query_rows.cu
//		Listing the rows of a bitmap; see query/rows.h.
//
#include "query/rows.h"

#include "query/sort.h"
#include "warp/shuffle.cuh"

// Returns a half of a word of the bitmap, its rows that exist.
__device__ __forceinline__ uint32_t
wa_query_selected(const WaQueryListing &args, uint32_t half)
{
	const uint32_t first = half * kWarpLanes;
	const uint32_t bits =
		first < args.nrows
			? reinterpret_cast<const uint32_t *>(args.d_selection)[half]
			: 0;

	return args.nrows - first < kWarpLanes
			   ? bits &
					 (((uint32_t) 1 << (args.nrows - first) % kWarpLanes) - 1)
			   : bits;
}

// Counts the rows of each word.  Any grid; deterministic.
__global__ void
wa_query_count_rows_kernel(const WaQueryListing args)
{
	const uint32_t words = (args.nrows + 63) / 64;

	for (uint32_t word = blockIdx.x * blockDim.x + threadIdx.x; word < words;
		 word += gridDim.x * blockDim.x)
		args.d_ends[word] =
			(uint32_t) (__popc(wa_query_selected(args, 2 * word)) +
						__popc(wa_query_selected(args, 2 * word + 1)));
}

// Lists the rows, ascending; the counts have been added up.  Each lane of a warp loads half
// a word, and all lanes list the rows of one half after the other.  Any grid of whole
// warps; deterministic.
__global__ void
wa_query_list_rows_kernel(const WaQueryListing args, uint32_t *rows)
{
	const uint32_t halves = (args.nrows + 63) / 64 * 2;
	const unsigned lane = wa_warp_lane();

	for (uint32_t first = blockIdx.x * blockDim.x + threadIdx.x - lane;
		 first < halves; first += gridDim.x * blockDim.x)
	{
		const uint32_t half = first + lane;
		const uint32_t mine = half < halves ? wa_query_selected(args, half) : 0;
		uint32_t place = half < halves ? args.d_ends[half / 2] : 0;

		// The place behind its rows becomes that of the first.
		if (half < halves && half % 2 == 0)
			place -= (uint32_t) __popc(wa_query_selected(args, half + 1));
		place -= (uint32_t) __popc(mine);
		for (unsigned i = 0; i < kWarpLanes; i++)
		{
			const uint32_t bits = __shfl_sync(kFullMask, mine, (int) i);
			const uint32_t begin = __shfl_sync(kFullMask, place, (int) i);

			if ((bits >> lane & 1) != 0)
				rows[begin + (uint32_t) __popc(bits & ((1u << lane) - 1))] =
					(first + i) * kWarpLanes + lane;
		}
	}
}

void
wa_query_start_sums(WaQueryWork *work, uint32_t *d_numbers, uint32_t count)
{
	WaQuerySlot *slot = work->slot;
	size_t bytes = 0;
	unsigned char *d_temporary;

	wa_query_check(
		wa_query_add_up(d_numbers, count, NULL, &bytes, slot->stream));
	d_temporary = wa_query_take<unsigned char>(&slot->d_pool, bytes);
	wa_query_check(
		wa_query_add_up(d_numbers, count, d_temporary, &bytes, slot->stream));
}

WaQueryListing
wa_query_start_listing(WaQueryWork *work, const uint64_t *d_selection)
{
	const uint32_t words = (work->nrows + 63) / 64;
	const WaQueryListing listing = {
		d_selection, work->nrows,
		wa_query_take<uint32_t>(&work->slot->d_pool, words)};

	wa_query_launch(work, wa_query_count_rows_kernel, words, 0, listing);
	wa_query_start_sums(work, listing.d_ends, words);
	return listing;
}

uint32_t
wa_query_count_rows(WaQueryWork *work, const uint64_t *d_selection,
					WaQueryListing *listing)
{
	WaQuerySlot *slot = work->slot;
	uint32_t *count = wa_query_take<uint32_t>(&slot->pool, 1);

	*listing = wa_query_start_listing(work, d_selection);
	wa_query_fetch(slot, count, listing->d_ends + (work->nrows - 1) / 64, 1);
	wa_query_slot_wait(slot);
	return *count;
}

void
wa_query_list_rows(WaQueryWork *work, const WaQueryListing *listing,
				   uint32_t *d_rows)
{
	wa_query_launch(work, wa_query_list_rows_kernel, (listing->nrows + 63) / 64,
					0, *listing, d_rows);
}
