/*
 * numeric.h
 *		Columns of numeric: what others need to know of their scale.
 */
#ifndef WA_STATE_NUMERIC_H
#define WA_STATE_NUMERIC_H

#include "utils/numeric.h"

#include "state/state.h"

/* Returns a value of the bulk of a numeric state as a numeric. */
extern Numeric wa_numeric_of_value(const WaAggState *state, WaValue value);

/*
 * Adds a finite number, the sum of rows that the caller counts, and notes that some of
 * them are shown with its display scale.
 */
extern void wa_numeric_add_sum(WaAggState *state, Numeric sum);

/* Adds the sum of the squares of the same rows, which the state has. */
extern void wa_numeric_add_squares(WaAggState *state, Numeric squares);

/*
 * Prepares an empty state for absorbing a partial whose sum is in units of
 * 10000^-scale, and its squares in units of that squared, of values with at most
 * so many digits shown after the point.
 */
extern void wa_numeric_set_unit(WaAggState *state, int scale,
								int display_scale);

#endif /* WA_STATE_NUMERIC_H */
