//
// exact_sum.cuh
//		Exact sums of floats, as core/exact_sum.h describes them.
//
// A warp keeps a window, of which each lane has sums, and takes a whole array of values
// at a time: the largest magnitude tells whether all fit.  Doubles take two of the
// window's constants, and a third one where these leave something; floats take one, and
// a second one if the smallest magnitude tells that this may not do.  What is rare
// (infinities, NaN, numbers that no window holds, and what the last constant leaves) is
// looked at one by one in a loop over a copy in local memory.
//
#ifndef WA_CUDA_OP_EXACT_SUM_CUH
#define WA_CUDA_OP_EXACT_SUM_CUH

#include <stddef.h>

#include "block/limbs.cuh"
#include "op/exact_range.cuh"
#include "op/operation.cuh"
#include "op/values.cuh"

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

	// Takes values that fit into the window by its first two constants, and
	// puts what these leave in their place.  Tells whether that is anything.
	template <unsigned kRows>
	__device__ __forceinline__ bool
	take_two(double (&values)[kRows])
	{
		uint64_t bits1 = 0;
		uint64_t bits2 = 0;
		uint64_t rests = 0;

#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
		{
			values[i] = wa_exact_round(values[i], upper.c1, &bits1);
			values[i] = wa_exact_round(values[i], upper.c2, &bits2);
			rests |= wa_double_bits(values[i]);
		}
		upper.s1 += wa_exact_units(bits1, upper.c1, kRows);
		upper.s2 += wa_exact_units(bits2, upper.c2, kRows);
		return rests << 1 != 0; // -0 is nothing
	}

	// The same for what that has left, by the third constant.
	template <unsigned kRows>
	__device__ __forceinline__ bool
	take_third(double (&values)[kRows])
	{
		const double c3 = 1.5 * wa_power_of_two(unit(2) + 52);
		uint64_t bits3 = 0;
		uint64_t rests = 0;

#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
		{
			values[i] = wa_exact_round(values[i], c3, &bits3);
			rests |= wa_double_bits(values[i]);
		}
		s3 += wa_exact_units(bits3, c3, kRows);
		return rests << 1 != 0;
	}

	// Takes floats that are multiples of the first constant's unit.
	template <unsigned kRows>
	__device__ __forceinline__ void
	take_one(const float (&values)[kRows])
	{
		uint64_t bits1 = 0;

#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
			(void) wa_exact_round(values[i], upper.c1, &bits1);
		upper.s1 += wa_exact_units(bits1, upper.c1, kRows);
	}

	// Takes floats by the first two constants, and leaves them as they are.
	// Tells whether something of them is left; where nobody looks at that, it
	// takes no time.
	template <unsigned kRows>
	__device__ __forceinline__ bool
	take_two(const float (&values)[kRows])
	{
		uint64_t bits1 = 0;
		uint64_t bits2 = 0;
		uint64_t rests = 0;

		// From the last to the first: the compiler would do what take_one has
		// in common with this ahead of both, and run out of registers.
#pragma unroll
		for (unsigned i = kRows; i-- > 0;)
		{
			double rest = wa_exact_round(values[i], upper.c1, &bits1);

			rest = wa_exact_round(rest, upper.c2, &bits2);
			rests |= wa_double_bits(rest);
		}
		upper.s1 += wa_exact_units(bits1, upper.c1, kRows);
		upper.s2 += wa_exact_units(bits2, upper.c2, kRows);
		return rests << 1 != 0;
	}

	// Returns what is left of a value after the steps above, which for doubles
	// is in the value's place.
	__device__ __forceinline__ double
	rest_of(double x) const
	{
		return x;
	}

	__device__ __forceinline__ double
	rest_of(float x) const
	{
		uint64_t ignored = 0;

		return wa_exact_round(wa_exact_round(x, upper.c1, &ignored), upper.c2,
							  &ignored);
	}
};

template <typename V> struct WaExactOperation
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
		uint32_t near;  // high word of the least float that one constant holds
		uint32_t far;   // the same for two constants
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

	template <unsigned kRows, typename Mask>
	__device__ __forceinline__ static void
	add(State &state, const WaValues<Value, kRows> &masked, Mask valid,
		Limbs &limbs)
	{
		const WaValues<Value, kRows> selected =
			wa_valid_or(masked, valid, neutral());
		const Value(&values)[kRows] = selected.values;
		WaExactRange range = wa_exact_range(values);
		Value ordinary[kRows];

#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
			ordinary[i] = values[i];
		if (range.negative_zeros)
			state.negative_zeros += wa_exact_negative_zeros(values);
		if (range.top >= kSpecialTop)
		{
			wa_exact_take_out(ordinary, kSpecialTop,
							  [&](double x)
							  { wa_exact_add_special(x, limbs.sum); });
			range = wa_exact_range(ordinary);
		}
		if (!wa_exact_all(range.top < wa_exact_top(state.window.upper.limit) &&
						  state.taken + kRows <= WA_EXACT_WINDOW_ROWS))
			move_window(state, wa_warp_max_all(range.top), limbs.sum);
		state.taken += kRows;
		if (take(state, range, ordinary))
			add_rests(state.window, ordinary, limbs.sum);
	}

	__device__ __forceinline__ static void
	finish(const State &state, Limbs &limbs)
	{
		flush(state.window, limbs.sum);
		wa_block_limbs_count_warp(limbs.sum, kNegativeZerosWord,
								  state.negative_zeros);
	}

  private:
	// Takes values into the window.  Tells whether something of them is left.
	template <unsigned kRows>
	__device__ __forceinline__ static bool
	take(State &state, const WaExactRange &, double (&values)[kRows])
	{
		return state.window.take_two(values) && state.window.take_third(values);
	}

	template <unsigned kRows>
	__device__ __forceinline__ static bool
	take(State &state, const WaExactRange &range, float (&values)[kRows])
	{
		if (wa_exact_all(range.bottom >= state.near))
		{
			state.window.take_one(values);
			return false;
		}
		if (!wa_exact_all(range.bottom >= state.far))
			return state.window.take_two(values);
		(void) state.window.take_two(values);
		return false;
	}

	// Empties the window and puts it around numbers with this high word.
	__device__ __forceinline__ static void
	move_window(State &state, uint32_t top, WaSumWords &limbs)
	{
		WaSumWindow &window = state.window;

		if (state.taken > 0)
			flush(window, limbs);
		window.upper =
			wa_exact_window_around(wa_bits_double((uint64_t) top << 32));
		window.s3 = 0;
		state.near = wa_exact_multiples_from<Value>(window.unit(0));
		state.far = wa_exact_multiples_from<Value>(window.unit(1));
		state.taken = 0;
	}

	// Adds what the window holds to the limbs.
	__device__ __forceinline__ static void
	flush(const WaSumWindow &window, WaSumWords &limbs)
	{
		const int64_t sums[3] = {window.upper.s1, window.upper.s2, window.s3};

		wa_block_limbs_add_warp(limbs, sums,
								[&](int i) { return window.unit(i); });
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
			const double rest = window.rest_of(copy[i]);

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
