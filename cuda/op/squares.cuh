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

// The same in 192 bits: 2^30 squares of int8 are below 2^156.
struct WaSquares192
{
	using Pair = unsigned __int128;

	WaUint192 sum;

	__device__ __forceinline__ void
	add(Pair squares)
	{
		wa_uint192_add(&sum, wa_uint192_make(squares));
	}

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

template <typename V, typename S> struct WaIntegerSquares
{
	using Value = V;
	using State = S;

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
	add(State &state, const Value (&values)[kRows])
	{
#pragma unroll
		for (unsigned i = 0; i + 1 < kRows; i += 2)
			state.add(wa_square_of(values[i]) + wa_square_of(values[i + 1]));
		if (kRows % 2 != 0)
			state.add(wa_square_of(values[kRows - 1]));
	}

	__device__ __forceinline__ static void
	merge(State &into, const State &from)
	{
		into.merge(from);
	}

	__device__ __forceinline__ static void
	store(const State &state, WaKernelResult *result)
	{
		result->squares = state.total();
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

template <>
struct WaOperation<WA_OP_SQUARES, WA_I64>
	: WaIntegerSquares<int64_t, WaSquares192>
{
};

#endif // WA_CUDA_OP_SQUARES_CUH
