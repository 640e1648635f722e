//
// exact_squares.cuh
//		Exact sums of floats together with those of their squares, as
//		core/exact_sum.h and core/exact_squares.h have them.
//
// A window splits x, as wa_exact_window_add does, into pieces a, b, c, which
// are integers in units of 2^k, 2^(k-26), 2^(k-52).  The pieces add up to the
// sum of x, and
//
//	x^2 = a^2 + 2 a b + (2 a c + b^2) + 2 b c + c^2
//
// in units of 2^(2k), 2^(2k-26), ..., 2^(2k-104).  The sum of each of these
// terms over the values of a thread is an integer of 64 bits, added to by
// multiplications of 32 bits.  No square is ever rounded, overflows or
// underflows.
//
// Arrays whose numbers all lie between two powers of two, near the largest, are
// added by one look at their high words: doubles by three pieces, floats, whose
// squares are doubles, by two constants as those of a sum.  Others (with 0 among
// them, too) are looked at closely: those with numbers further away are split
// into one more piece.  What is rare (numbers that no window holds, or with bits
// below the last piece) is looked at one by one in a loop over a copy in local
// memory and goes to the limbs.
//
// Nulls are replaced by a number that the window holds, and taken back by their
// count.
//
#ifndef WA_CUDA_OP_EXACT_SQUARES_CUH
#define WA_CUDA_OP_EXACT_SQUARES_CUH

#include "block/limbs.cuh"
#include "op/exact_range.cuh"
#include "op/exact_sum.cuh"
#include "op/operation.cuh"
#include "op/values.cuh"

using WaSquaresWords = WaBlockLimbs<WaExactSquares>;

// Bits from one piece to the next.
constexpr int kPieceBits = 26;

// Binades above the largest number known that a window leaves for others.
constexpr int kSquaresHeadroom = 2;

// A window at k takes numbers below 2^(k+26).  Its first constant may not be
// beyond the largest double.
constexpr int kSquaresMaxK = 970;

// What stands for nulls in a window is 2^(k + kFillBits), about as large as the
// largest number that it was made for.
constexpr int kFillBits = kPieceBits - kSquaresHeadroom - 1;

// Rows that a window may take before it has to be flushed: pieces are at most
// 2^26, then 2^25, so a row adds at most 2^52 + 2^51 to a sum.
constexpr uint32_t kSquaresWindowRows = 1024;

// High word of the limit of the highest window; numbers from there on go to
// the limbs, but for infinities and NaN, which are counted.
constexpr uint32_t kLargeTop = wa_exact_top_of_power(kSquaresMaxK + kPieceBits);

// Returns the exponent by which wa_exact_split finds the limbs of a
// WaExactSquares for numbers in units of 2^exponent.
__device__ __forceinline__ int
wa_squares_exponent(int exponent)
{
	return exponent - WA_SQUARES_LOWEST_BIT + WA_EXACT_LOWEST_BIT;
}

// Returns what number * 2^exponent adds to the limbs of a WaExactSquares.
__device__ __forceinline__ WaExactChunks
wa_squares_split(int64_t number, int exponent)
{
	return wa_exact_split(number, wa_squares_exponent(exponent));
}

// Adds the square of x to the block's limbs, from any thread.
__device__ __forceinline__ void
wa_squares_add_alone(double x, WaSquaresWords &limbs)
{
	const WaDoubleParts parts = wa_double_parts(x);
	const int exponent = 2 * parts.exponent;
	const unsigned __int128 square =
		wa_int64_square((int64_t) parts.significand);

	if (!wa_is_finite(x))
		return;
	wa_block_limbs_add(limbs,
					   wa_squares_split((int64_t) ((uint64_t) square &
												   (((uint64_t) 1 << 53) - 1)),
										exponent));
	wa_block_limbs_add(
		limbs, wa_squares_split((int64_t) (square >> 53), exponent + 53));
}

// The window of a warp, of at most kMaxPieces pieces, with the sums of one lane.
template <typename Float, int kMaxPieces> struct WaSquaresPieces
{
	static constexpr int kPieces = kMaxPieces; // at most
	static constexpr int kSquares = 2 * kMaxPieces - 1;

	int64_t sums[kMaxPieces];  // in units of 2^unit(i)
	int64_t squares[kSquares]; // in units of 2^square_unit(i)
	uint32_t nulls;            // that fill() stands for

	// The same in all lanes.
	int k;
	uint32_t
		taken; // rows since the window was empty; at first, all it may take

	// The exponent of the unit of a piece.
	__device__ __forceinline__ int
	unit(int piece) const
	{
		return k - kPieceBits * piece;
	}

	// The same of a sum of products.  Those of different pieces come in pairs,
	// of which one is added: where there are no squares among them it counts
	// twice, elsewhere one of its factors is doubled.
	__device__ __forceinline__ int
	square_unit(int sum) const
	{
		return k + unit(sum) + sum % 2;
	}

	// High word of 2^(k+26), which no number in the window reaches.
	__device__ __forceinline__ uint32_t
	limit_top() const
	{
		return wa_exact_top_of_power(k + kPieceBits);
	}

	// High word of the least number from which on all are multiples of the last
	// piece's unit.
	__device__ __forceinline__ uint32_t
	last_from() const
	{
		return wa_exact_multiples_from<Float>(unit(kMaxPieces - 1));
	}

	// Splits x, whose magnitude is below the limit, and returns what is left.
	template <int kPieces>
	__device__ __forceinline__ double
	split(double x, int32_t (&pieces)[kPieces]) const
	{
#pragma unroll
		for (int i = 0; i < kPieces; i++)
		{
			const double constant = 1.5 * wa_power_of_two(unit(i) + 52);
			const double t = x + constant;

			// 1.5 * 2^52 ends in 32 zero bits
			pieces[i] = __double2loint(t);
			x -= t - constant;
		}
		return x;
	}

	// Adds the square of x, whose magnitude is below the limit, by kPieces
	// pieces, `times` times (1 or -1), and the pieces to `few`, which are added
	// to `sums` later.  Returns 0 or -0 if they hold all bits of x.
	template <int kPieces>
	__device__ __forceinline__ double
	add(double x, int times, int32_t (&few)[kPieces])
	{
		int32_t pieces[kPieces];

		x = split(x, pieces);
#pragma unroll
		for (int i = 0; i < kPieces; i++)
		{
			const int32_t piece = times * pieces[i];

			few[i] += piece;
			squares[2 * i] += (int64_t) piece * pieces[i];
#pragma unroll
			for (int j = i + 1; j < kPieces; j++)
				squares[i + j] +=
					(int64_t) piece * ((2 - (i + j) % 2) * pieces[j]);
		}
		return x;
	}

	// Adds values, and tells whether that leaves anything of them.
	template <int kPieces, unsigned kRows>
	__device__ __forceinline__ bool
	take(const Float (&values)[kRows])
	{
		constexpr unsigned kFew = kRows < 16 ? kRows : 16;
		uint64_t rests = 0;

		// With all pieces from the last to the first: the compiler would do
		// what both numbers of pieces have in common ahead of the choice
		// between them, and run out of registers.
#pragma unroll
		for (unsigned first = 0; first < kRows; first += kFew)
		{
			int32_t few[kPieces] = {}; // at most 2^26 of each value

#pragma unroll
			for (unsigned i = first; i < first + kFew; i++)
				rests |= wa_double_bits(add<kPieces>(
					values[kPieces == kMaxPieces ? kRows - 1 - i : i], 1, few));
#pragma unroll
			for (int i = 0; i < kPieces; i++)
				sums[i] += few[i];
		}
		return rests << 1 != 0;
	}

	// Adds what the pieces come to in all lanes to the block's limbs.
	__device__ __forceinline__ void
	add_pieces_to(WaSumWords &sum_limbs, WaSquaresWords &squares_limbs) const
	{
		wa_block_limbs_add_warp(sum_limbs, sums,
								[&](int i) { return unit(i); });
		wa_block_limbs_add_warp(
			squares_limbs, squares,
			[&](int i) { return wa_squares_exponent(square_unit(i)); });
	}
};

// Types differ in how numbers near the largest are added:
//
//	kMinK			the least k
//	near_unit()		the exponent of what take_near takes multiples of
//	span()			the magnitudes of these
//	place(k)		moves the window, which is empty
//	take_near(values) adds such values, which are below the limit
//	add_to(limbs)	adds what the window holds to the limbs, less the nulls
//
// What stands for nulls, so that they are like other numbers, is a multiple of
// the first piece's unit in the span.
//
template <typename Float> struct WaSquaresWindow;

template <> struct WaSquaresWindow<double> : WaSquaresPieces<double, 4>
{
	// The last piece may not be below the smallest double.
	static constexpr int kMinK = -1074 + 3 * kPieceBits;

	__device__ __forceinline__ int
	near_unit() const
	{
		return unit(2);
	}

	// All of normal numbers, so that it takes no registers.
	__device__ __forceinline__ WaExactSpan<double>
	span() const
	{
		return {2 * wa_exact_top_of_power(k), 2 * ((uint32_t) kPieceBits << 20),
				wa_exact_top_of_power(k + kFillBits)};
	}

	__device__ __forceinline__ void
	place(int new_k)
	{
		*this = {};
		k = new_k;
	}

	template <unsigned kRows>
	__device__ __forceinline__ void
	take_near(const double (&values)[kRows])
	{
		(void) take<3>(values);
	}

	__device__ __forceinline__ void
	add_to(WaSumWords &sum_limbs, WaSquaresWords &squares_limbs) const
	{
		WaSquaresWindow<double> rest = *this;

		rest.sums[0] -= (int64_t) nulls << kFillBits;
		rest.squares[0] -= (int64_t) nulls << (2 * kFillBits);
		rest.add_pieces_to(sum_limbs, squares_limbs);
	}
};

// The square of a float is a double, so of two multiplications and additions
// with one rounding each (fma) the first tells what of it lies above the last
// place of a constant, and the second what lies below.
template <> struct WaSquaresWindow<float> : WaSquaresPieces<float, 3>
{
	// No float is near the limits of a double.
	static constexpr int kMinK = WaExactFloat<float>::kLowestBit - kPieceBits;

	int64_t near_sum;        // in units of 2^near_unit()
	int64_t near_squares[2]; // in units of 2^near_square_unit(i)
	WaExactSpan<float> near;

	// Squares are below 2^(2k+52), and multiples of 2^(2k-48).
	__device__ __forceinline__ int
	near_unit() const
	{
		return k - 24;
	}

	__device__ __forceinline__ const WaExactSpan<float> &
	span() const
	{
		return near;
	}

	__device__ __forceinline__ void
	place(int new_k)
	{
		*this = {};
		k = new_k;
		near =
			wa_exact_span<float>(wa_exact_multiples_from<float>(near_unit()),
								 limit_top(), wa_power_of_two(k + kFillBits));
	}

	// Constants as those of WaExactWindow hold 50 bits above their last place.
	__device__ __forceinline__ int
	near_square_unit(int sum) const
	{
		return 2 * k + 2 - 51 * sum;
	}

	template <unsigned kRows>
	__device__ __forceinline__ void
	take_near(const float (&values)[kRows])
	{
		const double c = 1.5 * wa_power_of_two(near_unit() + 52);
		const double c1 = 1.5 * wa_power_of_two(near_square_unit(0) + 52);
		const double c2 = 1.5 * wa_power_of_two(near_square_unit(1) + 52);
		uint64_t bits = 0;
		uint64_t bits1 = 0;
		uint64_t bits2 = 0;

#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
		{
			const double x = values[i];
			const double high = fma(x, x, c1);
			const double low = fma(x, x, c1 - high);

			bits += wa_double_bits(x + c);
			bits1 += wa_double_bits(high);
			bits2 += wa_double_bits(low + c2);
		}
		near_sum += wa_exact_units(bits, c, kRows);
		near_squares[0] += wa_exact_units(bits1, c1, kRows);
		near_squares[1] += wa_exact_units(bits2, c2, kRows);
	}

	__device__ __forceinline__ void
	add_to(WaSumWords &sum_limbs, WaSquaresWords &squares_limbs) const
	{
		const int fill = k + kFillBits;
		const int64_t few = nulls;
		const int64_t sum[1] = {near_sum - (few << (fill - near_unit()))};
		const int64_t squares[2] = {
			near_squares[0] - (few << (2 * fill - near_square_unit(0))),
			near_squares[1]};

		wa_block_limbs_add_warp(sum_limbs, sum,
								[&](int) { return near_unit(); });
		wa_block_limbs_add_warp(
			squares_limbs, squares,
			[&](int i) { return wa_squares_exponent(near_square_unit(i)); });
		add_pieces_to(sum_limbs, squares_limbs);
	}
};

template <typename V> struct WaExactMoments
{
	using Value = V;
	using Window = WaSquaresWindow<V>;
	static constexpr bool kSquares = true;

	struct Limbs
	{
		WaSumWords sum;
		WaSquaresWords squares;
	};

	struct State
	{
		Window window;
		uint32_t negative_zeros;
	};

	__device__ __forceinline__ static State
	init()
	{
		State state = {};

		state.window.taken = kSquaresWindowRows;
		return state;
	}

	__device__ __forceinline__ static Value
	neutral()
	{
		return 0;
	}

	// Puts the window, before there is anything in it, where the lanes' values
	// say: then the first array is added like the others.
	__device__ __forceinline__ static void
	prime(State &state, Value value)
	{
		uint32_t top = wa_exact_top(value);

		top = wa_warp_max_all(top < kLargeTop ? top : 0);
		if (top > 0)
			place_window(state.window, top);
	}

	template <unsigned kRows, typename Mask>
	__device__ __forceinline__ static void
	add(State &state, const WaValues<Value, kRows> &values, Mask valid,
		Limbs &limbs)
	{
		Window &window = state.window;
		const WaExactSpan<Value> span = window.span();
		const WaValues<Value, kRows> filled =
			wa_valid_or(values, valid, WaExactFloat<Value>::of_word(span.fill));

		if (wa_exact_all(window.taken + kRows <= kSquaresWindowRows &&
						 span.has(filled.values)))
		{
			window.taken += kRows;
			window.nulls += wa_nulls_of<kRows>(valid);
			window.take_near(filled.values);
		}
		else
			add_any(state,
					wa_valid_or(filled, wa_mask_again(valid), neutral()).values,
					limbs);
	}

	__device__ __forceinline__ static void
	finish(const State &state, Limbs &limbs)
	{
		state.window.add_to(limbs.sum, limbs.squares);
		wa_block_limbs_count_warp(limbs.sum, kNegativeZerosWord,
								  state.negative_zeros);
	}

  private:
	// Adds values of any kind.
	template <unsigned kRows>
	__device__ __forceinline__ static void
	add_any(State &state, const Value (&values)[kRows], Limbs &limbs)
	{
		Window &window = state.window;
		WaExactRange range = wa_exact_range(values);
		Value ordinary[kRows];

#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
			ordinary[i] = values[i];
		if (range.negative_zeros)
			state.negative_zeros += wa_exact_negative_zeros(values);
		if (range.top >= kLargeTop)
		{
			wa_exact_take_out(ordinary, kLargeTop,
							  [&](double x) { add_alone(x, limbs); });
			range = wa_exact_range(ordinary);
		}
		if (!wa_exact_all(range.top < window.limit_top() &&
						  window.taken + kRows <= kSquaresWindowRows))
		{
			window.add_to(limbs.sum, limbs.squares);
			place_window(window, wa_warp_max_all(range.top));
		}
		window.taken += kRows;
		if (wa_exact_all(range.bottom >= near_from(window)))
			window.take_near(ordinary);
		else if (wa_exact_all(range.bottom >= window.last_from()))
			(void) window.template take<Window::kPieces>(ordinary);
		else if (window.template take<Window::kPieces>(ordinary))
			add_rests(window, ordinary, limbs);
	}

	// High word of the least number that take_near takes.
	__device__ __forceinline__ static uint32_t
	near_from(const Window &window)
	{
		return wa_exact_multiples_from<Value>(window.near_unit());
	}

	// Adds a number of any kind to the limbs, and its square.
	__device__ __forceinline__ static void
	add_alone(double x, Limbs &limbs)
	{
		wa_exact_add_special(x, limbs.sum);
		wa_squares_add_alone(x, limbs.squares);
	}

	// Puts the window, which is empty, around numbers with this high word, which
	// is the same in all lanes.
	__device__ __forceinline__ static void
	place_window(Window &window, uint32_t top)
	{
		const int exponent = (int) (top >> 20) - 1023;
		const int k = exponent + 1 + kSquaresHeadroom - kPieceBits;

		window.place(min(max(k, Window::kMinK), kSquaresMaxK));
	}

	// Takes those values out of the window again that it does not hold whole.
	template <unsigned kRows>
	__device__ __forceinline__ static void
	add_rests(Window &window, const Value (&values)[kRows], Limbs &limbs)
	{
		constexpr int kPieces = Window::kPieces;
		Value copy[kRows];

#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
			copy[i] = values[i];
#pragma unroll 1
		for (unsigned i = 0; i < kRows; i++)
		{
			int32_t pieces[kPieces];

			if (window.split((double) copy[i], pieces) == 0)
				continue;
			int32_t few[kPieces] = {};

			(void) window.template add<kPieces>(copy[i], -1, few);
#pragma unroll
			for (int j = 0; j < kPieces; j++)
				window.sums[j] += few[j];
			add_alone(copy[i], limbs);
		}
	}
};

template <> struct WaOperation<WA_OP_SQUARES, WA_F32> : WaExactMoments<float>
{
};

template <> struct WaOperation<WA_OP_SQUARES, WA_F64> : WaExactMoments<double>
{
};

#endif // WA_CUDA_OP_EXACT_SQUARES_CUH
