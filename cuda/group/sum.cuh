//
// sum.cuh
//		Sums and sums of squares of integers, by groups.
//
#ifndef WA_CUDA_GROUP_SUM_CUH
#define WA_CUDA_GROUP_SUM_CUH

#include "core/int128.h"
#include "group/digits.cuh"
#include "group/operation.cuh"
#include "op/squares.cuh"

// The terms of sums: numbers of 64 or 128 bits.
struct WaGroupPlain
{
	__device__ __forceinline__ static int64_t
	of(int64_t value)
	{
		return value;
	}

	__device__ __forceinline__ static __int128
	of(WaInt128 value)
	{
		return wa_int128_get(value);
	}
};

// Squares of signed numbers; of int8 they are at most 2^126.
struct WaGroupSquare
{
	template <typename Value>
	__device__ __forceinline__ static auto
	of(Value value)
	{
		return wa_square_of(value);
	}
};

// Adds Term::of(value) up: one of them has kRowDigits digits, and a Number holds
// the sum of kMerged of them, in kDigits digits, which are the vector of a lane,
// or if kWarp is set, the vectors of a warp.  2^30 rows and a sign fit
// kNumberWords words.
template <typename V, typename Number, typename Term, unsigned kRowDigits,
		  unsigned kDigits, unsigned kNumberWords,
		  unsigned kMerged = kGroupRows, bool kWarp = true>
struct WaGroupSum : WaGroupNumber<kNumberWords>
{
	using Value = V;

	__device__ __forceinline__
	WaGroupSum(const WaGroupArgs &, WaGroupSeen &)
	{
	}

	__device__ __forceinline__ void
	add_each(const WaGroupEntry (&entries)[kGroupRows],
			 const Value (&values)[kGroupRows],
			 const bool (&takes)[kGroupRows]) const
	{
		WaGroupDigits<kRowDigits> digits[kGroupRows];

#pragma unroll
		for (unsigned i = 0; i < kGroupRows; i++)
		{
			digits[i] = wa_group_digits<kRowDigits>(Term::of(values[i]));
			if (!takes[i])
				digits[i] = {};
		}
		this->add_each_digits(entries, digits);
	}

	__device__ __forceinline__ void
	add_all(const WaGroupEntry &entry, const Value (&values)[kGroupRows]) const
	{
#pragma unroll
		for (unsigned i = 0; i < kGroupRows; i += kMerged)
			this->add_digits(entry,
							 wa_group_digits<kDigits>(merged(values, i)));
	}

	__device__ __forceinline__ void
	add_warp(const WaGroupEntry &entry, const Value (&values)[kGroupRows]) const
	{
		if constexpr (kWarp)
		{
			Number number = wa_group_warp_sum(merged(values, 0));

			if (wa_warp_lane() == 0)
				this->add_digits(entry, wa_group_digits<kDigits>(number));
		}
		else
			add_all(entry, values);
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

template <> struct WaGroupOperation<WA_OP_SUM, WA_I16>
{
	using Type = WaGroupSum<int16_t, int64_t, WaGroupPlain, 1, 1, 2>;
};

template <> struct WaGroupOperation<WA_OP_SUM, WA_I32>
{
	using Type = WaGroupSum<int32_t, int64_t, WaGroupPlain, 1, 2, 2>;
};

template <> struct WaGroupOperation<WA_OP_SUM, WA_I64>
{
	using Type = WaGroupSum<int64_t, __int128, WaGroupPlain, 2, 3, 3>;
};

// Values are below 2^95.
template <> struct WaGroupOperation<WA_OP_SUM, WA_I128>
{
	using Type = WaGroupSum<WaInt128, __int128, WaGroupPlain, 3, 4, 4>;
};

// Squares are at most 2^30.
template <> struct WaGroupOperation<WA_OP_SQUARES, WA_I16>
{
	using Type = WaGroupSum<int16_t, int64_t, WaGroupSquare, 1, 2, 2>;
};

// At most 2^62.
template <> struct WaGroupOperation<WA_OP_SQUARES, WA_I32>
{
	using Type = WaGroupSum<int32_t, __int128, WaGroupSquare, 2, 3, 3>;
};

// At most 2^126, so that two of them do not fit a signed number.
template <> struct WaGroupOperation<WA_OP_SQUARES, WA_I64>
{
	using Type = WaGroupSum<int64_t, unsigned __int128, WaGroupSquare, 4, 4, 5,
							1, false>;
};

#endif // WA_CUDA_GROUP_SUM_CUH
