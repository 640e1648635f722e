//
// sort.h
//		Sorting (word, row) pairs, stably, and sums over the elements before.
//
// Apart from the kernels, since it takes long to compile and the emulator has a
// version of its own.
//
#ifndef WA_CUDA_QUERY_SORT_H
#define WA_CUDA_QUERY_SORT_H

#include <cuda_runtime.h>
#include <stdint.h>

// The pairs to sort, in device memory.  There are two arrays of each kind, the
// first of which has them at first.
typedef struct WaQuerySort
{
	size_t nrows; // 1 to 2^30
	int end_bit;  // words are compared by the bits below this, at least one
	uint64_t *d_words[2];
	uint32_t *d_rows[2];
	unsigned sorted_words; // which arrays have the sorted pairs
	unsigned sorted_rows;
} WaQuerySort;

// Sorts.  With d_temporary NULL sets *temporary_bytes to the device memory that
// it needs beside, else that has to be its size.
cudaError_t wa_query_sort(WaQuerySort *sort, void *d_temporary,
						  size_t *temporary_bytes, cudaStream_t stream);

// Makes each number the sum of those up to it.  Memory as above.
cudaError_t wa_query_add_up(uint32_t *d_numbers, size_t count,
							void *d_temporary, size_t *temporary_bytes,
							cudaStream_t stream);

#endif // WA_CUDA_QUERY_SORT_H
