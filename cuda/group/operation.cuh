//
// operation.cuh
//		The form of an operation that the kernel of grouped reductions runs.
//
// There is one for each line of WA_REDUCTION_LIST, a class with
//
//	Value					a value as the storage has it
//	kWords					words of an entry, but for the count of rows
//	kEmpty					what each of them is at first
//	kWide, kNarrow			arrays of the result
//	(args, seen)			constructor; called by each thread at first
//	add_each(entries, values, row, takes)	takes those of kGroupRows
//							neighbouring rows from `row` on that `takes` tells,
//							each into its entry
//	add_all(entry, values, row)	takes all of them into one entry
//	add_warp(entry, values, row)	the same for a whole warp, whose lanes call it
//							together; they may have entries of different copies
//	flush(copies, target)	puts what a block has of one group to the result
//
// row is the number of a row in the order that the kernel reads rows in; rows
// of one group keep their order in that.  Rows are counted by the kernel.
//
#ifndef WA_CUDA_GROUP_OPERATION_CUH
#define WA_CUDA_GROUP_OPERATION_CUH

#include "group/table.cuh"

template <WaOp kOp, WaStorage kStorage> struct WaGroupOperation;

// What add_each does for an operation with an add(entry, value, row).
template <typename Operation>
__device__ __forceinline__ void
wa_group_add_one_by_one(const Operation &operation,
						const WaGroupEntry (&entries)[kGroupRows],
						const typename Operation::Value (&values)[kGroupRows],
						unsigned row, const bool (&takes)[kGroupRows])
{
#pragma unroll
	for (unsigned i = 0; i < kGroupRows; i++)
		if (takes[i])
			operation.add(entries[i], values[i], row + i);
}

#endif // WA_CUDA_GROUP_OPERATION_CUH
