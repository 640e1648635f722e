//
// min.cuh
//		The smallest value, in PostgreSQL's order of the type.
//
#ifndef WA_CUDA_OP_MIN_CUH
#define WA_CUDA_OP_MIN_CUH

#include <limits>

#include "op/operation.cuh"

// Returns the smaller of two integers.
template <typename Value>
__device__ __forceinline__ Value
wa_min_of(Value a, Value b)
{
	return b < a ? b : a;
}

// Returns the smaller of two floats: NaN is the largest, and of 0 and -0 it
// may return either (wa_kernel_finish looks up which one it has to be).
template <typename Value>
__device__ __forceinline__ Value
wa_min_of_floats(Value a, Value b)
{
	return b < a || a != a ? b : a;
}

__device__ __forceinline__ float
wa_min_of(float a, float b)
{
	return wa_min_of_floats(a, b);
}

__device__ __forceinline__ double
wa_min_of(double a, double b)
{
	return wa_min_of_floats(a, b);
}

template <WaStorage kStorage> struct WaOperation<WA_OP_MIN, kStorage>
{
	using Value = typename WaStorageValue<kStorage>::Type;

	// Kept as a 32-bit word at least, which is what shuffles move.
	using Kept = decltype(Value() + Value());

	// The largest value there is.
	using Limits = std::numeric_limits<Value>;
	static constexpr Value kLargest =
		Limits::has_quiet_NaN ? Limits::quiet_NaN() : Limits::max();

	struct State
	{
		Kept min;
	};

	__device__ __forceinline__ static State
	init()
	{
		return {(Kept) kLargest};
	}

	__device__ __forceinline__ static Value
	neutral()
	{
		return kLargest;
	}

	template <unsigned kRows>
	__device__ __forceinline__ static void
	add(State &state, const Value (&values)[kRows])
	{
#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
			state.min = wa_min_of(state.min, (Kept) values[i]);
	}

	__device__ __forceinline__ static void
	merge(State &into, const State &from)
	{
		into.min = wa_min_of(into.min, from.min);
	}

	__device__ __forceinline__ static void
	store(const State &state, WaKernelResult *result)
	{
		if (Limits::is_integer)
			result->min.i = (int64_t) state.min;
		else
			result->min.f = (double) state.min;
	}
};

#endif // WA_CUDA_OP_MIN_CUH
