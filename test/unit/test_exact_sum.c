/*
 * test_exact_sum.c
 *		Holds exact float sums against rational arithmetic.
 *
 * Reads from standard input what exact_sum_cases.py writes, and sums each
 * data set in several ways: at once, one by one, shuffled, in random parts
 * that are merged in random order, and with NULLs between the values.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/batch.h"
#include "core/exact_sum.h"
#include "test/unit/check.h"

/* One data set and what its sum must be. */
typedef struct DataSet
{
	uint32_t width;
	uint32_t count;
	uint32_t overflow;
	uint64_t sum_bits;
	uint64_t *bits; /* of the numbers */
} DataSet;

static uint64_t seed = 20261121;

/* Reads the next data set; false at the end. */
static bool
read_data_set(DataSet *set)
{
	if (fread(&set->width, 4, 1, stdin) != 1 ||
		fread(&set->count, 4, 1, stdin) != 1 ||
		fread(&set->overflow, 4, 1, stdin) != 1 ||
		fread(&set->sum_bits, 8, 1, stdin) != 1)
		return false;
	set->bits = malloc(set->count * sizeof(uint64_t));
	return fread(set->bits, 8, set->count, stdin) == set->count;
}

/* Adds count numbers of the set, given by their bits, to the sum. */
static void
add_bits(WaExactSum *sum, const DataSet *set, const uint64_t *bits,
		 const uint64_t *validity, size_t count)
{
	if (set->width == 8)
		wa_exact_add_doubles(sum, (const double *) bits, validity, count);
	else
	{
		float *floats = malloc(count * sizeof(float) + 1);

		for (size_t i = 0; i < count; i++)
			memcpy(&floats[i], &bits[i], sizeof(float));
		wa_exact_add_floats(sum, floats, validity, count);
		free(floats);
	}
}

/* Tells whether the sum of the set's rows rounds as it must. */
static bool
sum_is_right(const DataSet *set, const WaExactSum *sum)
{
	bool overflow;

	if (set->width == 8)
	{
		double result = wa_exact_to_double(sum, set->count, &overflow);

		if (isnan(result))
			return isnan(wa_bits_double(set->sum_bits));
		return overflow == (set->overflow != 0) &&
			   wa_double_bits(result) == set->sum_bits;
	}
	else
	{
		float result = wa_exact_to_float(sum, set->count, &overflow);
		uint32_t bits;

		memcpy(&bits, &result, sizeof(bits));
		if (isnan(result))
			return (set->sum_bits & 0x7fffffff) > 0x7f800000;
		return overflow == (set->overflow != 0) && bits == set->sum_bits;
	}
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

/* Sums the set at once. */
static void
sum_at_once(const DataSet *set, WaExactSum *sum)
{
	wa_exact_init(sum);
	add_bits(sum, set, set->bits, NULL, set->count);
}

/* Sums the set number by number. */
static void
sum_one_by_one(const DataSet *set, WaExactSum *sum)
{
	wa_exact_init(sum);
	for (uint32_t i = 0; i < set->count; i++)
	{
		double x = wa_bits_double(set->bits[i]);

		if (set->width == 4)
		{
			float narrow;

			memcpy(&narrow, &set->bits[i], sizeof(narrow));
			x = narrow;
		}
		wa_exact_add(sum, x);
	}
	wa_exact_normalize(sum);
}

/* Sums the set in random parts, each merged into what is there or it into. */
static void
sum_in_parts(const DataSet *set, WaExactSum *sum)
{
	uint32_t done = 0;

	wa_exact_init(sum);
	while (done < set->count)
	{
		uint32_t length =
			1 + (uint32_t) (next_random(&seed) % (set->count - done));
		WaExactSum part;

		wa_exact_init(&part);
		add_bits(&part, set, set->bits + done, NULL, length);
		if (next_random(&seed) % 2)
			wa_exact_merge(sum, &part);
		else
		{
			wa_exact_merge(&part, sum);
			*sum = part;
		}
		done += length;
	}
}

/* Sums the set with invalid rows of any content between its numbers. */
static void
sum_with_nulls(const DataSet *set, WaExactSum *sum)
{
	size_t rows = (size_t) set->count * 2 + 3;
	uint64_t *bits = malloc(rows * sizeof(uint64_t));
	uint64_t *validity = calloc(1, wa_validity_bytes(rows));
	uint32_t taken = 0;

	for (size_t i = 0; i < rows; i++)
	{
		size_t left = set->count - taken;

		bits[i] = next_random(&seed);
		if (left > 0 && (rows - i <= left || next_random(&seed) % 2))
		{
			bits[i] = set->bits[taken++];
			validity[i / 64] |= (uint64_t) 1 << i % 64;
		}
	}
	wa_exact_init(sum);
	add_bits(sum, set, bits, validity, rows);
	free(bits);
	free(validity);
}

int
main(void)
{
	DataSet set;
	int sets = 0;

	while (read_data_set(&set))
	{
		WaExactSum at_once, sum;
		char name[80];
		bool right;

		sum_at_once(&set, &at_once);
		right = sum_is_right(&set, &at_once);
		sum_one_by_one(&set, &sum);
		right = right && memcmp(&sum, &at_once, sizeof(sum)) == 0;
		sum_with_nulls(&set, &sum);
		right = right && memcmp(&sum, &at_once, sizeof(sum)) == 0;
		for (int i = 0; i < 3; i++)
		{
			shuffle(&set);
			sum_in_parts(&set, &sum);
			right = right && memcmp(&sum, &at_once, sizeof(sum)) == 0;
		}
		snprintf(name, sizeof(name), "exact sum of %u numbers of %u bytes",
				 set.count, set.width);
		check(right, name);
		free(set.bits);
		sets++;
	}
	check(sets > 0, "data sets were read");
	return finish_checks();
}
