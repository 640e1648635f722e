//
// sample.cuh
//		The kernel that places the windows of a grouped sum of floats.
//
#ifndef WA_CUDA_GROUP_SAMPLE_CUH
#define WA_CUDA_GROUP_SAMPLE_CUH

#include "block/shared.cuh"
#include "group/window.cuh"

// Rows that each thread of the sampling kernel looks at.
constexpr unsigned kSampledRows = 16;

// Binades above the largest number of the sample that window 0 leaves for
// others.
constexpr int kGroupHeadroom = 4;

// Places window 0: looks at rows in equal distances and writes a status with
// the largest exponent of finite numbers, plus headroom, as top, and nothing
// seen.  One block of kGroupThreads threads; an int of shared memory.  The
// result is deterministic.
template <typename Float>
__global__ void
wa_group_sample_kernel(WaGroupArgs args)
{
	int &largest = wa_block_shared<int>();
	unsigned step = args.nrows / (kGroupThreads * kSampledRows) + 1;
	int mine = 1;

	if (threadIdx.x == 0)
		largest = 1;
	__syncthreads();
	for (unsigned row = threadIdx.x; row < kGroupThreads * kSampledRows;
		 row += kGroupThreads)
	{
		size_t at = (size_t) row * step;

		if (at >= args.nrows)
			break;
		if (args.validity != NULL &&
			(args.validity[at / 32] >> at % 32 & 1) == 0)
			continue;
		WaGroupParts<Float> parts(static_cast<const Float *>(args.values)[at]);

		if (parts.exponent != WaGroupFloat<Float>::kNotFinite)
			mine = max(mine, parts.exponent);
	}
	atomicMax(&largest, mine);
	__syncthreads();
	if (threadIdx.x == 0)
		*args.status = {largest + kGroupHeadroom, 0, {0, 0}};
}

#endif // WA_CUDA_GROUP_SAMPLE_CUH
