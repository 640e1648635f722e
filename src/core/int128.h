/*
 * int128.h
 *		Integers wider than 64 bits that may lie at any 8-byte boundary.
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

/* A sum of squares of up to 2^63 numbers of 64 bits: lowest word first. */
typedef struct WaUint192
{
	uint64_t word[3];
} WaUint192;

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

/*
 * Adds number to *sum.  2^63 rows of 64 bits each cannot overflow it; what can
 * wraps, as the sender of a batch may break its promises.
 */
WA_INLINE void
wa_int128_add(WaInt128 *sum, __int128 number)
{
	unsigned __int128 total = (unsigned __int128) wa_int128_get(*sum);

	*sum = wa_int128_make((__int128) (total + (unsigned __int128) number));
}

/* Adds number to *sum; carries out of the third word are lost. */
WA_INLINE void
wa_uint192_add(WaUint192 *sum, WaUint192 number)
{
	unsigned __int128 carry = 0;

	for (int i = 0; i < 3; i++)
	{
		carry += (unsigned __int128) sum->word[i] + number.word[i];
		sum->word[i] = (uint64_t) carry;
		carry >>= 64;
	}
}

/* Multiplies by a factor; false, unchanged, if the product has more bits. */
WA_INLINE bool
wa_uint192_multiply(WaUint192 *number, uint64_t factor, int bits)
{
	WaUint192 product;
	unsigned __int128 carry = 0;

	for (int i = 0; i < 3; i++)
	{
		carry += (unsigned __int128) number->word[i] * factor;
		product.word[i] = (uint64_t) carry;
		carry >>= 64;
	}
	if (carry != 0 || product.word[2] >> (bits - 128) != 0)
		return false;
	*number = product;
	return true;
}

/* Takes number, which is not larger, from *sum. */
WA_INLINE void
wa_uint192_subtract(WaUint192 *sum, WaUint192 number)
{
	uint64_t borrow = 0;

	for (int i = 0; i < 3; i++)
	{
		unsigned __int128 difference =
			(unsigned __int128) sum->word[i] - number.word[i] - borrow;

		sum->word[i] = (uint64_t) difference;
		borrow = (uint64_t) (difference >> 64) & 1;
	}
}

/* Returns a number of 128 bits as one of 192. */
WA_INLINE WaUint192
wa_uint192_make(unsigned __int128 number)
{
	WaUint192 wide = {{(uint64_t) number, (uint64_t) (number >> 64), 0}};

	return wide;
}

/* Returns a number without its sign. */
WA_INLINE unsigned __int128
wa_int128_magnitude(__int128 number)
{
	return number < 0 ? 0 - (unsigned __int128) number
					  : (unsigned __int128) number;
}

/* Returns the square of a number. */
WA_INLINE unsigned __int128
wa_int64_square(int64_t number)
{
	return (unsigned __int128) ((__int128) number * number);
}

/* Stores the number in *result and returns true if it fits 64 bits. */
WA_INLINE bool
wa_int128_to_int64(WaInt128 number, int64_t *result)
{
	*result = (int64_t) number.lo;
	return number.hi == (*result < 0 ? -1 : 0);
}

#endif /* WA_CORE_INT128_H */
