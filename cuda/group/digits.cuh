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
// signed, and its carry, which may be -1, goes on by itself.  Words begin with
// 2^31, which is taken off in the end: then small numbers of both signs do not
// carry, as they would where a sum crosses 0.
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

// The part of an operation whose accumulator is a number of kNumberWords words.
// Its result is an array of 64 bits for each word: the sum of that word over the
// blocks, signed and not carried.  Sums are below 2^(32 kNumberWords - 1) in
// magnitude by the last bit of the word below, which what the words begin with
// takes.
template <unsigned kNumberWords> struct WaGroupNumber
{
	static constexpr unsigned kWords = kNumberWords;
	static constexpr uint32_t kEmpty = 0x80000000u;
	static constexpr unsigned kWide = kNumberWords;
	static constexpr unsigned kNarrow = 1;

	template <unsigned kDigits>
	__device__ __forceinline__ static void
	add_digits(const WaGroupEntry &entry, const WaGroupDigits<kDigits> &digits)
	{
		uint32_t *word = entry.word(digits.offset);
		uint32_t carry = 0;

		static_assert(kDigits <= kNumberWords, "digits are words");
#pragma unroll
		for (unsigned i = 0; i < kDigits; i++)
		{
			wa_group_add_digit(word, digits.digit[i], carry);
			word += entry.stride;
		}
		pass_on(entry, digits, carry);
	}

	// The same for a vector of rows, each to its entry; for a row that takes no
	// part all digits are 0.  Digit by digit, so that an addition of one row
	// need not wait for another's.
	template <unsigned kDigits>
	__device__ __forceinline__ static void
	add_each_digits(const WaGroupEntry (&entries)[kGroupRows],
					const WaGroupDigits<kDigits> (&digits)[kGroupRows])
	{
		uint32_t carries[kGroupRows] = {};
		uint32_t *words[kGroupRows];

#pragma unroll
		for (unsigned j = 0; j < kGroupRows; j++)
			words[j] = entries[j].word(digits[j].offset);
#pragma unroll
		for (unsigned i = 0; i < kDigits; i++)
		{
#pragma unroll
			for (unsigned j = 0; j < kGroupRows; j++)
			{
				wa_group_add_digit(words[j], digits[j].digit[i], carries[j]);
				words[j] += entries[j].stride;
			}
		}
#pragma unroll
		for (unsigned j = 0; j < kGroupRows; j++)
			pass_on(entries[j], digits[j], carries[j]);
	}

	__device__ __forceinline__ static void
	flush(const WaGroupCopies &copies, const WaGroupTarget &target)
	{
#pragma unroll
		for (unsigned i = 0; i < kNumberWords; i++)
			target.add_wide(i,
							copies.sum(i) - (uint64_t) copies.copies * kEmpty);
	}

  private:
	// Adds what comes behind the last digit, its carry and its sign, to the
	// words there, as far as it goes.
	template <unsigned kDigits>
	__device__ __forceinline__ static void
	pass_on(const WaGroupEntry &entry, const WaGroupDigits<kDigits> &digits,
			uint32_t carry)
	{
		unsigned word = digits.offset + kDigits;
		int passed = (int) carry + ((int32_t) digits.digit[kDigits - 1] >> 31);

		for (; passed != 0 && word < kNumberWords; word++)
		{
			const uint32_t old = atomicAdd(entry.word(word), (uint32_t) passed);

			// 1 carries out of all ones, -1 out of 0
			if (old != (passed > 0 ? ~0u : 0))
				passed = 0;
		}
	}
};

#endif // WA_CUDA_GROUP_DIGITS_CUH
