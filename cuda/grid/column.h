//
// column.h
//		The kernels that reduce one column, of which those of integers and of
//		floats are compiled by themselves, since they are many; and the one that
//		reduces several columns by one launch.
//
#ifndef WA_CUDA_GRID_COLUMN_H
#define WA_CUDA_GRID_COLUMN_H

#include "grid/args.cuh"

typedef void (*WaColumnKernel)(const WaColumnArgs column);

// A set of operations over a storage, and the kernels for it: without a bitmap
// and with one.
struct WaColumnEntry
{
	WaStorage storage;
	WaOpSet ops;
	WaColumnKernel kernels[2];
	size_t shared_bytes;
	bool is_ahead;
};

// Return the entry that serves operations over a storage, or NULL.
const WaColumnEntry *wa_column_integer_entry(WaStorage storage, WaOpSet ops);
const WaColumnEntry *wa_column_float_entry(WaStorage storage, WaOpSet ops);

// What the kernel of several columns takes.
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

#endif // WA_CUDA_GRID_COLUMN_H
