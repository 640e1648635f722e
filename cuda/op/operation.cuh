//
// operation.cuh
//		What an operation over a storage has to offer to the kernels.
//
// Every reduction of WA_REDUCTION_LIST is a specialization of WaOperation, in
// the header of its operation:
//
//	Value				the C type of the storage
//	State				what a thread keeps
//	init()				the state of no rows
//	neutral()			a value that changes no state when added
//	add(state, values)	adds an array of values
//
// and where states merge by shuffles (accumulators INT, SQUARE, VALUE and BITS)
//
//	merge(into, from)	merges two states, associatively
//	store(state, result) writes the state of all rows to the result
//
// or where they add to limbs (EXACT and EXACT_SQUARE), add takes the mask of the
// values (op/values.cuh) and the block's limbs as well, and all lanes of a warp
// call it together,
//
//	Limbs				what of them there is: sum, and squares with kSquares
//	prime(state, value) with kSquares: see grid/reduce.cuh
//	finish(state, limbs) adds what the state holds to the block's limbs; all
//						lanes of a warp call it together
//
// The squares of floats come with their sum: that operation is both.
//
#ifndef WA_CUDA_OP_OPERATION_CUH
#define WA_CUDA_OP_OPERATION_CUH

#include "kernels.h"

template <WaOp kOp, WaStorage kStorage> struct WaOperation;

template <WaStorage kStorage> struct WaStorageValue;

#define X(name, ctype)                           \
	template <> struct WaStorageValue<WA_##name> \
	{                                            \
		using Type = ctype;                      \
	};
WA_STORAGE_LIST(X)
#undef X

// What operations over integers have in common.  States begin with zeros; they merge
// by merge(from), and what they come to, total(), is a field of the result.
template <typename V, typename S, auto kField> struct WaIntegerOperation
{
	using Value = V;
	using State = S;

	__device__ __forceinline__ static State
	init()
	{
		return {};
	}

	__device__ __forceinline__ static Value
	neutral()
	{
		return {};
	}

	__device__ __forceinline__ static void
	merge(State &into, const State &from)
	{
		into.merge(from);
	}

	__device__ __forceinline__ static void
	store(const State &state, WaKernelResult *result)
	{
		result->*kField = state.total();
	}
};

#endif // WA_CUDA_OP_OPERATION_CUH
