//
// exact_sum.cuh
//		Exact sums of floats, as core/exact_sum.h describes them.
//
// A thread keeps a window and takes a whole array of values at a time: the
// largest magnitude among them tells whether all fit.  What is rare
// (infinities, NaN, numbers that no window holds, remainders below the window)
// is looked at one by one in a loop over a copy in local memory.
//
#ifndef WA_CUDA_OP_EXACT_SUM_CUH
#define WA_CUDA_OP_EXACT_SUM_CUH

#include <stddef.h>

#include "block/limbs.cuh"
#include "op/exact_top.cuh"
#include "op/operation.cuh"

using WaSumLimbs = WaBlockLimbs<WaExactSum>;

// Where the counts lie among the words of a WaExactSum.
constexpr unsigned kPositiveInfinitiesWord =
	offsetof(WaExactSum, positive_infinities) / sizeof(int64_t);
constexpr unsigned kNegativeInfinitiesWord =
	offsetof(WaExactSum, negative_infinities) / sizeof(int64_t);
constexpr unsigned kNansWord = offsetof(WaExactSum, nans) / sizeof(int64_t);
constexpr unsigned kNegativeZerosWord =
	offsetof(WaExactSum, negative_zeros) / sizeof(int64_t);

__device__ __forceinline__ bool
wa_exact_is_negative_zero(double x)
{
	return wa_double_bits(x) == (uint64_t) 1 << 63;
}

__device__ __forceinline__ bool
wa_exact_is_negative_zero(float x)
{
	return __float_as_uint(x) == 0x80000000u;
}

// High word of the limit of the highest window; numbers from there on, and
// infinities and NaN, are special.
constexpr uint32_t kSpecialTop = wa_exact_top_of_power(WA_EXACT_MAX_K + 50);

// Adds a special number to the block's limbs or counts it there.
__device__ __forceinline__ void
wa_exact_add_special(double x, WaSumLimbs &limbs)
{
	if (wa_is_finite(x))
		wa_block_limbs_add(limbs, wa_exact_split_double(x));
	else if (x != x)
		wa_block_limbs_add_word(limbs, kNansWord, 1);
	else
		wa_block_limbs_add_word(
			limbs, x > 0 ? kPositiveInfinitiesWord : kNegativeInfinitiesWord,
			1);
}

// Rounds x to the unit in the last place of the constant, as a step of
// wa_exact_window_add does, and adds the bits of the sum to *bits.  Returns
// what the rounding left of x.
__device__ __forceinline__ double
wa_exact_round(double x, double constant, uint64_t *bits)
{
	double sum = x + constant;

	*bits += wa_double_bits(sum);
	return x - (sum - constant);
}

// Returns what `count` sums whose bits add up to `bits` amount to in units of
// the constant's last place.
__device__ __forceinline__ int64_t
wa_exact_units(uint64_t bits, double constant, unsigned count)
{
	return (int64_t) (bits - count * wa_double_bits(constant));
}

// Does wa_exact_window_add on all values, which fit.  Returns 0 if the window
// holds them whole.
template <unsigned kRows>
__device__ __forceinline__ uint64_t
wa_exact_window_take(WaExactWindow &window, const double (&values)[kRows])
{
	uint64_t bits1 = 0;
	uint64_t bits2 = 0;
	uint64_t rests = 0;

#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
	{
		double rest = wa_exact_round(values[i], window.c1, &bits1);

		rests |= wa_double_bits(wa_exact_round(rest, window.c2, &bits2));
	}
	window.s1 += wa_exact_units(bits1, window.c1, kRows);
	window.s2 += wa_exact_units(bits2, window.c2, kRows);
	return rests;
}

// The same for floats.  The first constant alone takes those that are not
// far smaller than the largest, so the second is used only when it has to be.
template <unsigned kRows>
__device__ __forceinline__ uint64_t
wa_exact_window_take(WaExactWindow &window, const float (&values)[kRows])
{
	float copy[kRows];
	uint64_t bits1 = 0;
	uint64_t bits2 = 0;
	uint64_t rests = 0;

#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
		rests |= wa_double_bits(wa_exact_round(values[i], window.c1, &bits1));
	window.s1 += wa_exact_units(bits1, window.c1, kRows);
	if (rests == 0)
		return 0;

	rests = 0;
#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
		copy[i] = values[i];
#pragma unroll 4
	for (unsigned i = 0; i < kRows; i++)
	{
		double rest = wa_exact_round(copy[i], window.c1, &bits1);

		rests |= wa_double_bits(wa_exact_round(rest, window.c2, &bits2));
	}
	window.s2 += wa_exact_units(bits2, window.c2, kRows);
	return rests;
}

template <typename V> struct WaExactOperation
{
	using Value = V;
	using Sum = WaExactSum;

	struct State
	{
		WaExactWindow window;
		uint32_t taken; // rows since the window was empty
		uint32_t negative_zeros;
	};

	__device__ __forceinline__ static State
	init()
	{
		State state;

		state.window.c1 = 0;
		state.window.c2 = 0;
		state.window.limit = 0;
		state.window.s1 = 0;
		state.window.s2 = 0;
		state.window.k = 0;
		state.taken = 0;
		state.negative_zeros = 0;
		return state;
	}

	__device__ __forceinline__ static Value
	neutral()
	{
		return 0;
	}

	__device__ __forceinline__ static Sum *
	sum(WaKernelResult *result)
	{
		return &result->exact;
	}

	template <unsigned kRows>
	__device__ __forceinline__ static void
	add(State &state, const Value (&values)[kRows], WaSumLimbs &limbs)
	{
		uint32_t top = wa_exact_largest_top(values);
		Value ordinary[kRows];

#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
			ordinary[i] = values[i];
		if (top >= kSpecialTop)
			top = wa_exact_take_out(ordinary, kSpecialTop,
									[&](double x)
									{ wa_exact_add_special(x, limbs); });
		if (top >= wa_exact_top(state.window.limit) ||
			state.taken + kRows > WA_EXACT_WINDOW_ROWS)
			move_window(state, top, limbs);
		state.taken += kRows;
#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
			state.negative_zeros += wa_exact_is_negative_zero(ordinary[i]);
		if (wa_exact_window_take(state.window, ordinary) != 0)
			add_rests(state.window, ordinary, limbs);
	}

	__device__ __forceinline__ static void
	finish(const State &state, WaSumLimbs &limbs)
	{
		const WaExactWindow &window = state.window;

		wa_block_limbs_add_warp(limbs, wa_exact_split(window.s1, window.k));
		wa_block_limbs_add_warp(limbs,
								wa_exact_split(window.s2, window.k - 51));
		wa_block_limbs_count_warp(limbs, kNegativeZerosWord,
								  state.negative_zeros);
	}

  private:
	// Empties the window and puts it around numbers with this high word.
	__device__ __forceinline__ static void
	move_window(State &state, uint32_t top, WaSumLimbs &limbs)
	{
		const WaExactWindow &window = state.window;

		if (window.s1 != 0)
			wa_block_limbs_add(limbs, wa_exact_split(window.s1, window.k));
		if (window.s2 != 0)
			wa_block_limbs_add(limbs, wa_exact_split(window.s2, window.k - 51));
		state.window =
			wa_exact_window_around(wa_bits_double((uint64_t) top << 32));
		state.taken = 0;
	}

	// Adds to the limbs what a window left of the values it has taken.
	template <unsigned kRows>
	__device__ __forceinline__ static void
	add_rests(WaExactWindow window, const Value (&values)[kRows],
			  WaSumLimbs &limbs)
	{
		Value copy[kRows];

#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
			copy[i] = values[i];
#pragma unroll 1
		for (unsigned i = 0; i < kRows; i++)
		{
			double rest = wa_exact_window_add(&window, copy[i]);

			if (rest != 0)
				wa_block_limbs_add(limbs, wa_exact_split_double(rest));
		}
	}
};

template <> struct WaOperation<WA_OP_SUM, WA_F32> : WaExactOperation<float>
{
};

template <> struct WaOperation<WA_OP_SUM, WA_F64> : WaExactOperation<double>
{
};

#endif // WA_CUDA_OP_EXACT_SUM_CUH
