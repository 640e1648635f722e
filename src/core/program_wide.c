/*
 * program_wide.c
 *		Instructions over DECIMALs some or all of whose values, or results, have no
 *		room in 64 bits.
 *
 * They take the rows one by one.  Results that fit 64 bits again, as those of
 * rounding do, are stored so.
 */
#include <math.h>
#include <stdlib.h>

#include "core/decimal.h"
#include "core/program_internal.h"

/* A sign, 38 digits, an exponent of two and the end. */
#define TEXT_BYTES 48

/* Tells whether all values fit 64 bits. */
static bool
are_narrow(const __int128 *values, size_t nrows)
{
	uint64_t beyond = 0;

	for (size_t i = 0; i < nrows; i++)
		beyond |= values[i] == (int64_t) values[i] ? 0 : 1;
	return beyond == 0;
}

bool
wa_wide_store(WaVector *out, int scale, const __int128 *values, size_t nrows)
{
	out->scale = (uint8_t) scale;
	out->wide = scale > WA_DECIMAL_MAX_SCALE || !are_narrow(values, nrows);
	if (!out->wide)
	{
		for (size_t i = 0; i < nrows; i++)
			wa_vector_ints(out)[i] = (int64_t) values[i];
		return true;
	}
	if (!out->may_be_wide || scale > WA_WIDE_MAX_SCALE)
		return false;
	for (size_t i = 0; i < nrows; i++)
		wa_vector_wides(out)[i] = wa_int128_make(values[i]);
	return true;
}

/* Computes a + sign * b. */
static bool
add(const WaStep *step, int sign)
{
	const WaVector *a = step->a;
	const WaVector *b = step->b;
	const int scale = a->scale > b->scale ? a->scale : b->scale;
	const __int128 factor_a = wa_wide_power_of_ten(scale - a->scale);
	const __int128 factor_b = sign * wa_wide_power_of_ten(scale - b->scale);
	__int128 values[WA_VECTOR_ROWS];

	step->out->scale = (uint8_t) scale;
	step->out->mixed = a->mixed || b->mixed;
	if (step->out->mixed)
		wa_decimal_show_larger(step);
	for (size_t i = 0; i < step->nrows; i++)
	{
		__int128 x = wa_decimal_at(a, i);
		__int128 y = wa_decimal_at(b, i);

		values[i] = 0;
		if (!wa_vector_is_valid(step->out, i))
			continue;
		if (!wa_wide_decimal_multiply(&x, factor_a) ||
			!wa_wide_decimal_multiply(&y, factor_b) ||
			__builtin_add_overflow(x, y, &values[i]) ||
			!wa_is_wide_decimal(values[i]))
			return false;
	}
	return wa_wide_store(step->out, scale, values, step->nrows);
}

bool
wa_wide_add(const WaStep *step)
{
	return add(step, 1);
}

bool
wa_wide_subtract(const WaStep *step)
{
	return add(step, -1);
}

bool
wa_wide_multiply(const WaStep *step)
{
	const int scale = step->a->scale + step->b->scale;
	__int128 values[WA_VECTOR_ROWS];

	if (scale > WA_WIDE_MAX_SCALE)
		return false;
	step->out->scale = (uint8_t) scale;
	step->out->mixed = step->a->mixed || step->b->mixed;
	if (step->out->mixed)
		wa_decimal_show_sum(step);
	for (size_t i = 0; i < step->nrows; i++)
	{
		values[i] = wa_decimal_at(step->a, i);
		if (!wa_wide_decimal_multiply(&values[i], wa_decimal_at(step->b, i)))
			return false;
	}
	return wa_wide_store(step->out, scale, values, step->nrows);
}

/* Returns the opposites of all values, or of those that are negative. */
static bool
turn_signs(const WaStep *step, bool all)
{
	__int128 values[WA_VECTOR_ROWS];

	wa_decimal_keep_display(step);
	for (size_t i = 0; i < step->nrows; i++)
	{
		const __int128 value = wa_decimal_at(step->a, i);

		values[i] = all || value < 0 ? -value : value;
	}
	return wa_wide_store(step->out, step->a->scale, values, step->nrows);
}

bool
wa_wide_negate(const WaStep *step)
{
	return turn_signs(step, true);
}

bool
wa_wide_abs(const WaStep *step)
{
	return turn_signs(step, false);
}

/* Cuts off all digits after the point; what they were is rounded to `towards`. */
static bool
cut_off(const WaStep *step, int towards)
{
	const __int128 power = wa_wide_power_of_ten(step->a->scale);
	__int128 values[WA_VECTOR_ROWS];

	for (size_t i = 0; i < step->nrows; i++)
	{
		const __int128 value = wa_decimal_at(step->a, i);
		const __int128 rest = value % power;

		values[i] = value / power;
		if (towards > 0 ? rest > 0 : rest < 0)
			values[i] += towards;
	}
	return wa_wide_store(step->out, 0, values, step->nrows);
}

bool
wa_wide_floor(const WaStep *step)
{
	return cut_off(step, -1);
}

bool
wa_wide_ceil(const WaStep *step)
{
	return cut_off(step, 1);
}

/* Divides by a power of ten and rounds half away from zero. */
static inline __int128
round_off(__int128 value, __int128 power)
{
	const __int128 whole = value / power;
	const __int128 rest = value - whole * power;

	/* Neither of these can be too large, as twice the rest might be. */
	if (rest >= 0)
		return whole + (rest != 0 && rest >= power - rest ? 1 : 0);
	return whole - (-rest >= power + rest ? 1 : 0);
}

bool
wa_wide_round(const WaStep *step)
{
	const int scale = (int) (step->extra % 256);
	const int digits = (int) (step->extra / 256);
	const int dropped = step->a->scale - scale;
	const __int128 factor = wa_wide_power_of_ten(dropped < 0 ? -dropped : 0);
	const __int128 power = wa_wide_power_of_ten(dropped > 0 ? dropped : 0);
	const __int128 limit = digits + scale < WA_WIDE_POWERS
							   ? wa_wide_power_of_ten(digits + scale)
							   : WA_WIDE_LIMIT;
	__int128 values[WA_VECTOR_ROWS];

	for (size_t i = 0; i < step->nrows; i++)
	{
		values[i] = round_off(wa_decimal_at(step->a, i), power);
		if (!wa_wide_decimal_multiply(&values[i], factor) ||
			values[i] <= -limit || values[i] >= limit)
			return false;
	}
	return wa_wide_store(step->out, scale, values, step->nrows);
}

bool
wa_wide_to_int(const WaStep *step)
{
	const __int128 power = wa_wide_power_of_ten(step->a->scale);
	const __int128 end = (__int128) 1 << (step->extra * 8 - 1);
	int64_t *out = wa_vector_ints(step->out);

	for (size_t i = 0; i < step->nrows; i++)
	{
		const __int128 value = round_off(wa_decimal_at(step->a, i), power);

		if (value < -end || value >= end)
			return false;
		out[i] = (int64_t) value;
	}
	return true;
}

/*
 * Writes a number as its digits and an exponent, in which no locale has a part, to
 * the end of the text.  Returns where it begins.
 */
static const char *
write_number(__int128 value, int scale, char text[TEXT_BYTES])
{
	unsigned __int128 rest = wa_int128_magnitude(value);
	char *begin = text + TEXT_BYTES;

	*--begin = '\0';
	*--begin = (char) ('0' + scale % 10);
	*--begin = (char) ('0' + scale / 10);
	*--begin = '-';
	*--begin = 'e';
	do
	{
		*--begin = (char) ('0' + (int) (rest % 10));
		rest /= 10;
	} while (rest != 0);
	if (value < 0)
		*--begin = '-';
	return begin;
}

/* Returns how many zeros stand before the first bit of a number that is not 0. */
static inline int
count_leading_zeros(unsigned __int128 number)
{
	const uint64_t high = (uint64_t) (number >> 64);

	return high != 0 ? __builtin_clzll(high)
					 : 64 + __builtin_clzll((uint64_t) number);
}

/*
 * Divides by 10^scale, which has no more than 60 bits, and rounds once: the quotient
 * has its first 64 bits then, of which the last is set if any that is lost is.
 */
static inline double
divide_to_float(unsigned __int128 number, int scale, uint32_t bytes)
{
	const unsigned __int128 power = (uint64_t) wa_powers_of_ten[scale];
	const int raised = count_leading_zeros(number);
	const unsigned __int128 dividend = number << raised;
	const unsigned __int128 quotient = dividend / power;
	const int lost = 64 - count_leading_zeros(quotient);
	const uint64_t first = (uint64_t) (quotient >> lost);
	const bool is_exact = quotient * power == dividend &&
						  (unsigned __int128) first << lost == quotient;
	const uint64_t bits = first | (is_exact ? 0 : 1);

	return ldexp(bytes == 4 ? (double) (float) bits : (double) bits,
				 lost - raised);
}

/* Has the C library read a number. */
static double
read_float(__int128 value, int scale, uint32_t bytes)
{
	char text[TEXT_BYTES];
	const char *number = write_number(value, scale, text);

	return bytes == 4 ? (double) strtof(number, NULL) : strtod(number, NULL);
}

/* PostgreSQL has the C library read what it shows of the numeric. */
bool
wa_wide_to_float(const WaStep *step)
{
	const int scale = step->a->scale;
	double *out = wa_vector_floats(step->out);

	if (!step->a->may_be_wide)
		return false;
	for (size_t i = 0; i < step->nrows; i++)
	{
		const __int128 value = wa_decimal_at(step->a, i);
		double magnitude;

		if (value == 0 || scale > WA_DECIMAL_MAX_SCALE)
		{
			out[i] = read_float(value, scale, step->extra);
			continue;
		}
		magnitude =
			divide_to_float(wa_int128_magnitude(value), scale, step->extra);
		out[i] = value < 0 ? -magnitude : magnitude;
	}
	return true;
}
