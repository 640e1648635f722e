//
// magnitude.cuh
//		Numbers of 128 bits without a sign, and powers of ten.
//
#ifndef WA_CUDA_PROGRAM_MAGNITUDE_CUH
#define WA_CUDA_PROGRAM_MAGNITUDE_CUH

#include <stdint.h>

#include "core/decimal.h"

typedef unsigned __int128 WaMagnitude;

// The powers of ten that fit 64 bits.
__device__ const uint64_t kPowersOfTen[] = {1,
											10,
											100,
											1000,
											10000,
											100000,
											1000000,
											10000000,
											100000000,
											1000000000,
											10000000000,
											100000000000,
											1000000000000,
											10000000000000,
											100000000000000,
											1000000000000000,
											10000000000000000,
											100000000000000000,
											1000000000000000000,
											10000000000000000000u};

// The exponent of the last of them.
constexpr unsigned kNarrowExponent = 19;

// Returns 10^exponent, of an exponent up to 38.
__device__ __forceinline__ WaMagnitude
wa_magnitude_power(unsigned exponent)
{
	if (exponent <= kNarrowExponent)
		return kPowersOfTen[exponent];
	return (WaMagnitude) kPowersOfTen[kNarrowExponent] *
		   kPowersOfTen[exponent - kNarrowExponent];
}

// Returns the magnitude of a number.
__device__ __forceinline__ WaMagnitude
wa_magnitude_of(__int128 number)
{
	return number < 0 ? 0 - (WaMagnitude) number : (WaMagnitude) number;
}

// Multiplies; returns false if the product does not fit.
__device__ __forceinline__ bool
wa_magnitude_multiply(WaMagnitude *number, WaMagnitude factor)
{
	const uint64_t low_a = (uint64_t) *number;
	const uint64_t high_a = (uint64_t) (*number >> 64);
	const uint64_t low_b = (uint64_t) factor;
	const uint64_t high_b = (uint64_t) (factor >> 64);
	const WaMagnitude low = (WaMagnitude) low_a * low_b;
	WaMagnitude high;

	if (high_a != 0 && high_b != 0)
		return false;
	// One of these is 0.
	high = (WaMagnitude) high_a * low_b + (WaMagnitude) low_a * high_b +
		   (low >> 64);
	*number = high << 64 | (uint64_t) low;
	return high >> 64 == 0;
}

// Multiplies by a power of ten, of an exponent that may be anything.
__device__ __forceinline__ bool
wa_magnitude_raise(WaMagnitude *number, unsigned exponent)
{
	return exponent < WA_WIDE_POWERS &&
		   wa_magnitude_multiply(number, wa_magnitude_power(exponent));
}

// Divides, and stores what is left over.  By a call, since it is long.
__device__ __attribute__((noinline)) static WaMagnitude
wa_magnitude_divide(WaMagnitude number, WaMagnitude divisor, WaMagnitude *rest)
{
	WaMagnitude quotient;

	if ((number | divisor) >> 64 == 0)
		quotient = (uint64_t) number / (uint64_t) divisor;
	else
		quotient = number / divisor;
	*rest = number - quotient * divisor;
	return quotient;
}

// Returns the bits of a number, 0 of 0.
__device__ __forceinline__ unsigned
wa_magnitude_bits(WaMagnitude number)
{
	const uint64_t high = (uint64_t) (number >> 64);

	return high != 0 ? 128 - (unsigned) __clzll((long long) high)
					 : 64 - (unsigned) __clzll((long long) number);
}

// Returns the digits of a number below 10^38, 0 of 0.
__device__ __forceinline__ unsigned
wa_magnitude_digits(WaMagnitude number)
{
	// 1233 / 4096 is the logarithm of 2, as exactly as 128 bits need it.
	const unsigned digits = wa_magnitude_bits(number) * 1233 >> 12;

	return digits + (number >= wa_magnitude_power(digits) ? 1 : 0);
}

#endif // WA_CUDA_PROGRAM_MAGNITUDE_CUH
