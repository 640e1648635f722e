/*
 * integer.h
 *		Columns of integers: what others need to know of their sums.
 */
#ifndef WA_STATE_INTEGER_H
#define WA_STATE_INTEGER_H

#include "state/state.h"

/* Stores the sums of a state in a partial. */
extern void wa_integer_get(const WaAggState *state, WaPartial *partial);

#endif /* WA_STATE_INTEGER_H */
