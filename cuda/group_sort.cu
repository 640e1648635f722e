//
// group_sort.cu
//		The sort of (group, value) pairs, by CUB's radix sort.
//
#include "group_sort.h"

#include <cub/device/device_radix_sort.cuh>

template <typename Value>
static cudaError_t
sort_values(const WaGroupSort *sort, void *d_temporary, size_t *temporary_bytes,
			cudaStream_t stream)
{
	return cub::DeviceRadixSort::SortPairs(
		d_temporary, *temporary_bytes, sort->d_groups, sort->d_sorted_groups,
		static_cast<const Value *>(sort->d_values),
		static_cast<Value *>(sort->d_sorted_values), (int) sort->nrows,
		sort->begin_bit, sort->end_bit, stream);
}

cudaError_t
wa_group_sort(const WaGroupSort *sort, void *d_temporary,
			  size_t *temporary_bytes, cudaStream_t stream)
{
	switch (sort->value_bytes)
	{
		case 2:
			return sort_values<uint16_t>(sort, d_temporary, temporary_bytes,
										 stream);
		case 4:
			return sort_values<uint32_t>(sort, d_temporary, temporary_bytes,
										 stream);
		case 8:
			return sort_values<uint64_t>(sort, d_temporary, temporary_bytes,
										 stream);
		case 16:
			return sort_values<uint4>(sort, d_temporary, temporary_bytes,
									  stream);
		default:
			return cudaErrorInvalidValue;
	}
}
