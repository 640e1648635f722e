//
// gather.cuh
//		Values of a few rows.
//
#ifndef WA_CUDA_QUERY_GATHER_CUH
#define WA_CUDA_QUERY_GATHER_CUH

#include "query/work.h"

// What the gathering kernel takes.
struct WaQueryGather
{
	const void *values;
	const uint32_t *rows; // numbers from nrows on are left out
	uint32_t nrows;
	uint32_t count;
	int64_t *gathered;
};

// Stores the values of some rows.  Any grid; deterministic.
template <typename Value, typename Gathered>
__global__ void
wa_query_gather_kernel(const WaQueryGather args)
{
	const Value *values = static_cast<const Value *>(args.values);

	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < args.count;
		 i += gridDim.x * blockDim.x)
	{
		const uint32_t row = args.rows[i];
		Gathered value = 0;
		int64_t bits = 0;

		if (row < args.nrows)
			value = values[row];
		memcpy(&bits, &value, sizeof(value));
		args.gathered[i] = bits;
	}
}

#endif // WA_CUDA_QUERY_GATHER_CUH
