//
// joint.cu
//		The kernel that reduces several columns by one launch.
//
#include <algorithm>

#include "block/shared.cuh"
#include "grid/column.h"
#include "grid/count.cuh"
#include "grid/list.cuh"
#include "grid/reduce.cuh"
#include "op/bits.cuh"
#include "op/exact_squares.cuh"
#include "op/exact_sum.cuh"
#include "op/extreme.cuh"
#include "op/squares.cuh"
#include "op/sum.cuh"

// Numbers of the reductions; the last is the count of valid rows alone.
enum
{
#define X(storage, ops) REDUCE_##storage##_##ops,
	WA_JOINT_LIST(X)
#undef X
		REDUCE_NOTHING
};

int
wa_joint_reduction(WaStorage storage, WaOpSet ops, bool bitmap)
{
	if (ops == 0)
		return 2 * REDUCE_NOTHING + bitmap;
#define X(reduced, set)                                        \
	if (storage == WA_##reduced && (ops & ~WA_OPS_##set) == 0) \
		return 2 * REDUCE_##reduced##_##set + bitmap;
	WA_JOINT_LIST(X)
#undef X
	return -1;
}

// Returns the shared memory that any of them needs.
static size_t
joint_shared_bytes()
{
	size_t bytes = sizeof(WaCountShared);

#define X(storage, ops)     \
	bytes = std::max(bytes, \
					 sizeof(WaReduction<WA_##storage, WA_OPS_##ops>::Shared));
	WA_JOINT_LIST(X)
#undef X
	return bytes;
}

// Reduces the columns of a launch, each by blocks of its own: blocks of
// kBlockThreads threads, as many as the columns have together;
// joint_shared_bytes() of dynamic shared memory.  Results are deterministic:
// the same for any numbers of blocks.  The last block of a column writes its
// result.
__global__ void
__launch_bounds__(kBlockThreads, kResidentBlocks<false>)
	wa_joint_kernel(const __grid_constant__ WaJointArgs args)
{
	unsigned number = 0;

	while (number + 1 < WA_KERNEL_MAX_COLUMNS &&
		   blockIdx.x >= args.columns[number + 1].first_block)
		number++;
	const WaColumnArgs &column = args.columns[number];

#define REDUCE(storage, ops, bitmap)                             \
	wa_reduce_column<WA_##storage, WA_OPS_##ops, bitmap, false>( \
		column,                                                  \
		wa_block_shared<                                         \
			typename WaReduction<WA_##storage, WA_OPS_##ops>::Shared>())
#define X(storage, ops)                    \
	case 2 * REDUCE_##storage##_##ops:     \
		REDUCE(storage, ops, false);       \
		break;                             \
	case 2 * REDUCE_##storage##_##ops + 1: \
		REDUCE(storage, ops, true);        \
		break;
	switch (args.reductions[number])
	{
		WA_JOINT_LIST(X)
		default:
			wa_count_column(column, wa_block_shared<WaCountShared>());
			break;
	}
#undef X
#undef REDUCE
}

cudaError_t
wa_joint_launch(const WaJointArgs &args, unsigned blocks, cudaStream_t stream)
{
	void *arguments[] = {const_cast<WaJointArgs *>(&args)};

	return cudaLaunchKernel(wa_joint_kernel, dim3(blocks), dim3(kBlockThreads),
							arguments, joint_shared_bytes(), stream);
}
