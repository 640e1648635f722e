/*
 * int128.h
 *		A 128-bit signed integer that may lie at any 8-byte boundary.
 *
 * The compilers' __int128 wants 16-byte alignment, which palloc does not give
 * and a message does not have.  Sums are therefore stored as two halves and
 * computed with in registers as __int128.
 */
#ifndef WA_CORE_INT128_H
#define WA_CORE_INT128_H

#include "core/types.h"

typedef struct WaInt128
{
	uint64_t lo; /* the low 64 bits */
	int64_t hi;  /* the high 64 bits, with the sign */
} WaInt128;

/* Returns the stored number as the compiler's own type. */
WA_INLINE __int128
wa_int128_get(WaInt128 stored)
{
	return (__int128) (((unsigned __int128) (uint64_t) stored.hi << 64) |
					   stored.lo);
}

/* Returns the number in the form it is stored in. */
WA_INLINE WaInt128
wa_int128_make(__int128 number)
{
	WaInt128 stored;

	stored.lo = (uint64_t) number;
	stored.hi = (int64_t) (number >> 64);
	return stored;
}

/* Adds number to *sum.  2^63 rows of 64 bits each cannot overflow it. */
WA_INLINE void
wa_int128_add(WaInt128 *sum, __int128 number)
{
	*sum = wa_int128_make(wa_int128_get(*sum) + number);
}

/* Stores the number in *result and returns true if it fits 64 bits. */
WA_INLINE bool
wa_int128_to_int64(WaInt128 number, int64_t *result)
{
	*result = (int64_t) number.lo;
	return number.hi == (*result < 0 ? -1 : 0);
}

#endif /* WA_CORE_INT128_H */
