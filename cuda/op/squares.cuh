//
// squares.cuh
//		Sums of the squares of integers, exact for WA_KERNEL_MAX_ROWS rows.
//
// Two squares of a storage fit an integer of twice its width with a bit to
// spare, so they are added in pairs there first.
//
#ifndef WA_CUDA_OP_SQUARES_CUH
#define WA_CUDA_OP_SQUARES_CUH

#include "op/operation.cuh"

// A sum of squares in 64 bits: 2^30 squares of int2 are below 2^60.
struct WaSquares64
{
	using Pair = uint32_t;

	uint64_t sum;

	__device__ __forceinline__ void
	add(Pair squares)
	{
		sum += squares;
	}

	__device__ __forceinline__ void
	merge(const WaSquares64 &from)
	{
		sum += from.sum;
	}

	__device__ __forceinline__ WaUint192
	total() const
	{
		return wa_uint192_make(sum);
	}
};

// The same in 128 bits: 2^30 squares of int4 are below 2^92.
struct WaSquares128
{
	using Pair = uint64_t;

	uint64_t low;
	uint64_t high;

	__device__ __forceinline__ void
	add(Pair squares)
	{
		low += squares;
		high += low < squares;
	}

	__device__ __forceinline__ void
	merge(const WaSquares128 &from)
	{
		add(from.low);
		high += from.high;
	}

	__device__ __forceinline__ WaUint192
	total() const
	{
		return wa_uint192_make((unsigned __int128) high << 64 | low);
	}
};

// Returns the square of a number.
__device__ __forceinline__ uint32_t
wa_square_of(int16_t number)
{
	return (uint32_t) ((int32_t) number * number);
}

__device__ __forceinline__ uint64_t
wa_square_of(int32_t number)
{
	return (uint64_t) ((int64_t) number * number);
}

__device__ __forceinline__ unsigned __int128
wa_square_of(int64_t number)
{
	return wa_int64_square(number);
}

template <typename V, typename S>
struct WaIntegerSquares : WaIntegerOperation<V, S, &WaKernelResult::squares>
{
	template <unsigned kRows>
	__device__ __forceinline__ static void
	add(S &state, const V (&values)[kRows])
	{
#pragma unroll
		for (unsigned i = 0; i + 1 < kRows; i += 2)
			state.add(wa_square_of(values[i]) + wa_square_of(values[i + 1]));
		if (kRows % 2 != 0)
			state.add(wa_square_of(values[kRows - 1]));
	}
};

template <>
struct WaOperation<WA_OP_SQUARES, WA_I16>
	: WaIntegerSquares<int16_t, WaSquares64>
{
};

template <>
struct WaOperation<WA_OP_SQUARES, WA_I32>
	: WaIntegerSquares<int32_t, WaSquares128>
{
};

// Squares of int8 in 192 bits: 2^30 of them are below 2^156.
struct WaSquares192
{
	WaUint192 sum;

	__device__ __forceinline__ void
	merge(const WaSquares192 &from)
	{
		wa_uint192_add(&sum, from.sum);
	}

	__device__ __forceinline__ WaUint192
	total() const
	{
		return sum;
	}
};

// A number is high * 2^32 + low with signed halves, and its square
//
//	high^2 * 2^64 + high low * 2^33 + low^2
//
// where each of the three products is one multiplication of 32 bits, and two of
// them fit 64 bits.  That takes half of the instructions of squares of 128 bits.
template <>
struct WaOperation<WA_OP_SQUARES, WA_I64>
	: WaIntegerOperation<int64_t, WaSquares192, &WaKernelResult::squares>
{
	template <unsigned kRows>
	__device__ __forceinline__ static void
	add(State &state, const Value (&values)[kRows])
	{
		if (halves_fit(values))
			add_halves(state.sum, values);
		else
		{
#pragma unroll
			for (unsigned i = 0; i < kRows; i++)
				wa_uint192_add(&state.sum,
							   wa_uint192_make(wa_square_of(values[i])));
		}
	}

  private:
	__device__ __forceinline__ static int32_t
	upper(Value value)
	{
		return (int32_t) (value >> 32);
	}

	// Tells whether the high halves fit 32 bits and are above -2^31, so that
	// two products fit 64.  That leaves out a few numbers that would do.
	template <unsigned kRows>
	__device__ __forceinline__ static bool
	halves_fit(const Value (&values)[kRows])
	{
		int32_t most = upper(values[0]);
		int32_t least = most;

#pragma unroll
		for (unsigned i = 1; i < kRows; i++)
		{
			most = max(most, upper(values[i]));
			least = min(least, upper(values[i]));
		}
		return most != INT32_MAX && least != INT32_MIN;
	}

	template <unsigned kRows>
	__device__ __forceinline__ static void
	add_halves(WaUint192 &sum, const Value (&values)[kRows])
	{
		unsigned __int128 highs = 0;
		__int128 mixed = 0;
		unsigned __int128 lows = 0;
		WaUint192 squares;

#pragma unroll
		for (unsigned i = 0; i < kRows; i += 2)
		{
			uint64_t high_pair = 0;
			int64_t mixed_pair = 0;
			uint64_t low_pair = 0;

#pragma unroll
			for (unsigned j = i; j < kRows && j < i + 2; j++)
			{
				const int32_t low = (int32_t) values[j];
				const int32_t high = upper(values[j]) + (low < 0);

				high_pair += (uint64_t) ((int64_t) high * high);
				mixed_pair += (int64_t) high * low;
				low_pair += (uint64_t) ((int64_t) low * low);
			}
			highs += high_pair;
			mixed += mixed_pair;
			lows += low_pair;
		}
		mixed = (__int128) (lows + ((unsigned __int128) mixed << 33));
		highs += (unsigned __int128) (mixed >> 64);
		squares.word[0] = (uint64_t) mixed;
		squares.word[1] = (uint64_t) highs;
		squares.word[2] = (uint64_t) (highs >> 64);
		wa_uint192_add(&sum, squares);
	}
};

#endif // WA_CUDA_OP_SQUARES_CUH
