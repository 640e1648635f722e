//
// halves.cuh
//		The halves of values of 128 bits.
//
#ifndef WA_CUDA_QUERY_HALVES_CUH
#define WA_CUDA_QUERY_HALVES_CUH

#include "core/int128.h"

// What the kernel takes.
struct WaQueryHalves
{
	const WaInt128 *values;
	uint32_t nrows;
	int64_t *low; // less 2^63, so that it is signed as the high one is
	int64_t *high;
};

// Splits values.  Any grid; deterministic.
__global__ void
wa_query_halves_kernel(const WaQueryHalves args)
{
	for (uint32_t row = blockIdx.x * blockDim.x + threadIdx.x; row < args.nrows;
		 row += gridDim.x * blockDim.x)
	{
		const WaInt128 value = args.values[row];

		args.low[row] = (int64_t) (value.lo ^ (uint64_t) 1 << 63);
		args.high[row] = value.hi;
	}
}

#endif // WA_CUDA_QUERY_HALVES_CUH
