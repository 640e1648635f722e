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

#endif // WA_CUDA_QUERY_COLUMNS_CUH
