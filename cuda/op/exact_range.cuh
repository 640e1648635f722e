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
#include "op/values.cuh"
#include "warp/reduce.cuh"

// Returns the high word of a number, without the sign.
__device__ __forceinline__ uint32_t
wa_exact_top(double x)
{
	return (uint32_t) __double2hiint(x) & 0x7fffffffu;
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

	// Returns the number with a word, and nothing behind it.
	__device__ __forceinline__ static float
	of_word(uint32_t word)
	{
		return __uint_as_float(word);
	}

	// Returns the high word of the double with this magnitude.
	__device__ __forceinline__ static uint32_t
	top_of(uint32_t magnitude)
	{
		return wa_exact_top(__uint_as_float(magnitude));
	}

	// The least word of a number that is not 0.
	static constexpr uint32_t kLeastWord = 1;

	// Returns the word of the double with this high word, which is a power of
	// two; of what is larger than all floats, that of infinity.
	__device__ __forceinline__ static uint32_t
	word_of_top(uint32_t top)
	{
		return word((float) wa_bits_double((uint64_t) top << 32));
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
		return (uint32_t) __double2hiint(x);
	}

	__device__ __forceinline__ static double
	of_word(uint32_t word)
	{
		return __hiloint2double((int) word, 0);
	}

	__device__ __forceinline__ static uint32_t
	top_of(uint32_t magnitude)
	{
		return magnitude;
	}

	static constexpr uint32_t kLeastWord = 0x00100000u; // of a normal one

	__device__ __forceinline__ static uint32_t
	word_of_top(uint32_t top)
	{
		return top;
	}

	__device__ __forceinline__ static bool
	is_hidden(double x)
	{
		return wa_exact_top(x) == 0 && __double2loint(x) != 0;
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

// Returns the largest of three.
__device__ __forceinline__ uint32_t
wa_max3(uint32_t a, uint32_t b, uint32_t c)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
	return __vimax3_u32(a, b, c);
#else
	return max(max(a, b), c);
#endif
}

// The magnitudes from some number up to another, which is not among them; all
// are of normal numbers, or of floats.
template <typename Float> struct WaExactSpan
{
	// Twice the words, which drops the sign.  extent is 0 if there is nothing
	// in it.
	uint32_t first;
	uint32_t extent;
	uint32_t fill; // the word of one of them, a power of two

	// Tells whether all values are in it.
	template <unsigned kRows>
	__device__ __forceinline__ bool
	has(const Float (&values)[kRows]) const
	{
		uint32_t furthest = 0;

#pragma unroll
		for (unsigned i = 0; i + 1 < kRows; i += 2)
			furthest =
				wa_max3(furthest, distance(values[i]), distance(values[i + 1]));
		if (kRows % 2 != 0)
			furthest = max(furthest, distance(values[kRows - 1]));
		return furthest < extent;
	}

  private:
	__device__ __forceinline__ uint32_t
	distance(Float x) const
	{
		const uint32_t word = WaExactFloat<Float>::word(x);

		return word + word - first;
	}
};

// Returns the span of the magnitudes with these high words of doubles, the first
// of which may be 0, with `fill`, a power of two, for one of them.
template <typename Float>
__device__ __forceinline__ WaExactSpan<Float>
wa_exact_span(uint32_t bottom, uint32_t limit, double fill)
{
	using Traits = WaExactFloat<Float>;
	const uint32_t first = max(Traits::word_of_top(bottom), Traits::kLeastWord);
	const uint32_t end = Traits::word_of_top(limit);
	WaExactSpan<Float> span;

	span.fill = Traits::word((Float) fill);
	span.first = 2 * first;
	span.extent = end > first ? 2 * (end - first) : 0;
	// nulls have to be among them too
	if (!span.has({(Float) fill}))
		span.extent = 0;
	return span;
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

// Tells whether something is so in all lanes: if one of a warp has to go another
// way, the others lose nothing by going with it.
__device__ __forceinline__ bool
wa_exact_all(bool is_so)
{
	return __all_sync(kFullMask, is_so) != 0;
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
