//
// joint.h
//		The kernel that reduces several columns by one launch.
//
#ifndef WA_CUDA_JOINT_H
#define WA_CUDA_JOINT_H

#include "grid/args.cuh"

struct WaJointArgs
{
	WaColumnArgs columns[WA_KERNEL_MAX_COLUMNS]; // in the order of their blocks
	int reductions[WA_KERNEL_MAX_COLUMNS];       // see wa_joint_reduction
};

// Returns the number that the kernel knows a reduction by.  The operations are
// those that WA_REDUCTION_LIST has for the storage, or none.
int wa_joint_reduction(WaStorage storage, WaOpSet ops, bool bitmap);

// Starts the kernel.  blocks is the sum of the columns' blocks; columns that
// there are not have UINT_MAX for their first block.
cudaError_t wa_joint_launch(const WaJointArgs &args, unsigned blocks,
							cudaStream_t stream);

#endif // WA_CUDA_JOINT_H
