/*
 * digit_sum.h
 *		Exact sums of numerics of any length, and of their products.
 *
 * A sum is an array of cells, one for each digit of base 10000 that any number
 * added so far has had.  Cells are words of 64 bits, so carries wait: digits,
 * and products of digits, are added to them billions of times before they have
 * to be carried on.  (The built-in's NumericSumAccum defers carries, too, in 32
 * bits.)  Sums may have more digits than a numeric.
 */
#ifndef WA_STATE_DIGIT_SUM_H
#define WA_STATE_DIGIT_SUM_H

#include "lib/stringinfo.h"

#include "state/numeric_format.h"

/* A sum; all zero but its context means 0. */
typedef struct WaDigitSum
{
	MemoryContext context; /* that the cells lie in */
	int64 *cells;          /* cells[i] counts 10000^(low + i) */
	int low;
	int count;
	int64 bound; /* no cell has a larger magnitude */
} WaDigitSum;

/* Adds a finite number, sign (1 or -1) times. */
extern void wa_digit_sum_add(WaDigitSum *sum, const WaNumericView *number,
							 int sign);

/* Adds the product of two finite numbers, likewise. */
extern void wa_digit_sum_add_product(WaDigitSum *sum, const WaNumericView *a,
									 const WaNumericView *b, int sign);

/* Adds another sum. */
extern void wa_digit_sum_merge(WaDigitSum *into, const WaDigitSum *from);

/*
 * Views the sum as a number, which may have more digits than a numeric has
 * room for.  The digits lie in the current memory context.
 */
extern void wa_digit_sum_view(const WaDigitSum *sum, WaNumericView *view);

/* Writes a sum, and reads it into one that is 0. */
extern void wa_digit_sum_write(const WaDigitSum *sum, StringInfo buffer);
extern void wa_digit_sum_read(WaDigitSum *sum, StringInfo buffer);

#endif /* WA_STATE_DIGIT_SUM_H */
