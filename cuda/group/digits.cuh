//
// digits.cuh
//		Numbers of several words that many threads add to at a time.
//
// Shared memory adds 32 bits atomically in hardware, but 64 bits only by a
// loop of compare-and-swap.  So a number is two's complement in words of 32
// bits, and a thread carries by itself: an atomic addition returns what the
// word was just before, thus whether this addition carried out of it, and the
// carry is added to the next word.  Each carry is passed on exactly once, so
// when all threads are done the number is the sum modulo 2^(32 words), whatever
// their order.
//
// A number is added as its sign and digits of its magnitude: then a small
// negative one touches one word, not all of them.
//
#ifndef WA_CUDA_GROUP_DIGITS_CUH
#define WA_CUDA_GROUP_DIGITS_CUH

#include <type_traits>

#include "core/int128.h"
#include "group/table.cuh"
#include "warp/reduce.cuh"

template <unsigned kDigits> struct WaGroupDigits
{
	uint32_t digit[kDigits];
	unsigned offset; // word that the first digit is added to
	bool negative;
};

// Returns the digits of an integer: int64_t, __int128 or unsigned __int128.
template <unsigned kDigits, typename Number>
__device__ __forceinline__ WaGroupDigits<kDigits>
wa_group_digits(Number number)
{
	WaGroupDigits<kDigits> digits;

	digits.offset = 0;
	digits.negative = false;
	if constexpr (!std::is_same<Number, unsigned __int128>::value)
	{
		digits.negative = number < 0;
		if (digits.negative)
			number = -number;
	}
#pragma unroll
	for (unsigned i = 0; i < kDigits; i++)
	{
		digits.digit[i] = (uint32_t) number;
		number >>= 32;
	}
	return digits;
}

// The addition of wide integers, as an operation on warps.
struct WaGroupAddition
{
	__device__ __forceinline__ static void
	merge(WaInt128 &into, const WaInt128 &from)
	{
		wa_int128_add(&into, wa_int128_get(from));
	}
};

// Adds an integer of every lane.  The result is valid in lane 0 only.
template <typename Number>
__device__ __forceinline__ Number
wa_group_warp_sum(Number number)
{
	if constexpr (sizeof(Number) == sizeof(WaInt128))
		return wa_int128_get(
			wa_warp_reduce<WaGroupAddition>(wa_int128_make(number)));
	else
		return wa_warp_sum(number);
}

// Adds delta, at most 2^32 in magnitude, to a word.  Returns the carry: -1, 0
// or 1.
__device__ __forceinline__ int
wa_group_add_word(uint32_t *word, int64_t delta)
{
	uint32_t old;

	if ((uint32_t) delta == 0)
		return (int) (delta >> 32);
	old = atomicAdd(word, (uint32_t) delta);
	return (int) (((int64_t) old + delta) >> 32);
}

// The part of an operation whose accumulator is a number of kNumberWords words.
// Its result is an array of 64 bits for each word, the sum over the blocks of
// that word: the last one signed, the others not, none of them carried.
template <unsigned kNumberWords> struct WaGroupNumber
{
	static constexpr unsigned kWords = kNumberWords;
	static constexpr unsigned kWide = kNumberWords;
	static constexpr unsigned kNarrow = 1;

	template <unsigned kDigits>
	__device__ __forceinline__ static void
	add_digits(const WaGroupEntry &entry, const WaGroupDigits<kDigits> &digits)
	{
		uint32_t *word = entry.word(digits.offset);
		unsigned left = kNumberWords - digits.offset;
		int carry = 0;

		static_assert(kDigits <= kNumberWords, "digits are words");
#pragma unroll
		for (unsigned i = 0; i < kDigits; i++)
		{
			int64_t delta = digits.digit[i];

			carry = wa_group_add_word(word, (digits.negative ? -delta : delta) +
												carry);
			word += entry.stride;
		}
		for (left -= kDigits; carry != 0 && left > 0; left--)
		{
			carry = wa_group_add_word(word, carry);
			word += entry.stride;
		}
	}

	__device__ __forceinline__ static void
	flush(const WaGroupCopies &copies, const WaGroupTarget &target)
	{
#pragma unroll
		for (unsigned i = 0; i < kNumberWords - 1; i++)
			target.add_wide(i, copies.sum(i));
		target.add_wide(
			kNumberWords - 1,
			(unsigned long long) copies.signed_sum(kNumberWords - 1));
	}
};

#endif // WA_CUDA_GROUP_DIGITS_CUH
