/*
 * test_value_list.c
 *		Lists of values (src/query/run/value_list.h): the words of their entries, what lists take,
 *		and sorting them.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/partial.h"
#include "query/run/value_sort.h"
#include "test/unit/check.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#define MAX_ENTRIES 200000
#define NO_LIMIT    SIZE_MAX

static uint64_t seed = 2202;

static uint64_t
random_below(uint64_t end)
{
	return (next_random(&seed) >> 16) % end;
}

static int64_t
bits_of(double number)
{
	return (int64_t) wa_double_bits(number);
}

/* Tells whether values of a kind, from the smallest on, have words in that order. */
static bool
are_ordered(WaVectorKind kind, const int64_t *values, size_t nvalues)
{
	for (size_t i = 0; i < nvalues; i++)
	{
		const uint64_t word = wa_value_word(kind, values[i]);
		const uint64_t next =
			i + 1 < nvalues ? wa_value_word(kind, values[i + 1]) : 0;

		EXPECT(wa_value_of_word(kind, word) == values[i]);
		EXPECT(wa_value_words_match(kind, word, word));
		if (i + 1 == nvalues)
			break;
		EXPECT(word < next);
		/* -0 comes before 0, which it is equal to. */
		EXPECT(wa_value_words_match(kind, word, next) ==
			   (kind == WA_VECTOR_FLOAT && values[i + 1] == 0));
	}
	return true;
}

/* Words have the order of their values, and say what these are. */
static bool
test_words(void)
{
	static const int64_t ints[] = {INT64_MIN, INT64_MIN + 1, -2, -1, 0, 1, 2,
								   8,         INT64_MAX};
	static const int64_t bools[] = {0, 1};
	static const double numbers[] = {
		-INFINITY, -DBL_MAX, -1.5,    -1, -DBL_MIN, -5e-324, -0.0,
		0.0,       5e-324,   DBL_MIN, 1,  1.5,      DBL_MAX, INFINITY};
	int64_t floats[LENGTH(numbers)];
	const uint64_t nans[] = {
		UINT64_C(0x7ff8000000000000), UINT64_C(0xfff8000000000000),
		UINT64_C(0x7ff0000000000001), UINT64_C(0xfff0000000000001), UINT64_MAX};

	for (size_t i = 0; i < LENGTH(numbers); i++)
		floats[i] = bits_of(numbers[i]);
	EXPECT(are_ordered(WA_VECTOR_INT, ints, LENGTH(ints)));
	EXPECT(are_ordered(WA_VECTOR_BOOL, bools, LENGTH(bools)));
	EXPECT(are_ordered(WA_VECTOR_FLOAT, floats, LENGTH(floats)));
	for (size_t i = 0; i < LENGTH(nans); i++)
	{
		const uint64_t word = wa_value_word(WA_VECTOR_FLOAT, (int64_t) nans[i]);

		EXPECT(word > wa_value_word(WA_VECTOR_FLOAT, bits_of(INFINITY)));
		EXPECT(word == wa_value_word(WA_VECTOR_FLOAT, bits_of(NAN)));
		EXPECT(isnan(wa_bits_double(
			(uint64_t) wa_value_of_word(WA_VECTOR_FLOAT, word))));
	}
	return true;
}

/* Words of any floats have their order. */
static bool
test_any_words(void)
{
	for (int i = 0; i < 100000; i++)
	{
		const int64_t a = (int64_t) next_random(&seed);
		const int64_t b = random_below(2) == 0
							  ? (int64_t) next_random(&seed)
							  : (int64_t) ((uint64_t) a + random_below(3));
		const double left = wa_bits_double((uint64_t) a);
		const double right = wa_bits_double((uint64_t) b);

		EXPECT((wa_value_word(WA_VECTOR_INT, a) <
				wa_value_word(WA_VECTOR_INT, b)) == (a < b));
		EXPECT(isnan(left) || isnan(right) || (left == 0 && right == 0) ||
			   (wa_value_word(WA_VECTOR_FLOAT, a) <
				wa_value_word(WA_VECTOR_FLOAT, b)) == (left < right));
		EXPECT(isnan(left) ||
			   wa_value_of_word(WA_VECTOR_FLOAT,
								wa_value_word(WA_VECTOR_FLOAT, a)) == a);
	}
	return true;
}

/* Lists hold some kinds of values alone, none at first, and many rows of one in some entries. */
static bool
test_entries(void)
{
	static const uint64_t rows[] = {0,
									1,
									UINT32_MAX - UINT64_C(1),
									UINT32_MAX,
									UINT32_MAX + UINT64_C(1),
									UINT64_C(3) * UINT32_MAX + 7};
	WaValueList *list;
	WaArena arena;

	EXPECT(!wa_value_list_holds(WA_VECTOR_DECIMAL) &&
		   !wa_value_list_holds(WA_VECTOR_TEXT));
	wa_arena_init(&arena, NO_LIMIT);
	list = wa_value_list_make(&arena, WA_VECTOR_INT);
	EXPECT(list != NULL && list->count == 0);
	for (size_t i = 0; i < LENGTH(rows); i++)
	{
		const size_t before = list->count;
		uint64_t sum = 0;

		EXPECT(wa_value_list_add(list, (uint32_t) i, -7, rows[i]));
		for (size_t j = before; j < list->count; j++)
		{
			sum += list->entries[j].rows;
			EXPECT(list->entries[j].rows > 0 && list->entries[j].group == i);
			EXPECT(list->entries[j].word == wa_value_word(WA_VECTOR_INT, -7));
		}
		EXPECT(sum == rows[i]);
	}
	wa_value_list_forget(list);
	EXPECT(list->count == 0 && wa_value_list_add(list, 1, 2, 3));
	EXPECT(list->count == 1 && list->entries[0].rows == 3);
	wa_arena_reset(&arena);
	return true;
}

static int
compare_entries(const void *a, const void *b)
{
	const WaValueEntry *left = a;
	const WaValueEntry *right = b;

	if (left->group != right->group)
		return left->group < right->group ? -1 : 1;
	return (left->word > right->word) - (left->word < right->word);
}

/* Draws entries, whose groups and words are spread, or not; rows are their numbers. */
static void
draw_entries(WaValueEntry *entries, size_t count, uint64_t ngroups,
			 uint64_t nwords, int shift)
{
	const bool is_skewed = random_below(3) == 0;

	for (size_t i = 0; i < count; i++)
	{
		entries[i] =
			(WaValueEntry){.word = next_random(&seed) % nwords << shift,
						   .group = (uint32_t) random_below(ngroups),
						   .rows = (uint32_t) i};
		/* Most are the same, and a few lie far apart. */
		if (is_skewed && random_below(100) > 0)
		{
			entries[i].word = 17;
			entries[i].group = 0;
		}
		else if (is_skewed && random_below(3) == 0)
			entries[i].word = UINT64_MAX - random_below(2);
	}
}

/* Tells whether entries are sorted as qsort does it, and none is lost. */
static bool
is_sorted_well(const WaValueEntry *drawn, size_t count)
{
	/* Memory of just that size, for sanitizers to watch. */
	const size_t bytes = (count + (count == 0)) * sizeof(WaValueEntry);
	WaValueEntry *sorted = malloc(bytes);
	WaValueEntry *expected = malloc(bytes);
	WaValueEntry *others = malloc(bytes);
	uint8_t *is_there = calloc(count + 1, 1);

	memcpy(sorted, drawn, count * sizeof(*drawn));
	memcpy(expected, drawn, count * sizeof(*drawn));
	wa_value_sort(sorted, count, others);
	qsort(expected, count, sizeof(*expected), compare_entries);
	for (size_t i = 0; i < count; i++)
	{
		EXPECT(compare_entries(&sorted[i], &expected[i]) == 0);
		EXPECT(sorted[i].rows < count && !is_there[sorted[i].rows]);
		EXPECT(compare_entries(&sorted[i], &drawn[sorted[i].rows]) == 0);
		is_there[sorted[i].rows] = 1;
	}
	free(is_there);
	free(others);
	free(expected);
	free(sorted);
	return true;
}

/* Entries of few and many groups and words are sorted. */
static bool
test_sort(void)
{
	static const size_t sizes[] = {0,  1,  2,   23,   24,   25,         26,
								   31, 32, 100, 1000, 8192, MAX_ENTRIES};
	static const uint64_t groups[] = {1, 2, 1000, UINT32_MAX};
	static const uint64_t words[] = {1, 2, 300, 1000000, UINT64_MAX};
	WaValueEntry *drawn = malloc(MAX_ENTRIES * sizeof(*drawn));

	for (size_t i = 0; i < LENGTH(sizes); i++)
		for (size_t j = 0; j < LENGTH(groups); j++)
			for (size_t k = 0; k < LENGTH(words); k++)
			{
				const int shift =
					words[k] == UINT64_MAX ? 0 : (int) random_below(44);

				draw_entries(drawn, sizes[i], groups[j], words[k], shift);
				EXPECT(is_sorted_well(drawn, sizes[i]));
			}
	free(drawn);
	return true;
}

/* Words of which one bit after the other tells two halves apart, the largest first. */
static bool
test_deep_sort(void)
{
	WaValueEntry *drawn = malloc(96 * 40 * sizeof(*drawn));
	size_t count = 0;

	for (int bit = 0; bit < 96; bit++)
		for (int i = 0; i < 40; i++, count++)
			drawn[count] = (WaValueEntry){
				.word = bit < 64 ? UINT64_C(1) << bit : 0,
				.group = bit < 64 ? 0 : UINT32_C(1) << (bit - 64),
				.rows = (uint32_t) count};
	EXPECT(is_sorted_well(drawn, count));
	free(drawn);
	return true;
}

int
main(void)
{
	check(test_words() && test_any_words(), "words have the order of values");
	check(test_entries(), "entries of many rows");
	check(test_sort(), "entries are sorted");
	check(test_deep_sort(), "and such that differ in one bit after another");
	return finish_checks();
}
