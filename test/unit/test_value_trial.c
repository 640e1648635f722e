/*
 * test_value_trial.c
 *		Rows of lists of values that are drawn by lot; see test_value_trial.h.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/partial.h"
#include "test/unit/test_value_trial.h"

Trial trial;

static uint64_t seed = 20220;

uint64_t
random_below(uint64_t end)
{
	return (next_random(&seed) >> 16) % end;
}

static int64_t
bits_of(double number)
{
	return (int64_t) wa_double_bits(number);
}

static double
float_of(int64_t value)
{
	return wa_bits_double((uint64_t) value);
}

/* Compares values of a kind: less than 0, 0, more than 0. */
static int
compare_values(WaVectorKind kind, int64_t a, int64_t b)
{
	double left;
	double right;

	if (kind != WA_VECTOR_FLOAT)
		return (a > b) - (a < b);
	left = float_of(a);
	right = float_of(b);
	if (isnan(left) || isnan(right))
		return (isnan(left) ? 1 : 0) - (isnan(right) ? 1 : 0);
	return (left > right) - (left < right);
}

/* Likewise pairs of the trial. */
static int
compare_pairs(const void *a, const void *b)
{
	const Pair *left = a;
	const Pair *right = b;

	if (left->group != right->group)
		return left->group < right->group ? -1 : 1;
	return compare_values(trial.shape.kind, left->value, right->value);
}

/* Sorts the rows of the trial, and leaves each value of a group once: 0 of 0 and -0. */
static void
expect_pairs(void)
{
	size_t count = 0;
	size_t left = 0;

	for (size_t i = 0; i < trial.shape.nrows; i++)
	{
		const Row *row = &trial.rows[i];
		const uint32_t *numbers = trial.numbers[row->list];

		if (!row->is_null)
			trial.pairs[count++] =
				(Pair){numbers == NULL ? row->own : numbers[row->own],
					   row->value, row->rows};
	}
	qsort(trial.pairs, count, sizeof(Pair), compare_pairs);
	for (size_t i = 0; i < count; i++)
	{
		const Pair pair = trial.pairs[i];
		Pair *last = &trial.pairs[left - (left > 0)];

		if (left == 0 || compare_pairs(last, &pair) != 0)
		{
			trial.pairs[left++] = pair;
			continue;
		}
		last->rows += pair.rows;
		if (trial.shape.kind == WA_VECTOR_FLOAT && pair.value == 0)
			last->value = 0;
	}
	trial.npairs = left;
}

/* Returns a value of the trial. */
static int64_t
draw_value(void)
{
	static const int64_t ints[] = {INT64_MIN, INT64_MIN + 1, INT64_MAX, -1,
								   0,         INT64_MAX - 1, 1};
	static const double floats[] = {
		0.0,     -0.0,     NAN,    -NAN,    INFINITY, -INFINITY, DBL_MIN,
		DBL_MAX, -DBL_MAX, 5e-324, -5e-324, 1,        -1};
	const int64_t number = (int64_t) random_below(trial.shape.variety) -
						   (int64_t) (trial.shape.variety / 2);
	const bool is_special = random_below(8) == 0;

	switch (trial.shape.kind)
	{
		case WA_VECTOR_BOOL:
			return (int64_t) random_below(2);
		case WA_VECTOR_INT:
			return is_special ? ints[random_below(LENGTH(ints))] : number;
		default:
			return bits_of(is_special ? floats[random_below(LENGTH(floats))]
									  : (double) number / 8);
	}
}

/* Returns how many rows have a value. */
static uint64_t
draw_weight(void)
{
	switch (trial.shape.weights)
	{
		case ONE_ROW:
			return 1;
		case FEW_ROWS:
			return 1 + random_below(5);
		default:
			return random_below(3) == 0 ? 1 + random_below(3)
										: (1 + random_below(3)) * UINT32_MAX -
											  2 + random_below(5);
	}
}

/* Draws which of all groups those of a list are. */
static void
draw_numbers(uint32_t list)
{
	const uint32_t ngroups = trial.shape.ngroups;
	uint32_t *numbers;

	free(trial.numbers[list]);
	trial.numbers[list] = NULL;
	if (random_below(3) == 0)
		return;
	numbers = malloc(ngroups * sizeof(*numbers));
	for (uint32_t i = 0; i < ngroups; i++)
	{
		const uint32_t place = (uint32_t) random_below(i + UINT64_C(1));

		numbers[i] = numbers[place];
		numbers[place] = i;
	}
	trial.numbers[list] = numbers;
}

/* Draws what is wanted of the values in their order. */
static void
draw_ranks(void)
{
	WaQueryRolled *rolled = &trial.rolled;

	rolled->column.kind =
		trial.shape.kind == WA_VECTOR_FLOAT ? WA_VECTOR_FLOAT : WA_VECTOR_INT;
	rolled->column.ops = WA_OP_BIT(WA_OP_MIN);
	rolled->nranks = 1 + (uint32_t) random_below(MAX_RANKS);
	rolled->descends = (uint32_t) random_below(2);
	for (uint32_t i = 0; i < rolled->nranks; i++)
	{
		WaQueryRank *rank = &trial.ranks[i];

		*rank = (WaQueryRank){.kind = random_below(WA_QUERY_RANK_KINDS)};
		if (rank->kind == WA_QUERY_RANK_CONT &&
			trial.shape.kind != WA_VECTOR_FLOAT)
			rank->kind = WA_QUERY_RANK_DISC;
		if (rank->kind != WA_QUERY_RANK_MODE)
			rank->fraction = random_below(2) == 0
								 ? (double) random_below(5) / 4
								 : (double) random_below(1001) / 1000;
	}
}

void
make_trial(const Shape *shape)
{
	int64_t most;

	trial.shape = *shape;
	trial.nlists = 1 + (uint32_t) random_below(MAX_LISTS);
	trial.rolled = (WaQueryRolled){
		.column = {.argument = 0,
				   .filter = -1,
				   .kind = shape->ops == 0 ? WA_VECTOR_BOOL : WA_VECTOR_INT,
				   .ops = shape->ops},
		.ranks = trial.ranks};
	if (shape->has_ranks)
		draw_ranks();
	for (uint32_t i = 0; i < trial.nlists; i++)
		draw_numbers(i);
	most = draw_value();
	for (size_t i = 0; i < shape->nrows; i++)
	{
		Row *row = &trial.rows[i];

		*row = (Row){.list = (uint32_t) random_below(trial.nlists),
					 .own = (uint32_t) random_below(shape->ngroups),
					 .is_null = random_below(12) == 0,
					 .value = draw_value(),
					 .rows = draw_weight()};
		if (!shape->is_skewed || random_below(10) == 0)
			continue;
		row->value = most;
		row->list = 0;
		row->own = 0;
	}
	expect_pairs();
}

void
end_trial(void)
{
	for (uint32_t i = 0; i < MAX_LISTS; i++)
		free(trial.numbers[i]);
}

/* Returns the value of a row, by its number in the order that is wanted. */
static int64_t
value_of_row(const Pair *pairs, size_t npairs, uint64_t row)
{
	size_t i = 0;
	const Pair *pair;

	for (;; i++)
	{
		pair = &pairs[trial.rolled.descends != 0 ? npairs - 1 - i : i];
		if (row < pair->rows)
			return pair->value;
		row -= pair->rows;
	}
}

/* Returns the value that most rows have, the first in the order that is wanted. */
static int64_t
expect_mode(const Pair *pairs, size_t npairs)
{
	const Pair *best = NULL;

	for (size_t i = 0; i < npairs; i++)
	{
		const Pair *pair =
			&pairs[trial.rolled.descends != 0 ? npairs - 1 - i : i];

		if (best == NULL || pair->rows > best->rows)
			best = pair;
	}
	return best->value;
}

/* Returns what a rank is to be, as PostgreSQL has it, of values of a group. */
static int64_t
expect_rank(const WaQueryRank *rank, const Pair *pairs, size_t npairs)
{
	uint64_t rows = 0;
	double place;
	double low;
	double high;

	for (size_t i = 0; i < npairs; i++)
		rows += pairs[i].rows;
	switch (rank->kind)
	{
		case WA_QUERY_RANK_DISC:
			place = ceil(rank->fraction * (double) rows);
			return value_of_row(pairs, npairs,
								place < 1 ? 0 : (uint64_t) place - 1);
		case WA_QUERY_RANK_CONT:
			place = rank->fraction * (double) (rows - 1);
			if (floor(place) == ceil(place))
				return value_of_row(pairs, npairs, (uint64_t) place);
			low =
				float_of(value_of_row(pairs, npairs, (uint64_t) floor(place)));
			high =
				float_of(value_of_row(pairs, npairs, (uint64_t) ceil(place)));
			return bits_of(low + (place - floor(place)) * (high - low));
		default:
			return expect_mode(pairs, npairs);
	}
}

/* Tells whether tables have the ranks of a group with these values. */
static bool
are_ranks(WaRecordTable *const *tables, uint32_t group, const Pair *pairs,
		  size_t npairs)
{
	const WaQueryColumn *column = &trial.rolled.column;
	const int min = wa_record_layout(column->kind, column->ops).min;

	for (uint32_t i = 0; i < trial.rolled.nranks; i++)
	{
		WaRecord record;
		int64_t value;

		wa_records_get(tables[i], group, &record);
		EXPECT(record.words[0] == (npairs > 0));
		if (npairs == 0)
			continue;
		value = expect_rank(&trial.ranks[i], pairs, npairs);
		EXPECT(record.words[min] == (uint64_t) value ||
			   (column->kind == WA_VECTOR_FLOAT && isnan(float_of(value)) &&
				isnan(wa_bits_double(record.words[min]))));
	}
	return true;
}

/* Tells whether the table has these values of a group, each once. */
static bool
are_values(WaRecordTable *const *tables, uint32_t group, const Pair *pairs,
		   size_t npairs)
{
	const WaRecordLayout layout =
		wa_record_layout(WA_VECTOR_INT, trial.shape.ops);
	__int128 expected = 0;
	WaRecord record;
	WaInt128 sum;

	wa_records_get(tables[0], group, &record);
	EXPECT(record.words[0] == npairs);
	if (npairs == 0 || trial.shape.ops == 0)
		return true;
	for (size_t i = 0; i < npairs; i++)
		expected += pairs[i].value;
	memcpy(&sum, record.words + layout.sum, sizeof(sum));
	EXPECT(wa_int128_get(sum) == expected);
	EXPECT((int64_t) record.words[layout.min] == pairs[0].value);
	EXPECT((int64_t) record.words[layout.max] == pairs[npairs - 1].value);
	return true;
}

bool
are_expected(WaRecordTable *const *tables)
{
	size_t begin = 0;

	for (uint32_t group = 0; group < trial.shape.ngroups; group++)
	{
		const Pair *pairs = &trial.pairs[begin];
		size_t npairs = 0;

		for (; begin < trial.npairs && trial.pairs[begin].group == group;
			 begin++)
			npairs++;
		EXPECT(trial.shape.has_ranks
				   ? are_ranks(tables, group, pairs, npairs)
				   : are_values(tables, group, pairs, npairs));
	}
	EXPECT(begin == trial.npairs);
	return true;
}
