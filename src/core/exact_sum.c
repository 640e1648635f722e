/*
 * exact_sum.c
 *		Exact sums of floating-point numbers on the CPU; see exact_sum.h.
 */
#include <float.h>
#include <math.h>

#include "core/exact_sum.h"
#include "core/limbs.h"

/* Numbers that share one window: their values stay in the first-level cache. */
#define CHUNK_ROWS 1024

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

/* Adds a number that is not finite, or a zero, so many times to the counts. */
static void
count_special(WaExactSum *sum, double x, int times)
{
	if (isnan(x))
		sum->nans += times;
	else if (x > 0)
		sum->positive_infinities += times;
	else if (x < 0)
		sum->negative_infinities += times;
	else if (signbit(x))
		sum->negative_zeros += times;
}

void
wa_exact_add(WaExactSum *sum, double x)
{
	if (x == 0 || !wa_is_finite(x))
		count_special(sum, x, 1);
	else
		add_chunks(sum, wa_exact_split_double(x));
}

void
wa_exact_subtract(WaExactSum *sum, double x)
{
	if (x == 0 || !wa_is_finite(x))
		count_special(sum, x, -1);
	else
		add_chunks(sum, wa_exact_split_double(-x));
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
	add_chunks(sum, wa_exact_split(window.s1, window.k));
	add_chunks(sum, wa_exact_split(window.s2, window.k - 51));
}

void
wa_exact_add_doubles(WaExactSum *sum, const double *values, size_t nrows)
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

void
wa_exact_add_floats(WaExactSum *sum, const float *values, size_t nrows)
{
	double numbers[CHUNK_ROWS];

	while (nrows > 0)
	{
		size_t chunk = nrows < CHUNK_ROWS ? nrows : CHUNK_ROWS;

		for (size_t i = 0; i < chunk; i++)
			numbers[i] = values[i];
		wa_exact_add_doubles(sum, numbers, chunk);
		values += chunk;
		nrows -= chunk;
	}
}

void
wa_exact_normalize(WaExactSum *sum)
{
	wa_limbs_normalize(sum->limbs, WA_EXACT_LIMBS);
}

void
wa_exact_merge(WaExactSum *into, const WaExactSum *from)
{
	wa_limbs_merge(into->limbs, from->limbs, WA_EXACT_LIMBS);
	into->positive_infinities += from->positive_infinities;
	into->negative_infinities += from->negative_infinities;
	into->nans += from->nans;
	into->negative_zeros += from->negative_zeros;
}
