/*
 * natural.h
 *		Natural numbers of as many words as it takes, for what is made of exact
 *		sums at the end.
 *
 * Only a quotient or a root is cut, and then it knows that something was left
 * (the "sticky bit" of floating-point units), so that rounding is right.  This
 * header is for src/core only.
 */
#ifndef WA_CORE_NATURAL_H
#define WA_CORE_NATURAL_H

#include <float.h>

#include "core/limbs.h"

#define WA_NATURAL_WORD_BITS 64

/*
 * Words of the largest number there is: the product of two squares of sums, or
 * of two sums of squares times the number of rows each.
 */
#define WA_NATURAL_MAX_WORDS 160

/*
 * A number that is not negative: word[i] has the weight 2^(64 i + exponent).
 * The highest word is not 0; zero has no words.
 */
typedef struct WaNatural
{
	int count;    /* of words */
	int exponent; /* a multiple of 64, but for quotients and roots */
	bool inexact; /* the true number is larger by less than 2^exponent */
	uint64_t word[WA_NATURAL_MAX_WORDS];
} WaNatural;

/* A binary floating-point format to round to. */
typedef struct WaRoundingFormat
{
	int precision_bits; /* of the significand, the hidden bit included */
	int lowest_bit;     /* exponent of the smallest subnormal */
	double largest;     /* largest finite number */
} WaRoundingFormat;

static const WaRoundingFormat wa_double_format = {DBL_MANT_DIG, -1074, DBL_MAX};

/*
 * Makes *a the magnitude of normalized limbs, of which the first has the
 * weight 2^lowest_bit, a multiple of 64.
 */
extern void wa_natural_take(WaNatural *a, const int64_t *limbs, int nlimbs,
							int lowest_bit);

/* Multiplies by a factor that is not 0. */
extern void wa_natural_scale(WaNatural *a, uint64_t factor);

/* Makes *result, which is neither of them, the product of two numbers. */
extern void wa_natural_multiply(const WaNatural *a, const WaNatural *b,
								WaNatural *result);

/* Makes *result, which is neither of them, the sum of two numbers. */
extern void wa_natural_add(const WaNatural *a, const WaNatural *b,
						   WaNatural *result);

/*
 * Makes *result what is left of *a without *b.  Returns false, with *result 0,
 * if *b is larger.
 */
extern bool wa_natural_subtract(const WaNatural *a, const WaNatural *b,
								WaNatural *result);

/* Cuts or extends the number, which is not 0, to that many words. */
extern void wa_natural_resize(WaNatural *a, int count);

/* Divides by a divisor that is not 0. */
extern void wa_natural_divide_word(WaNatural *a, uint64_t divisor);

/*
 * Divides by *divisor, which is not 0: the quotient of a number that is not 0
 * has at least that many bits, and one more at most.  Both are exact; *divisor
 * is undefined then.
 */
extern void wa_natural_divide(WaNatural *a, WaNatural *divisor, int bits);

/*
 * Replaces the number, which has at least 129 bits, by its square root, cut to
 * 64 bits.
 */
extern void wa_natural_take_root(WaNatural *a);

/*
 * Rounds to the format, half to even.  The result is a double even for the
 * float format, of which it is then a member; infinite with *overflow set if
 * it would exceed the largest of the format.
 */
extern double wa_natural_round(const WaNatural *a,
							   const WaRoundingFormat *format, bool *overflow);

#endif /* WA_CORE_NATURAL_H */
