/*
 * test_small_sum.c
 *		Small exact sums, held against the wide ones.
 *
 * Numbers of many kinds are added to small sums in random order and parts.
 * What was taken must expand to the wide sum of just that; what was refused
 * must have changed nothing, and must not have fitted.
 */
#include <math.h>
#include <string.h>

#include "core/small_sum.h"
#include "test/unit/check.h"

#define MAX_NUMBERS 300

static uint64_t seed = 987654321;

/* How many small sums have been rounded without a wide one. */
static int rounded = 0;

/* A small sum and a small sum of squares, and what they stand for. */
typedef struct Pair
{
	WaInt128 sum;
	int16_t sum_exponent;
	WaInt256 squares;
	int16_t squares_exponent;
	WaExactSum wide_sum;
	WaExactSquares wide_squares;
	int refused;
} Pair;

/* Returns a random number below the limit. */
static uint64_t
below(uint64_t limit)
{
	return (next_random(&seed) >> 8) % limit;
}

/* Returns a random finite number with exponents of this many binades. */
static double
random_number(int exponent, uint64_t binades, uint64_t bits)
{
	uint64_t mantissa = next_random(&seed) >> 11 >> (53 - bits);
	double x = ldexp((double) mantissa, exponent + (int) below(binades));

	return next_random(&seed) >> 63 != 0 ? -x : x;
}

static void
init_pair(Pair *pair)
{
	memset(pair, 0, sizeof(*pair));
}

/* Tells whether the small sum is rounded as the wide one is, if it can be. */
static bool
rounds_alike(WaInt128 sum, int16_t exponent)
{
	WaExactSum wide;
	bool overflow;
	double x;
	float y;

	wa_exact_init(&wide);
	wa_small_sum_expand(sum, exponent, &wide);
	if (wa_small_sum_to_double(sum, exponent, &x))
	{
		EXPECT(x == wa_exact_to_double(&wide, 1, &overflow) && !overflow);
		rounded++;
	}
	if (wa_small_sum_to_float(sum, exponent, &y))
	{
		EXPECT(y == wa_exact_to_float(&wide, 1, &overflow) && !overflow);
		rounded++;
	}
	return true;
}

/* Tells whether the small sums expand to the wide ones. */
static bool
pair_agrees(const Pair *pair)
{
	WaExactSum sum;
	WaExactSquares squares;

	wa_exact_init(&sum);
	wa_squares_init(&squares);
	wa_small_sum_expand(pair->sum, pair->sum_exponent, &sum);
	wa_small_squares_expand(&pair->squares, pair->squares_exponent, &squares);
	EXPECT(memcmp(&sum, &pair->wide_sum, sizeof(sum)) == 0);
	EXPECT(memcmp(&squares, &pair->wide_squares, sizeof(squares)) == 0);
	EXPECT(rounds_alike(pair->sum, pair->sum_exponent));
	return true;
}

/* Tells whether the small sums of two pairs are the same bits. */
static bool
same_small(const Pair *a, const Pair *b)
{
	return memcmp(&a->sum, &b->sum, sizeof(a->sum)) == 0 &&
		   a->sum_exponent == b->sum_exponent &&
		   memcmp(&a->squares, &b->squares, sizeof(a->squares)) == 0 &&
		   a->squares_exponent == b->squares_exponent;
}

/*
 * Tells whether the wide sum, in units of what the smaller of the two units
 * is, has too many bits for an integer of so many.  Wide sums are normalized.
 */
static bool
too_wide(const int64_t *limbs, int nlimbs, int lowest_bit, int unit, int bits)
{
	int64_t sign = limbs[nlimbs - 1] < 0 ? 0xffffffff : 0;
	int highest = unit - lowest_bit + bits - 1; /* the sign's place */

	for (int bit = highest; bit < (nlimbs - 1) * 32; bit++)
		if ((limbs[bit / 32] >> bit % 32 & 1) != (sign & 1))
			return true;
	return false;
}

/* Returns the exponent of the lowest bit of a number that is 1. */
static int
lowest_bit_of(double x)
{
	int exponent;
	double fraction = frexp(fabs(x), &exponent);
	uint64_t significand = (uint64_t) ldexp(fraction, 53);

	return exponent - 53 + __builtin_ctzll(significand);
}

/* Adds a number to the pair's sum, small and wide; false if that went wrong. */
static bool
add_to_sum(Pair *pair, double x)
{
	Pair before = *pair;

	wa_exact_add(&pair->wide_sum, x);
	wa_exact_normalize(&pair->wide_sum);
	pair->wide_sum.negative_zeros = 0;
	if (!wa_small_sum_add(&pair->sum, &pair->sum_exponent, x))
	{
		int unit = lowest_bit_of(x);

		EXPECT(same_small(pair, &before));
		unit = unit < pair->sum_exponent ? unit : pair->sum_exponent;
		EXPECT(too_wide(pair->wide_sum.limbs, WA_EXACT_LIMBS,
						WA_EXACT_LOWEST_BIT, unit, 128));
		*pair = before;
		pair->refused++;
	}
	return true;
}

/* The same with its square. */
static bool
add_to_squares(Pair *pair, double x)
{
	Pair before = *pair;

	wa_squares_add(&pair->wide_squares, x);
	wa_squares_normalize(&pair->wide_squares);
	if (!wa_small_squares_add(&pair->squares, &pair->squares_exponent, x))
	{
		int unit = 2 * lowest_bit_of(x);

		EXPECT(same_small(pair, &before));
		unit = unit < pair->squares_exponent ? unit : pair->squares_exponent;
		EXPECT(too_wide(pair->wide_squares.limbs, WA_SQUARES_LIMBS,
						WA_SQUARES_LOWEST_BIT, unit, 256));
		*pair = before;
		pair->refused++;
	}
	return true;
}

/* Merges two pairs in a random direction. */
static bool
merge(Pair *into, Pair *from)
{
	Pair before;

	if (below(2) != 0)
	{
		before = *into;
		*into = *from;
		*from = before;
	}
	before = *into;
	if (wa_small_sum_merge(&into->sum, &into->sum_exponent, from->sum,
						   from->sum_exponent))
		wa_exact_merge(&into->wide_sum, &from->wide_sum);
	else
		into->refused++;
	if (into->refused != before.refused)
		EXPECT(same_small(into, &before));
	if (wa_small_squares_merge(&into->squares, &into->squares_exponent,
							   &from->squares, from->squares_exponent))
		wa_squares_merge(&into->wide_squares, &from->wide_squares);
	else
		into->refused++;
	into->refused += from->refused;
	return true;
}

/*
 * Sums numbers of the kind in two pairs that are merged; counts in *refused
 * what did not fit.
 */
static bool
sum_numbers(int exponent, uint64_t binades, uint64_t bits, int *refused)
{
	uint64_t numbers = 1 + below(MAX_NUMBERS);
	Pair pairs[2];

	init_pair(&pairs[0]);
	init_pair(&pairs[1]);
	for (uint64_t i = 0; i < numbers; i++)
	{
		double x = random_number(exponent, binades, bits);
		Pair *pair = &pairs[below(8) == 0];

		EXPECT(add_to_sum(pair, x));
		EXPECT(add_to_squares(pair, x));
		if (below(16) == 0)
			EXPECT(add_to_sum(pair, -x));
	}
	EXPECT(pair_agrees(&pairs[0]) && pair_agrees(&pairs[1]));
	EXPECT(merge(&pairs[0], &pairs[1]));
	EXPECT(pair_agrees(&pairs[0]));
	*refused += pairs[0].refused;
	return true;
}

/* Numbers of a size and of so many bits, within so many binades. */
static bool
sums_agree(uint64_t binades, uint64_t bits, bool all_fit)
{
	int refused = 0;

	for (int exponent = -1074; exponent + (int) (binades + bits) <= 1024;
		 exponent += 61)
		for (int round = 0; round < 10; round++)
			EXPECT(sum_numbers(exponent, binades, bits, &refused));
	EXPECT((refused == 0) == all_fit);
	return true;
}

static bool
test_narrow(void)
{
	return sums_agree(1, 53, true);
}

static bool
test_usual(void)
{
	return sums_agree(40, 53, true);
}

static bool
test_integers(void)
{
	return sums_agree(1, 20, true) && sums_agree(50, 1, true);
}

static bool
test_wide(void)
{
	return sums_agree(200, 53, false) && sums_agree(900, 30, false);
}

/* What a dashboard sums: integers, prices and rates beside one another. */
static bool
test_mixture(void)
{
	static const double numbers[] = {1.0,     1000000.0, 0.1,   -0.25, 1e-7,
									 12345.6, 1e9,       0.001, -7,    99.99};

	for (int round = 0; round < 1000; round++)
	{
		Pair pair;

		init_pair(&pair);
		for (int i = 0; i < 50; i++)
		{
			double x = numbers[below(sizeof(numbers) / sizeof(numbers[0]))];

			EXPECT(add_to_sum(&pair, x) && add_to_squares(&pair, x));
		}
		EXPECT(pair.refused == 0 && pair_agrees(&pair));
	}
	return true;
}

static bool
test_zeros(void)
{
	Pair pair, before;

	init_pair(&pair);
	before = pair;
	EXPECT(wa_small_sum_add(&pair.sum, &pair.sum_exponent, 0.0));
	EXPECT(wa_small_sum_add(&pair.sum, &pair.sum_exponent, -0.0));
	EXPECT(wa_small_squares_add(&pair.squares, &pair.squares_exponent, -0.0));
	EXPECT(same_small(&pair, &before));
	EXPECT(add_to_sum(&pair, 1e300) && add_to_squares(&pair, 1e300));
	before = pair;
	EXPECT(add_to_sum(&pair, -0.0) && add_to_squares(&pair, -0.0));
	EXPECT(same_small(&pair, &before));
	EXPECT(add_to_sum(&pair, -1e300));
	/* What has cancelled takes any number again. */
	EXPECT(add_to_sum(&pair, 5e-324));
	EXPECT(pair.refused == 0 && pair_agrees(&pair));
	return true;
}

/* The last sum that fits 128 bits, on either side, and the first that does not.
 */
static bool
test_limits(void)
{
	for (int sign = -1; sign <= 1; sign += 2)
	{
		WaInt128 sum = wa_int128_make(sign);
		int16_t exponent = -1074;
		WaInt128 before;

		EXPECT(wa_small_sum_add(&sum, &exponent, sign * ldexp(1, -1074 + 126)));
		EXPECT(wa_small_sum_add(&sum, &exponent, sign * ldexp(1, -1074 + 125)));
		before = sum;
		EXPECT(
			!wa_small_sum_add(&sum, &exponent, sign * ldexp(1, -1074 + 125)));
		EXPECT(memcmp(&sum, &before, sizeof(sum)) == 0 && exponent == -1074);
		EXPECT(wa_small_sum_add(&sum, &exponent, -sign * ldexp(1, -1074)));
		EXPECT(wa_small_sum_add(&sum, &exponent,
								sign * ldexp(1, -1074 + 125)) == (sign < 0));
	}
	return true;
}

/* Sums on, just above and just below the middle of two doubles or floats. */
static bool
test_rounding(void)
{
	static const int bits[] = {25, 54};

	for (int i = 0; i < 20000; i++)
	{
		int precision = bits[below(2)];
		int shift = (int) below(126 - (uint64_t) precision);
		__int128 number =
			(__int128) (next_random(&seed) >> (64 - precision)) | 1;
		int16_t exponent = (int16_t) ((int) below(2300) - 1200);

		number = number * ((__int128) 1 << shift) + (int) below(3) - 1;
		if (below(2) != 0)
			number = -number;
		if (exponent >= -1074 && exponent <= 900)
			EXPECT(rounds_alike(wa_int128_make(number), exponent));
	}
	return rounded > 10000;
}

int
main(void)
{
	check(test_narrow(), "numbers of one binade");
	check(test_usual(), "numbers of forty binades");
	check(test_integers(), "integers");
	check(test_wide(), "numbers too far apart");
	check(test_mixture(), "mixtures");
	check(test_zeros(), "zeros");
	check(test_limits(), "limits");
	check(test_rounding(), "rounding");
	return finish_checks();
}
