//
// list.cuh
//		Which reductions there are kernels for.
//
#ifndef WA_CUDA_GRID_LIST_CUH
#define WA_CUDA_GRID_LIST_CUH

#include "core/types.h"

// Sets of operations.
#define WA_OPS_SUM      WA_OP_BIT(WA_OP_SUM)
#define WA_OPS_VARIANCE (WA_OP_BIT(WA_OP_SUM) | WA_OP_BIT(WA_OP_SQUARES))
#define WA_OPS_MIN      WA_OP_BIT(WA_OP_MIN)
#define WA_OPS_MAX      WA_OP_BIT(WA_OP_MAX)
#define WA_OPS_EXTREMES (WA_OP_BIT(WA_OP_MIN) | WA_OP_BIT(WA_OP_MAX))
#define WA_OPS_RANGE    (WA_OPS_SUM | WA_OPS_EXTREMES)
#define WA_OPS_ALL      (WA_OPS_VARIANCE | WA_OPS_EXTREMES)
#define WA_OPS_BITS     WA_BIT_OPS

// X(storage, set): the reductions of one column by a kernel of their own.  A
// set that is not in a list is served by the first that contains it; results
// that nobody has asked for cost little beside the pass over the values.
#define WA_COLUMN_INTEGERS(X)  \
	WA_COLUMN_NUMBERS(X, I16)  \
	WA_COLUMN_NUMBERS(X, I32)  \
	WA_COLUMN_NUMBERS(X, I64)  \
	X(I16, BITS)               \
	X(I32, BITS)               \
	X(I64, BITS)               \
	WA_COLUMN_ORDERED(X, U32)  \
	WA_COLUMN_ORDERED(X, U64)  \
	X(I128, SUM)               \
	WA_COLUMN_ORDERED(X, I128) \
	X(I128, RANGE)

#define WA_COLUMN_FLOATS(X)   \
	WA_COLUMN_NUMBERS(X, F32) \
	WA_COLUMN_NUMBERS(X, F64)

#define WA_COLUMN_NUMBERS(X, storage) \
	X(storage, SUM)                   \
	WA_COLUMN_ORDERED(X, storage)     \
	X(storage, VARIANCE)              \
	X(storage, RANGE)                 \
	X(storage, ALL)

#define WA_COLUMN_ORDERED(X, storage) \
	X(storage, MIN)                   \
	X(storage, MAX)                   \
	X(storage, EXTREMES)

// X(storage, set): those that the kernel of several columns has.  Fewer, since
// all of them are one kernel, and it is there for small columns.
#define WA_JOINT_LIST(X)     \
	WA_JOINT_NUMBERS(X, I16) \
	WA_JOINT_NUMBERS(X, I32) \
	WA_JOINT_NUMBERS(X, I64) \
	WA_JOINT_NUMBERS(X, F32) \
	WA_JOINT_NUMBERS(X, F64) \
	X(I16, BITS)             \
	X(I32, BITS)             \
	X(I64, BITS)             \
	X(U32, EXTREMES)         \
	X(U64, EXTREMES)         \
	X(I128, SUM)             \
	X(I128, EXTREMES)        \
	X(I128, RANGE)

#define WA_JOINT_NUMBERS(X, storage) \
	X(storage, SUM)                  \
	X(storage, EXTREMES)             \
	X(storage, VARIANCE)             \
	X(storage, ALL)

#endif // WA_CUDA_GRID_LIST_CUH
