//
// extreme.cuh
//		The smallest and the largest value, in PostgreSQL's order of the type.
//
#ifndef WA_CUDA_OP_EXTREME_CUH
#define WA_CUDA_OP_EXTREME_CUH

#include <limits>
#include <type_traits>

#include "op/operation.cuh"

// Tells whether the integer a sorts before b.
template <typename Value>
__device__ __forceinline__ bool
wa_sorts_before(Value a, Value b)
{
	return a < b;
}

__device__ __forceinline__ bool
wa_sorts_before(WaInt128 a, WaInt128 b)
{
	return wa_int128_get(a) < wa_int128_get(b);
}

// The same for floats: NaN is the largest, and 0 and -0 are equal.  The test of
// b stands for "b is NaN and a is not": of two NaNs either may be taken.
__device__ __forceinline__ bool
wa_sorts_before(float a, float b)
{
	return a < b || b != b;
}

__device__ __forceinline__ bool
wa_sorts_before(double a, double b)
{
	return a < b || b != b;
}

// Tells whether values that are equal look different, of which b is to be shown:
// 0 rather than -0.
template <typename Value>
__device__ __forceinline__ bool
wa_is_better_shown(const Value &a, const Value &b)
{
	if constexpr (std::is_floating_point<Value>::value)
		return a == b && signbit(a);
	return false;
}

// Returns the smaller or the larger of two values.
template <WaOp kOp, typename Value>
__device__ __forceinline__ Value
wa_extreme_of(const Value &a, const Value &b)
{
	const bool is_beaten =
		kOp == WA_OP_MIN ? wa_sorts_before(b, a) : wa_sorts_before(a, b);

	return is_beaten || wa_is_better_shown(a, b) ? b : a;
}

// The first and the last value in the order of a type.
template <typename Value> struct WaRange
{
	using Limits = std::numeric_limits<Value>;

	static constexpr Value kFirst =
		Limits::has_infinity ? -Limits::infinity() : Limits::min();
	static constexpr Value kLast =
		Limits::has_quiet_NaN ? Limits::quiet_NaN() : Limits::max();
};

template <> struct WaRange<WaInt128>
{
	static constexpr WaInt128 kFirst = {0, INT64_MIN};
	static constexpr WaInt128 kLast = {UINT64_MAX, INT64_MAX};
};

// Puts a value where its type belongs.
template <typename Value>
__device__ __forceinline__ void
wa_value_set(WaValue *stored, Value value)
{
	if (std::is_floating_point<Value>::value)
		stored->f = (double) value;
	else if (std::is_signed<Value>::value)
		stored->i = (int64_t) value;
	else
		stored->u = (uint64_t) value;
}

__device__ __forceinline__ void
wa_value_set(WaValue *stored, WaInt128 value)
{
	stored->wide = value;
}

template <WaOp kOp, WaStorage kStorage> struct WaExtreme
{
	using Value = typename WaStorageValue<kStorage>::Type;

	// Kept as a 32-bit word at least, which is what shuffles move.
	using Kept = typename std::conditional<sizeof(Value) < sizeof(int32_t),
										   int32_t, Value>::type;

	static constexpr Value kNeutral =
		kOp == WA_OP_MIN ? WaRange<Value>::kLast : WaRange<Value>::kFirst;

	struct State
	{
		Kept extreme;
	};

	__device__ __forceinline__ static State
	init()
	{
		return {(Kept) kNeutral};
	}

	__device__ __forceinline__ static Value
	neutral()
	{
		return kNeutral;
	}

	template <unsigned kRows>
	__device__ __forceinline__ static void
	add(State &state, const Value (&values)[kRows])
	{
#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
			state.extreme =
				wa_extreme_of<kOp, Kept>(state.extreme, (Kept) values[i]);
	}

	__device__ __forceinline__ static void
	merge(State &into, const State &from)
	{
		into.extreme = wa_extreme_of<kOp, Kept>(into.extreme, from.extreme);
	}

	__device__ __forceinline__ static void
	store(const State &state, WaKernelResult *result)
	{
		WaValue value;

		value.wide = {0, 0}; // no word is left undefined
		wa_value_set(&value, state.extreme);
		(kOp == WA_OP_MIN ? result->min : result->max) = value;
	}
};

template <WaStorage kStorage>
struct WaOperation<WA_OP_MIN, kStorage> : WaExtreme<WA_OP_MIN, kStorage>
{
};

template <WaStorage kStorage>
struct WaOperation<WA_OP_MAX, kStorage> : WaExtreme<WA_OP_MAX, kStorage>
{
};

#endif // WA_CUDA_OP_EXTREME_CUH
