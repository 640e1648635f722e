//
// arithmetic.cuh
//		What instructions over numbers compute of one row.
//
// Each function sets *out and tells whether the row traps; then *out may be
// anything.  They are exactly what core/program_*.c computes in its loops, of
// arguments that fit their types; of others they compute something.
//
#ifndef WA_CUDA_PROGRAM_ARITHMETIC_CUH
#define WA_CUDA_PROGRAM_ARITHMETIC_CUH

#include <math.h>

#include "core/types.h"

// Tells whether a number is beyond so many bytes.
__device__ __forceinline__ bool
wa_row_beyond(int64_t number, unsigned bytes)
{
	const unsigned shift = 64 - 8 * bytes;

	return (int64_t) ((uint64_t) number << shift) >> shift != number;
}

__device__ __forceinline__ bool
wa_row_add(int64_t a, int64_t b, unsigned bytes, int64_t *out)
{
	const int64_t sum = (int64_t) ((uint64_t) a + (uint64_t) b);

	*out = sum;
	return ((a ^ sum) & (b ^ sum)) < 0 || wa_row_beyond(sum, bytes);
}

__device__ __forceinline__ bool
wa_row_subtract(int64_t a, int64_t b, unsigned bytes, int64_t *out)
{
	const int64_t difference = (int64_t) ((uint64_t) a - (uint64_t) b);

	*out = difference;
	return ((a ^ b) & (a ^ difference)) < 0 || wa_row_beyond(difference, bytes);
}

__device__ __forceinline__ bool
wa_row_multiply(int64_t a, int64_t b, unsigned bytes, int64_t *out)
{
	const __int128 product = (__int128) a * b;

	*out = (int64_t) product;
	return product != *out || wa_row_beyond(*out, bytes);
}

// Returns a / b, where that is defined.  By a call, since it is long.
__device__ __attribute__((noinline)) static int64_t
wa_row_quotient(int64_t a, int64_t b)
{
	return a / b;
}

// Tells whether PostgreSQL raises an error for a / b, or the processor does.
__device__ __forceinline__ bool
wa_row_divides_badly(int64_t a, int64_t b)
{
	return b == 0 || (b == -1 && a == INT64_MIN);
}

__device__ __forceinline__ bool
wa_row_divide(int64_t a, int64_t b, unsigned bytes, int64_t *out)
{
	const bool bad = wa_row_divides_badly(a, b);
	const int64_t divisor = bad ? 1 : b;

	if (bytes < 8)
	{
		// These fit 32 bits, but for -2^31 / -1, and are divided faster.
		const int32_t narrow = (int32_t) divisor;

		*out = narrow == -1 || narrow == 0 ? (int64_t) (0 - (uint64_t) a)
										   : (int64_t) ((int32_t) a / narrow);
	}
	else
		*out = wa_row_quotient(a, divisor);
	return bad || wa_row_beyond(*out, bytes);
}

// The smallest of the integers % -1 is 0.
__device__ __forceinline__ bool
wa_row_remainder(int64_t a, int64_t b, unsigned bytes, int64_t *out)
{
	if (b == 0 || b == -1)
	{
		*out = 0;
		return b == 0;
	}
	if (bytes < 8)
	{
		const int32_t narrow = (int32_t) b;

		*out = (int32_t) a % (narrow == 0 || narrow == -1 ? 1 : narrow);
	}
	else
		*out = (int64_t) ((uint64_t) a -
						  (uint64_t) wa_row_quotient(a, b) * (uint64_t) b);
	return false;
}

__device__ __forceinline__ bool
wa_row_negate(int64_t a, unsigned bytes, int64_t *out)
{
	*out = (int64_t) (0 - (uint64_t) a);
	return (a & *out) < 0 || wa_row_beyond(*out, bytes);
}

__device__ __forceinline__ bool
wa_row_abs(int64_t a, unsigned bytes, int64_t *out)
{
	*out = a < 0 ? (int64_t) (0 - (uint64_t) a) : a;
	return *out < 0 || wa_row_beyond(*out, bytes);
}

// Floats.  What traps is what PostgreSQL's float.h reports: results that are
// infinite or zero though no argument explains it.

__device__ __forceinline__ bool
wa_row_is_infinite(double x)
{
	return fabs(x) == INFINITY;
}

__device__ __forceinline__ bool
wa_row_sum_traps(double x, double y, double r)
{
	return wa_row_is_infinite(r) && !wa_row_is_infinite(x) &&
		   !wa_row_is_infinite(y);
}

__device__ __forceinline__ bool
wa_row_product_traps(double x, double y, double r)
{
	return wa_row_sum_traps(x, y, r) || (r == 0 && x != 0 && y != 0);
}

__device__ __forceinline__ bool
wa_row_quotient_traps(double x, double y, double r)
{
	return (y == 0 && x == x) ||
		   (wa_row_is_infinite(r) && !wa_row_is_infinite(x)) ||
		   (r == 0 && x != 0 && !wa_row_is_infinite(y));
}

// Returns a number rounded to a type of so many bytes.
__device__ __forceinline__ double
wa_row_narrow(double x, unsigned bytes)
{
	return bytes == 4 ? (double) (float) x : x;
}

__device__ __forceinline__ bool
wa_row_float_to_int(double x, unsigned bytes, int64_t *out)
{
	const double rounded = rint(x);
	const double limit = bytes == 8 ? 0x1p63 : bytes == 4 ? 0x1p31 : 0x1p15;
	const bool fits = rounded >= -limit && rounded < limit;

	*out = fits ? (int64_t) rounded : 0;
	return !fits;
}

// Decimals, in units of a power of ten.

// Divides and rounds half away from zero.
__device__ __forceinline__ int64_t
wa_row_round(int64_t a, int64_t power)
{
	const int64_t whole = wa_row_quotient(a, power);
	const int64_t twice = 2 * (a - whole * power);

	return whole + (twice >= power) - (twice <= -power);
}

__device__ __forceinline__ int64_t
wa_row_floor(int64_t a, int64_t power)
{
	const int64_t whole = wa_row_quotient(a, power);

	return whole - (a < whole * power);
}

__device__ __forceinline__ int64_t
wa_row_ceil(int64_t a, int64_t power)
{
	const int64_t whole = wa_row_quotient(a, power);

	return whole + (a > whole * power);
}

// Where value and power are exact doubles, the quotient is rounded once.  A
// float4 is rounded twice, which makes a difference only between two of them.
__device__ __forceinline__ bool
wa_row_decimal_to_float(int64_t a, int64_t power, unsigned bytes, double *out)
{
	const int64_t whole = INT64_C(1) << 53;
	const double quotient = (double) a / (double) power;
	uint64_t bits;

	memcpy(&bits, &quotient, sizeof(bits));
	*out = wa_row_narrow(quotient, bytes);
	return a < -whole || a >= whole ||
		   (bytes == 4 && (bits & 0x1fffffff) == 0x10000000);
}

// Dates and timestamps: date2timestamp(), timestamp_date().

constexpr int64_t kFirstDay = -2451545;
constexpr int64_t kEndDay = 106751983;
constexpr int64_t kDayMicroseconds = INT64_C(86400000000);

__device__ __forceinline__ bool
wa_row_date_to_timestamp(int64_t a, int64_t *out)
{
	*out = (int64_t) ((uint64_t) a * (uint64_t) kDayMicroseconds);
	return a < kFirstDay || a >= kEndDay;
}

__device__ __forceinline__ bool
wa_row_timestamp_to_date(int64_t a, int64_t *out)
{
	const int64_t day = a / kDayMicroseconds;

	*out = day - (a < day * kDayMicroseconds);
	return a == INT64_MIN || a == INT64_MAX;
}

// Microseconds from 1970 to 2000.
constexpr int64_t kEpochMicroseconds = INT64_C(946684800000000);

// Finds the microseconds since 1970.
__device__ __forceinline__ bool
wa_row_since_epoch(int64_t a, int64_t *out)
{
	return wa_row_add(a, kEpochMicroseconds, 8, out) || a == INT64_MIN;
}

// Divides by a positive number and rounds down, where PostgreSQL's rounded
// quotient does not reach the next whole number.
__device__ __forceinline__ bool
wa_row_floor_divide(int64_t a, int64_t b, int64_t *out)
{
	constexpr int64_t kEight = INT64_C(100000000);
	constexpr int64_t kTwelve = INT64_C(1000000000000);
	const bool bad = b <= 0 || b >= kTwelve;
	const int64_t limit = b < kEight ? kTwelve : kEight;

	*out = wa_row_floor(a, bad ? 1 : b);
	return bad || *out >= limit || *out <= -limit;
}

// Comparisons; those of floats are float8_eq and float8_lt.

__device__ __forceinline__ bool
wa_row_floats_equal(double a, double b)
{
	return a == b || (a != a && b != b);
}

__device__ __forceinline__ bool
wa_row_floats_less(double a, double b)
{
	return a < b || (a == a && b != b);
}

// Tells whether a value is in an ascending list.
__device__ __forceinline__ bool
wa_row_in_list(int64_t a, const int64_t *list, unsigned nvalues)
{
	if (nvalues == 0)
		return false;
	while (nvalues > 1)
	{
		const unsigned half = nvalues / 2;

		list += __ldg(list + half) <= a ? half : 0;
		nvalues -= half;
	}
	return __ldg(list) == a;
}

#endif // WA_CUDA_PROGRAM_ARITHMETIC_CUH
