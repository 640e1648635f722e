//
// prepare.cuh
//		Small kernels that prepare a grouped reduction.
//
#ifndef WA_CUDA_GROUP_PREPARE_CUH
#define WA_CUDA_GROUP_PREPARE_CUH

#include "block/shared.cuh"
#include "group/window.cuh"

// Rows that each thread of the sampling kernel looks at.
constexpr unsigned kSampledRows = 16;

// Binades above the largest number of the sample that window 0 leaves for
// others.
constexpr int kGroupHeadroom = 4;

// Writes ids from which the rows that are not valid are taken out.  Any grid of
// blocks of kGroupThreads threads; no shared memory; deterministic.
__global__ void
wa_group_mask_kernel(const uint32_t *groups, const uint32_t *validity,
					 unsigned nrows, uint32_t *masked)
{
	for (unsigned row = blockIdx.x * kGroupThreads + threadIdx.x; row < nrows;
		 row += gridDim.x * kGroupThreads)
		masked[row] = (__ldg(validity + row / 32) >> row % 32 & 1) != 0
						  ? __ldcs(groups + row)
						  : kNoGroup;
}

// Finds where each partition of the sorted ids begins, and where the last one
// ends.  The rows are sorted by bits table_shift and up of their ids, of which
// `mask` are left.  Any grid of blocks of kGroupThreads threads; no shared
// memory; deterministic.
__global__ void
wa_group_starts_kernel(const uint32_t *groups, unsigned nrows,
					   unsigned table_shift, uint32_t mask, unsigned partitions,
					   uint32_t *starts)
{
	for (unsigned partition = blockIdx.x * kGroupThreads + threadIdx.x;
		 partition <= partitions; partition += gridDim.x * kGroupThreads)
	{
		unsigned low = 0;
		unsigned high = nrows;

		while (low < high)
		{
			unsigned middle = (low + high) / 2;

			if ((groups[middle] >> table_shift & mask) < partition)
				low = middle + 1;
			else
				high = middle;
		}
		starts[partition] = low;
	}
}

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

#endif // WA_CUDA_GROUP_PREPARE_CUH
