/*
 * float.h
 *		Columns of floats: taking over sums that were made elsewhere, and what they are.
 */
#ifndef WA_STATE_FLOAT_H
#define WA_STATE_FLOAT_H

#include "core/small_sum.h"
#include "state/state.h"

/* Small sums (core/small_sum.h) of some rows. */
typedef struct WaSmallSums
{
	WaInt128 sum;
	WaInt256 squares; /* where the plan has them */
	int16 exponent;
	int16 squares_exponent;
	bool negative_zeros; /* all the rows are -0 */
} WaSmallSums;

/* Puts sums into a state that has no rows yet. */
extern void wa_float_set_small(WaAggState *state, const WaSmallSums *sums);

/*
 * Stores the sums of a state, normalized; squares are undefined where its plan has none, and
 * rows that are -0 are only counted where the sum is 0.
 */
extern void wa_float_copy_exact(const WaAggState *state, WaExactPart *part);

#endif /* WA_STATE_FLOAT_H */
