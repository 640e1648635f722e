//
// sum.cuh
//		Sums of integers, exact for WA_KERNEL_MAX_ROWS rows.
//
#ifndef WA_CUDA_OP_SUM_CUH
#define WA_CUDA_OP_SUM_CUH

#include "op/operation.cuh"

// Sums of int2 and int4, in 64 bits.  Partial is wide enough for the values of
// one add; 32 bits for int2 halve the additions.
template <typename V, typename Partial> struct WaNarrowSum
{
	using Value = V;

	struct State
	{
		int64_t sum;
	};

	__device__ __forceinline__ static State
	init()
	{
		return {0};
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
		Partial sum = 0;

#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
			sum += values[i];
		state.sum += sum;
	}

	__device__ __forceinline__ static void
	merge(State &into, const State &from)
	{
		into.sum += from.sum;
	}

	__device__ __forceinline__ static void
	store(const State &state, WaKernelResult *result)
	{
		result->sum = wa_int128_make(state.sum);
	}
};

template <>
struct WaOperation<WA_OP_SUM, WA_I16> : WaNarrowSum<int16_t, int32_t>
{
};

template <>
struct WaOperation<WA_OP_SUM, WA_I32> : WaNarrowSum<int32_t, int64_t>
{
};

// Sums of int8, as two sums of their halves: no carry between them, and 2^30
// times 2^32 is below 2^63.
template <> struct WaOperation<WA_OP_SUM, WA_I64>
{
	using Value = int64_t;

	struct State
	{
		uint64_t low; // sum of the low 32 bits, unsigned
		int64_t high; // sum of the high 32 bits, signed
	};

	__device__ __forceinline__ static State
	init()
	{
		return {0, 0};
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
		for (unsigned i = 0; i < kRows; i++)
		{
			state.low += (uint32_t) values[i];
			state.high += values[i] >> 32;
		}
	}

	__device__ __forceinline__ static void
	merge(State &into, const State &from)
	{
		into.low += from.low;
		into.high += from.high;
	}

	__device__ __forceinline__ static void
	store(const State &state, WaKernelResult *result)
	{
		result->sum = wa_int128_make(
			(__int128) state.high * ((int64_t) 1 << 32) + state.low);
	}
};

// Sums of I128: the low words as two sums of their halves, the high words as
// they are, since values are below 2^95 in magnitude and high words below 2^31.
template <> struct WaOperation<WA_OP_SUM, WA_I128>
{
	using Value = WaInt128;

	struct State
	{
		uint64_t low;    // sum of the lowest 32 bits
		uint64_t middle; // sum of the next 32 bits
		int64_t high;    // sum of the high words
	};

	__device__ __forceinline__ static State
	init()
	{
		return {0, 0, 0};
	}

	__device__ __forceinline__ static Value
	neutral()
	{
		return {0, 0};
	}

	template <unsigned kRows>
	__device__ __forceinline__ static void
	add(State &state, const Value (&values)[kRows])
	{
#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
		{
			state.low += (uint32_t) values[i].lo;
			state.middle += values[i].lo >> 32;
			state.high += values[i].hi;
		}
	}

	__device__ __forceinline__ static void
	merge(State &into, const State &from)
	{
		into.low += from.low;
		into.middle += from.middle;
		into.high += from.high;
	}

	__device__ __forceinline__ static void
	store(const State &state, WaKernelResult *result)
	{
		const unsigned __int128 low =
			((unsigned __int128) state.middle << 32) + state.low;

		result->sum.lo = (uint64_t) low;
		result->sum.hi = state.high + (int64_t) (low >> 64);
	}
};

#endif // WA_CUDA_OP_SUM_CUH
