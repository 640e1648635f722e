/*
 * exact_sum.c
 *		Exact sums of floating-point numbers on the CPU; see exact_sum.h.
 */
#include <float.h>
#include <math.h>

#include "core/batch.h"
#include "core/exact_sum.h"

/* Numbers that share one window: their values stay in the first-level cache. */
#define CHUNK_ROWS 1024

#define LIMB_MASK ((int64_t) 0xffffffff)

/* A binary floating-point format to round to. */
typedef struct RoundingFormat
{
	int precision_bits; /* of the significand, the hidden bit included */
	int lowest_bit;     /* exponent of the smallest subnormal */
	double largest;     /* largest finite number */
} RoundingFormat;

static const RoundingFormat double_format = {DBL_MANT_DIG, -1074, DBL_MAX};
static const RoundingFormat float_format = {FLT_MANT_DIG, -149, FLT_MAX};

void
wa_exact_init(WaExactSum *sum)
{
	memset(sum, 0, sizeof(*sum));
}

/* Adds three neighbouring chunks to the limbs. */
static inline void
add_chunks(WaExactSum *sum, WaExactChunks chunks)
{
	for (int i = 0; i < 3; i++)
		sum->limbs[chunks.limb + i] += chunks.chunk[i];
}

void
wa_exact_add_scaled(WaExactSum *sum, int64_t number, int exponent)
{
	add_chunks(sum, wa_exact_split(number, exponent));
}

void
wa_exact_add(WaExactSum *sum, double x)
{
	if (isnan(x))
		sum->nans++;
	else if (isinf(x))
	{
		if (x > 0)
			sum->positive_infinities++;
		else
			sum->negative_infinities++;
	}
	else if (x == 0)
		sum->negative_zeros += signbit(x) != 0;
	else
		add_chunks(sum, wa_exact_split_double(x));
}

/*
 * Takes numbers that all fit the window, in a loop that compilers turn into
 * vector instructions.  Returns false, with the window as it was, if it cannot
 * hold all their bits.
 */
static bool
take_into_window(WaExactWindow *window, const double *values, size_t nrows)
{
	double c1 = window->c1;
	double c2 = window->c2;
	uint64_t s1 = 0;
	uint64_t s2 = 0;
	uint64_t rests = 0;

	for (size_t i = 0; i < nrows; i++)
	{
		double t1 = values[i] + c1;
		double rest1 = values[i] - (t1 - c1);
		double t2 = rest1 + c2;

		s1 += wa_double_bits(t1);
		s2 += wa_double_bits(t2);
		rests |= wa_double_bits(rest1 - (t2 - c2));
	}
	if (rests != 0)
		return false;
	window->s1 += (int64_t) (s1 - nrows * wa_double_bits(c1));
	window->s2 += (int64_t) (s2 - nrows * wa_double_bits(c2));
	return true;
}

/* Takes numbers one by one: what the window cannot hold goes to the limbs. */
static void
take_one_by_one(WaExactSum *sum, WaExactWindow *window, const double *values,
				size_t nrows)
{
	for (size_t i = 0; i < nrows; i++)
	{
		double x = values[i];

		if (x != 0 && fabs(x) < window->limit)
			x = wa_exact_window_add(window, x);
		if (x != 0)
			wa_exact_add(sum, x);
		else if (values[i] == 0)
			wa_exact_add(sum, values[i]);
	}
}

/*
 * Adds at most CHUNK_ROWS numbers: looks for the largest, lays a window around
 * it and takes them all.
 */
static void
add_chunk(WaExactSum *sum, const double *values, size_t nrows)
{
	double largest = 0;
	bool special = false; /* a number that is not finite, or a -0 */
	WaExactWindow window;

	for (size_t i = 0; i < nrows; i++)
	{
		double magnitude = fabs(values[i]);

		special |= !(magnitude <= DBL_MAX);
		special |= wa_double_bits(values[i]) == (uint64_t) 1 << 63;
		largest =
			magnitude > largest && magnitude <= DBL_MAX ? magnitude : largest;
	}
	window = wa_exact_window_around(largest);
	if (special || !(largest < window.limit) ||
		!take_into_window(&window, values, nrows))
		take_one_by_one(sum, &window, values, nrows);
	wa_exact_add_scaled(sum, window.s1, window.k);
	wa_exact_add_scaled(sum, window.s2, window.k - 51);
}

/* Adds any number of doubles that are all valid. */
static void
add_valid_doubles(WaExactSum *sum, const double *values, size_t nrows)
{
	int64_t additions = 0;

	while (nrows > 0)
	{
		size_t chunk = nrows < CHUNK_ROWS ? nrows : CHUNK_ROWS;

		add_chunk(sum, values, chunk);
		additions += (int64_t) chunk + 2;
		if (additions > WA_EXACT_MAX_ADDITIONS / 2)
		{
			wa_exact_normalize(sum);
			additions = 0;
		}
		values += chunk;
		nrows -= chunk;
	}
	wa_exact_normalize(sum);
}

/* Numbers that are gathered, as doubles, until a chunk is full. */
typedef struct Gathered
{
	double numbers[CHUNK_ROWS];
	size_t count;
} Gathered;

/* Gathers one number more. */
static inline void
gather(WaExactSum *sum, Gathered *gathered, double x)
{
	gathered->numbers[gathered->count++] = x;
	if (gathered->count == CHUNK_ROWS)
	{
		add_valid_doubles(sum, gathered->numbers, CHUNK_ROWS);
		gathered->count = 0;
	}
}

void
wa_exact_add_doubles(WaExactSum *sum, const double *values,
					 const uint64_t *validity, size_t nrows)
{
	Gathered gathered;

	if (validity == NULL)
	{
		add_valid_doubles(sum, values, nrows);
		return;
	}
	gathered.count = 0;
	for (size_t i = 0; i < nrows; i++)
		if (wa_row_is_valid(validity, i))
			gather(sum, &gathered, values[i]);
	add_valid_doubles(sum, gathered.numbers, gathered.count);
}

void
wa_exact_add_floats(WaExactSum *sum, const float *values,
					const uint64_t *validity, size_t nrows)
{
	Gathered gathered;

	gathered.count = 0;
	for (size_t i = 0; i < nrows; i++)
		if (wa_row_is_valid(validity, i))
			gather(sum, &gathered, values[i]);
	add_valid_doubles(sum, gathered.numbers, gathered.count);
}

void
wa_exact_normalize(WaExactSum *sum)
{
	int64_t carry = 0;

	for (int i = 0; i < WA_EXACT_LIMBS - 1; i++)
	{
		int64_t limb = sum->limbs[i] + carry;

		sum->limbs[i] = limb & LIMB_MASK;
		carry = limb >> WA_EXACT_LIMB_BITS;
	}
	sum->limbs[WA_EXACT_LIMBS - 1] += carry;
}

void
wa_exact_merge(WaExactSum *into, const WaExactSum *from)
{
	for (int i = 0; i < WA_EXACT_LIMBS; i++)
		into->limbs[i] += from->limbs[i];
	into->positive_infinities += from->positive_infinities;
	into->negative_infinities += from->negative_infinities;
	into->nans += from->nans;
	into->negative_zeros += from->negative_zeros;
	wa_exact_normalize(into);
}

/* Returns the bit of a magnitude at a position counted from its lowest bit. */
static inline bool
bit_at(const WaExactSum *magnitude, int position)
{
	if (position < 0)
		return false;
	return (magnitude->limbs[position / WA_EXACT_LIMB_BITS] >>
				(position % WA_EXACT_LIMB_BITS) &
			1) != 0;
}

/* Tells whether any bit of a magnitude below the position is set. */
static bool
any_bit_below(const WaExactSum *magnitude, int position)
{
	int limb = 0;

	for (; position >= WA_EXACT_LIMB_BITS; position -= WA_EXACT_LIMB_BITS)
		if (magnitude->limbs[limb++] != 0)
			return true;
	return position > 0 &&
		   (magnitude->limbs[limb] & (((int64_t) 1 << position) - 1)) != 0;
}

/* Returns the position of the highest bit of a magnitude, or -1 if it is 0. */
static int
highest_bit(const WaExactSum *magnitude)
{
	for (int i = WA_EXACT_LIMBS - 1; i >= 0; i--)
		if (magnitude->limbs[i] != 0)
			return i * WA_EXACT_LIMB_BITS + 63 -
				   __builtin_clzll((unsigned long long) magnitude->limbs[i]);
	return -1;
}

/*
 * Rounds a magnitude, whose highest bit is at the given position, to the
 * format, half to even.  The result is a double even for the float format, of
 * which it is then a member unless it exceeds its largest.
 */
static double
round_magnitude(const WaExactSum *magnitude, int highest,
				const RoundingFormat *format)
{
	int lowest = highest - format->precision_bits + 1;
	int64_t significand = 0;

	if (lowest < format->lowest_bit - WA_EXACT_LOWEST_BIT)
		lowest = format->lowest_bit - WA_EXACT_LOWEST_BIT;
	for (int position = highest; position >= lowest; position--)
		significand = significand * 2 + bit_at(magnitude, position);
	if (bit_at(magnitude, lowest - 1) &&
		((significand & 1) != 0 || any_bit_below(magnitude, lowest - 1)))
		significand++;
	return ldexp((double) significand, lowest + WA_EXACT_LOWEST_BIT);
}

/* Rounds a sum to the format; see wa_exact_to_double. */
static double
round_sum(const WaExactSum *sum, int64_t rows, const RoundingFormat *format,
		  bool *overflow)
{
	WaExactSum magnitude = *sum;
	bool negative = sum->limbs[WA_EXACT_LIMBS - 1] < 0;
	int highest;
	double result;

	*overflow = false;
	if (sum->nans > 0 ||
		(sum->positive_infinities > 0 && sum->negative_infinities > 0))
		return NAN;
	if (sum->positive_infinities > 0)
		return INFINITY;
	if (sum->negative_infinities > 0)
		return -INFINITY;

	if (negative)
	{
		for (int i = 0; i < WA_EXACT_LIMBS; i++)
			magnitude.limbs[i] = -magnitude.limbs[i];
		wa_exact_normalize(&magnitude);
	}
	highest = highest_bit(&magnitude);
	if (highest < 0)
		return rows > 0 && sum->negative_zeros == rows ? -0.0 : 0.0;
	result = round_magnitude(&magnitude, highest, format);
	if (result > format->largest)
	{
		*overflow = true;
		result = INFINITY;
	}
	return negative ? -result : result;
}

double
wa_exact_to_double(const WaExactSum *sum, int64_t rows, bool *overflow)
{
	return round_sum(sum, rows, &double_format, overflow);
}

float
wa_exact_to_float(const WaExactSum *sum, int64_t rows, bool *overflow)
{
	return (float) round_sum(sum, rows, &float_format, overflow);
}
