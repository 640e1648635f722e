//
// sum.cuh
//		Sums of integers, exact for WA_KERNEL_MAX_ROWS rows.
//
#ifndef WA_CUDA_OP_SUM_CUH
#define WA_CUDA_OP_SUM_CUH

#include "op/operation.cuh"

// Sums of int2 and int4, in 64 bits.
struct WaSum64
{
	int64_t sum;

	__device__ __forceinline__ void
	merge(const WaSum64 &from)
	{
		sum += from.sum;
	}

	__device__ __forceinline__ WaInt128
	total() const
	{
		return wa_int128_make(sum);
	}
};

// Partial is wide enough for the values of one add; 32 bits for int2 halve the
// additions.
template <typename V, typename Partial>
struct WaNarrowSum : WaIntegerOperation<V, WaSum64, &WaKernelResult::sum>
{
	template <unsigned kRows>
	__device__ __forceinline__ static void
	add(WaSum64 &state, const V (&values)[kRows])
	{
		Partial sum = 0;

#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
			sum += values[i];
		state.sum += sum;
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
struct WaSumOfHalves
{
	uint64_t low; // sum of the low 32 bits, unsigned
	int64_t high; // sum of the high 32 bits, signed

	__device__ __forceinline__ void
	merge(const WaSumOfHalves &from)
	{
		low += from.low;
		high += from.high;
	}

	__device__ __forceinline__ WaInt128
	total() const
	{
		return wa_int128_make((__int128) high * ((int64_t) 1 << 32) + low);
	}
};

template <>
struct WaOperation<WA_OP_SUM, WA_I64>
	: WaIntegerOperation<int64_t, WaSumOfHalves, &WaKernelResult::sum>
{
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
};

// Sums of I128: the low words as two sums of their halves, the high words as
// they are, since values are below 2^95 in magnitude and high words below 2^31.
struct WaSumOfWords
{
	uint64_t low;    // sum of the lowest 32 bits
	uint64_t middle; // sum of the next 32 bits
	int64_t high;    // sum of the high words

	__device__ __forceinline__ void
	merge(const WaSumOfWords &from)
	{
		low += from.low;
		middle += from.middle;
		high += from.high;
	}

	__device__ __forceinline__ WaInt128
	total() const
	{
		const unsigned __int128 lows = ((unsigned __int128) middle << 32) + low;

		return {(uint64_t) lows, high + (int64_t) (lows >> 64)};
	}
};

template <>
struct WaOperation<WA_OP_SUM, WA_I128>
	: WaIntegerOperation<WaInt128, WaSumOfWords, &WaKernelResult::sum>
{
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
};

#endif // WA_CUDA_OP_SUM_CUH
