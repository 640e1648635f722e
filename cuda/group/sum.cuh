//
// sum.cuh
//		Sums and sums of squares of integers, by groups.
//
#ifndef WA_CUDA_GROUP_SUM_CUH
#define WA_CUDA_GROUP_SUM_CUH

#include "core/int128.h"
#include "group/digits.cuh"
#include "group/operation.cuh"

// Returns the values as they are computed with.
template <typename Number, typename Value>
__device__ __forceinline__ Number
wa_group_widen(Value value)
{
	return (Number) value;
}

template <typename Number>
__device__ __forceinline__ Number
wa_group_widen(WaInt128 value)
{
	return (Number) wa_int128_get(value);
}

template <typename Number> struct WaGroupPlain
{
	template <typename Value>
	__device__ __forceinline__ static Number
	of(Value value)
	{
		return wa_group_widen<Number>(value);
	}
};

template <typename Number> struct WaGroupSquare
{
	template <typename Value>
	__device__ __forceinline__ static Number
	of(Value value)
	{
		return (Number) ((Number) value * (Number) value);
	}
};

// Adds Term::of(value), a Number, up.  A Number holds the sum of kMerged terms,
// in kDigits digits, which are the vector of a lane, or if kWarp is set, the
// vectors of a warp.  2^30 rows and a sign fit kNumberWords words.
template <typename V, typename Number, typename Term, unsigned kDigits,
		  unsigned kNumberWords, unsigned kMerged = kGroupRows,
		  bool kWarp = true>
struct WaGroupSum : WaGroupNumber<kNumberWords>
{
	using Value = V;

	__device__ __forceinline__
	WaGroupSum(const WaGroupArgs &, WaGroupSeen &)
	{
	}

	__device__ __forceinline__ void
	add(const WaGroupEntry &entry, Value value, unsigned) const
	{
		this->add_digits(entry, wa_group_digits<kDigits>(Term::of(value)));
	}

	__device__ __forceinline__ void
	add_all(const WaGroupEntry &entry, const Value (&values)[kGroupRows],
			unsigned) const
	{
#pragma unroll
		for (unsigned i = 0; i < kGroupRows; i += kMerged)
			this->add_digits(entry,
							 wa_group_digits<kDigits>(merged(values, i)));
	}

	__device__ __forceinline__ void
	add_warp(const WaGroupEntry &entry, const Value (&values)[kGroupRows],
			 unsigned row) const
	{
		if constexpr (kWarp)
		{
			Number number = wa_group_warp_sum(merged(values, 0));

			if (wa_warp_lane() == 0)
				this->add_digits(entry, wa_group_digits<kDigits>(number));
		}
		else
			add_all(entry, values, row);
	}

  private:
	__device__ __forceinline__ static Number
	merged(const Value (&values)[kGroupRows], unsigned first)
	{
		Number number = 0;

#pragma unroll
		for (unsigned i = 0; i < kMerged; i++)
			number += Term::of(values[first + i]);
		return number;
	}
};

template <>
struct WaGroupOperation<WA_OP_SUM, WA_I16>
	: WaGroupSum<int16_t, int64_t, WaGroupPlain<int64_t>, 1, 2>
{
	using WaGroupSum::WaGroupSum;
};

template <>
struct WaGroupOperation<WA_OP_SUM, WA_I32>
	: WaGroupSum<int32_t, int64_t, WaGroupPlain<int64_t>, 2, 2>
{
	using WaGroupSum::WaGroupSum;
};

template <>
struct WaGroupOperation<WA_OP_SUM, WA_I64>
	: WaGroupSum<int64_t, __int128, WaGroupPlain<__int128>, 3, 3>
{
	using WaGroupSum::WaGroupSum;
};

// Values are below 2^95.
template <>
struct WaGroupOperation<WA_OP_SUM, WA_I128>
	: WaGroupSum<WaInt128, __int128, WaGroupPlain<__int128>, 4, 4>
{
	using WaGroupSum::WaGroupSum;
};

// Squares are at most 2^30.
template <>
struct WaGroupOperation<WA_OP_SQUARES, WA_I16>
	: WaGroupSum<int16_t, int64_t, WaGroupSquare<int64_t>, 2, 2>
{
	using WaGroupSum::WaGroupSum;
};

// At most 2^62.
template <>
struct WaGroupOperation<WA_OP_SQUARES, WA_I32>
	: WaGroupSum<int32_t, __int128, WaGroupSquare<__int128>, 3, 3>
{
	using WaGroupSum::WaGroupSum;
};

// Squares modulo 2^128 of numbers that are signed; at most 2^126, so that four
// of them could be 2^128.
struct WaGroupLongSquare
{
	__device__ __forceinline__ static unsigned __int128
	of(int64_t value)
	{
		return wa_int64_square(value);
	}
};

template <>
struct WaGroupOperation<WA_OP_SQUARES, WA_I64>
	: WaGroupSum<int64_t, unsigned __int128, WaGroupLongSquare, 4, 5, 2, false>
{
	using WaGroupSum::WaGroupSum;
};

#endif // WA_CUDA_GROUP_SUM_CUH
