//
// query_rows.cu
//		Listing the rows of a bitmap; see query/rows.h.
//
#include "query/rows.h"

#include "query/sort.h"

// Returns the rows of a word of the bitmap.
__device__ __forceinline__ uint64_t
wa_query_selected(const WaQueryListing &args, uint32_t word)
{
	const uint32_t left = args.nrows - word * 64;

	return args.d_selection[word] &
		   (left < 64 ? ((uint64_t) 1 << left) - 1 : ~(uint64_t) 0);
}

// Counts the rows of each word.  Any grid; deterministic.
__global__ void
wa_query_count_rows_kernel(const WaQueryListing args)
{
	const uint32_t words = (args.nrows + 63) / 64;

	for (uint32_t word = blockIdx.x * blockDim.x + threadIdx.x; word < words;
		 word += gridDim.x * blockDim.x)
	{
		const uint64_t bits = wa_query_selected(args, word);

		args.d_ends[word] = (uint32_t) (__popc((uint32_t) bits) +
										__popc((uint32_t) (bits >> 32)));
	}
}

// Lists the rows, ascending; the counts have been added up.  Any grid;
// deterministic.
__global__ void
wa_query_list_rows_kernel(const WaQueryListing args, uint32_t *rows)
{
	const uint32_t words = (args.nrows + 63) / 64;

	for (uint32_t word = blockIdx.x * blockDim.x + threadIdx.x; word < words;
		 word += gridDim.x * blockDim.x)
	{
		uint64_t bits = wa_query_selected(args, word);
		uint32_t place = word > 0 ? args.d_ends[word - 1] : 0;

		for (; bits != 0; bits &= bits - 1)
			rows[place++] =
				word * 64 + (uint32_t) __ffsll((long long) bits) - 1;
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

void
wa_query_list_rows(WaQueryWork *work, const WaQueryListing *listing,
				   uint32_t *d_rows)
{
	wa_query_launch(work, wa_query_list_rows_kernel, (listing->nrows + 63) / 64,
					0, *listing, d_rows);
}
