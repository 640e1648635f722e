/*
 * exact_round.c
 *		What is made of exact sums at the end: sums, averages, variances and
 *		standard deviations, each rounded once (core/natural.h).
 */
#include <math.h>

#include "core/exact_squares.h"
#include "core/natural.h"

/*
 * Words of a dividend.  Its highest word is not 0 and the divisors have less
 * than 64 bits each, so at least 4 * 64 + 1 - 2 * 63 = 131 bits are left of it
 * after two divisions: enough for a root of 64 bits.
 */
#define DIVIDEND_WORDS 5

static const WaRoundingFormat float_format = {FLT_MANT_DIG, -149, FLT_MAX};

/*
 * Returns the sum of rows numbers, divided by divisor and rounded to the
 * format; see wa_exact_to_double.
 */
static double
round_sum(const WaExactSum *sum, int64_t rows, uint64_t divisor,
		  const WaRoundingFormat *format, bool *overflow)
{
	WaNatural magnitude;
	double result;

	*overflow = false;
	if (sum->nans > 0 ||
		(sum->positive_infinities > 0 && sum->negative_infinities > 0))
		return NAN;
	if (sum->positive_infinities > 0)
		return INFINITY;
	if (sum->negative_infinities > 0)
		return -INFINITY;

	wa_natural_take(&magnitude, sum->limbs, WA_EXACT_LIMBS,
					WA_EXACT_LOWEST_BIT);
	if (magnitude.count == 0)
		return rows > 0 && sum->negative_zeros == rows ? -0.0 : 0.0;
	if (divisor > 1)
	{
		wa_natural_resize(&magnitude, DIVIDEND_WORDS);
		wa_natural_divide_word(&magnitude, divisor);
	}
	result = wa_natural_round(&magnitude, format, overflow);
	return sum->limbs[WA_EXACT_LIMBS - 1] < 0 ? -result : result;
}

double
wa_exact_to_double(const WaExactSum *sum, int64_t rows, bool *overflow)
{
	return round_sum(sum, rows, 1, &wa_double_format, overflow);
}

float
wa_exact_to_float(const WaExactSum *sum, int64_t rows, bool *overflow)
{
	return (float) round_sum(sum, rows, 1, &float_format, overflow);
}

double
wa_exact_average(const WaExactSum *sum, int64_t rows)
{
	bool overflow;

	return round_sum(sum, rows, (uint64_t) rows, &wa_double_format, &overflow);
}

/*
 * Makes *variance the variance of rows numbers, all finite; see
 * wa_exact_variance.  It has at least 128 bits unless it is 0.
 */
static void
take_variance(WaNatural *variance, const WaExactSum *sum,
			  const WaExactSquares *squares, int64_t rows, bool sample)
{
	WaNatural total;
	WaNatural products;
	WaNatural total_squared;

	wa_natural_take(&total, sum->limbs, WA_EXACT_LIMBS, WA_EXACT_LOWEST_BIT);
	wa_natural_multiply(&total, &total, &total_squared);
	wa_natural_take(&products, squares->limbs, WA_SQUARES_LIMBS,
					WA_SQUARES_LOWEST_BIT);
	wa_natural_scale(&products, (uint64_t) rows);
	(void) wa_natural_subtract(&products, &total_squared, variance);
	if (variance->count == 0)
		return;
	wa_natural_resize(variance, DIVIDEND_WORDS);
	wa_natural_divide_word(variance, (uint64_t) rows);
	wa_natural_divide_word(variance, (uint64_t) rows - (sample ? 1 : 0));
}

/* Returns the variance or, if root, its square root. */
static double
round_variance(const WaExactSum *sum, const WaExactSquares *squares,
			   int64_t rows, bool sample, bool root, bool *overflow)
{
	WaNatural variance;

	*overflow = false;
	if (sum->nans > 0 || sum->positive_infinities > 0 ||
		sum->negative_infinities > 0)
		return NAN;
	take_variance(&variance, sum, squares, rows, sample);
	if (variance.count == 0)
		return 0;
	if (root)
		wa_natural_take_root(&variance);
	return wa_natural_round(&variance, &wa_double_format, overflow);
}

double
wa_exact_variance(const WaExactSum *sum, const WaExactSquares *squares,
				  int64_t rows, bool sample, bool *overflow)
{
	return round_variance(sum, squares, rows, sample, false, overflow);
}

double
wa_exact_stddev(const WaExactSum *sum, const WaExactSquares *squares,
				int64_t rows, bool sample, bool *overflow)
{
	return round_variance(sum, squares, rows, sample, true, overflow);
}
