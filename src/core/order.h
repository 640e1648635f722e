/*
 * order.h
 *		PostgreSQL's order of floats: NaN is the largest, 0 and -0 are equal.
 */
#ifndef WA_CORE_ORDER_H
#define WA_CORE_ORDER_H

#include <math.h>

#include "core/types.h"

/* Tells whether a sorts before b, as float8_lt of PostgreSQL does. */
WA_INLINE bool
wa_float_less(double a, double b)
{
	return a < b || (b != b && a == a);
}

#endif /* WA_CORE_ORDER_H */
