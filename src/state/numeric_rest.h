/*
 * numeric_rest.h
 *		What a sum of numeric has beside scaled integers: numbers that are not
 *		finite, numbers with many digits, and counts of display scales.
 */
#ifndef WA_STATE_NUMERIC_REST_H
#define WA_STATE_NUMERIC_REST_H

#include "lib/stringinfo.h"

#include "state/digit_sum.h"

/* How many rows of a moving aggregate have a display scale. */
typedef struct WaScaleCount
{
	uint16 scale;
	int64 rows;
} WaScaleCount;

/* How many numbers are not finite. */
typedef struct WaSpecialCounts
{
	int64 nans;
	int64 plus_infinities;
	int64 minus_infinities;
} WaSpecialCounts;

typedef struct WaNumericRest
{
	MemoryContext context; /* that it and all it points to lie in */
	WaDigitSum sum;
	WaDigitSum squares;
	WaSpecialCounts counts;
	WaScaleCount *scales; /* in moving aggregates only; in no order */
	int nscales;
} WaNumericRest;

/* Makes an empty rest in the context. */
extern WaNumericRest *wa_numeric_rest_make(MemoryContext context);

/*
 * Adds a finite number, and its square if squares, to the sums; takes them
 * away if sign is -1.
 */
extern void wa_numeric_rest_take(WaNumericRest *rest,
								 const WaNumericView *number, bool squares,
								 int sign);

/* Counts a number that is not finite, sign times. */
extern void wa_numeric_rest_count(WaNumericRest *rest, WaNumericClass class,
								  int sign);

/*
 * Counts a display scale, sign times, and returns the largest that has rows
 * left, or 0.
 */
extern uint16 wa_numeric_rest_count_scale(WaNumericRest *rest, uint16 scale,
										  int sign);

/* Adds another rest, without its scales. */
extern void wa_numeric_rest_merge(WaNumericRest *into,
								  const WaNumericRest *from);

/*
 * Returns the sum of rows of which some are not finite, or NULL if all are (or
 * rest is NULL).
 */
extern Numeric wa_numeric_rest_special(const WaNumericRest *rest);

/* Writes a rest without its scales, and reads it into an empty one. */
extern void wa_numeric_rest_write(const WaNumericRest *rest, StringInfo buffer);
extern void wa_numeric_rest_read(WaNumericRest *rest, StringInfo buffer);

#endif /* WA_STATE_NUMERIC_REST_H */
