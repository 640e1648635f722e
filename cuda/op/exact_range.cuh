//
// exact_range.cuh
//		Between which magnitudes an array of floats lies.
//
// Exact sums look at this first: then the additions themselves have no branch.
// Magnitudes are compared by the high words of doubles, which is enough,
// because all that they are compared with are powers of two.
//
#ifndef WA_CUDA_OP_EXACT_RANGE_CUH
#define WA_CUDA_OP_EXACT_RANGE_CUH

#include "core/exact_sum.h"

// Returns the high word of a number, without the sign.
__device__ __forceinline__ uint32_t
wa_exact_top(double x)
{
	return (uint32_t) (wa_double_bits(x) >> 32) & 0x7fffffffu;
}

// Returns the high word of 2^exponent, for exponents of normal doubles only.
WA_INLINE constexpr uint32_t
wa_exact_top_of_power(int exponent)
{
	return (uint32_t) (exponent + 1023) << 20;
}

// What the types differ in: Magnitude, whose bits order numbers as they are;
// the bits of a significand but for the first; the exponent of the smallest
// normal number and that of the lowest bit there is.
template <typename Float> struct WaExactFloat;

template <> struct WaExactFloat<float>
{
	static constexpr int kFractionBits = 23;
	static constexpr int kMinExponent = -126;
	static constexpr int kLowestBit = -149;

	__device__ __forceinline__ static uint32_t
	magnitude(float x)
	{
		return __float_as_uint(x) & 0x7fffffffu;
	}

	__device__ __forceinline__ static uint32_t
	top_of(uint32_t magnitude)
	{
		return wa_exact_top(__uint_as_float(magnitude));
	}

	__device__ __forceinline__ static bool
	is_zero(float x)
	{
		return x == 0;
	}
};

template <> struct WaExactFloat<double>
{
	static constexpr int kFractionBits = 52;
	static constexpr int kMinExponent = -1022;
	static constexpr int kLowestBit = -1074;

	__device__ __forceinline__ static uint32_t
	magnitude(double x)
	{
		return wa_exact_top(x);
	}

	__device__ __forceinline__ static uint32_t
	top_of(uint32_t magnitude)
	{
		return magnitude;
	}

	__device__ __forceinline__ static bool
	is_zero(double x)
	{
		return x == 0;
	}
};

// The high words of the largest and of the smallest magnitude that is not 0
// (all bits set if there is none; NaN is beyond infinity), and whether there
// may be zeros.
struct WaExactRange
{
	uint32_t top;
	uint32_t bottom;
	bool zeros;
};

// The range of values some of which are 0, or so small that the high word is.
template <typename Float, unsigned kRows>
__device__ __forceinline__ WaExactRange
wa_exact_range_with_zeros(const Float (&values)[kRows])
{
	using Traits = WaExactFloat<Float>;
	WaExactRange range = {0, ~0u, true};

#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
	{
		const uint32_t magnitude = Traits::magnitude(values[i]);

		range.top = max(range.top, magnitude);
		if (!Traits::is_zero(values[i]))
			range.bottom = min(range.bottom, magnitude);
	}
	range.top = Traits::top_of(range.top);
	if (range.bottom != ~0u)
		range.bottom = Traits::top_of(range.bottom);
	return range;
}

// Returns the range of an array of values.
template <typename Float, unsigned kRows>
__device__ __forceinline__ WaExactRange
wa_exact_range(const Float (&values)[kRows])
{
	using Traits = WaExactFloat<Float>;
	uint32_t most = 0;
	uint32_t least = ~0u;

	// Less 1, so that 0 is the largest and not in the way of the smallest.
#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
	{
		const uint32_t magnitude = Traits::magnitude(values[i]) - 1;

		most = max(most, magnitude);
		least = min(least, magnitude);
	}
	if (most == ~0u)
		return wa_exact_range_with_zeros(values);
	return {Traits::top_of(most + 1), Traits::top_of(least + 1), false};
}

// Returns the high word of the least magnitude from which on all numbers are
// multiples of 2^unit.
template <typename Float>
__device__ __forceinline__ uint32_t
wa_exact_multiples_from(int unit)
{
	using Traits = WaExactFloat<Float>;

	if (unit <= Traits::kLowestBit)
		return 0;
	return wa_exact_top_of_power(
		max(unit + Traits::kFractionBits, Traits::kMinExponent));
}

// Returns how many of the values are -0.
template <typename Float, unsigned kRows>
__device__ __forceinline__ uint32_t
wa_exact_negative_zeros(const Float (&values)[kRows])
{
	uint32_t count = 0;

#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
		count += wa_double_bits(values[i]) == (uint64_t) 1 << 63;
	return count;
}

// Calls take(x) for every x among the values whose high word is `limit` or
// more, and makes it 0.  For the rare: it goes through a copy in local memory,
// since unrolled in registers it would make a kernel several times as long.
template <typename Float, unsigned kRows, typename Take>
__device__ __forceinline__ void
wa_exact_take_out(Float (&values)[kRows], uint32_t limit, Take take)
{
	Float copy[kRows];

#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
		copy[i] = values[i];
#pragma unroll 1
	for (unsigned i = 0; i < kRows; i++)
		if (wa_exact_top(copy[i]) >= limit)
			take((double) copy[i]);
#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
		if (wa_exact_top(values[i]) >= limit)
			values[i] = 0;
}

#endif // WA_CUDA_OP_EXACT_RANGE_CUH
