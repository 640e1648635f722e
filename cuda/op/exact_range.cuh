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

// What the types differ in: the bits of a significand but for the first, the
// exponent of the smallest normal number and that of the lowest bit there is;
// and the words that order numbers: their magnitudes without the sign, and the
// word with it, which of -0 is the least there is.
template <typename Float> struct WaExactFloat;

template <> struct WaExactFloat<float>
{
	static constexpr int kFractionBits = 23;
	static constexpr int kMinExponent = -126;
	static constexpr int kLowestBit = -149;

	__device__ __forceinline__ static uint32_t
	word(float x)
	{
		return __float_as_uint(x);
	}

	// Returns the high word of the double with this magnitude.
	__device__ __forceinline__ static uint32_t
	top_of(uint32_t magnitude)
	{
		return wa_exact_top(__uint_as_float(magnitude));
	}

	// Tells whether x is not 0 although its word is but for the sign.
	__device__ __forceinline__ static bool
	is_hidden(float)
	{
		return false;
	}
};

// By their high words.
template <> struct WaExactFloat<double>
{
	static constexpr int kFractionBits = 52;
	static constexpr int kMinExponent = -1022;
	static constexpr int kLowestBit = -1074;

	__device__ __forceinline__ static uint32_t
	word(double x)
	{
		return (uint32_t) (wa_double_bits(x) >> 32);
	}

	__device__ __forceinline__ static uint32_t
	top_of(uint32_t magnitude)
	{
		return magnitude;
	}

	__device__ __forceinline__ static bool
	is_hidden(double x)
	{
		return wa_exact_top(x) == 0 && (uint32_t) wa_double_bits(x) != 0;
	}
};

// The high words of the largest and of the smallest magnitude in an array that
// is not 0 (all ones if there is none; NaN is beyond infinity), and whether
// there may be -0.
struct WaExactRange
{
	uint32_t top;
	uint32_t bottom;
	bool negative_zeros;
};

template <typename Float, unsigned kRows>
__device__ __forceinline__ WaExactRange
wa_exact_range(const Float (&values)[kRows])
{
	using Traits = WaExactFloat<Float>;
	int32_t most = -1;
	uint32_t least = ~0u;
	int32_t least_signed = INT32_MAX;
	int32_t first = INT32_MAX;
	WaExactRange range;

	// Magnitudes less 1: then 0 is the smallest of signed integers and the
	// largest of unsigned ones, and out of the way both times.
#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
	{
		const uint32_t word = Traits::word(values[i]);
		const uint32_t magnitude = (word & 0x7fffffffu) - 1;

		most = max(most, (int32_t) magnitude);
		least = min(least, magnitude);
		least_signed = min(least_signed, (int32_t) magnitude);
		first = min(first, (int32_t) word);
	}
	range.top = Traits::top_of((uint32_t) (most + 1));
	range.bottom = least == ~0u ? ~0u : Traits::top_of(least + 1);
	range.negative_zeros = first == INT32_MIN;
	if (least_signed < 0)
	{
#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
			if (Traits::is_hidden(values[i]))
				range.bottom = 0;
	}
	return range;
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

// Tells whether `bottom` is at least `limit`, in all threads that run together:
// if a thread of a warp has to go another way, the others lose nothing by going
// with it.
__device__ __forceinline__ bool
wa_exact_all_from(uint32_t bottom, uint32_t limit)
{
	return __all_sync(__activemask(), bottom >= limit) != 0;
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
