/*
 * exact_pairs.c
 *		Statistics of pairs of floating-point numbers; see exact_pairs.h.
 */
#include "core/exact_pairs.h"
#include "core/natural.h"

/* Bits of a quotient that is rounded, and of one whose root is taken. */
#define QUOTIENT_BITS 64
#define RADICAND_BITS 130

/* Words of a dividend of which 64 bits and more are left after two divisions. */
#define DIVIDEND_WORDS 5

/* A number with a sign. */
typedef struct Integer
{
	WaNatural magnitude;
	bool negative;
} Integer;

/* What the statistics are made of: C, X and Y. */
typedef struct Moments
{
	Integer c;
	Integer x;
	Integer y;
	bool is_x_finite;
	bool is_y_finite;
} Moments;

void
wa_products_init(WaExactProducts *products)
{
	memset(products, 0, sizeof(*products));
}

void
wa_products_merge(WaExactProducts *products, WaProductPart part,
				  const WaExactSum *sum)
{
	const int first =
		(WA_EXACT_LOWEST_BIT + wa_product_scale(part) - WA_SQUARES_LOWEST_BIT) /
		WA_EXACT_LIMB_BITS;

	for (int i = 0; i < WA_EXACT_LIMBS; i++)
		products->limbs[first + i] += sum->limbs[i];
	wa_limbs_normalize(products->limbs, WA_PRODUCTS_LIMBS);
}

/* Makes *a the number that normalized limbs are. */
static void
take(Integer *a, const int64_t *limbs, int nlimbs, int lowest_bit)
{
	wa_natural_take(&a->magnitude, limbs, nlimbs, lowest_bit);
	a->negative = limbs[nlimbs - 1] < 0;
}

static void
take_sum(Integer *a, const WaExactSum *sum)
{
	take(a, sum->limbs, WA_EXACT_LIMBS, WA_EXACT_LOWEST_BIT);
}

static void
take_squares(Integer *a, const WaExactSquares *squares)
{
	take(a, squares->limbs, WA_SQUARES_LIMBS, WA_SQUARES_LOWEST_BIT);
}

static void
take_products(Integer *a, const WaExactProducts *products)
{
	take(a, products->limbs, WA_PRODUCTS_LIMBS, WA_SQUARES_LOWEST_BIT);
}

/* Makes *result a b - c d. */
static void
subtract_products(const Integer *a, const Integer *b, const Integer *c,
				  const Integer *d, Integer *result)
{
	WaNatural first;
	WaNatural second;
	const bool first_negative = a->negative != b->negative;
	const bool second_negative = c->negative != d->negative;

	wa_natural_multiply(&a->magnitude, &b->magnitude, &first);
	wa_natural_multiply(&c->magnitude, &d->magnitude, &second);
	result->negative = first_negative;
	if (first_negative != second_negative)
		wa_natural_add(&first, &second, &result->magnitude);
	else if (!wa_natural_subtract(&first, &second, &result->magnitude))
	{
		(void) wa_natural_subtract(&second, &first, &result->magnitude);
		result->negative = !first_negative;
	}
	/* Of nothing and something the sign is that of what is there. */
	if (first.count == 0)
		result->negative = !second_negative;
}

/* Makes *result rows times a sum of products, without the product of two sums. */
static void
center(int64_t rows, const Integer *products, const WaExactSum *one,
	   const WaExactSum *other, Integer *result)
{
	Integer number = {{.count = 1, .word = {(uint64_t) rows}}, false};
	Integer a;
	Integer b;

	take_sum(&a, one);
	take_sum(&b, other);
	subtract_products(&number, products, &a, &b, result);
}

static bool
is_finite(const WaExactSum *sum)
{
	return sum->nans == 0 && sum->positive_infinities == 0 &&
		   sum->negative_infinities == 0;
}

static bool
is_zero(const Integer *a)
{
	return a->magnitude.count == 0;
}

static void
take_moments(const WaExactPairs *pairs, Moments *moments)
{
	Integer products;

	take_products(&products, &pairs->products);
	center(pairs->rows, &products, &pairs->x.sum, &pairs->y.sum, &moments->c);
	take_squares(&products, &pairs->x.squares);
	center(pairs->rows, &products, &pairs->x.sum, &pairs->x.sum, &moments->x);
	take_squares(&products, &pairs->y.squares);
	center(pairs->rows, &products, &pairs->y.sum, &pairs->y.sum, &moments->y);
	moments->is_x_finite = is_finite(&pairs->x.sum);
	moments->is_y_finite = is_finite(&pairs->y.sum);
}

/* Rounds a number that is not negative, but for its sign. */
static double
finish(const WaNatural *a, bool negative, bool *overflow)
{
	double result;

	if (a->count == 0)
		return 0;
	result = wa_natural_round(a, &wa_double_format, overflow);
	return negative ? -result : result;
}

/* Divides by two words, neither of which is 0, and rounds. */
static double
divide_words(const Integer *a, int64_t one, int64_t other, bool *overflow)
{
	WaNatural quotient = a->magnitude;

	if (quotient.count == 0)
		return 0;
	wa_natural_resize(&quotient, DIVIDEND_WORDS);
	wa_natural_divide_word(&quotient, (uint64_t) one);
	wa_natural_divide_word(&quotient, (uint64_t) other);
	return finish(&quotient, a->negative, overflow);
}

/* Divides by a number that is not 0, and rounds. */
static double
divide(const Integer *a, const Integer *b, bool *overflow)
{
	WaNatural quotient = a->magnitude;
	WaNatural divisor = b->magnitude;

	wa_natural_divide(&quotient, &divisor, QUOTIENT_BITS);
	return finish(&quotient, a->negative != b->negative, overflow);
}

/* Returns C^2 / (X Y), neither of which is 0, or its root with the sign of C. */
static double
correlate(const Moments *moments, bool root, bool *overflow)
{
	const WaNatural *c = &moments->c.magnitude;
	WaNatural quotient;
	WaNatural divisor;

	wa_natural_multiply(c, c, &quotient);
	wa_natural_multiply(&moments->x.magnitude, &moments->y.magnitude, &divisor);
	wa_natural_divide(&quotient, &divisor, RADICAND_BITS);
	if (root && quotient.count > 0)
		wa_natural_take_root(&quotient);
	return finish(&quotient, root && moments->c.negative, overflow);
}

/* Returns (Sy Sxx - Sx Sxy) / X, which is not 0. */
static double
intercept(const WaExactPairs *pairs, const Moments *moments, bool *overflow)
{
	Integer x;
	Integer y;
	Integer squares;
	Integer products;
	Integer difference;

	take_sum(&x, &pairs->x.sum);
	take_sum(&y, &pairs->y.sum);
	take_squares(&squares, &pairs->x.squares);
	take_products(&products, &pairs->products);
	subtract_products(&y, &squares, &x, &products, &difference);
	return divide(&difference, &moments->x, overflow);
}

/* Those that are not NULL where X is 0; of finite numbers. */
static double
sum_statistic(const WaExactPairs *pairs, const Moments *moments,
			  WaPairStatistic statistic, bool *overflow)
{
	const int64_t rows = pairs->rows;

	switch (statistic)
	{
		case WA_PAIR_COVAR_POP:
			return divide_words(&moments->c, rows, rows, overflow);
		case WA_PAIR_COVAR_SAMP:
			return divide_words(&moments->c, rows, rows - 1, overflow);
		case WA_PAIR_SXX:
			return divide_words(&moments->x, rows, 1, overflow);
		case WA_PAIR_SYY:
			return divide_words(&moments->y, rows, 1, overflow);
		default: /* WA_PAIR_SXY */
			return divide_words(&moments->c, rows, 1, overflow);
	}
}

/* Those that are NULL where X is 0; of finite numbers, where it is not. */
static double
line_statistic(const WaExactPairs *pairs, const Moments *moments,
			   WaPairStatistic statistic, bool *overflow)
{
	switch (statistic)
	{
		case WA_PAIR_SLOPE:
			return divide(&moments->c, &moments->x, overflow);
		case WA_PAIR_INTERCEPT:
			return intercept(pairs, moments, overflow);
		default: /* WA_PAIR_CORR, WA_PAIR_R2 */
			return correlate(moments, statistic == WA_PAIR_CORR, overflow);
	}
}

/* Tells whether a statistic is NULL of the moments. */
static bool
is_null(const WaExactPairs *pairs, const Moments *moments,
		WaPairStatistic statistic)
{
	const bool is_vertical = moments->is_x_finite && is_zero(&moments->x);
	const bool is_horizontal = moments->is_y_finite && is_zero(&moments->y);

	switch (statistic)
	{
		case WA_PAIR_COVAR_SAMP:
			return pairs->rows < 2;
		case WA_PAIR_CORR:
			return is_vertical || is_horizontal;
		case WA_PAIR_SLOPE:
		case WA_PAIR_INTERCEPT:
		case WA_PAIR_R2:
			return is_vertical;
		default:
			return false;
	}
}

bool
wa_exact_pair_statistic(const WaExactPairs *pairs, WaPairStatistic statistic,
						double *result, bool *overflow)
{
	Moments moments;

	*overflow = false;
	if (statistic == WA_PAIR_AVGX || statistic == WA_PAIR_AVGY)
	{
		*result = wa_exact_average(statistic == WA_PAIR_AVGX ? &pairs->x.sum
															 : &pairs->y.sum,
								   pairs->rows);
		return true;
	}
	take_moments(pairs, &moments);
	if (is_null(pairs, &moments, statistic))
		return false;
	if (statistic == WA_PAIR_R2 && moments.is_y_finite && is_zero(&moments.y))
		*result = 1;
	else if ((statistic != WA_PAIR_SYY && !moments.is_x_finite) ||
			 (statistic != WA_PAIR_SXX && !moments.is_y_finite))
		*result = NAN;
	else if (statistic >= WA_PAIR_SLOPE || statistic == WA_PAIR_CORR)
		*result = line_statistic(pairs, &moments, statistic, overflow);
	else
		*result = sum_statistic(pairs, &moments, statistic, overflow);
	return true;
}
