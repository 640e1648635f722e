/*
 * order_rank.h
 *		Numbers that are in the order of values.
 */
#ifndef WA_QUERY_ORDER_RANK_H
#define WA_QUERY_ORDER_RANK_H

#include "core/decimal.h"
#include "core/exact_sum.h"

/* Returns a number that is in the order of floats; NaN is the largest. */
static inline int64_t
wa_float_rank(double x)
{
	int64_t bits;

	if (x != x)
		return INT64_MAX;
	if (x == 0)
		return 0;
	bits = (int64_t) wa_double_bits(x);
	return bits >= 0 ? bits : -(bits & INT64_MAX);
}

/* Returns the float that has a rank, which is none of NaN. */
static inline double
wa_rank_float(int64_t rank)
{
	return wa_bits_double(rank >= 0 ? (uint64_t) rank
									: (uint64_t) -rank | (uint64_t) INT64_MIN);
}

/* Returns a number that is in the order of decimals, below 2^123 in magnitude. */
static inline __int128
wa_decimal_rank(int64_t value, uint8_t scale)
{
	return (__int128) value * wa_powers_of_ten[WA_DECIMAL_MAX_SCALE - scale];
}

#endif /* WA_QUERY_ORDER_RANK_H */
