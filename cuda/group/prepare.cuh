//
// prepare.cuh
//		Small kernels that prepare rows to be sorted by groups, and to be reduced
//		then.
//
#ifndef WA_CUDA_GROUP_PREPARE_CUH
#define WA_CUDA_GROUP_PREPARE_CUH

#include "group/args.cuh"

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

#endif // WA_CUDA_GROUP_PREPARE_CUH
