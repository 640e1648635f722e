//
// operation.cuh
//		The form of an operation that the kernel of grouped reductions runs.
//
// There is one for each line of WA_REDUCTION_LIST, WaGroupOperation::Type, a class with
//
//	Value					a value as the storage has it
//	kWords					words of an entry, but for the count of rows
//	kEmpty					what each of them is at first
//	kWide, kNarrow			arrays of the result
//	(args, seen)			constructor; called by each thread at first
//	add_each(entries, values, takes)	takes those of kGroupRows neighbouring rows
//							that `takes` tells, each into its entry
//	add_all(entry, values)	takes all of them into one entry
//	add_warp(entry, values)	the same for a whole warp, whose lanes call it
//							together; they may have entries of different copies
//	flush(copies, target)	puts what a block has of one group to the result
//
// Rows are counted by the kernel.
//
#ifndef WA_CUDA_GROUP_OPERATION_CUH
#define WA_CUDA_GROUP_OPERATION_CUH

#include "group/table.cuh"

template <WaOp kOp, WaStorage kStorage> struct WaGroupOperation;

// The base of an operation that takes rows one by one, by add(entry, value), and
// knows nothing better for several.
template <typename Operation, typename V> struct WaGroupOneByOne
{
	using Value = V;

	__device__ __forceinline__ void
	add_each(const WaGroupEntry (&entries)[kGroupRows],
			 const Value (&values)[kGroupRows],
			 const bool (&takes)[kGroupRows]) const
	{
#pragma unroll
		for (unsigned i = 0; i < kGroupRows; i++)
			if (takes[i])
				operation().add(entries[i], values[i]);
	}

	__device__ __forceinline__ void
	add_all(const WaGroupEntry &entry, const Value (&values)[kGroupRows]) const
	{
#pragma unroll
		for (unsigned i = 0; i < kGroupRows; i++)
			operation().add(entry, values[i]);
	}

	__device__ __forceinline__ void
	add_warp(const WaGroupEntry &entry, const Value (&values)[kGroupRows]) const
	{
		operation().add_all(entry, values);
	}

  private:
	__device__ __forceinline__ const Operation &
	operation() const
	{
		return static_cast<const Operation &>(*this);
	}
};

#endif // WA_CUDA_GROUP_OPERATION_CUH
