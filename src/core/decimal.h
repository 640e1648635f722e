/*
 * decimal.h
 *		Constants for numbers in units of powers of ten.
 */
#ifndef WA_CORE_DECIMAL_H
#define WA_CORE_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/* A numeric consists of digits of base 10000, of four decimal digits each. */
#define WA_NUMERIC_BASE        10000
#define WA_NUMERIC_BASE_DIGITS 4

/* The largest power of ten that fits 64 bits is 10^18. */
#define WA_DECIMAL_POWERS 19

extern const int64_t wa_powers_of_ten[WA_DECIMAL_POWERS];

/* The largest that fits 128 bits is 10^38. */
#define WA_WIDE_POWERS 39

extern const __int128 wa_wide_powers_of_ten[WA_WIDE_POWERS];

/* Returns 10^exponent, of an exponent below WA_WIDE_POWERS. */
static inline __int128
wa_wide_power_of_ten(int exponent)
{
	return wa_wide_powers_of_ten[exponent];
}

/* The last power of ten that fits 128 bits, as a constant. */
#define WA_WIDE_LIMIT \
	((__int128) UINT64_C(10000000000000000000) * UINT64_C(10000000000000000000))

/* Tells whether a number has no more than 38 digits. */
static inline bool
wa_is_wide_decimal(__int128 number)
{
	return number < WA_WIDE_LIMIT && number > -WA_WIDE_LIMIT;
}

/*
 * Multiplies a number of up to 38 digits by another.  Returns false, with it as it
 * was, if the product has more.
 */
static inline bool
wa_wide_decimal_multiply(__int128 *number, __int128 factor)
{
	__int128 product;

	if (__builtin_mul_overflow(*number, factor, &product) ||
		!wa_is_wide_decimal(product))
		return false;
	*number = product;
	return true;
}

/* The same by 10^digits, below WA_WIDE_POWERS. */
static inline bool
wa_wide_decimal_raise(__int128 *number, int digits)
{
	return wa_wide_decimal_multiply(number, wa_wide_power_of_ten(digits));
}

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Compares numbers of up to 38 digits in units of 10^-scale, of scales up to 38:
 * less than 0, 0, more than 0.
 */
int wa_wide_decimal_compare(__int128 a, int a_scale, __int128 b, int b_scale);

#ifdef __cplusplus
}
#endif

#endif /* WA_CORE_DECIMAL_H */
