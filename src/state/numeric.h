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

#endif /* WA_STATE_NUMERIC_H */
