/*
 * test_exact_sum.c
 *		Holds exact float sums, and what is made of them, against rational
 *		arithmetic.
 *
 * Reads from standard input what exact_sum_cases.py writes, and sums each data
 * set and its squares in several ways: at once, one by one, shuffled, in random
 * parts that are merged in random order, with NULLs between the values, and
 * with numbers that are taken away again.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/partial.h"
#include "test/unit/check.h"

/* The results of a data set, as exact_sum_cases.py orders them. */
enum
{
	SUM,
	AVERAGE,
	VAR_POP,
	VAR_SAMP,
	STDDEV_POP,
	STDDEV_SAMP,
	RESULTS
};

/* One data set and what its results must be. */
typedef struct DataSet
{
	uint32_t width;
	uint32_t count;
	uint32_t overflows; /* one bit for each of the results */
	uint64_t results[RESULTS];
	uint64_t *bits; /* of the numbers */
} DataSet;

static uint64_t seed = 20261121;

/* Reads the next data set; false at the end. */
static bool
read_data_set(DataSet *set)
{
	if (fread(&set->width, 4, 1, stdin) != 1 ||
		fread(&set->count, 4, 1, stdin) != 1 ||
		fread(&set->overflows, 4, 1, stdin) != 1 ||
		fread(set->results, 8, RESULTS, stdin) != RESULTS)
		return false;
	set->bits = malloc(set->count * sizeof(uint64_t));
	return fread(set->bits, 8, set->count, stdin) == set->count;
}

/* Makes the part that of no numbers. */
static void
init_part(WaExactPart *part)
{
	wa_exact_init(&part->sum);
	wa_squares_init(&part->squares);
}

/* Merges a part into another one. */
static void
merge_part(WaExactPart *into, const WaExactPart *from)
{
	wa_exact_merge(&into->sum, &from->sum);
	wa_squares_merge(&into->squares, &from->squares);
}

/* Adds count numbers of the set, given by their bits, to the part. */
static void
add_bits(WaExactPart *part, const DataSet *set, const uint64_t *bits,
		 size_t count)
{
	if (set->width == 8)
	{
		const double *doubles = (const double *) bits;

		wa_exact_add_doubles(&part->sum, doubles, count);
		wa_squares_add_doubles(&part->squares, doubles, count);
	}
	else
	{
		float *floats = malloc(count * sizeof(float) + 1);

		for (size_t i = 0; i < count; i++)
			memcpy(&floats[i], &bits[i], sizeof(float));
		wa_exact_add_floats(&part->sum, floats, count);
		wa_squares_add_floats(&part->squares, floats, count);
		free(floats);
	}
}

/* Returns a number of the set as a double. */
static double
number_of(const DataSet *set, uint64_t bits)
{
	float narrow;

	if (set->width == 8)
		return wa_bits_double(bits);
	memcpy(&narrow, &bits, sizeof(narrow));
	return narrow;
}

/* Tells whether one of the set's results is what it must be. */
static bool
result_is_right(const DataSet *set, int which, double result, bool overflow)
{
	uint64_t expected = set->results[which];

	if (overflow != ((set->overflows >> which & 1) != 0))
		return false;
	if (isnan(result))
		return isnan(wa_bits_double(expected));
	return wa_double_bits(result) == expected;
}

/* Tells whether the sum of the set's numbers rounds as it must. */
static bool
sum_is_right(const DataSet *set, const WaExactSum *sum)
{
	bool overflow;
	float result;
	uint32_t bits;

	if (set->width == 8)
	{
		double wide = wa_exact_to_double(sum, set->count, &overflow);

		return result_is_right(set, SUM, wide, overflow);
	}
	result = wa_exact_to_float(sum, set->count, &overflow);
	memcpy(&bits, &result, sizeof(bits));
	if (isnan(result))
		return (set->results[SUM] & 0x7fffffff) > 0x7f800000;
	return overflow == (set->overflows & 1) && bits == set->results[SUM];
}

/* Tells whether all results of the set are what they must be. */
static bool
results_are_right(const DataSet *set, const WaExactPart *part)
{
	const WaExactSquares *squares = &part->squares;
	const WaExactSum *sum = &part->sum;
	int64_t rows = set->count;
	double average = wa_exact_average(sum, rows);

	if (!sum_is_right(set, sum) ||
		!result_is_right(set, AVERAGE, average, false))
		return false;
	for (int sample = 0; sample <= 1 && sample < rows; sample++)
	{
		bool overflow;
		double result =
			wa_exact_variance(sum, squares, rows, sample != 0, &overflow);

		if (!result_is_right(set, VAR_POP + sample, result, overflow))
			return false;
		result = wa_exact_stddev(sum, squares, rows, sample != 0, &overflow);
		if (!result_is_right(set, STDDEV_POP + sample, result, overflow))
			return false;
	}
	return true;
}

/* Swaps the numbers into a random order. */
static void
shuffle(DataSet *set)
{
	for (uint32_t i = set->count; i > 1; i--)
	{
		uint32_t j = (uint32_t) (next_random(&seed) % i);
		uint64_t swapped = set->bits[i - 1];

		set->bits[i - 1] = set->bits[j];
		set->bits[j] = swapped;
	}
}

/* Sums the set number by number. */
static void
sum_one_by_one(const DataSet *set, WaExactPart *part)
{
	init_part(part);
	for (uint32_t i = 0; i < set->count; i++)
	{
		double x = number_of(set, set->bits[i]);

		wa_exact_add(&part->sum, x);
		wa_squares_add(&part->squares, x);
	}
	wa_exact_normalize(&part->sum);
	wa_squares_normalize(&part->squares);
}

/* Sums the set in random parts, each merged into what is there or it into. */
static void
sum_in_parts(const DataSet *set, WaExactPart *whole)
{
	uint32_t done = 0;

	init_part(whole);
	while (done < set->count)
	{
		uint32_t length =
			1 + (uint32_t) (next_random(&seed) % (set->count - done));
		WaExactPart part;

		init_part(&part);
		add_bits(&part, set, set->bits + done, length);
		if (next_random(&seed) % 2)
			merge_part(whole, &part);
		else
		{
			merge_part(&part, whole);
			*whole = part;
		}
		done += length;
	}
}

/* Sums the set with numbers of any kind that are taken away again. */
static void
sum_and_subtract(const DataSet *set, WaExactPart *part)
{
	uint64_t passing[50];

	for (size_t i = 0; i < 50; i++)
		passing[i] = next_random(&seed);
	passing[0] = wa_double_bits(INFINITY);
	passing[1] = wa_double_bits(-INFINITY);
	passing[2] = wa_double_bits(NAN);
	passing[3] = wa_double_bits(-0.0);
	init_part(part);
	add_bits(part, set, passing, 50);
	add_bits(part, set, set->bits, set->count);
	for (size_t i = 0; i < 50; i++)
	{
		double x = number_of(set, passing[i]);

		wa_exact_subtract(&part->sum, x);
		wa_squares_subtract(&part->squares, x);
	}
	wa_exact_normalize(&part->sum);
	wa_squares_normalize(&part->squares);
}

/* Tells whether a data set has the right results, however it is summed. */
static bool
set_is_right(DataSet *set)
{
	WaExactPart at_once, part;

	init_part(&at_once);
	add_bits(&at_once, set, set->bits, set->count);
	EXPECT(results_are_right(set, &at_once));
	sum_one_by_one(set, &part);
	EXPECT(memcmp(&part, &at_once, sizeof(part)) == 0);
	sum_and_subtract(set, &part);
	EXPECT(memcmp(&part, &at_once, sizeof(part)) == 0);
	for (int i = 0; i < 3; i++)
	{
		shuffle(set);
		sum_in_parts(set, &part);
		EXPECT(memcmp(&part, &at_once, sizeof(part)) == 0);
	}
	return true;
}

/* More rows than the bins of squares and the windows of sums take at once. */
static bool
test_many_rows(void)
{
	const size_t rows = ((size_t) 1 << 21) + 17;
	double *values = malloc(rows * sizeof(double));
	WaExactPart part;
	bool overflow;
	double expected;

	for (size_t i = 0; i < rows; i++)
		values[i] = i % 2 == 0 ? 0x1.fffffffffffffp10 : 0;
	init_part(&part);
	wa_exact_add_doubles(&part.sum, values, rows);
	wa_squares_add_doubles(&part.squares, values, rows);
	free(values);
	/* A deviation of half of the value, but for what an odd count adds. */
	expected = 0x1.fffffffffffffp9 * sqrt(1 - 1 / (double) rows / rows);
	EXPECT(fabs(wa_exact_stddev(&part.sum, &part.squares, (int64_t) rows, false,
								&overflow) -
				expected) < 1e-9);
	EXPECT(!overflow);
	return true;
}

int
main(void)
{
	DataSet set;
	int sets = 0;

	while (read_data_set(&set))
	{
		char name[80];

		snprintf(name, sizeof(name), "exact sums of %u numbers of %u bytes",
				 set.count, set.width);
		check(set_is_right(&set), name);
		free(set.bits);
		sets++;
	}
	check(sets > 0, "data sets were read");
	check(test_many_rows(), "exact sums of many numbers");
	return finish_checks();
}
