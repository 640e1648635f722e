/*
 * small_sum.h
 *		Exact sums of floats, and of their squares, in a few words.
 *
 * Where there are a million groups each has few rows, whose exponents lie close
 * together.  Such a sum is kept as an integer of 128 bits (of 256 for squares)
 * in units of 2^exponent, exactly; a number that does not fit beside those that
 * came before is refused, and its group goes over to a WaExactSum.
 *
 * The unit moves down to take smaller numbers as long as the integer has room,
 * and never up.  Zero is empty: it takes any unit.  A number fits if the sum
 * with it does, in the present unit or that of the number's lowest bit,
 * whichever is smaller.
 */
#ifndef WA_CORE_SMALL_SUM_H
#define WA_CORE_SMALL_SUM_H

#include "core/exact_squares.h"
#include "core/int128.h"
#include "core/must_check.h"

/*
 * A signed integer of 256 bits, lowest word first.  As a sum of squares it is
 * never negative.
 */
typedef struct WaInt256
{
	uint64_t word[4];
} WaInt256;

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Adds the finite x to *sum, which counts units of 2^*exponent; both start as
 * 0.  Returns false, with nothing changed, if it does not fit.
 */
bool wa_small_sum_add(WaInt128 *sum, int16_t *exponent, double x);

/*
 * Adds the small sum from, in units of 2^from_exponent, to *sum; likewise.
 */
WA_MUST_CHECK bool wa_small_sum_merge(WaInt128 *sum, int16_t *exponent,
									  WaInt128 from, int16_t from_exponent);

/* Adds the small sum to *into, which is normalized and stays so. */
void wa_small_sum_expand(WaInt128 sum, int16_t exponent, WaExactSum *into);

/*
 * Stores the small sum, rounded once, half to even, to a double or to a float,
 * in *result.  Returns false, with nothing stored, if that takes a WaExactSum:
 * for zero, which may have a sign, and near the ends of the format's range.
 */
WA_MUST_CHECK bool wa_small_sum_to_double(WaInt128 sum, int16_t exponent,
										  double *result);
WA_MUST_CHECK bool wa_small_sum_to_float(WaInt128 sum, int16_t exponent,
										 float *result);

/* As for sums, for the square of the finite x. */
WA_MUST_CHECK bool wa_small_squares_add(WaInt256 *sum, int16_t *exponent,
										double x);
WA_MUST_CHECK bool wa_small_squares_merge(WaInt256 *sum, int16_t *exponent,
										  const WaInt256 *from,
										  int16_t from_exponent);
void wa_small_squares_expand(const WaInt256 *sum, int16_t exponent,
							 WaExactSquares *into);

#ifdef __cplusplus
}
#endif

#endif /* WA_CORE_SMALL_SUM_H */
