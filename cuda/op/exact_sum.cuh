//
// exact_sum.cuh
//		Exact sums of floats, as core/exact_sum.h describes them.
//
// A thread keeps a window and takes a whole array of values at a time: the
// range of their magnitudes tells whether all fit, and how many of the window's
// constants it takes to hold them whole (steps): doubles mostly need two,
// floats one.  What is rare (infinities, NaN, numbers that no window holds, and
// what the last constant leaves) is looked at one by one in a loop over a copy
// in local memory.
//
#ifndef WA_CUDA_OP_EXACT_SUM_CUH
#define WA_CUDA_OP_EXACT_SUM_CUH

#include <stddef.h>

#include "block/limbs.cuh"
#include "op/exact_range.cuh"
#include "op/operation.cuh"

using WaSumWords = WaBlockLimbs<WaExactSum>;

// Where the counts lie among the words of a WaExactSum.
constexpr unsigned kPositiveInfinitiesWord =
	offsetof(WaExactSum, positive_infinities) / sizeof(int64_t);
constexpr unsigned kNegativeInfinitiesWord =
	offsetof(WaExactSum, negative_infinities) / sizeof(int64_t);
constexpr unsigned kNansWord = offsetof(WaExactSum, nans) / sizeof(int64_t);
constexpr unsigned kNegativeZerosWord =
	offsetof(WaExactSum, negative_zeros) / sizeof(int64_t);

// High word of the limit of the highest window; numbers from there on, and
// infinities and NaN, are special.
constexpr uint32_t kSpecialTop = wa_exact_top_of_power(WA_EXACT_MAX_K + 50);

// Adds a special number to the block's limbs or counts it there.
__device__ __forceinline__ void
wa_exact_add_special(double x, WaSumWords &limbs)
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

// A thread's window, with a third constant 51 binades below the second.
struct WaSumWindow
{
	WaExactWindow upper;
	int64_t s3; // sum in units of 2^unit(2)

	// The unit of a sum, counted from 0; no bit of a double lies below 2^-1074.
	__device__ __forceinline__ int
	unit(int sum) const
	{
		return max(upper.k - 51 * sum, -1074);
	}

	__device__ __forceinline__ double
	constant3() const
	{
		return 1.5 * wa_power_of_two(unit(2) + 52);
	}

	// Takes values that fit into the window by its first kSteps constants.
	// Tells whether that leaves anything of them.
	template <int kSteps, typename Float, unsigned kRows>
	__device__ __forceinline__ bool
	take(const Float (&values)[kRows])
	{
		const double c3 = kSteps > 2 ? constant3() : 0;
		uint64_t bits[3] = {0, 0, 0};
		uint64_t rests = 0;

#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
		{
			double rest = wa_exact_round(values[i], upper.c1, &bits[0]);

			if (kSteps > 1)
				rest = wa_exact_round(rest, upper.c2, &bits[1]);
			if (kSteps > 2)
				rest = wa_exact_round(rest, c3, &bits[2]);
			rests |= wa_double_bits(rest);
		}
		upper.s1 += wa_exact_units(bits[0], upper.c1, kRows);
		if (kSteps > 1)
			upper.s2 += wa_exact_units(bits[1], upper.c2, kRows);
		if (kSteps > 2)
			s3 += wa_exact_units(bits[2], c3, kRows);
		return rests << 1 != 0; // -0 is nothing
	}

	// Returns what `take` leaves of a value.
	template <int kSteps>
	__device__ __forceinline__ double
	rest_of(double x) const
	{
		uint64_t ignored = 0;

		x = wa_exact_round(x, upper.c1, &ignored);
		if (kSteps > 1)
			x = wa_exact_round(x, upper.c2, &ignored);
		if (kSteps > 2)
			x = wa_exact_round(x, constant3(), &ignored);
		return x;
	}
};

// kSteps: how many of the window's constants hold values whole that are near
// the largest; those further away take one more.
template <typename V, int kSteps> struct WaExactOperation
{
	using Value = V;
	static constexpr bool kSquares = false;

	struct Limbs
	{
		WaSumWords sum;
	};

	struct State
	{
		WaSumWindow window;
		uint32_t near;  // high word of the least that kSteps constants hold
		uint32_t taken; // rows since the window was empty
		uint32_t negative_zeros;
	};

	__device__ __forceinline__ static State
	init()
	{
		return {};
	}

	__device__ __forceinline__ static Value
	neutral()
	{
		return 0;
	}

	template <unsigned kRows>
	__device__ __forceinline__ static void
	add(State &state, const Value (&values)[kRows], Limbs &limbs)
	{
		WaExactRange range = wa_exact_range(values);
		Value ordinary[kRows];

#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
			ordinary[i] = values[i];
		if (range.zeros)
			state.negative_zeros += wa_exact_negative_zeros(values);
		if (range.top >= kSpecialTop)
		{
			wa_exact_take_out(ordinary, kSpecialTop,
							  [&](double x)
							  { wa_exact_add_special(x, limbs.sum); });
			range = wa_exact_range(ordinary);
		}
		if (range.top >= wa_exact_top(state.window.upper.limit) ||
			state.taken + kRows > WA_EXACT_WINDOW_ROWS)
			move_window(state, range.top, limbs.sum);
		state.taken += kRows;
		if (range.bottom >= state.near)
			(void) state.window.template take<kSteps>(ordinary);
		else if (state.window.template take<kSteps + 1>(ordinary))
			add_rests(state.window, ordinary, limbs.sum);
	}

	__device__ __forceinline__ static void
	finish(const State &state, Limbs &limbs)
	{
		const WaSumWindow &window = state.window;

		wa_block_limbs_add_warp(
			limbs.sum, wa_exact_split(window.upper.s1, window.unit(0)));
		wa_block_limbs_add_warp(
			limbs.sum, wa_exact_split(window.upper.s2, window.unit(1)));
		wa_block_limbs_add_warp(limbs.sum,
								wa_exact_split(window.s3, window.unit(2)));
		wa_block_limbs_count_warp(limbs.sum, kNegativeZerosWord,
								  state.negative_zeros);
	}

  private:
	// Empties the window and puts it around numbers with this high word.
	__device__ __forceinline__ static void
	move_window(State &state, uint32_t top, WaSumWords &limbs)
	{
		WaSumWindow &window = state.window;

		add_if_any(window.upper.s1, window.unit(0), limbs);
		add_if_any(window.upper.s2, window.unit(1), limbs);
		add_if_any(window.s3, window.unit(2), limbs);
		window.upper =
			wa_exact_window_around(wa_bits_double((uint64_t) top << 32));
		window.s3 = 0;
		state.near = wa_exact_multiples_from<Value>(window.unit(kSteps - 1));
		state.taken = 0;
	}

	__device__ __forceinline__ static void
	add_if_any(int64_t number, int exponent, WaSumWords &limbs)
	{
		if (number != 0)
			wa_block_limbs_add(limbs, wa_exact_split(number, exponent));
	}

	// Adds to the limbs what the window has left of some values.
	template <unsigned kRows>
	__device__ __forceinline__ static void
	add_rests(const WaSumWindow &window, const Value (&values)[kRows],
			  WaSumWords &limbs)
	{
		Value copy[kRows];

#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
			copy[i] = values[i];
#pragma unroll 1
		for (unsigned i = 0; i < kRows; i++)
		{
			const double rest =
				window.template rest_of<kSteps + 1>((double) copy[i]);

			if (rest != 0)
				wa_block_limbs_add(limbs, wa_exact_split_double(rest));
		}
	}
};

template <> struct WaOperation<WA_OP_SUM, WA_F32> : WaExactOperation<float, 1>
{
};

template <> struct WaOperation<WA_OP_SUM, WA_F64> : WaExactOperation<double, 2>
{
};

#endif // WA_CUDA_OP_EXACT_SUM_CUH
