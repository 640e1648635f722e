/*
 * test_query_choose.c
 *		The groups that a query wants, chosen by a run, against a reference that
 *		compares each group with each other.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/decimal.h"
#include "core/partial.h"
#include "query/message/query_wire.h"
#include "test/unit/test_query_data.h"

#define MAX_ROWS  3000
#define NO_MEMORY SIZE_MAX

/* Rows, their groups, and a query that wants some of these. */
typedef struct Trial
{
	WaQuery query;
	Row rows[MAX_ROWS];
	ExpectedGroup groups[MAX_ROWS];
	size_t ngroups;
} Trial;

/* Compares numbers: less than 0, 0, more than 0. */
static int
compare_numbers(__int128 a, __int128 b)
{
	return (a > b) - (a < b);
}

/* Compares values of a kind that are not NULL. */
static int
compare_cells(WaVectorKind kind, const Cell *a, const Cell *b)
{
	switch (kind)
	{
		case WA_VECTOR_FLOAT:
			return (int) wa_float_less(b->f, a->f) -
				   (int) wa_float_less(a->f, b->f);
		case WA_VECTOR_DECIMAL:
			return compare_numbers((__int128) a->i * wa_powers_of_ten[b->scale],
								   (__int128) b->i *
									   wa_powers_of_ten[a->scale]);
		default:
			return compare_numbers(a->i, b->i);
	}
}

/* Tells whether a group has NULL by an order. */
static bool
is_null(const WaOrderBy *order, const ExpectedGroup *group)
{
	if (order->of == WA_ORDER_KEY)
		return group->keys[order->number].is_null;
	return order->of != WA_ORDER_ROWS &&
		   group->columns[order->number].rows == 0;
}

/* Compares what two groups have by an order, which is not NULL. */
static int
compare_values(const WaQuery *query, const WaOrderBy *order,
			   const ExpectedGroup *a, const ExpectedGroup *b)
{
	const Expected *left = &a->columns[order->number];
	const Expected *right = &b->columns[order->number];

	switch (order->of)
	{
		case WA_ORDER_KEY:
			return compare_cells(query->keys[order->number].kind,
								 &a->keys[order->number],
								 &b->keys[order->number]);
		case WA_ORDER_ROWS:
			return compare_numbers((__int128) left->rows,
								   (__int128) right->rows);
		case WA_ORDER_SUM:
			return compare_numbers(left->sum, right->sum);
		case WA_ORDER_MIN:
			return compare_cells(query->columns[order->number].kind, &left->min,
								 &right->min);
		default:
			return compare_cells(query->columns[order->number].kind, &left->max,
								 &right->max);
	}
}

/* Tells how two groups are sorted: less than 0, 0, more than 0. */
static int
compare_groups(const WaQuery *query, const ExpectedGroup *a,
			   const ExpectedGroup *b)
{
	for (uint32_t i = 0; i < query->top_n.norders; i++)
	{
		const WaOrderBy *order = &query->top_n.orders[i];
		const int nulls = (int) is_null(order, a) - (int) is_null(order, b);
		int result = order->nulls_first ? -nulls : nulls;

		if (nulls == 0 && !is_null(order, a))
		{
			result = compare_values(query, order, a, b);
			result = order->descending ? -result : result;
		}
		if (result != 0)
			return result;
	}
	return 0;
}

/* Makes an order that groups can be compared by. */
static WaOrderBy
make_order(uint32_t nkeys)
{
	static const uint16_t with_sum[] = {1, 2};
	static const uint16_t with_max[] = {1, 2, 3, 4};
	WaOrderBy order = {.of = (WaOrderOf) random_below(5),
					   .descending = random_below(2) == 0,
					   .nulls_first = random_below(2) == 0};

	switch (order.of)
	{
		case WA_ORDER_KEY:
			do
				order.number = (uint16_t) random_below(nkeys);
			while (order.number == KEY_TEXT);
			break;
		case WA_ORDER_ROWS:
			order.number = (uint16_t) random_below(NCOLUMNS);
			break;
		case WA_ORDER_SUM:
			order.number = with_sum[random_below(LENGTH(with_sum))];
			break;
		case WA_ORDER_MIN:
			order.number = with_max[random_below(LENGTH(with_max) - 1)];
			break;
		case WA_ORDER_MAX:
			order.number = with_max[random_below(LENGTH(with_max))];
			break;
	}
	return order;
}

/* Makes a trial. */
static void
make_trial(Trial *trial, size_t nrows)
{
	const uint32_t nkeys = (uint32_t) random_below(NKEYS) + 1;
	WaTopN *top_n = &trial->query.top_n;

	trial->query = *test_query(nkeys);
	top_n->norders = (uint32_t) random_below(4) + 1;
	for (uint32_t i = 0; i < top_n->norders; i++)
		top_n->orders[i] = make_order(nkeys);
	top_n->keeps_ties = random_below(2) == 0;
	trial->ngroups = 0;
	for (size_t row = 0; row < nrows; row += WA_VECTOR_ROWS)
		make_batch(&trial->rows[row],
				   nrows - row < WA_VECTOR_ROWS ? nrows - row : WA_VECTOR_ROWS,
				   3 + random_below(40));
	for (size_t i = 0; i < nrows; i++)
		trial->ngroups =
			expect_row(trial->groups, trial->ngroups, &trial->rows[i], nkeys);
	top_n->limit = random_below(trial->ngroups + 3) + 1;
}

/* Has a run take the rows. */
static bool
take_rows(const Trial *trial, size_t nrows, WaQueryRun *run)
{
	static Inputs inputs;

	for (size_t row = 0; row < nrows; row += WA_VECTOR_ROWS)
	{
		const size_t some =
			nrows - row < WA_VECTOR_ROWS ? nrows - row : WA_VECTOR_ROWS;

		fill_inputs(&inputs, &trial->rows[row], some);
		EXPECT(wa_query_run_take(run, inputs.rows, some) == WA_RUN_TAKEN);
	}
	return true;
}

/* Reads the groups that a run writes; notes them, which are as expected. */
static bool
read_groups(Trial *trial, WaQueryRun *run, WaArena *arena)
{
	WaPartialColumn columns[NCOLUMNS];
	const WaPartialShape shape = {(int) trial->query.nkeys, NCOLUMNS,
								  trial->query.keys, columns};
	WaPartialReader reader;
	WaWriter writer;

	for (int i = 0; i < NCOLUMNS; i++)
		columns[i] = (WaPartialColumn){trial->query.columns[i].kind,
									   trial->query.columns[i].ops, 0};
	wa_writer_init(&writer, arena);
	EXPECT(wa_partial_reader_init(&reader, arena, &shape));
	for (uint32_t next = 0; next < wa_query_run_groups(run);)
	{
		wa_query_run_write(run, &next, 500, &writer);
		EXPECT(wa_partial_open(&reader, writer.words,
							   writer.nwords * sizeof(uint64_t)));
		while (wa_partial_next(&reader))
		{
			ExpectedGroup *group = find_expected(
				trial->groups, trial->ngroups, reader.keys, trial->query.nkeys);

			EXPECT(group != NULL && !group->found);
			group->found = true;
			for (int i = 0; i < NCOLUMNS; i++)
				EXPECT(is_expected(&group->columns[i], &trial->query.columns[i],
								   &reader.cells[i]));
		}
		EXPECT(!reader.reader.failed);
	}
	return true;
}

/* Tells whether those groups were written that are wanted, and no others. */
static bool
are_wanted(const Trial *trial)
{
	const WaTopN *top_n = &trial->query.top_n;
	size_t nwritten = 0;

	for (size_t i = 0; i < trial->ngroups; i++)
	{
		size_t before = 0;
		size_t equal = 0;

		for (size_t j = 0; j < trial->ngroups; j++)
		{
			const int order = compare_groups(&trial->query, &trial->groups[j],
											 &trial->groups[i]);

			before += order < 0;
			equal += order == 0;
		}
		nwritten += trial->groups[i].found;
		if (top_n->keeps_ties || before + equal <= top_n->limit)
			EXPECT(trial->groups[i].found == (before < top_n->limit));
		else
			EXPECT(!trial->groups[i].found || before < top_n->limit);
	}
	if (!top_n->keeps_ties)
		EXPECT(nwritten ==
			   (top_n->limit < trial->ngroups ? top_n->limit : trial->ngroups));
	return true;
}

/* Chooses groups of random rows, which may be none. */
static bool
test_trial(size_t nrows)
{
	static Trial trial;
	WaQueryRun *run;
	WaArena arena;
	uint8_t scratch[NREGISTERS];
	bool passed;

	make_trial(&trial, nrows);
	wa_arena_init(&arena, NO_MEMORY);
	EXPECT(wa_query_is_sound(&trial.query, scratch));
	run = make_run(&arena, &trial.query, &test_texts);
	passed = run != NULL && take_rows(&trial, nrows, run) &&
			 wa_query_run_choose(run) && wa_query_run_choose(run) &&
			 read_groups(&trial, run, &arena) && are_wanted(&trial);
	wa_arena_reset(&arena);
	return passed;
}

static bool
test_trials(size_t rounds)
{
	for (size_t i = 0; i < rounds; i++)
		EXPECT(test_trial(i == 0 ? 0 : random_below(MAX_ROWS / 4)));
	EXPECT(test_trial(MAX_ROWS));
	return true;
}

/* Where no groups are wanted more than others all are written. */
static bool
test_without_limit(void)
{
	static Trial trial;
	WaQueryRun *run;
	WaArena arena;

	make_trial(&trial, 500);
	trial.query.top_n = (WaTopN){0};
	wa_arena_init(&arena, NO_MEMORY);
	run = make_run(&arena, &trial.query, &test_texts);
	EXPECT(run != NULL && take_rows(&trial, 500, run) &&
		   wa_query_run_choose(run) && read_groups(&trial, run, &arena));
	for (size_t i = 0; i < trial.ngroups; i++)
		EXPECT(trial.groups[i].found);
	wa_arena_reset(&arena);
	return true;
}

/* Too little memory for choosing is noticed. */
static bool
test_memory(void)
{
	static Trial trial;
	WaQueryRun *run;
	WaArena arena;

	do
		make_trial(&trial, 500);
	while (trial.query.top_n.limit >= trial.ngroups);
	wa_arena_init(&arena, NO_MEMORY);
	run = make_run(&arena, &trial.query, &test_texts);
	EXPECT(run != NULL && take_rows(&trial, 500, run));
	arena.limit = arena.bytes;
	EXPECT(!wa_query_run_choose(run));
	wa_arena_reset(&arena);
	return true;
}

/* Tells whether a query that wants such groups is sound. */
static bool
is_sound_with(const WaTopN *top_n, bool only_wanted, uint32_t nkeys)
{
	WaQuery query = *test_query(nkeys);
	uint8_t scratch[NREGISTERS];

	query.top_n = *top_n;
	query.only_wanted = only_wanted;
	return wa_query_is_sound(&query, scratch);
}

/* Tells whether groups can be chosen by one order. */
static bool
is_order(WaOrderOf of, uint16_t number)
{
	const WaTopN top_n = {
		.limit = 1, .norders = 1, .orders = {{.of = of, .number = number}}};

	return is_sound_with(&top_n, true, NKEYS);
}

/* What cannot be wanted is not sound. */
static bool
test_unsound(void)
{
	const WaTopN none = {0};
	const WaTopN good = {.limit = WA_QUERY_MAX_TOP_N,
						 .norders = 1,
						 .orders = {{.of = WA_ORDER_KEY}}};
	WaTopN bad = good;

	EXPECT(is_sound_with(&none, false, NKEYS) &&
		   !is_sound_with(&none, true, NKEYS));
	EXPECT(is_sound_with(&good, true, 1) && !is_sound_with(&good, true, 0));
	bad.limit++;
	EXPECT(!is_sound_with(&bad, false, NKEYS));
	bad = good;
	bad.norders = 0;
	EXPECT(!is_sound_with(&bad, false, NKEYS));
	bad.norders = WA_MAX_ORDERS + 1;
	EXPECT(!is_sound_with(&bad, false, NKEYS));
	bad = none;
	bad.keeps_ties = true;
	EXPECT(!is_sound_with(&bad, false, NKEYS));
	for (uint16_t key = 0; key < NKEYS + 1; key++)
		EXPECT(is_order(WA_ORDER_KEY, key) == (key < NKEYS && key != KEY_TEXT));
	for (uint16_t column = 0; column < NCOLUMNS + 1; column++)
	{
		EXPECT(is_order(WA_ORDER_ROWS, column) == (column < NCOLUMNS));
		EXPECT(is_order(WA_ORDER_SUM, column) == (column == 1 || column == 2));
		EXPECT(is_order(WA_ORDER_MIN, column) == (column >= 1 && column <= 3));
		EXPECT(is_order(WA_ORDER_MAX, column) == (column >= 1 && column <= 4));
		EXPECT(!is_order((WaOrderOf) (WA_ORDER_MAX + 1), column));
	}
	return true;
}

/* What is wanted is read as it was written; other words are refused. */
static bool
test_wire(void)
{
	static Trial trial;
	const WaQuery *read;
	WaWriter first;
	WaWriter second;
	WaArena arena;
	size_t bytes;

	make_trial(&trial, 100);
	trial.query.only_wanted = true;
	trial.query.max_groups = 12345;
	wa_arena_init(&arena, NO_MEMORY);
	wa_writer_init(&first, &arena);
	wa_writer_init(&second, &arena);
	wa_query_write(&first, &trial.query);
	bytes = first.nwords * sizeof(uint64_t);
	read = wa_query_read(&arena, first.words, bytes);
	EXPECT(read != NULL && read->only_wanted && read->max_groups == 12345 &&
		   read->top_n.limit == trial.query.top_n.limit);
	wa_query_write(&second, read);
	EXPECT(second.nwords == first.nwords &&
		   memcmp(first.words, second.words, bytes) == 0);
	for (int bit = 48; bit < 64; bit++)
	{
		uint64_t *last = &first.words[first.nwords - 1];

		*last ^= (uint64_t) 1 << bit;
		EXPECT(wa_query_read(&arena, first.words, bytes) == NULL);
		*last ^= (uint64_t) 1 << bit;
	}
	wa_arena_reset(&arena);
	return true;
}

int
main(void)
{
	check(test_trials(60), "the first groups of random rows");
	check(test_without_limit(), "all groups, where none is told to be first");
	check(test_memory(), "too little memory for choosing is noticed");
	check(test_unsound(), "what cannot be wanted is refused");
	check(test_wire(), "what is wanted is read as it was written");
	return finish_checks();
}
