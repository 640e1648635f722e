/*
 * exact_squares.c
 *		Exact sums of squares of floating-point numbers on the CPU; see
 *		exact_squares.h.
 *
 * The square of a 53-bit significand has 106 bits, so 2^22 of them fit a bin
 * of 128 bits.  A fold keeps a bin for each of the exponents around the first
 * number's, as in the large superaccumulators of R. Neal, arXiv:1505.05571, and
 * adds the bins to the limbs every so many rows.
 */
#include "core/exact_squares.h"
#include "core/limbs.h"

/* Exponents that have bins, and how many of them lie below the first's. */
#define BINS       128
#define BINS_BELOW 80

/* Rows between two additions of the bins to the limbs; at most 2^22. */
#define MAX_BIN_ROWS ((size_t) 1 << 20)

/* Fewer rows than this are not worth the clearing of the bins. */
#define MIN_BIN_ROWS 32

/* Sums of squares of the significands of numbers with one exponent each. */
typedef struct Bins
{
	int first; /* biased exponent of bin 0 */
	unsigned __int128 bin[BINS];
} Bins;

void
wa_squares_init(WaExactSquares *sum)
{
	memset(sum, 0, sizeof(*sum));
}

/* Returns the biased exponent of a double, 0 for zeros and subnormals. */
static inline int
exponent_field(double x)
{
	return (int) (wa_double_bits(x) >> 52) & 0x7ff;
}

/* Adds the square of a finite number to the limbs, or takes it away. */
static void
add_square(WaExactSquares *sum, double x, bool negative)
{
	WaDoubleParts parts = wa_double_parts(x);

	wa_limbs_add(sum->limbs,
				 (unsigned __int128) parts.significand * parts.significand,
				 2 * parts.exponent - WA_SQUARES_LOWEST_BIT, negative);
}

void
wa_squares_add(WaExactSquares *sum, double x)
{
	if (x != 0 && wa_is_finite(x))
		add_square(sum, x, false);
}

void
wa_squares_subtract(WaExactSquares *sum, double x)
{
	if (x != 0 && wa_is_finite(x))
		add_square(sum, x, true);
}

/* Makes empty bins around numbers of the size of x. */
static void
bins_around(Bins *bins, double x)
{
	int first = exponent_field(x) - BINS_BELOW;

	memset(bins, 0, sizeof(*bins));
	/* Numbers that are not normal have no bin. */
	if (first > 0x7ff - BINS)
		first = 0x7ff - BINS;
	bins->first = first < 1 ? 1 : first;
}

/* Adds the square of a number to its bin, or to the limbs if it has none. */
static inline void
take(WaExactSquares *sum, Bins *bins, double x)
{
	unsigned bin = (unsigned) (exponent_field(x) - bins->first);
	uint64_t significand =
		(wa_double_bits(x) & WA_MANTISSA_MASK) | (WA_MANTISSA_MASK + 1);

	if (bin < BINS)
		bins->bin[bin] += (unsigned __int128) significand * significand;
	else
		wa_squares_add(sum, x);
}

/* Adds the bins to the limbs. */
static void
add_bins(WaExactSquares *sum, const Bins *bins)
{
	for (int i = 0; i < BINS; i++)
		if (bins->bin[i] != 0)
			wa_limbs_add(sum->limbs, bins->bin[i],
						 2 * (bins->first + i - 1075) - WA_SQUARES_LOWEST_BIT,
						 false);
}

/* A column of doubles or of floats. */
typedef struct Column
{
	const double *doubles; /* NULL: floats */
	const float *floats;
} Column;

/* Returns the number of a row. */
static inline double
number_at(const Column *column, size_t row)
{
	return column->doubles != NULL ? column->doubles[row]
								   : (double) column->floats[row];
}

/* Adds the squares of a few numbers, one by one. */
static void
add_few(WaExactSquares *sum, const Column *column, size_t row, size_t end)
{
	for (; row < end; row++)
		wa_squares_add(sum, number_at(column, row));
}

/* Adds the squares of at most MAX_BIN_ROWS numbers, by way of bins. */
static inline __attribute__((always_inline)) void
add_many(WaExactSquares *sum, const Column *column, size_t row, size_t end)
{
	double first = 0;
	Bins bins;

	/* Bins are laid around the first number that needs one. */
	for (; row < end && (first == 0 || !wa_is_finite(first)); row++)
		first = number_at(column, row);
	bins_around(&bins, first);
	wa_squares_add(sum, first);
	for (; row < end; row++)
		take(sum, &bins, number_at(column, row));
	add_bins(sum, &bins);
}

/* Adds the squares of the numbers; inlined for each kind of column. */
static inline __attribute__((always_inline)) void
add_column(WaExactSquares *sum, const Column *column, size_t nrows)
{
	for (size_t row = 0; row < nrows; row += MAX_BIN_ROWS)
	{
		size_t left = nrows - row;

		if (left < MIN_BIN_ROWS)
			add_few(sum, column, row, nrows);
		else
			add_many(sum, column, row,
					 row + (left < MAX_BIN_ROWS ? left : MAX_BIN_ROWS));
		wa_squares_normalize(sum);
	}
}

void
wa_squares_add_doubles(WaExactSquares *sum, const double *values, size_t nrows)
{
	const Column column = {values, NULL};

	add_column(sum, &column, nrows);
}

void
wa_squares_add_floats(WaExactSquares *sum, const float *values, size_t nrows)
{
	const Column column = {NULL, values};

	add_column(sum, &column, nrows);
}

void
wa_squares_merge(WaExactSquares *into, const WaExactSquares *from)
{
	wa_limbs_merge(into->limbs, from->limbs, WA_SQUARES_LIMBS);
}

void
wa_squares_normalize(WaExactSquares *sum)
{
	wa_limbs_normalize(sum->limbs, WA_SQUARES_LIMBS);
}
