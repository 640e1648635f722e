//
// count.cuh
//		The number of valid rows of a column, by its bitmap alone.
//
#ifndef WA_CUDA_GRID_COUNT_CUH
#define WA_CUDA_GRID_COUNT_CUH

#include "grid/reduce.cuh"

struct WaCountShared
{
	unsigned rows;
	WaGridTicket ticket;
};

// Returns the number of bits in some words.
template <unsigned kWords>
__device__ __forceinline__ unsigned
wa_count_bits(const uint64_t (&words)[kWords])
{
	unsigned bits = 0;

#pragma unroll
	for (unsigned i = 0; i < kWords; i++)
		bits +=
			__popc((unsigned) words[i]) + __popc((unsigned) (words[i] >> 32));
	return bits;
}

// Counts the valid rows of a column.  All threads of the column.blocks blocks
// of kBlockThreads threads call it; without a bitmap that is one block.  The
// last block to finish writes the result.
__device__ __forceinline__ void
wa_count_column(const WaColumnArgs &column, WaCountShared &shared)
{
	const unsigned whole_words = column.nrows / 64;
	const unsigned rest = column.nrows % 64;
	WaColumnArgs words = column;
	unsigned rows = 0;

	if (column.validity == NULL)
	{
		if (threadIdx.x == 0)
			column.result->rows = column.nrows;
		return;
	}
	words.values = column.validity;
	words.nrows = whole_words;
	if (threadIdx.x == 0)
		shared.rows = 0;
	__syncthreads();
	wa_grid_for_each<false, false, uint64_t>(
		words, [](uint64_t) {},
		[&](const auto &values, auto valid) {
			rows +=
				wa_count_bits(wa_valid_or(values, valid, (uint64_t) 0).values);
		});
	if (rest != 0 && wa_column_block(column) == 0 && threadIdx.x == 0)
	{
		const uint64_t word[1] = {
			static_cast<const uint64_t *>(words.values)[whole_words] &
			(((uint64_t) 1 << rest) - 1)};

		rows += wa_count_bits(word);
	}
	wa_rows_gather(rows, shared.rows);
	__syncthreads();
	if (wa_grid_is_last(&column.scratch->tickets, column.blocks, shared.rows,
						shared.ticket) &&
		threadIdx.x == 0)
		column.result->rows = shared.ticket.rows;
}

#endif // WA_CUDA_GRID_COUNT_CUH
