/*
 * numeric_variance.h
 *		Variances and standard deviations in numeric arithmetic.
 */
#ifndef WA_STATE_NUMERIC_VARIANCE_H
#define WA_STATE_NUMERIC_VARIANCE_H

#include "utils/numeric.h"

#include "core/int128.h"

/*
 * Returns N Sxx - Sx^2 of integers in units of 10000^-scale: rows of them with
 * this sum and, in units of 10000^-(2 scale), this sum of squares; or NULL if
 * that is 0.
 */
extern Numeric wa_numeric_numerator(int64 rows, WaInt128 sum, WaUint192 squares,
									int scale, int display_scale);

/*
 * Returns the numeric that the built-in var_pop, var_samp (sample), stddev_pop
 * (root) or stddev_samp (both) returns for so many rows with the numerator,
 * which is NULL for exactly 0.  There is more than one row if sample.
 */
extern Datum wa_numeric_variance(int64 rows, Numeric numerator, bool sample,
								 bool root);

#endif /* WA_STATE_NUMERIC_VARIANCE_H */
