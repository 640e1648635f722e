/*
 * small_sum.c
 *		Exact sums of floats in a few words; see small_sum.h.
 *
 * A number that finds its unit in place is added in a few instructions.  All
 * else, and the merging of sums, goes through add_scaled, which computes with
 * 256 bits for either width.
 */
#include <float.h>
#include <math.h>

#include "core/limbs.h"
#include "core/small_sum.h"

/* Bits below the first number's last place that smaller numbers may use. */
#define SPARE_BITS 12

/* Significands of 53 bits shifted by so much have a bit to spare in 128. */
#define MAX_QUICK_SHIFT 73

/* Their squares, of 106 bits, in 256. */
#define MAX_QUICK_SQUARE_SHIFT 148

/* A signed integer of 256 bits to compute with. */
typedef struct Wide
{
	unsigned __int128 low;
	unsigned __int128 high; /* with the sign */
} Wide;

/* Returns by how much the first number of a sum is to be shifted. */
static inline int
spare_bits(int exponent)
{
	int above_lowest = exponent + 1074;

	return above_lowest < SPARE_BITS ? above_lowest : SPARE_BITS;
}

static inline Wide
wide_from_int128(__int128 number)
{
	Wide wide;

	wide.low = (unsigned __int128) number;
	wide.high = number < 0 ? ~(unsigned __int128) 0 : 0;
	return wide;
}

static inline Wide
wide_from_int256(const WaInt256 *number)
{
	Wide wide;

	wide.low = (unsigned __int128) number->word[1] << 64 | number->word[0];
	wide.high = (unsigned __int128) number->word[3] << 64 | number->word[2];
	return wide;
}

static inline WaInt256
wide_to_int256(Wide wide)
{
	return (WaInt256){{(uint64_t) wide.low, (uint64_t) (wide.low >> 64),
					   (uint64_t) wide.high, (uint64_t) (wide.high >> 64)}};
}

static inline bool
wide_is_zero(Wide a)
{
	return (a.low | a.high) == 0;
}

/* Returns the number of zero bits below the lowest 1 of a number that has one. */
static int
wide_trailing_zeros(Wide a)
{
	unsigned __int128 half = a.low != 0 ? a.low : a.high;
	uint64_t word = (uint64_t) half != 0 ? (uint64_t) half : half >> 64;

	return (a.low != 0 ? 0 : 128) + ((uint64_t) half != 0 ? 0 : 64) +
		   __builtin_ctzll(word);
}

/* Shifts to the left by 0 to 255 bits; what leaves on the left is lost. */
static inline Wide
wide_left(Wide a, int by)
{
	Wide result = a;

	if (by >= 128)
	{
		result.high = a.low << (by - 128);
		result.low = 0;
	}
	else if (by > 0)
	{
		result.high = a.high << by | a.low >> (128 - by);
		result.low = a.low << by;
	}
	return result;
}

/* Shifts to the right by 0 to 255 bits, keeping the sign. */
static inline Wide
wide_right(Wide a, int by)
{
	__int128 high = (__int128) a.high;
	Wide result = a;

	if (by >= 128)
	{
		result.low = (unsigned __int128) (high >> (by - 128));
		result.high = (unsigned __int128) (high >> 127);
	}
	else if (by > 0)
	{
		result.low = a.low >> by | a.high << (128 - by);
		result.high = (unsigned __int128) (high >> by);
	}
	return result;
}

/* Shifts *a to the left; false, with *a as it was, if it does not fit then. */
static bool
wide_shift(Wide *a, int by)
{
	Wide shifted, back;

	if (by > 255)
		return false;
	shifted = wide_left(*a, by);
	back = wide_right(shifted, by);
	if (back.low != a->low || back.high != a->high)
		return false;
	*a = shifted;
	return true;
}

/* Adds b to *a; false, with *a as it was, if the sum does not fit. */
static inline bool
wide_add(Wide *a, Wide b)
{
	unsigned __int128 low = a->low + b.low;
	unsigned __int128 high = a->high + b.high + (low < b.low);

	if ((((a->high ^ high) & (b.high ^ high)) >> 127) != 0)
		return false;
	a->low = low;
	a->high = high;
	return true;
}

/*
 * Adds number * 2^number_exponent to *sum * 2^*exponent, where neither integer
 * is 0.  Returns false, with the sum undefined, if it does not fit 256 bits.
 */
static bool
add_scaled(Wide *sum, int *exponent, Wide number, int number_exponent)
{
	int below = *exponent - number_exponent;

	if (below > 0)
	{
		/* Zeros at its end need no smaller unit. */
		int zeros = wide_trailing_zeros(number);

		zeros = zeros < below ? zeros : below;
		number = wide_right(number, zeros);
		below -= zeros;
		if (!wide_shift(sum, below))
			return false;
		*exponent -= below;
	}
	else if (!wide_shift(&number, -below))
		return false;
	return wide_add(sum, number);
}

/* Adds number, which is not 0, to a sum that is not empty. */
static bool
small_add_scaled(WaInt128 *sum, int16_t *exponent, __int128 number,
				 int number_exponent)
{
	Wide wide = wide_from_int128(wa_int128_get(*sum));
	int unit = *exponent;
	Wide cut;

	if (!add_scaled(&wide, &unit, wide_from_int128(number), number_exponent))
		return false;
	cut = wide_from_int128((__int128) wide.low);
	if (cut.high != wide.high)
		return false;
	*sum = wa_int128_make((__int128) wide.low);
	*exponent = (int16_t) unit;
	return true;
}

bool
wa_small_sum_add(WaInt128 *sum, int16_t *exponent, double x)
{
	WaDoubleParts parts = wa_double_parts(x);
	__int128 total = wa_int128_get(*sum);
	__int128 number = parts.negative ? -(__int128) parts.significand
									 : (__int128) parts.significand;
	int shift = parts.exponent - *exponent;

	if (number == 0)
		return true;
	if (total == 0)
	{
		shift = spare_bits(parts.exponent);
		*exponent = (int16_t) (parts.exponent - shift);
	}
	else if (shift < 0 || shift > MAX_QUICK_SHIFT)
		return small_add_scaled(sum, exponent, number, parts.exponent);
	number = (__int128) ((unsigned __int128) number << shift);
	if (__builtin_add_overflow(total, number, &total))
		return false;
	*sum = wa_int128_make(total);
	return true;
}

bool
wa_small_sum_merge(WaInt128 *sum, int16_t *exponent, WaInt128 from,
				   int16_t from_exponent)
{
	__int128 number = wa_int128_get(from);

	if (number == 0)
		return true;
	if (wa_int128_get(*sum) != 0)
		return small_add_scaled(sum, exponent, number, from_exponent);
	*sum = from;
	*exponent = from_exponent;
	return true;
}

void
wa_small_sum_expand(WaInt128 sum, int16_t exponent, WaExactSum *into)
{
	__int128 number = wa_int128_get(sum);

	if (number == 0)
		return;
	wa_limbs_add(into->limbs, wa_int128_magnitude(number),
				 exponent - WA_EXACT_LOWEST_BIT, number < 0);
	wa_exact_normalize(into);
}

/* Adds number, which is not 0, to a sum of squares that is not empty. */
static bool
small_squares_add_scaled(WaInt256 *sum, int16_t *exponent, Wide number,
						 int number_exponent)
{
	Wide wide = wide_from_int256(sum);
	int unit = *exponent;

	if (!add_scaled(&wide, &unit, number, number_exponent))
		return false;
	*sum = wide_to_int256(wide);
	*exponent = (int16_t) unit;
	return true;
}

/*
 * Cuts a sum to 64 bits in units of 2^*exponent, the lowest of which tells
 * whether any that were cut off are set: rounding that is rounding the sum.
 */
static uint64_t
leading_bits(unsigned __int128 magnitude, int *exponent)
{
	uint64_t high = (uint64_t) (magnitude >> 64);
	uint64_t bits;
	int shift;

	if (high == 0)
		return (uint64_t) magnitude;
	shift = 64 - __builtin_clzll(high);
	bits = (uint64_t) (magnitude >> shift);
	*exponent += shift;
	return bits | ((unsigned __int128) bits << shift != magnitude);
}

bool
wa_small_sum_to_double(WaInt128 sum, int16_t exponent, double *result)
{
	__int128 number = wa_int128_get(sum);
	int scale = exponent;
	uint64_t bits = leading_bits(wa_int128_magnitude(number), &scale);

	if (bits == 0 || scale < DBL_MIN_EXP || scale + 64 >= DBL_MAX_EXP)
		return false;
	*result = ldexp(number < 0 ? -(double) bits : (double) bits, scale);
	return true;
}

bool
wa_small_sum_to_float(WaInt128 sum, int16_t exponent, float *result)
{
	__int128 number = wa_int128_get(sum);
	int scale = exponent;
	uint64_t bits = leading_bits(wa_int128_magnitude(number), &scale);

	if (bits == 0 || scale < FLT_MIN_EXP || scale + 64 >= FLT_MAX_EXP)
		return false;
	*result = ldexpf(number < 0 ? -(float) bits : (float) bits, scale);
	return true;
}

bool
wa_small_squares_add(WaInt256 *sum, int16_t *exponent, double x)
{
	WaDoubleParts parts = wa_double_parts(x);
	Wide total = wide_from_int256(sum);
	Wide number = {(unsigned __int128) parts.significand * parts.significand,
				   0};
	int shift = 2 * parts.exponent - *exponent;

	if (parts.significand == 0)
		return true;
	if (wide_is_zero(total))
	{
		shift = 2 * spare_bits(parts.exponent);
		*exponent = (int16_t) (2 * parts.exponent - shift);
	}
	else if (shift < 0 || shift > MAX_QUICK_SQUARE_SHIFT)
		return small_squares_add_scaled(sum, exponent, number,
										2 * parts.exponent);
	if (!wide_add(&total, wide_left(number, shift)))
		return false;
	*sum = wide_to_int256(total);
	return true;
}

bool
wa_small_squares_merge(WaInt256 *sum, int16_t *exponent, const WaInt256 *from,
					   int16_t from_exponent)
{
	Wide number = wide_from_int256(from);

	if (wide_is_zero(number))
		return true;
	if (!wide_is_zero(wide_from_int256(sum)))
		return small_squares_add_scaled(sum, exponent, number, from_exponent);
	*sum = *from;
	*exponent = from_exponent;
	return true;
}

void
wa_small_squares_expand(const WaInt256 *sum, int16_t exponent,
						WaExactSquares *into)
{
	Wide wide = wide_from_int256(sum);
	int position = exponent - WA_SQUARES_LOWEST_BIT;

	if (wide_is_zero(wide))
		return;
	wa_limbs_add(into->limbs, wide.low, position, false);
	if (wide.high != 0)
		wa_limbs_add(into->limbs, wide.high, position + 128, false);
	wa_squares_normalize(into);
}
