/*
 * exact_sum.h
 *		Exact sums of floating-point numbers.
 *
 * A WaExactSum is a fixed-point number wide enough for any sum of doubles:
 * limb i has the weight 2^(32 i - 1088).  Additions into it are integer
 * additions, so its value does not depend on the order or grouping of what is
 * added, and it is rounded once, at the end.  The idea is Kulisch's long
 * accumulator (U. Kulisch, W. Miranker, "The arithmetic of the digital
 * computer", SIAM Review 28, 1986) with limbs that leave room for carries, as
 * in R. Neal, "Fast exact summation using small and large superaccumulators",
 * arXiv:1505.05571, 2015.
 *
 * Adding each number to the limbs is slow.  A WaExactWindow takes the numbers
 * of one thread first: for |x| < 2^(k+50) and c1 = 1.5 * 2^(k+52), the sum
 * t = x + c1 has the unit 2^k in its last place, so bits(t) - bits(c1) is x in
 * units of 2^k, rounded, and x - (t - c1) is what the rounding left, exactly
 * (the splitting of J. Demmel, H. D. Nguyen, "Parallel reproducible
 * summation", IEEE Transactions on Computers 64, 2015).  A second constant 51
 * binades lower takes the rest; what even that leaves goes to the limbs.
 *
 * Doubles must be rounded to nearest and subnormals kept: no -ffast-math, no
 * flush to zero.
 */
#ifndef WA_CORE_EXACT_SUM_H
#define WA_CORE_EXACT_SUM_H

#include <string.h>

#include "core/types.h"

#define WA_EXACT_LIMBS      70
#define WA_EXACT_LIMB_BITS  32
#define WA_EXACT_LOWEST_BIT (-1088) /* exponent of the lowest bit of limb 0 */

/*
 * Every addition changes a limb by less than 2^32, so this many additions
 * may follow one another before wa_exact_normalize is due.
 */
#define WA_EXACT_MAX_ADDITIONS ((int64_t) 1 << 30)

/* Rows a window may take before it has to be flushed. */
#define WA_EXACT_WINDOW_ROWS 4096

/*
 * The sum of some doubles.  Normalized means that all limbs but the last lie
 * in [0, 2^32) and the last carries the sign: then equal sums are equal bits.
 */
typedef struct WaExactSum
{
	int64_t limbs[WA_EXACT_LIMBS];
	int64_t positive_infinities; /* number of rows that are +Infinity */
	int64_t negative_infinities; /* number of rows that are -Infinity */
	int64_t nans;                /* number of rows that are NaN */
	int64_t negative_zeros;      /* number of rows that are -0 */
} WaExactSum;

/* What an integer times a power of two adds to three neighbouring limbs. */
typedef struct WaExactChunks
{
	int limb;         /* the lowest of the three limbs */
	int64_t chunk[3]; /* signed, each below 2^32 in magnitude */
} WaExactChunks;

/* The window of one thread; see the head of this file. */
typedef struct WaExactWindow
{
	double c1;    /* 1.5 * 2^(k+52); 0 while no number has been seen */
	double c2;    /* 1.5 * 2^(k+1) */
	double limit; /* numbers below 2^(k+50) in magnitude fit */
	int64_t s1;   /* sum in units of 2^k */
	int64_t s2;   /* sum in units of 2^(k-51) */
	int k;        /* between WA_EXACT_MIN_K and WA_EXACT_MAX_K */
} WaExactWindow;

#define WA_EXACT_MIN_K (-1023)
#define WA_EXACT_MAX_K 970

WA_INLINE uint64_t
wa_double_bits(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

WA_INLINE double
wa_bits_double(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* Returns 2^exponent, for exponents of normal doubles only. */
WA_INLINE double
wa_power_of_two(int exponent)
{
	return wa_bits_double((uint64_t) (exponent + 1023) << 52);
}

/*
 * Splits number * 2^exponent into what it adds to the limbs.  The exponent is
 * at least WA_EXACT_LOWEST_BIT and at most 1074.
 */
WA_INLINE WaExactChunks
wa_exact_split(int64_t number, int exponent)
{
	int position = exponent - WA_EXACT_LOWEST_BIT;
	int shift = position % WA_EXACT_LIMB_BITS;
	int64_t sign = number < 0 ? -1 : 1;
	uint64_t magnitude = number < 0 ? 0 - (uint64_t) number : (uint64_t) number;
	uint64_t low = magnitude << shift;
	uint64_t high = shift == 0 ? 0 : magnitude >> (64 - shift);
	WaExactChunks chunks;

	chunks.limb = position / WA_EXACT_LIMB_BITS;
	chunks.chunk[0] = sign * (int64_t) (low & 0xffffffff);
	chunks.chunk[1] = sign * (int64_t) (low >> 32);
	chunks.chunk[2] = sign * (int64_t) high;
	return chunks;
}

#define WA_MANTISSA_MASK (((uint64_t) 1 << 52) - 1)

/* A finite double as significand * 2^exponent. */
typedef struct WaDoubleParts
{
	uint64_t significand;
	int exponent;
	bool negative;
} WaDoubleParts;

/* Takes a finite double apart. */
WA_INLINE WaDoubleParts
wa_double_parts(double x)
{
	uint64_t bits = wa_double_bits(x);
	int biased = (int) (bits >> 52) & 0x7ff;
	uint64_t mantissa = bits & WA_MANTISSA_MASK;
	WaDoubleParts parts;

	parts.significand =
		biased == 0 ? mantissa : mantissa | (WA_MANTISSA_MASK + 1);
	parts.exponent = (biased == 0 ? 1 : biased) - 1075;
	parts.negative = bits >> 63 != 0;
	return parts;
}

/* Splits a finite double into what it adds to the limbs. */
WA_INLINE WaExactChunks
wa_exact_split_double(double x)
{
	WaDoubleParts parts = wa_double_parts(x);
	int64_t number = (int64_t) parts.significand;

	return wa_exact_split(parts.negative ? -number : number, parts.exponent);
}

/* Tells whether x is neither infinite nor NaN. */
WA_INLINE bool
wa_is_finite(double x)
{
	return (wa_double_bits(x) & ((uint64_t) 0x7ff << 52)) != (uint64_t) 0x7ff
																 << 52;
}

/* Makes an empty window around numbers of the size of the finite x. */
WA_INLINE WaExactWindow
wa_exact_window_around(double x)
{
	int exponent = (int) (wa_double_bits(x) >> 52 & 0x7ff) - 1023;
	/* Leave room for numbers a thousand times larger. */
	int k = exponent - 39;
	WaExactWindow window;

	if (k < WA_EXACT_MIN_K)
		k = WA_EXACT_MIN_K;
	if (k > WA_EXACT_MAX_K)
		k = WA_EXACT_MAX_K;
	window.k = k;
	window.c1 = 1.5 * wa_power_of_two(k + 52);
	/* k + 1 may be the exponent of a subnormal, never below 2^-1022 */
	window.c2 = 1.5 * wa_power_of_two(k + 1);
	window.limit = wa_power_of_two(k + 50);
	window.s1 = 0;
	window.s2 = 0;
	return window;
}

/*
 * Takes x, whose magnitude is below window->limit, into the window.  Returns
 * the part of x that the window cannot hold, which the caller adds to the
 * limbs; it is zero for almost all data.  At most WA_EXACT_WINDOW_ROWS numbers
 * may be taken between flushes.
 */
WA_INLINE double
wa_exact_window_add(WaExactWindow *window, double x)
{
	double t1 = x + window->c1;
	double rest1 = x - (t1 - window->c1);
	double t2 = rest1 + window->c2;
	double rest2 = rest1 - (t2 - window->c2);

	window->s1 += (int64_t) (wa_double_bits(t1) - wa_double_bits(window->c1));
	window->s2 += (int64_t) (wa_double_bits(t2) - wa_double_bits(window->c2));
	return rest2;
}

#ifdef __cplusplus
extern "C"
{
#endif

/* Makes *sum the normalized sum of no rows. */
void wa_exact_init(WaExactSum *sum);

/*
 * Adds one number of any kind.  At most WA_EXACT_MAX_ADDITIONS additions may
 * follow one another without wa_exact_normalize.
 */
void wa_exact_add(WaExactSum *sum, double x);

/*
 * Takes one number that was added away again, an addition in the sense above:
 * then the sum is what it would be without the number.
 */
void wa_exact_subtract(WaExactSum *sum, double x);

/* Adds the nrows numbers at values to *sum, which is normalized and stays so. */
void wa_exact_add_doubles(WaExactSum *sum, const double *values, size_t nrows);
void wa_exact_add_floats(WaExactSum *sum, const float *values, size_t nrows);

/* Adds *from, which is normalized, to *into, which is and stays so. */
void wa_exact_merge(WaExactSum *into, const WaExactSum *from);

/* Carries, so that the sum is in its one normalized form. */
void wa_exact_normalize(WaExactSum *sum);

/*
 * Rounds the normalized sum of rows numbers, half to even, to a double or to a
 * float (once, not by way of double).  The result is infinite with *overflow
 * set if finite rows alone sum up beyond the largest number of the result
 * type; infinite rows give what IEEE 754 gives, without *overflow.  The sum of
 * only -0 is -0.
 */
double wa_exact_to_double(const WaExactSum *sum, int64_t rows, bool *overflow);
float wa_exact_to_float(const WaExactSum *sum, int64_t rows, bool *overflow);

#ifdef __cplusplus
}
#endif

#endif /* WA_CORE_EXACT_SUM_H */
