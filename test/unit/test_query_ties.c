/*
 * test_query_ties.c
 *		Whether runs notice that what they show depends on the order of rows, against
 *		looking at all pairs of rows.
 */
#include <math.h>
#include <string.h>

#include "query/run.h"
#include "test/unit/check.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#define ROUNDS   3000
#define MAX_ROWS 40
#define MAX_RUNS 3

/* The registers of all queries. */
enum
{
	DECIMAL,
	FLOAT,
	TEXT,
	NINPUTS,
	YES = NINPUTS, /* a constant: true */
	NREGISTERS
};

#define BOTH (WA_OP_BIT(WA_OP_MIN) | WA_OP_BIT(WA_OP_MAX))

static const WaVectorKind kinds[NREGISTERS] = {
	[DECIMAL] = WA_VECTOR_DECIMAL,
	[FLOAT] = WA_VECTOR_FLOAT,
	[TEXT] = WA_VECTOR_TEXT,
	[YES] = WA_VECTOR_BOOL,
};

static const WaQueryConstant constants[] = {{YES, {.integer = 1}}};
static const WaQueryFilter all_rows[] = {{0, 0, YES}};

static const WaQueryColumn columns[] = {
	{DECIMAL, -1, WA_VECTOR_DECIMAL, BOTH},
	{FLOAT, -1, WA_VECTOR_FLOAT, BOTH},
};

static const WaQueryKey keys[] = {
	{WA_VECTOR_DECIMAL, false},
	{WA_VECTOR_FLOAT, false},
	{WA_VECTOR_TEXT, true},
};

static const uint16_t numbers[] = {DECIMAL, FLOAT, TEXT};

/* Texts by code; the first three are equal keys. */
static const char *const words[] = {"a", "a ", "a  ", "b", "long enough"};

static uint64_t seed = 4711;

static uint64_t
random_below(uint64_t end)
{
	return (next_random(&seed) >> 16) % end;
}

/* Rows, in the units of a scale that they share. */
typedef struct Rows
{
	size_t nrows;
	uint8_t scale;
	bool is_mixed;
	int64_t decimals[MAX_ROWS];
	uint8_t display[MAX_ROWS];
	double floats[MAX_ROWS];
	int32_t texts[MAX_ROWS];
	uint8_t valid[MAX_ROWS]; /* of all columns */
} Rows;

static WaText
text_of_code(const void *context, int32_t code)
{
	(void) context;
	return (WaText){words[code], strlen(words[code])};
}

/* Makes rows, few of which look unlike others. */
static void
make_rows(Rows *rows, bool has_texts)
{
	static const int64_t units[] = {1, 10, 100};
	static const double floats[] = {0.0, 0.0, -1.5, 2.0};
	const bool has_negative_zeros = random_below(8) == 0;

	rows->nrows = random_below(MAX_ROWS + 1);
	rows->scale = (uint8_t) (random_below(4) == 0 ? random_below(3) : 2);
	rows->is_mixed = random_below(4) == 0;
	for (size_t i = 0; i < rows->nrows; i++)
	{
		rows->valid[i] = random_below(5) != 0;
		rows->decimals[i] =
			((int64_t) random_below(5) - 2) * units[rows->scale];
		rows->display[i] = rows->scale;
		if (rows->is_mixed && random_below(20) == 0)
			rows->display[i] = (uint8_t) random_below(rows->scale + 1);
		rows->floats[i] = floats[random_below(LENGTH(floats))];
		if (has_negative_zeros && random_below(20) == 0)
			rows->floats[i] = -0.0;
		rows->texts[i] = (int32_t) (3 + random_below(2));
		if (has_texts && random_below(10) == 0)
			rows->texts[i] = (int32_t) random_below(2);
	}
}

/* Has a run take rows. */
static bool
take(WaQueryRun *run, const Rows *rows)
{
	static const WaTextCodes texts = {LENGTH(words), NULL, text_of_code};
	const WaColumnRows inputs[NINPUTS] = {
		{.form = WA_FORM_DECIMAL64,
		 .scale = rows->scale,
		 .values = rows->decimals,
		 .validity = rows->valid,
		 .display = rows->is_mixed ? rows->display : NULL},
		{.form = WA_FORM_FLOAT8,
		 .values = rows->floats,
		 .validity = rows->valid},
		{.form = WA_FORM_TEXT,
		 .values = rows->texts,
		 .validity = rows->valid,
		 .texts = &texts},
	};

	return rows->nrows == 0 ||
		   wa_query_run_take(run, inputs, rows->nrows) == WA_RUN_TAKEN;
}

/* What a row has, as others can be compared with it. */
typedef struct Value
{
	double decimal;
	uint8_t display;
	double real;
	int32_t text;
	bool is_null;
} Value;

/* Returns what a row of all rows has. */
static Value
value_of(const Rows *rows, size_t row)
{
	return (Value){(double) rows->decimals[row] / pow(10, rows->scale),
				   rows->display[row], rows->floats[row], rows->texts[row],
				   rows->valid[row] == 0};
}

/* Tells whether two rows have equal keys. */
static bool
have_equal_keys(const Value *a, const Value *b, int key)
{
	if (key < 0)
		return true;
	if (a->is_null || b->is_null)
		return a->is_null && b->is_null;
	switch (key)
	{
		case DECIMAL:
			return a->decimal == b->decimal;
		case FLOAT:
			return a->real == b->real;
		default:
			return a->text == b->text || (a->text < 3 && b->text < 3);
	}
}

/* Tells whether two rows have a key, or a value, that looks different. */
static bool
look_different(const Value *a, const Value *b, int input)
{
	switch (input)
	{
		case DECIMAL:
			return a->decimal == b->decimal && a->display != b->display;
		case FLOAT:
			return a->real == b->real && signbit(a->real) != signbit(b->real);
		default:
			return a->text != b->text;
	}
}

/* Tells whether a row's value is the smallest, or the largest, of its group. */
static bool
is_extreme(const Value *values, size_t nvalues, size_t row, int key, int input)
{
	bool is_min = true;
	bool is_max = true;

	for (size_t i = 0; i < nvalues; i++)
	{
		const double x =
			input == DECIMAL ? values[row].decimal : values[row].real;
		const double other =
			input == DECIMAL ? values[i].decimal : values[i].real;

		if (values[i].is_null ||
			!have_equal_keys(&values[row], &values[i], key))
			continue;
		is_min &= x <= other;
		is_max &= x >= other;
	}
	return is_min || is_max;
}

/* Tells whether what is shown depends on the order of the rows. */
static bool
expect_tied(const Value *values, size_t nvalues, int key)
{
	for (size_t i = 0; i < nvalues; i++)
		for (size_t j = 0; j < i; j++)
		{
			if (values[i].is_null || values[j].is_null ||
				!have_equal_keys(&values[i], &values[j], key))
				continue;
			if (key >= 0 && look_different(&values[i], &values[j], key))
				return true;
			for (int input = DECIMAL; input <= FLOAT; input++)
				if (look_different(&values[i], &values[j], input) &&
					is_extreme(values, nvalues, i, key, input))
					return true;
		}
	return false;
}

/* Writes the groups, after which it is known whether some value is tied. */
static bool
is_tied(WaQueryRun *run, WaArena *arena)
{
	uint32_t next = 0;
	WaWriter writer;

	wa_writer_init(&writer, arena);
	wa_query_run_write(run, &next, SIZE_MAX, &writer);
	return wa_query_run_is_tied(run);
}

/* Runs a query by several runs, which are merged; key: -1 for none. */
static bool
test_round(int key, bool is_plain, int *ntied)
{
	static Value values[MAX_RUNS * 2 * MAX_ROWS];
	const WaQuery query = {
		.program = {.nregisters = NREGISTERS, .kinds = kinds},
		.ninputs = NINPUTS,
		.nconstants = LENGTH(constants),
		.constants = constants,
		.nfilters = is_plain ? 0 : LENGTH(all_rows),
		.filters = all_rows,
		.nkeys = key < 0 ? 0 : 1,
		.keys = key < 0 ? NULL : &keys[key],
		.key_numbers = key < 0 ? NULL : &numbers[key],
		.ncolumns = LENGTH(columns),
		.columns = columns,
	};
	WaQueryRun *runs[MAX_RUNS];
	size_t nvalues = 0;
	bool expected;
	WaArena arena;

	wa_arena_init(&arena, SIZE_MAX);
	for (int i = 0; i < MAX_RUNS; i++)
	{
		runs[i] = wa_query_run_make(&arena, &query);
		for (int batch = 0; batch < 2; batch++)
		{
			Rows rows;

			make_rows(&rows, key == TEXT && random_below(4) == 0);
			EXPECT(take(runs[i], &rows));
			for (size_t row = 0; row < rows.nrows; row++)
				values[nvalues++] = value_of(&rows, row);
		}
	}
	for (int i = 1; i < MAX_RUNS; i++)
		EXPECT(wa_query_merge(runs[0], runs[i]) == WA_RUN_TAKEN);
	expected = expect_tied(values, nvalues, key);
	EXPECT(is_tied(runs[0], &arena) == expected);
	*ntied += expected;
	wa_arena_reset(&arena);
	return true;
}

/* Runs queries of a sort, of which some are tied and some are not. */
static bool
test_rounds(int key, bool is_plain)
{
	int ntied = 0;

	for (int i = 0; i < ROUNDS; i++)
		EXPECT(test_round(key, is_plain, &ntied));
	EXPECT(ntied > ROUNDS / 100 && ntied < ROUNDS - ROUNDS / 100);
	return true;
}

int
main(void)
{
	check(test_rounds(-1, true), "ties of whole columns");
	check(test_rounds(-1, false), "ties without keys");
	check(test_rounds(DECIMAL, false), "ties by a numeric");
	check(test_rounds(FLOAT, false), "ties by a float");
	check(test_rounds(TEXT, false), "ties by a text");
	return finish_checks();
}
