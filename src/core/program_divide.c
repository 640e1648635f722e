/*
 * program_divide.c
 *		Division of DECIMALs.
 *
 * numeric_div rounds the quotient half away from zero, to as many digits as its
 * select_div_scale chooses of the row: 16 significant ones at least, by what the
 * first digits of base 10000 of both numbers tell, and no fewer than either shows.
 * So the rows of a vector are shown with different numbers of digits, and their
 * values have the largest of them.
 */
#include <string.h>

#include "core/decimal.h"
#include "core/program_internal.h"

typedef unsigned __int128 Magnitude;

/* numeric.c: NUMERIC_MIN_SIG_DIGITS */
#define SIGNIFICANT_DIGITS 16

/* A divisor below this leaves room for one more digit of what is divided. */
#define DIVISOR_LIMIT ((Magnitude) WA_WIDE_LIMIT / 10)

/* A number in units of 10^-scale. */
typedef struct Number
{
	Magnitude magnitude;
	bool negative;
	int scale;
	int shown;  /* digits after the point */
	int weight; /* of its first digit of base 10000, 0 if it is zero */
	int first;  /* this digit */
} Number;

/* Returns the digits of a number of 64 bits, 0 of 0. */
static inline int
count_narrow(uint64_t number)
{
	/* 1233 / 4096 is the logarithm of 2, as exactly as 64 bits need it. */
	const int bits = number == 0 ? 0 : 64 - __builtin_clzll(number);
	const int digits = bits * 1233 >> 12;

	if (digits >= WA_DECIMAL_POWERS)
		return number < UINT64_C(10000000000000000000) ? 19 : 20;
	return digits + (number >= (uint64_t) wa_powers_of_ten[digits] ? 1 : 0);
}

/* Returns the digits of a number of up to 38 digits, 0 of 0. */
static inline int
count_digits(Magnitude number)
{
	if (number >> 64 == 0)
		return count_narrow((uint64_t) number);
	/* It is more than 10^19. */
	return 19 +
		   count_narrow((uint64_t) (number / UINT64_C(10000000000000000000)));
}

/* Returns a number without so many of its last digits. */
static inline Magnitude
without_digits(Magnitude number, int digits)
{
	if (number >> 64 == 0 && digits < WA_DECIMAL_POWERS)
		return (uint64_t) number / (uint64_t) wa_powers_of_ten[digits];
	return number / (Magnitude) wa_wide_power_of_ten(digits);
}

/* Finds the first digit of base 10000 of a number that is not zero. */
static inline void
find_first(Number *number)
{
	const int digits = count_digits(number->magnitude);
	const int exponent = digits - 1 - number->scale;
	/* A digit of base 10000 ends where the exponent is a multiple of four. */
	const int wanted = 1 + (exponent & (WA_NUMERIC_BASE_DIGITS - 1));

	number->weight = exponent >> 2;
	number->first =
		digits >= wanted
			? (int) without_digits(number->magnitude, digits - wanted)
			: (int) number->magnitude * (int) wa_powers_of_ten[wanted - digits];
}

/* Looks at a row. */
static inline Number
look_at(const WaVector *vector, size_t row)
{
	const __int128 value = wa_decimal_at(vector, row);
	Number number = {.magnitude = wa_int128_magnitude(value),
					 .negative = value < 0,
					 .scale = vector->scale,
					 .shown = wa_decimal_shown(vector, row)};

	if (value != 0)
		find_first(&number);
	return number;
}

/* Returns the digits after the point of a quotient: select_div_scale(). */
static inline int
quotient_scale(const Number *a, const Number *b)
{
	const int weight = a->weight - b->weight - (a->first <= b->first ? 1 : 0);
	int scale = SIGNIFICANT_DIGITS - weight * WA_NUMERIC_BASE_DIGITS;

	scale = scale < a->shown ? a->shown : scale;
	scale = scale < b->shown ? b->shown : scale;
	return scale < 0 ? 0 : scale;
}

/* Multiplies; returns false if the product does not fit. */
static inline bool
multiply(Magnitude *number, int digits)
{
	return digits < WA_WIDE_POWERS &&
		   !__builtin_mul_overflow(
			   *number, (Magnitude) wa_wide_power_of_ten(digits), number);
}

/*
 * Stores a * 10^digits / b, rounded down, and what is left, of a b below
 * DIVISOR_LIMIT: digit by digit where the product does not fit.  Returns false if
 * the quotient does not.
 */
static inline bool
divide_scaled(Magnitude a, int digits, Magnitude b, Magnitude *quotient,
			  Magnitude *rest)
{
	Magnitude scaled = a;

	if (multiply(&scaled, digits))
	{
		*quotient = (scaled | b) >> 64 == 0 ? (uint64_t) scaled / (uint64_t) b
											: scaled / b;
		*rest = scaled - *quotient * b;
		return true;
	}
	*quotient = a / b;
	*rest = a % b;
	for (; digits > 0; digits--)
	{
		const Magnitude tenfold = *rest * 10;

		if (!multiply(quotient, 1))
			return false;
		*quotient += tenfold / b;
		*rest = tenfold % b;
	}
	return true;
}

/* Divides, to `scale` digits after the point; false if that does not fit. */
static inline bool
divide_rounded(const Number *a, const Number *b, int scale, __int128 *result)
{
	const int digits = scale + b->scale - a->scale;
	Magnitude divisor = b->magnitude;
	Magnitude quotient;
	Magnitude rest;

	/* A vector may have more digits than what is shown of this row. */
	if ((digits < 0 && !multiply(&divisor, -digits)) ||
		divisor >= DIVISOR_LIMIT ||
		!divide_scaled(a->magnitude, digits < 0 ? 0 : digits, divisor,
					   &quotient, &rest))
		return false;
	quotient += rest >= divisor - rest ? 1 : 0;
	if (quotient >= (Magnitude) WA_WIDE_LIMIT)
		return false;
	*result =
		a->negative != b->negative ? -(__int128) quotient : (__int128) quotient;
	return true;
}

/* What was divided by last: most divisors are constants. */
typedef struct Divisor
{
	__int128 value;
	Number number;
} Divisor;

/* Divides in a row, to as many digits as PostgreSQL does; false if that does not fit. */
static inline bool
divide_row(const WaStep *step, size_t row, Divisor *divisor, __int128 *quotient,
		   int *scale)
{
	const __int128 value = wa_decimal_at(step->b, row);
	Number a;

	if (value == 0)
		return false;
	if (step->b->mixed || value != divisor->value)
		divisor->number = look_at(step->b, row);
	divisor->value = value;
	a = look_at(step->a, row);
	*scale = quotient_scale(&a, &divisor->number);
	return *scale <= WA_WIDE_MAX_SCALE &&
		   divide_rounded(&a, &divisor->number, *scale, quotient);
}

/* Raises the rows to the largest of their scales, which they are shown with. */
static bool
raise_rows(const WaStep *step, int scale, __int128 *values)
{
	const uint8_t *display = step->out->display;
	bool mixed = false;

	for (size_t i = 0; i < step->nrows; i++)
	{
		if (display[i] == scale || !wa_vector_is_valid(step->out, i))
			continue;
		mixed = true;
		if (!wa_wide_decimal_raise(&values[i], scale - display[i]))
			return false;
	}
	step->out->mixed = mixed;
	return true;
}

bool
wa_decimal_divide(const WaStep *step)
{
	__int128 values[WA_VECTOR_ROWS];
	Divisor divisor = {0};
	int largest = 0;

	for (size_t i = 0; i < step->nrows; i++)
	{
		int scale;

		values[i] = 0;
		step->out->display[i] = 0;
		if (!wa_vector_is_valid(step->out, i))
			continue;
		if (!divide_row(step, i, &divisor, &values[i], &scale))
			return false;
		step->out->display[i] = (uint8_t) scale;
		largest = scale > largest ? scale : largest;
	}
	return raise_rows(step, largest, values) &&
		   wa_wide_store(step->out, largest, values, step->nrows);
}

bool
wa_wide_floor_divide(const WaStep *step)
{
	__int128 values[WA_VECTOR_ROWS];
	Divisor divisor = {0};

	if (!step->out->may_be_wide)
		return false;
	for (size_t i = 0; i < step->nrows; i++)
	{
		__int128 quotient;
		__int128 power;
		int scale;

		values[i] = 0;
		if (!wa_vector_is_valid(step->out, i))
			continue;
		if (!divide_row(step, i, &divisor, &quotient, &scale))
			return false;
		power = wa_wide_power_of_ten(scale);
		values[i] = quotient / power - (quotient % power < 0 ? 1 : 0);
	}
	return wa_wide_store(step->out, 0, values, step->nrows);
}

/* Brings the numbers of a row to the larger scale; false if that does not fit. */
static inline bool
align(const WaStep *step, size_t row, __int128 *a, __int128 *b)
{
	const int digits = step->a->scale - step->b->scale;

	*a = wa_decimal_at(step->a, row);
	*b = wa_decimal_at(step->b, row);
	if (digits < 0)
		return wa_wide_decimal_raise(a, -digits);
	return digits == 0 || wa_wide_decimal_raise(b, digits);
}

/* Tells whether two numbers are of 64 bits, and the processor divides them. */
static inline bool
are_short(__int128 a, __int128 b)
{
	return a == (int64_t) a && b == (int64_t) b && b != -1;
}

/* What is wanted of a division of integers. */
typedef enum Wanted
{
	WANTED_QUOTIENT,
	WANTED_REMAINDER
} Wanted;

/*
 * Divides the values of a step as integers in common units, and stores what is wanted
 * with a scale.  Returns false if one does not fit, or a divisor is 0.
 */
static inline bool
divide_aligned(const WaStep *step, Wanted wanted, int scale)
{
	__int128 values[WA_VECTOR_ROWS];

	for (size_t i = 0; i < step->nrows; i++)
	{
		__int128 a;
		__int128 b;

		values[i] = 0;
		if (!wa_vector_is_valid(step->out, i))
			continue;
		if (!align(step, i, &a, &b) || b == 0)
			return false;
		if (wanted == WANTED_REMAINDER)
			values[i] = are_short(a, b) ? (int64_t) a % (int64_t) b : a % b;
		else
			values[i] = are_short(a, b) ? (int64_t) a / (int64_t) b : a / b;
	}
	return wa_wide_store(step->out, scale, values, step->nrows);
}

bool
wa_decimal_remainder(const WaStep *step)
{
	const int a_scale = step->a->scale;
	const int b_scale = step->b->scale;
	const int scale = a_scale > b_scale ? a_scale : b_scale;

	step->out->scale = (uint8_t) scale;
	step->out->mixed = step->a->mixed || step->b->mixed;
	if (step->out->mixed)
		wa_decimal_show_larger(step);
	return divide_aligned(step, WANTED_REMAINDER, scale);
}

bool
wa_decimal_divide_whole(const WaStep *step)
{
	return divide_aligned(step, WANTED_QUOTIENT, 0);
}
