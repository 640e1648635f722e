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
// What is added is two's complement too, of fewer digits: the last one is
// signed, and its carry, which may be -1, goes on by itself.  So a small
// negative number touches few words, not all of them.
//
#ifndef WA_CUDA_GROUP_DIGITS_CUH
#define WA_CUDA_GROUP_DIGITS_CUH

#include <type_traits>

#include "core/int128.h"
#include "group/table.cuh"
#include "warp/reduce.cuh"

// A number in two's complement, the last digit signed.
template <unsigned kDigits> struct WaGroupDigits
{
	uint32_t digit[kDigits];
	unsigned offset; // word that the first digit is added to
};

// Returns the digits of an integer: int64_t, uint64_t, __int128 or unsigned
// __int128, which they can hold.
template <unsigned kDigits, typename Number>
__device__ __forceinline__ WaGroupDigits<kDigits>
wa_group_digits(Number number)
{
	WaGroupDigits<kDigits> digits;

	digits.offset = 0;
#pragma unroll
	for (unsigned i = 0; i < kDigits; i++)
		digits.digit[i] = (uint32_t) (number >> (32 * i));
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

// Adds a digit and a carry to a word, and replaces the carry by the one out of
// it.
__device__ __forceinline__ void
wa_group_add_digit(uint32_t *word, uint32_t digit, uint32_t &carry)
{
	digit += carry;
	carry = digit < carry; // 2^32: then nothing is added
	if (digit != 0)
		carry = atomicAdd(word, digit) > ~digit;
}

// Adds a signed number below 2^32 in magnitude to a word.  Returns the carry:
// -1, 0 or 1.
__device__ __forceinline__ int
wa_group_add_signed(uint32_t *word, int64_t number)
{
	uint32_t old;

	if (number == 0)
		return 0;
	old = atomicAdd(word, (uint32_t) number);
	return (int) (((int64_t) old + number) >> 32);
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
		uint32_t carry = 0;

		static_assert(kDigits <= kNumberWords, "digits are words");
#pragma unroll
		for (int i = 0; i < (int) kDigits - 1; i++)
			wa_group_add_digit(entry.word(digits.offset + i), digits.digit[i],
							   carry);
		add_last(entry, digits, carry);
	}

	// The same for a vector of rows, those that `takes` tells: digit
	// by digit, so that an addition of one row need not wait for another's.
	template <unsigned kDigits>
	__device__ __forceinline__ static void
	add_each_digits(const WaGroupEntry (&entries)[kGroupRows],
					const WaGroupDigits<kDigits> (&digits)[kGroupRows],
					const bool (&takes)[kGroupRows])
	{
		uint32_t carries[kGroupRows] = {};

#pragma unroll
		for (int i = 0; i < (int) kDigits - 1; i++)
		{
#pragma unroll
			for (unsigned j = 0; j < kGroupRows; j++)
				if (takes[j])
					wa_group_add_digit(entries[j].word(digits[j].offset + i),
									   digits[j].digit[i], carries[j]);
		}
#pragma unroll
		for (unsigned j = 0; j < kGroupRows; j++)
			if (takes[j])
				add_last(entries[j], digits[j], carries[j]);
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

  private:
	// Adds the last digit, with the carry out of those before it, and passes
	// its own carry on, as far as it goes.
	template <unsigned kDigits>
	__device__ __forceinline__ static void
	add_last(const WaGroupEntry &entry, const WaGroupDigits<kDigits> &digits,
			 uint32_t carry)
	{
		unsigned word = digits.offset + kDigits - 1;
		int passed = wa_group_add_signed(
			entry.word(word),
			(int64_t) (int32_t) digits.digit[kDigits - 1] + carry);

		for (word++; passed != 0 && word < kNumberWords; word++)
			passed = wa_group_add_signed(entry.word(word), passed);
	}
};

#endif // WA_CUDA_GROUP_DIGITS_CUH
