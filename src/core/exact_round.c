/*
 * exact_round.c
 *		What is made of exact sums at the end: sums, averages, variances and
 *		standard deviations, each rounded once.
 *
 * Everything is computed in natural numbers of as many words as it takes; only
 * a quotient or a root is cut, and then it knows that something was left
 * (the "sticky bit" of floating-point units), so that rounding is right.
 */
#include <float.h>
#include <math.h>

#include "core/exact_squares.h"
#include "core/exact_sum.h"

#define WORD_BITS 64

/*
 * Words of the largest number there is: the square of a sum, or a sum of
 * squares times the number of rows.
 */
#define MAX_WORDS 76

/*
 * Words of a dividend.  Its highest word is not 0 and the divisors have less
 * than 64 bits each, so at least 4 * 64 + 1 - 2 * 63 = 131 bits are left of it
 * after two divisions: enough for a root of 64 bits.
 */
#define DIVIDEND_WORDS 5

/*
 * A number that is not negative: word[i] has the weight 2^(64 i + exponent).
 * The highest word is not 0; zero has no words.
 */
typedef struct Natural
{
	int count;    /* of words */
	int exponent; /* a multiple of 64, but for roots */
	bool inexact; /* the true number is larger by less than 2^exponent */
	uint64_t word[MAX_WORDS];
} Natural;

/* A binary floating-point format to round to. */
typedef struct RoundingFormat
{
	int precision_bits; /* of the significand, the hidden bit included */
	int lowest_bit;     /* exponent of the smallest subnormal */
	double largest;     /* largest finite number */
} RoundingFormat;

static const RoundingFormat double_format = {DBL_MANT_DIG, -1074, DBL_MAX};
static const RoundingFormat float_format = {FLT_MANT_DIG, -149, FLT_MAX};

/* Drops words that are 0 from the top. */
static inline void
strip(Natural *a)
{
	while (a->count > 0 && a->word[a->count - 1] == 0)
		a->count--;
}

/*
 * Makes *a the magnitude of normalized limbs, of which the first has the
 * weight 2^lowest_bit, a multiple of 64.
 */
static void
take_magnitude(Natural *a, const int64_t *limbs, int nlimbs, int lowest_bit)
{
	int64_t sign = limbs[nlimbs - 1] < 0 ? -1 : 1;
	int64_t carry = 0;
	int first = 0;
	int end = nlimbs;

	while (first < nlimbs && limbs[first] == 0)
		first++;
	while (end > first && limbs[end - 1] == 0)
		end--;
	first -= first % 2;
	a->count = 0;
	a->exponent = lowest_bit + first * WA_EXACT_LIMB_BITS;
	a->inexact = false;
	for (int i = first; i < end || carry != 0; i++)
	{
		uint64_t digit;

		if (i < end)
			carry += sign * limbs[i];
		digit = (uint32_t) carry;
		carry >>= WA_EXACT_LIMB_BITS;
		if (i % 2 == 0)
			a->word[a->count++] = digit;
		else
			a->word[a->count - 1] |= digit << WA_EXACT_LIMB_BITS;
	}
	strip(a);
}

/* Multiplies by a factor that is not 0. */
static void
multiply(Natural *a, uint64_t factor)
{
	uint64_t carry = 0;

	for (int i = 0; i < a->count; i++)
	{
		unsigned __int128 product =
			(unsigned __int128) a->word[i] * factor + carry;

		a->word[i] = (uint64_t) product;
		carry = (uint64_t) (product >> WORD_BITS);
	}
	if (carry != 0)
		a->word[a->count++] = carry;
}

/* Makes *result the square of *a. */
static void
square(const Natural *a, Natural *result)
{
	result->count = 2 * a->count;
	result->exponent = 2 * a->exponent;
	result->inexact = false;
	memset(result->word, 0, (size_t) result->count * sizeof(uint64_t));
	for (int i = 0; i < a->count; i++)
	{
		uint64_t carry = 0;

		for (int j = 0; j < a->count; j++)
		{
			unsigned __int128 product =
				(unsigned __int128) a->word[i] * a->word[j] +
				result->word[i + j] + carry;

			result->word[i + j] = (uint64_t) product;
			carry = (uint64_t) (product >> WORD_BITS);
		}
		result->word[i + a->count] = carry;
	}
	strip(result);
}

/* Returns a word by its place; those that are not there are 0. */
static inline uint64_t
word_at(const Natural *a, int i)
{
	return i >= 0 && i < a->count ? a->word[i] : 0;
}

/* Makes *result what is left of *a without *b, or 0 if that is larger. */
static void
subtract(const Natural *a, const Natural *b, Natural *result)
{
	int exponent = a->exponent < b->exponent ? a->exponent : b->exponent;
	int a_offset = (a->exponent - exponent) / WORD_BITS;
	int b_offset = (b->exponent - exponent) / WORD_BITS;
	int a_end = a->count + a_offset;
	int b_end = b->count + b_offset;
	uint64_t borrow = 0;

	result->count = a_end > b_end ? a_end : b_end;
	result->exponent = exponent;
	result->inexact = false;
	for (int i = 0; i < result->count; i++)
	{
		unsigned __int128 difference =
			(unsigned __int128) word_at(a, i - a_offset) -
			word_at(b, i - b_offset) - borrow;

		result->word[i] = (uint64_t) difference;
		borrow = (uint64_t) (difference >> WORD_BITS) & 1;
	}
	if (borrow != 0)
		result->count = 0;
	strip(result);
}

/* Cuts or extends the number, which is not 0, to that many words. */
static void
resize(Natural *a, int count)
{
	int cut = a->count - count;

	for (int i = 0; i < cut; i++)
		a->inexact |= a->word[i] != 0;
	if (cut > 0)
		memmove(a->word, a->word + cut, (size_t) count * sizeof(uint64_t));
	else
	{
		memmove(a->word - cut, a->word, (size_t) a->count * sizeof(uint64_t));
		memset(a->word, 0, (size_t) -cut * sizeof(uint64_t));
	}
	a->count = count;
	a->exponent += cut * WORD_BITS;
}

/* Divides by a divisor that is not 0. */
static void
divide(Natural *a, uint64_t divisor)
{
	uint64_t remainder = 0;

	for (int i = a->count - 1; i >= 0; i--)
	{
		unsigned __int128 dividend =
			(unsigned __int128) remainder << WORD_BITS | a->word[i];

		a->word[i] = (uint64_t) (dividend / divisor);
		remainder = (uint64_t) (dividend % divisor);
	}
	a->inexact |= remainder != 0;
	strip(a);
}

/* Returns the number of bits up to the highest that is 1. */
static inline int
bit_length(const Natural *a)
{
	if (a->count == 0)
		return 0;
	return a->count * WORD_BITS - __builtin_clzll(a->word[a->count - 1]);
}

/* Returns the 64 bits from a position on, which may be negative. */
static uint64_t
bits_from(const Natural *a, int position)
{
	int i = position >> 6;
	int shift = position & (WORD_BITS - 1);

	if (shift == 0)
		return word_at(a, i);
	return word_at(a, i) >> shift | word_at(a, i + 1) << (WORD_BITS - shift);
}

/* Tells whether the true number has anything below the position. */
static bool
any_bit_below(const Natural *a, int position)
{
	int i = 0;

	if (a->inexact)
		return true;
	for (; i < a->count && position >= WORD_BITS; position -= WORD_BITS)
		if (a->word[i++] != 0)
			return true;
	return position > 0 && position < WORD_BITS &&
		   (word_at(a, i) & (((uint64_t) 1 << position) - 1)) != 0;
}

/*
 * Replaces the number, which has at least 128 bits, by its square root, cut to
 * 64 bits.
 */
static void
take_root(Natural *a)
{
	int cut = bit_length(a) - 2 * WORD_BITS;
	unsigned __int128 high;
	unsigned __int128 root;

	cut += cut & 1;
	high = (unsigned __int128) bits_from(a, cut + WORD_BITS) << WORD_BITS |
		   bits_from(a, cut);
	/*
	 * One of Newton's steps from 52 right bits, and then the last bit.  The
	 * step stays below 2^64: from 2^64, as high is below 2^128, and from what
	 * is less, as that is at most 2^64 - 2^11.
	 */
	root = (unsigned __int128) sqrt((double) high);
	root = (root + high / root) / 2;
	while (root * root > high)
		root--;
	while (high - root * root > 2 * root)
		root++;
	a->inexact = any_bit_below(a, cut) || root * root != high;
	a->word[0] = (uint64_t) root;
	a->count = 1;
	a->exponent = (a->exponent + cut) / 2;
}

/*
 * Rounds to the format, half to even.  The result is a double even for the
 * float format, of which it is then a member; infinite with *overflow set if
 * it would exceed the largest of the format.
 */
static double
round_natural(const Natural *a, const RoundingFormat *format, bool *overflow)
{
	int lowest = bit_length(a) - format->precision_bits;
	uint64_t significand;
	double result;

	if (lowest < format->lowest_bit - a->exponent)
		lowest = format->lowest_bit - a->exponent;
	significand = bits_from(a, lowest);
	if ((bits_from(a, lowest - 1) & 1) != 0 &&
		((significand & 1) != 0 || any_bit_below(a, lowest - 1)))
		significand++;
	result = ldexp((double) significand, lowest + a->exponent);
	if (result <= format->largest)
		return result;
	*overflow = true;
	return INFINITY;
}

/*
 * Returns the sum of rows numbers, divided by divisor and rounded to the
 * format; see wa_exact_to_double.
 */
static double
round_sum(const WaExactSum *sum, int64_t rows, uint64_t divisor,
		  const RoundingFormat *format, bool *overflow)
{
	Natural magnitude;
	double result;

	*overflow = false;
	if (sum->nans > 0 ||
		(sum->positive_infinities > 0 && sum->negative_infinities > 0))
		return NAN;
	if (sum->positive_infinities > 0)
		return INFINITY;
	if (sum->negative_infinities > 0)
		return -INFINITY;

	take_magnitude(&magnitude, sum->limbs, WA_EXACT_LIMBS, WA_EXACT_LOWEST_BIT);
	if (magnitude.count == 0)
		return rows > 0 && sum->negative_zeros == rows ? -0.0 : 0.0;
	if (divisor > 1)
	{
		resize(&magnitude, DIVIDEND_WORDS);
		divide(&magnitude, divisor);
	}
	result = round_natural(&magnitude, format, overflow);
	return sum->limbs[WA_EXACT_LIMBS - 1] < 0 ? -result : result;
}

double
wa_exact_to_double(const WaExactSum *sum, int64_t rows, bool *overflow)
{
	return round_sum(sum, rows, 1, &double_format, overflow);
}

float
wa_exact_to_float(const WaExactSum *sum, int64_t rows, bool *overflow)
{
	return (float) round_sum(sum, rows, 1, &float_format, overflow);
}

double
wa_exact_average(const WaExactSum *sum, int64_t rows)
{
	bool overflow;

	return round_sum(sum, rows, (uint64_t) rows, &double_format, &overflow);
}

/*
 * Makes *variance the variance of rows numbers, all finite; see
 * wa_exact_variance.  It has at least 128 bits unless it is 0.
 */
static void
take_variance(Natural *variance, const WaExactSum *sum,
			  const WaExactSquares *squares, int64_t rows, bool sample)
{
	Natural total;
	Natural products;
	Natural total_squared;

	take_magnitude(&total, sum->limbs, WA_EXACT_LIMBS, WA_EXACT_LOWEST_BIT);
	square(&total, &total_squared);
	take_magnitude(&products, squares->limbs, WA_SQUARES_LIMBS,
				   WA_SQUARES_LOWEST_BIT);
	multiply(&products, (uint64_t) rows);
	subtract(&products, &total_squared, variance);
	if (variance->count == 0)
		return;
	resize(variance, DIVIDEND_WORDS);
	divide(variance, (uint64_t) rows);
	divide(variance, (uint64_t) rows - (sample ? 1 : 0));
}

/* Returns the variance or, if root, its square root. */
static double
round_variance(const WaExactSum *sum, const WaExactSquares *squares,
			   int64_t rows, bool sample, bool root, bool *overflow)
{
	Natural variance;

	*overflow = false;
	if (sum->nans > 0 || sum->positive_infinities > 0 ||
		sum->negative_infinities > 0)
		return NAN;
	take_variance(&variance, sum, squares, rows, sample);
	if (variance.count == 0)
		return 0;
	if (root)
		take_root(&variance);
	return round_natural(&variance, &double_format, overflow);
}

double
wa_exact_variance(const WaExactSum *sum, const WaExactSquares *squares,
				  int64_t rows, bool sample, bool *overflow)
{
	return round_variance(sum, squares, rows, sample, false, overflow);
}

double
wa_exact_stddev(const WaExactSum *sum, const WaExactSquares *squares,
				int64_t rows, bool sample, bool *overflow)
{
	return round_variance(sum, squares, rows, sample, true, overflow);
}
