//
// columns.cuh
//		What is found of columns beside their reductions.
//
#ifndef WA_CUDA_QUERY_COLUMNS_CUH
#define WA_CUDA_QUERY_COLUMNS_CUH

#include "query/work.h"

// What the intersection kernel takes.
struct WaQueryIntersection
{
	const uint64_t *a;
	const uint64_t *b;
	uint64_t *both;
	uint32_t words;
};

// Makes the intersection of two bitmaps.  Any grid; deterministic.
__global__ void
wa_query_intersect_kernel(const WaQueryIntersection args)
{
	for (uint32_t word = blockIdx.x * blockDim.x + threadIdx.x;
		 word < args.words; word += gridDim.x * blockDim.x)
		args.both[word] = args.a[word] & args.b[word];
}

// What the kernel of the last zero takes.
struct WaQueryZeros
{
	const void *values;
	const uint64_t *validity;
	uint32_t nrows;
	unsigned long long *last; // 0 at first
};

// Finds the last valid row that is 0 or -0: *last becomes twice its number, plus
// 2, plus 1 if it is -0.  Any grid; deterministic.
template <typename Value>
__global__ void
wa_query_last_zero_kernel(const WaQueryZeros args)
{
	const Value *values = static_cast<const Value *>(args.values);
	unsigned long long last = 0;

	for (uint32_t row = blockIdx.x * blockDim.x + threadIdx.x; row < args.nrows;
		 row += gridDim.x * blockDim.x)
		if ((args.validity[row / 64] >> row % 64 & 1) != 0 && values[row] == 0)
			last = 2 * ((unsigned long long) row + 1) +
				   (1 / values[row] < 0 ? 1 : 0);
	if (last != 0)
		atomicMax(args.last, last);
}

#endif // WA_CUDA_QUERY_COLUMNS_CUH
