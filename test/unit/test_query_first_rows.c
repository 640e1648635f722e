/*
 * test_query_first_rows.c
 *		The first rows of a query each of whose rows is a group of its own, of all or of each part
 *		of them, chosen by runs, against a reference that compares each row with each other.
 */
#include <stdlib.h>
#include <string.h>

#include "core/decimal.h"
#include "core/partial.h"
#include "query/groups/group_decimal.h"
#include "query/run/first_rows.h"
#include "test/unit/test_query_data.h"

#define MAX_ROWS  4000
#define NO_MEMORY SIZE_MAX
#define RUNS      2

/* Keys; the last one is the number of the row, which no other has. */
static const uint16_t key_inputs[] = {KEY_INT, KEY_FLOAT, KEY_BOOL, VALUE_INT,
									  KEY_DECIMAL};
static const WaQueryKey row_keys[] = {{.kind = WA_VECTOR_INT},
									  {.kind = WA_VECTOR_FLOAT},
									  {.kind = WA_VECTOR_BOOL},
									  {.kind = WA_VECTOR_INT},
									  {.kind = WA_VECTOR_DECIMAL}};
#define PLACE 3

typedef struct Trial
{
	WaQuery query;
	size_t nrows;
	Row rows[MAX_ROWS];
	bool found[MAX_ROWS];
} Trial;

/* Compares cells of a kind that are not NULL: less than 0, 0, more than 0. */
static int
compare_cells(WaVectorKind kind, const Cell *a, const Cell *b)
{
	__int128 left = a->i;
	__int128 right = b->i;

	if (kind == WA_VECTOR_FLOAT)
		return (int) wa_float_less(b->f, a->f) -
			   (int) wa_float_less(a->f, b->f);
	if (kind == WA_VECTOR_DECIMAL)
	{
		left *= wa_powers_of_ten[b->scale];
		right *= wa_powers_of_ten[a->scale];
	}
	return (left > right) - (left < right);
}

/* Compares rows by the first orders of a query, so many of them. */
static int
compare_rows(const WaQuery *query, const Row *a, const Row *b, uint32_t norders)
{
	for (uint32_t i = 0; i < norders; i++)
	{
		const WaOrderBy *order = &query->top_n.orders[i];
		const Cell *left = &a->cells[key_inputs[order->number]];
		const Cell *right = &b->cells[key_inputs[order->number]];
		const int nulls = (int) left->is_null - (int) right->is_null;
		int result = order->nulls_first ? -nulls : nulls;

		if (nulls == 0 && !left->is_null)
		{
			result = compare_cells(row_keys[order->number].kind, left, right);
			result = order->descending ? -result : result;
		}
		if (result != 0)
			return result;
	}
	return 0;
}

/* Makes rows, in one of the orders that numbers of rows may have. */
static void
make_rows(Trial *trial, size_t nrows)
{
	const uint64_t order = random_below(3);

	trial->nrows = nrows;
	memset(trial->found, 0, sizeof(trial->found));
	for (size_t row = 0; row < nrows; row += WA_VECTOR_ROWS)
		make_batch(&trial->rows[row],
				   nrows - row < WA_VECTOR_ROWS ? nrows - row : WA_VECTOR_ROWS,
				   3 + random_below(random_below(2) == 0 ? 20 : 2000));
	for (size_t row = 0; row < nrows; row++)
		trial->rows[row].cells[VALUE_INT] =
			(Cell){.i = (int64_t) (order == 0   ? row
								   : order == 1 ? nrows - 1 - row
												: row * 7919 % nrows)};
}

/* Makes a query; some have a clause of WHERE, and some a key that may trap. */
static void
make_query(Trial *trial)
{
	const uint32_t nkeys = (uint32_t) LENGTH(row_keys) - (random_below(2) == 0);
	WaQuery *query = &trial->query;

	*query = *test_query(NKEYS);
	query->nfilters = random_below(2) == 0;
	query->program.ninstructions = query->nfilters;
	query->begin = query->end = query->nfilters;
	query->nkeys = nkeys;
	query->keys = row_keys;
	query->key_numbers = key_inputs;
	query->ncolumns = 0;
	query->top_n = (WaTopN){.limit = random_below(4) == 0
										 ? random_below(trial->nrows + 9) + 1
										 : random_below(15) + 1,
							.of_rows = true,
							.norders = (uint32_t) random_below(4) + 1};
	for (uint32_t i = 0; i < query->top_n.norders; i++)
		query->top_n.orders[i] =
			(WaOrderBy){.number = (uint16_t) random_below(nkeys),
						.descending = random_below(2) == 0,
						.nulls_first = random_below(2) == 0};
	if (random_below(3) > 0)
		return;
	query->top_n.limit = 1;
	query->top_n.nparts = (uint8_t) (random_below(query->top_n.norders) + 1);
}

/* Returns how many rows of a batch that was made to take at once, from a row on. */
static size_t
draw_rows(const Trial *trial, size_t row)
{
	const size_t all = trial->nrows - row;
	const size_t left = WA_VECTOR_ROWS - row % WA_VECTOR_ROWS;
	const size_t some = random_below(60) + 1;
	const size_t most = all < left ? all : left;

	return some < most ? some : most;
}

/* Has runs take the rows, some at a time. */
static bool
take_rows(const Trial *trial, WaQueryRun **runs)
{
	static Inputs inputs;
	size_t some;

	for (size_t row = 0; row < trial->nrows; row += some)
	{
		some = draw_rows(trial, row);
		fill_inputs(&inputs, &trial->rows[row], some);
		EXPECT(wa_query_run_take(runs[random_below(RUNS)], inputs.rows, some) ==
			   WA_RUN_TAKEN);
	}
	return true;
}

/* Tells whether a value that was read is that of a row. */
static bool
is_value(WaVectorKind kind, const WaQueryValue *value, const Cell *cell)
{
	const Cell read = {.i = value->integer, .f = value->number};
	__int128 number;

	if (value->is_null || cell->is_null)
		return value->is_null == cell->is_null;
	if (kind == WA_VECTOR_DECIMAL)
		return value->shown == cell->display &&
			   wa_decimal_number(value, cell->scale, &number) &&
			   number == cell->i;
	return compare_cells(kind, &read, cell) == 0;
}

/* Returns the row that has a number. */
static size_t
find_row(const Trial *trial, int64_t number)
{
	size_t row = 0;

	while (row < trial->nrows && trial->rows[row].cells[VALUE_INT].i != number)
		row++;
	return row;
}

/* Reads the rows that a run writes as groups, and notes them. */
static bool
read_rows(Trial *trial, WaQueryRun *run, WaArena *arena)
{
	const WaPartialShape shape = {.nkeys = (int) trial->query.nkeys,
								  .keys = row_keys};
	WaPartialReader reader;
	WaWriter writer;
	uint32_t next = 0;

	wa_writer_init(&writer, arena);
	wa_query_run_write(run, &next, SIZE_MAX, &writer);
	EXPECT(wa_partial_reader_init(&reader, arena, &shape));
	EXPECT(wa_partial_open(&reader, writer.words,
						   writer.nwords * sizeof(uint64_t)));
	while (wa_partial_next(&reader))
	{
		const size_t row = find_row(trial, reader.keys[PLACE].integer);

		EXPECT(row < trial->nrows && !trial->found[row]);
		trial->found[row] = true;
		for (uint32_t i = 0; i < trial->query.nkeys; i++)
			EXPECT(is_value(row_keys[i].kind, &reader.keys[i],
							&trial->rows[row].cells[key_inputs[i]]));
	}
	EXPECT(!reader.reader.failed);
	return true;
}

/* Tells whether a row fulfils WHERE. */
static bool
is_kept(const Trial *trial, size_t row)
{
	return trial->query.nfilters == 0 ||
		   trial->rows[row].cells[VALUE_INT].i < LIMIT_VALUE;
}

/* What there is of the part of a row: all rows, or those that are equal by some orders. */
typedef struct Part
{
	size_t before; /* the row */
	size_t equal;  /* to it, and it itself */
	size_t nkept;
	size_t nwritten;
} Part;

/* Looks at the part of a row. */
static Part
part_of(const Trial *trial, const Row *row)
{
	const WaTopN *top_n = &trial->query.top_n;
	Part part = {0};

	for (size_t i = 0; i < trial->nrows; i++)
	{
		const Row *other = &trial->rows[i];
		const int order =
			compare_rows(&trial->query, other, row, top_n->norders);

		if (!is_kept(trial, i) ||
			compare_rows(&trial->query, other, row, top_n->nparts) != 0)
			continue;
		part.nkept++;
		part.nwritten += trial->found[i];
		part.before += order < 0;
		part.equal += order == 0;
	}
	return part;
}

/* Tells whether those rows were written that are wanted, and no others. */
static bool
are_wanted(const Trial *trial)
{
	const uint64_t limit = trial->query.top_n.limit;

	for (size_t i = 0; i < trial->nrows; i++)
	{
		const Part part = part_of(trial, &trial->rows[i]);

		EXPECT(is_kept(trial, i) || !trial->found[i]);
		if (!is_kept(trial, i))
			continue;
		EXPECT(part.nwritten == (limit < part.nkept ? limit : part.nkept));
		if (part.before + part.equal <= limit)
			EXPECT(trial->found[i]);
		else
			EXPECT(!trial->found[i] || part.before < limit);
	}
	return true;
}

/* Chooses among random rows, which may be none. */
static bool
test_trial(size_t nrows)
{
	static Trial trial;
	WaQueryRun *runs[RUNS];
	WaArena arena;
	uint8_t scratch[NREGISTERS];
	bool passed;

	make_rows(&trial, nrows);
	make_query(&trial);
	wa_arena_init(&arena, NO_MEMORY);
	EXPECT(wa_query_is_sound(&trial.query, scratch));
	EXPECT(wa_first_rows_are_wanted(&trial.query));
	for (int i = 0; i < RUNS; i++)
		runs[i] = make_run(&arena, &trial.query, &test_texts);
	passed = runs[0] != NULL && runs[1] != NULL && take_rows(&trial, runs) &&
			 wa_query_merge(runs[0], runs[1]) == WA_RUN_TAKEN &&
			 wa_query_run_choose(runs[0]) &&
			 read_rows(&trial, runs[0], &arena) && are_wanted(&trial);
	wa_arena_reset(&arena);
	return passed;
}

static bool
test_trials(size_t rounds)
{
	for (size_t i = 0; i < rounds; i++)
		EXPECT(test_trial(i == 0 ? 0 : random_below(MAX_ROWS / 5) + 1));
	EXPECT(test_trial(MAX_ROWS));
	return true;
}

/* Makes rows whose first key is a number or, the last `after` of them, the next one. */
static void
make_steps(Trial *trial, size_t after, bool descending)
{
	trial->nrows = WA_VECTOR_ROWS;
	memset(trial->found, 0, sizeof(trial->found));
	make_batch(trial->rows, trial->nrows, 10);
	for (size_t row = 0; row < trial->nrows; row++)
	{
		const bool is_next = row >= trial->nrows - after;

		trial->rows[row].cells[KEY_INT] =
			(Cell){.i = is_next ? (descending ? 8 : 6) : 7};
		trial->rows[row].cells[VALUE_INT] = (Cell){.i = (int64_t) row};
	}
}

/* A row that comes just before the last one that is wanted so far is found. */
static bool
test_steps(bool descending)
{
	static Trial trial;
	WaQueryRun *runs[RUNS];
	WaArena arena;
	bool passed;

	make_steps(&trial, 2, descending);
	make_query(&trial);
	trial.query.nfilters = 0;
	trial.query.top_n.limit = 3;
	trial.query.top_n.nparts = 0;
	trial.query.top_n.norders = 1;
	trial.query.top_n.orders[0] = (WaOrderBy){.descending = descending};
	wa_arena_init(&arena, NO_MEMORY);
	runs[0] = runs[1] = make_run(&arena, &trial.query, &test_texts);
	passed = runs[0] != NULL && take_rows(&trial, runs) &&
			 wa_query_run_choose(runs[0]) &&
			 read_rows(&trial, runs[0], &arena) && are_wanted(&trial) &&
			 trial.found[trial.nrows - 1] && trial.found[trial.nrows - 2];
	wa_arena_reset(&arena);
	return passed;
}

/* What single rows cannot have is not sound. */
static bool
test_unsound(void)
{
	static const uint16_t with_text[] = {KEY_INT, KEY_TEXT};
	static const WaQueryKey text_keys[] = {{.kind = WA_VECTOR_INT},
										   {.kind = WA_VECTOR_TEXT}};
	static Trial trial;
	uint8_t scratch[NREGISTERS];
	WaQuery bad;

	make_rows(&trial, 100);
	make_query(&trial);
	EXPECT(wa_query_is_sound(&trial.query, scratch));
	bad = trial.query;
	bad.top_n.keeps_ties = true;
	EXPECT(!wa_query_is_sound(&bad, scratch));
	bad = trial.query;
	bad.ncolumns = 1;
	EXPECT(!wa_query_is_sound(&bad, scratch));
	bad = trial.query;
	bad.top_n = (WaTopN){.of_rows = true};
	EXPECT(!wa_query_is_sound(&bad, scratch));
	bad = trial.query;
	bad.top_n.limit = 2;
	bad.top_n.nparts = 1;
	EXPECT(!wa_query_is_sound(&bad, scratch));
	bad.top_n.limit = 1;
	EXPECT(wa_query_is_sound(&bad, scratch));
	bad.top_n.of_rows = false;
	EXPECT(!wa_query_is_sound(&bad, scratch));
	bad.top_n.of_rows = true;
	bad.top_n.nparts = (uint8_t) (bad.top_n.norders + 1);
	EXPECT(!wa_query_is_sound(&bad, scratch));
	bad = trial.query;
	bad.nkeys = 2;
	bad.keys = text_keys;
	bad.key_numbers = with_text;
	bad.top_n.nparts = 0;
	bad.top_n.norders = 1;
	bad.top_n.orders[0].number = 0;
	EXPECT(!wa_query_is_sound(&bad, scratch));
	bad.top_n.of_rows = false;
	EXPECT(wa_query_is_sound(&bad, scratch));
	return true;
}

/* Too little memory for rows is noticed. */
static bool
test_memory(void)
{
	static Trial trial;
	WaArena arena;

	make_rows(&trial, 100);
	make_query(&trial);
	trial.query.top_n.nparts = 0;
	trial.query.top_n.limit = 50000;
	wa_arena_init(&arena, 2 << 20);
	EXPECT(make_run(&arena, &trial.query, &test_texts) == NULL);
	wa_arena_reset(&arena);
	return true;
}

/* So is too little for the rows of parts, of which each has one. */
static bool
test_memory_of_parts(void)
{
	static Trial trial;
	static Inputs inputs;
	WaRunOutcome outcome = WA_RUN_TAKEN;
	WaQueryRun *run;
	WaArena arena;
	size_t some;

	make_rows(&trial, MAX_ROWS);
	make_query(&trial);
	trial.query.nfilters = 0;
	trial.query.top_n.limit = 1;
	trial.query.top_n.nparts = 1;
	trial.query.top_n.orders[0].number = PLACE;
	wa_arena_init(&arena, 1 << 20);
	run = make_run(&arena, &trial.query, &test_texts);
	EXPECT(run != NULL);
	for (size_t row = 0; row < trial.nrows && outcome == WA_RUN_TAKEN;
		 row += some)
	{
		some = draw_rows(&trial, row);
		fill_inputs(&inputs, &trial.rows[row], some);
		outcome = wa_query_run_take(run, inputs.rows, some);
	}
	wa_arena_reset(&arena);
	return outcome == WA_RUN_NO_MEMORY;
}

int
main(void)
{
	check(test_trials(800), "the first of random rows");
	check(test_steps(false) && test_steps(true),
		  "rows just before the last that was wanted");
	check(test_unsound(), "what single rows cannot have is refused");
	check(test_memory() && test_memory_of_parts(),
		  "too little memory for rows is noticed");
	return finish_checks();
}
