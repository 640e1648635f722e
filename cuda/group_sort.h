//
// group_sort.h
//		Sorting (group, value) pairs by some bits of the group, stably.
//
// Apart from the kernels, since it takes long to compile and the emulator has a
// version of its own.
//
#ifndef WA_CUDA_GROUP_SORT_H
#define WA_CUDA_GROUP_SORT_H

#include <cuda_runtime.h>
#include <stdint.h>

// The pairs to sort, in device memory; in and out are different arrays.
typedef struct WaGroupSort
{
	size_t value_bytes; // 2, 4, 8 or 16
	size_t nrows;       // at most 2^30
	int begin_bit;      // by the bits from here
	int end_bit;        // to the one below this
	const uint32_t *d_groups;
	uint32_t *d_sorted_groups;
	const void *d_values; // aligned to their width, as are the sorted ones
	void *d_sorted_values;
} WaGroupSort;

// Sorts.  With d_temporary NULL sets *temporary_bytes to the device memory that
// it needs beside, else that has to be its size.
cudaError_t wa_group_sort(const WaGroupSort *sort, void *d_temporary,
						  size_t *temporary_bytes, cudaStream_t stream);

#endif // WA_CUDA_GROUP_SORT_H
