//
// query_sort.cu
//		The sort of (word, row) pairs and the sums, by CUB; see query/sort.h.
//
#include "query/sort.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

cudaError_t
wa_query_sort(WaQuerySort *sort, void *d_temporary, size_t *temporary_bytes,
			  cudaStream_t stream)
{
	cub::DoubleBuffer<uint64_t> words(sort->d_words[0], sort->d_words[1]);
	cub::DoubleBuffer<uint32_t> rows(sort->d_rows[0], sort->d_rows[1]);
	const cudaError_t error = cub::DeviceRadixSort::SortPairs(
		d_temporary, *temporary_bytes, words, rows, (int) sort->nrows, 0,
		sort->end_bit, stream);

	sort->sorted_words = (unsigned) words.selector;
	sort->sorted_rows = (unsigned) rows.selector;
	return error;
}

cudaError_t
wa_query_add_up(uint32_t *d_numbers, size_t count, void *d_temporary,
				size_t *temporary_bytes, cudaStream_t stream)
{
	return cub::DeviceScan::InclusiveSum(d_temporary, *temporary_bytes,
										 d_numbers, d_numbers, (int) count,
										 stream);
}
