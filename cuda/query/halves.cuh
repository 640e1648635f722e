//
// halves.cuh
//		The halves of values of 128 bits.
//
#ifndef WA_CUDA_QUERY_HALVES_CUH
#define WA_CUDA_QUERY_HALVES_CUH

#include "core/int128.h"
#include "query/work.h"

// What the kernel takes.
struct WaQueryHalves
{
	const WaInt128 *values;
	uint32_t nrows;
	int64_t *halves[WA_QUERY_HALVES]; // those of the product may be NULL
};

// Returns the low half of a number, less 2^63, so that it is signed as the high one is.
__device__ __forceinline__ int64_t
wa_query_low_half(uint64_t low)
{
	return (int64_t) (low ^ (uint64_t) 1 << 63);
}

// Splits values.  Any grid; deterministic.
__global__ void
wa_query_halves_kernel(const WaQueryHalves args)
{
	for (uint32_t row = blockIdx.x * blockDim.x + threadIdx.x; row < args.nrows;
		 row += gridDim.x * blockDim.x)
	{
		const WaInt128 value = args.values[row];
		const int64_t low = wa_query_low_half(value.lo);
		const __int128 product = (__int128) low * value.hi;

		args.halves[WA_QUERY_LOW][row] = low;
		args.halves[WA_QUERY_HIGH][row] = value.hi;
		if (args.halves[WA_QUERY_PRODUCT_LOW] == NULL)
			continue;
		args.halves[WA_QUERY_PRODUCT_LOW][row] =
			wa_query_low_half((uint64_t) product);
		args.halves[WA_QUERY_PRODUCT_HIGH][row] = (int64_t) (product >> 64);
	}
}

#endif // WA_CUDA_QUERY_HALVES_CUH
