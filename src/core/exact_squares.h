/*
 * exact_squares.h
 *		Exact sums of squares of floating-point numbers, and what is made of
 *		them: averages, variances and standard deviations, rounded once.
 *
 * A WaExactSquares is a fixed-point number as a WaExactSum is one (see
 * exact_sum.h), wide enough for the squares: limb i has the weight
 * 2^(32 i - 2176).  Numbers that are not finite are left out of it; the
 * WaExactSum over the same rows counts them.
 */
#ifndef WA_CORE_EXACT_SQUARES_H
#define WA_CORE_EXACT_SQUARES_H

#include "core/exact_sum.h"

#define WA_SQUARES_LIMBS      135
#define WA_SQUARES_LOWEST_BIT (-2176) /* exponent of the lowest bit of limb 0 */

/* Normalized as a WaExactSum is.  Never negative. */
typedef struct WaExactSquares
{
	int64_t limbs[WA_SQUARES_LIMBS];
} WaExactSquares;

#ifdef __cplusplus
extern "C"
{
#endif

/* Makes *sum the normalized sum of no squares. */
void wa_squares_init(WaExactSquares *sum);

/*
 * Adds the square of a number of any kind, or takes one that was added away
 * again.  At most WA_EXACT_MAX_ADDITIONS of these may follow one another
 * without wa_squares_normalize.
 */
void wa_squares_add(WaExactSquares *sum, double x);
void wa_squares_subtract(WaExactSquares *sum, double x);

/* Adds the squares of the numbers, as wa_exact_add_doubles adds numbers. */
void wa_squares_add_doubles(WaExactSquares *sum, const double *values,
							size_t nrows);
void wa_squares_add_floats(WaExactSquares *sum, const float *values,
						   size_t nrows);

/* Adds *from, which is normalized, to *into, which is and stays so. */
void wa_squares_merge(WaExactSquares *into, const WaExactSquares *from);

/* Carries, so that the sum is in its one normalized form. */
void wa_squares_normalize(WaExactSquares *sum);

/*
 * Returns the average of rows numbers whose normalized sum is given, rounded
 * once, half to even; rows is not 0.  It cannot overflow.  Infinite rows give
 * what IEEE 754 gives; the average of only -0 is -0.
 */
double wa_exact_average(const WaExactSum *sum, int64_t rows);

/*
 * Returns (N Sxx - Sx^2) / D of rows numbers, where Sx and Sxx are the
 * normalized sums of the numbers and of their squares and D is N (N - 1) if
 * sample, else N^2; or the square root of that.  Both are computed exactly and
 * rounded once, half to even.  D is not 0.  NaN if any number is not finite;
 * infinite with *overflow set if the result is beyond the largest double.
 */
double wa_exact_variance(const WaExactSum *sum, const WaExactSquares *squares,
						 int64_t rows, bool sample, bool *overflow);
double wa_exact_stddev(const WaExactSum *sum, const WaExactSquares *squares,
					   int64_t rows, bool sample, bool *overflow);

#ifdef __cplusplus
}
#endif

#endif /* WA_CORE_EXACT_SQUARES_H */
