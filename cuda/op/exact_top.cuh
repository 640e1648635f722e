//
// exact_top.cuh
//		The magnitudes of floats, by their high words.
//
// The limits of windows are powers of two, so comparing high words compares
// magnitudes with limits.  Exact sums look at the largest of a whole array of
// values first: then the additions themselves have no branch.
//
#ifndef WA_CUDA_OP_EXACT_TOP_CUH
#define WA_CUDA_OP_EXACT_TOP_CUH

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

// Returns the high word of the largest magnitude; NaN is beyond infinity.
template <unsigned kRows>
__device__ __forceinline__ uint32_t
wa_exact_largest_top(const double (&values)[kRows])
{
	uint32_t top = 0;

#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
		top = max(top, wa_exact_top(values[i]));
	return top;
}

// The same for floats, widened only once the largest is known.
template <unsigned kRows>
__device__ __forceinline__ uint32_t
wa_exact_largest_top(const float (&values)[kRows])
{
	uint32_t largest = 0;

#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
		largest = max(largest, __float_as_uint(values[i]) & 0x7fffffffu);
	return wa_exact_top(__uint_as_float(largest));
}

// Calls take(x) for every x among the values whose high word is `limit` or
// more, and makes it 0.  Returns the high word of the largest magnitude that
// is left.  For the rare: it goes through a copy in local memory, since
// unrolled in registers it would make a kernel several times as long.
template <typename Value, unsigned kRows, typename Take>
__device__ __forceinline__ uint32_t
wa_exact_take_out(Value (&values)[kRows], uint32_t limit, Take take)
{
	Value copy[kRows];

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
	return wa_exact_largest_top(values);
}

#endif // WA_CUDA_OP_EXACT_TOP_CUH
