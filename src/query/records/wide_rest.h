/*
 * wide_rest.h
 *		What records of numerics have of values of 128 bits.
 *
 * Rows of wide vectors are not in the words of a record, but for their number: all
 * else of them is in a rest that the group has beside it.
 */
#ifndef WA_QUERY_WIDE_REST_H
#define WA_QUERY_WIDE_REST_H

#include "core/int128.h"
#include "core/types.h"
#include "core/vector.h"

/* Words of a sum of wide values, a signed number of 256 bits, lowest first. */
#define WA_WIDE_SUM_WORDS 4

/* Words of a sum of their squares, likewise. */
#define WA_WIDE_SQUARES_WORDS 6

/* The smallest or the largest of wide values, of equal ones that with most digits. */
typedef struct WaWideExtreme
{
	WaInt128 value;
	uint8_t scale;
	uint8_t display;
	uint8_t unused[6];
} WaWideExtreme;

/*
 * What a group has of wide rows, as words of 64 bits; what the operations do not
 * need is zero.
 */
typedef struct WaWideRest
{
	uint64_t rows;
	uint64_t sum[WA_WIDE_SUM_WORDS];         /* in units of 10^-scale */
	uint64_t squares[WA_WIDE_SQUARES_WORDS]; /* of 10^-(2 scale) */
	uint8_t scale;
	uint8_t display; /* the most digits shown, with a SUM */
	uint8_t unused[6];
	WaWideExtreme min;
	WaWideExtreme max;
} WaWideRest;

/* Adds to a sum; false if it has no room then: it is undefined. */
extern bool wa_wide_sum_add(uint64_t sum[WA_WIDE_SUM_WORDS],
							const uint64_t number[WA_WIDE_SUM_WORDS]);

/* Multiplies a sum by 10^digits, likewise. */
extern bool wa_wide_sum_raise(uint64_t sum[WA_WIDE_SUM_WORDS], int digits);

/* Takes a row; false, with *rest as it was, if the sums have no room for it. */
extern bool wa_wide_rest_take(WaWideRest *rest, WaOpSet ops, __int128 value,
							  uint8_t scale, uint8_t display);

/* Merges a rest of other rows, likewise. */
extern bool wa_wide_rest_merge(WaWideRest *rest, WaOpSet ops,
							   const WaWideRest *from);

/* Tells whether what a process has sent may be the rest of a record of so many rows. */
extern bool wa_wide_rest_is_sound(const WaWideRest *rest, uint64_t rows);

#endif /* WA_QUERY_WIDE_REST_H */
