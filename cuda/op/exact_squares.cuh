//
// exact_squares.cuh
//		Exact sums of the squares of floats, as core/exact_squares.h has them.
//
// A window splits x, as wa_exact_window_add does, into pieces a, b, c, which
// are integers in units of 2^k, 2^(k-26), 2^(k-52); floats need two of them.
// Then
//
//	x^2 = a^2 + 2 a b + (2 a c + b^2) + 2 b c + c^2
//
// in units of 2^(2k), 2^(2k-26), ..., 2^(2k-104).  The sum of each of these
// terms over the values of a thread is an integer of 64 bits, added to by
// multiplications of 32 bits.  No square is ever formed as a float, so nothing
// can be rounded, overflow or underflow.
//
// What is rare (numbers that no window holds, or with bits below it) is looked
// at one by one in a loop over a copy in local memory and goes to the limbs.
//
#ifndef WA_CUDA_OP_EXACT_SQUARES_CUH
#define WA_CUDA_OP_EXACT_SQUARES_CUH

#include <math.h>

#include "block/limbs.cuh"
#include "op/exact_top.cuh"
#include "op/operation.cuh"

using WaSquaresLimbs = WaBlockLimbs<WaExactSquares>;

// Bits from one piece to the next.
constexpr int kPieceBits = 26;

// Binades above the largest number known that a window leaves for others.
constexpr int kSquaresHeadroom = 5;

// A window at k takes numbers below 2^(k+26).  Its lowest piece may not be
// below the smallest double, nor its first constant beyond the largest.
constexpr int kSquaresMinK = -1022;
constexpr int kSquaresMaxK = 970;

// Rows that a window may take before it has to be flushed: pieces are at most
// 2^26, 2^25 and 2^25, so a row adds at most 2^52 + 2^50 to a sum.
constexpr uint32_t kSquaresWindowRows = 1024;

// High word of the limit of the highest window; the squares of numbers from
// there on go to the limbs, but for infinities and NaN, which do not count.
constexpr uint32_t kLargeTop = wa_exact_top_of_power(kSquaresMaxK + kPieceBits);

// Returns what number * 2^exponent adds to the limbs of a WaExactSquares.
__device__ __forceinline__ WaExactChunks
wa_squares_split(int64_t number, int exponent)
{
	return wa_exact_split(number, exponent - WA_SQUARES_LOWEST_BIT +
									  WA_EXACT_LOWEST_BIT);
}

// Adds the square of x to the block's limbs, from any thread.
__device__ __forceinline__ void
wa_squares_add_alone(double x, WaSquaresLimbs &limbs)
{
	const uint64_t bits = wa_double_bits(x);
	const int biased = (int) (bits >> 52) & 0x7ff;
	const uint64_t fraction = bits & (((uint64_t) 1 << 52) - 1);
	const int exponent = 2 * ((biased == 0 ? 1 : biased) - 1075);
	unsigned __int128 square;

	if (biased == 0x7ff)
		return;
	square = wa_int64_square(
		(int64_t) (biased == 0 ? fraction : fraction | (uint64_t) 1 << 52));
	wa_block_limbs_add(limbs,
					   wa_squares_split((int64_t) ((uint64_t) square &
												   (((uint64_t) 1 << 53) - 1)),
										exponent));
	wa_block_limbs_add(
		limbs, wa_squares_split((int64_t) (square >> 53), exponent + 53));
}

// The window of one thread.
template <int kPieces> struct WaSquaresWindow
{
	static constexpr int kSums = 2 * kPieces - 1;

	double constants[kPieces]; // 1.5 * 2^(k + 52 - 26 i)
	int64_t sums[kSums];       // in units of 2^(2k - 26 i)
	int k;
	uint32_t limit_top; // high word of 2^(k+26); 0 while there is no window
	uint32_t taken;     // rows since the window was empty

	// Returns the exponent of the unit of a sum.
	__device__ __forceinline__ int
	unit(int sum) const
	{
		return 2 * k - kPieceBits * sum;
	}

	// Adds the square of x, whose magnitude is below the limit, `times` times
	// (1 or -1) to the sums.  Returns 0 if the window holds all bits of x; if
	// not, the square that has been added is another one.
	__device__ __forceinline__ double
	add(double x, int times)
	{
		int32_t pieces[kPieces];

		x = fabs(x); // else -0 would be left of -0
#pragma unroll
		for (int i = 0; i < kPieces; i++)
		{
			const double t = x + constants[i];

			// 1.5 * 2^52 ends in 32 zero bits
			pieces[i] = __double2loint(t);
			x -= t - constants[i];
		}
#pragma unroll
		for (int i = 0; i < kPieces; i++)
		{
			const int32_t piece = times * pieces[i];

			sums[2 * i] += (int64_t) piece * pieces[i];
#pragma unroll
			for (int j = i + 1; j < kPieces; j++)
				sums[i + j] += (int64_t) piece * (2 * pieces[j]);
		}
		return x;
	}
};

template <typename V, int kPieces> struct WaExactSquaresOperation
{
	using Value = V;
	using State = WaSquaresWindow<kPieces>;
	using Sum = WaExactSquares;

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

	__device__ __forceinline__ static Sum *
	sum(WaKernelResult *result)
	{
		return &result->exact_squares;
	}

	template <unsigned kRows>
	__device__ __forceinline__ static void
	add(State &state, const Value (&values)[kRows], WaSquaresLimbs &limbs)
	{
		uint32_t top = wa_exact_largest_top(values);
		uint64_t rests = 0;
		Value ordinary[kRows];

#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
			ordinary[i] = values[i];
		if (top >= kLargeTop)
			top = wa_exact_take_out(ordinary, kLargeTop,
									[&](double x)
									{ wa_squares_add_alone(x, limbs); });
		if (top >= state.limit_top || state.taken + kRows > kSquaresWindowRows)
			move_window(state, top, limbs);
		state.taken += kRows;
#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
			rests |= wa_double_bits(state.add(ordinary[i], 1));
		if (rests != 0)
			redo(state, ordinary, limbs);
	}

	__device__ __forceinline__ static void
	finish(const State &state, WaSquaresLimbs &limbs)
	{
#pragma unroll
		for (int i = 0; i < State::kSums; i++)
			wa_block_limbs_add_warp(
				limbs, wa_squares_split(state.sums[i], state.unit(i)));
	}

  private:
	// Empties the window and puts it around numbers with this high word.
	__device__ __forceinline__ static void
	move_window(State &state, uint32_t top, WaSquaresLimbs &limbs)
	{
		const int exponent = (int) (top >> 20) - 1023;

#pragma unroll
		for (int i = 0; i < State::kSums; i++)
		{
			if (state.sums[i] != 0)
				wa_block_limbs_add(
					limbs, wa_squares_split(state.sums[i], state.unit(i)));
			state.sums[i] = 0;
		}
		state.k = exponent + 1 + kSquaresHeadroom - kPieceBits;
		state.k = min(max(state.k, kSquaresMinK), kSquaresMaxK);
#pragma unroll
		for (int i = 0; i < kPieces; i++)
			state.constants[i] =
				1.5 * wa_power_of_two(state.k + 52 - kPieceBits * i);
		state.limit_top = wa_exact_top_of_power(state.k + kPieceBits);
		state.taken = 0;
	}

	// Takes out of the window those values it does not hold whole, and adds
	// their squares to the limbs.
	template <unsigned kRows>
	__device__ __forceinline__ static void
	redo(State &state, const Value (&values)[kRows], WaSquaresLimbs &limbs)
	{
		Value copy[kRows];

#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
			copy[i] = values[i];
#pragma unroll 1
		for (unsigned i = 0; i < kRows; i++)
		{
			State trial = state;

			if (trial.add(copy[i], -1) == 0)
				continue;
			state = trial;
			wa_squares_add_alone(copy[i], limbs);
		}
	}
};

template <>
struct WaOperation<WA_OP_SQUARES, WA_F32> : WaExactSquaresOperation<float, 2>
{
};

template <>
struct WaOperation<WA_OP_SQUARES, WA_F64> : WaExactSquaresOperation<double, 3>
{
};

#endif // WA_CUDA_OP_EXACT_SQUARES_CUH
