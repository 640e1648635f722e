/*
 * test_query_columns.c
 *		The quick ways of running a query against the slow ones: both have to
 *		write the same groups, word for word.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/check.h"
#include "test/unit/make_run.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#define MAX_ROWS 5000
#define ROUNDS   300

/* The registers of all queries. */
enum
{
	INT,
	DECIMAL,
	FLOAT,
	BOOL,
	TEXT,
	NINPUTS,
	YES = NINPUTS, /* a constant: true */
	NREGISTERS
};

#define OPS(sum, squares, min, max)                                         \
	((sum) << WA_OP_SUM | (squares) << WA_OP_SQUARES | (min) << WA_OP_MIN | \
	 (max) << WA_OP_MAX)

static const WaVectorKind kinds[NREGISTERS] = {
	[INT] = WA_VECTOR_INT,     [DECIMAL] = WA_VECTOR_DECIMAL,
	[FLOAT] = WA_VECTOR_FLOAT, [BOOL] = WA_VECTOR_BOOL,
	[TEXT] = WA_VECTOR_TEXT,   [YES] = WA_VECTOR_BOOL,
};

static const WaQueryConstant constants[] = {
	{YES, {.integer = 1}},
};

/* Keeps all rows, in the slow way. */
static const WaQueryFilter all_rows[] = {{0, 0, YES}};

static const WaQueryColumn columns[] = {
	{-1, -1, WA_VECTOR_BOOL, 0},
	{INT, -1, WA_VECTOR_INT, OPS(1, 1, 1, 1)},
	{INT, -1, WA_VECTOR_INT, OPS(0, 0, 1, 0)},
	{INT, -1, WA_VECTOR_INT, WA_BIT_OPS},
	{INT, -1, WA_VECTOR_INT, WA_OP_BIT(WA_OP_BIT_OR)},
	{DECIMAL, -1, WA_VECTOR_DECIMAL, OPS(1, 1, 1, 1)},
	{DECIMAL, -1, WA_VECTOR_DECIMAL, OPS(0, 0, 0, 1)},
	{FLOAT, -1, WA_VECTOR_FLOAT, OPS(1, 1, 1, 1)},
	{BOOL, -1, WA_VECTOR_BOOL, 0},
	{TEXT, -1, WA_VECTOR_TEXT, 0},
};

#define SUM OPS(1, 0, 0, 0)

/* Columns that few groups add up before they take them, ... */
static const WaQueryColumn few[] = {
	{-1, -1, WA_VECTOR_BOOL, 0},
	{INT, -1, WA_VECTOR_INT, SUM},
	{DECIMAL, -1, WA_VECTOR_DECIMAL, SUM},
	{FLOAT, -1, WA_VECTOR_FLOAT, SUM},
	{INT, -1, WA_VECTOR_INT, OPS(1, 0, 1, 1)},
	{BOOL, -1, WA_VECTOR_BOOL, 0},
};

/* ... and such as they take row by row. */
static const WaQueryColumn row_by_row[] = {
	{-1, YES, WA_VECTOR_BOOL, 0},
	{INT, YES, WA_VECTOR_INT, SUM},
	{DECIMAL, YES, WA_VECTOR_DECIMAL, SUM},
	{FLOAT, YES, WA_VECTOR_FLOAT, SUM},
	{INT, YES, WA_VECTOR_INT, OPS(1, 0, 1, 1)},
	{BOOL, YES, WA_VECTOR_BOOL, 0},
};

static const WaQueryKey text_key = {WA_VECTOR_TEXT, true};
static const uint16_t text_number = TEXT;

static uint64_t seed = 815;

static uint64_t
random_below(uint64_t end)
{
	return (next_random(&seed) >> 16) % end;
}

/* Returns a query without keys and clauses: a plain one. */
static WaQuery
make_query(void)
{
	return (WaQuery){
		.program = {.nregisters = NREGISTERS, .kinds = kinds},
		.ninputs = NINPUTS,
		.nconstants = LENGTH(constants),
		.constants = constants,
		.ncolumns = LENGTH(columns),
		.columns = columns,
	};
}

/* Columns of rows, and where their values lie. */
typedef struct Data
{
	size_t nrows;
	WaColumnRows rows[NINPUTS];
	int64_t values[NINPUTS][MAX_ROWS];
	uint8_t validity[NINPUTS][MAX_ROWS];
	uint8_t display[MAX_ROWS];
} Data;

static const char *const words[] = {
	"",     "a",    "a ", "bea",   "bee",
	"bee ", "bees", "c",  "bee  ", "long enough for all"};

static WaText
text_of_code(const void *context, int32_t code)
{
	(void) context;
	return (WaText){words[code], strlen(words[code])};
}

static const WaTextCodes word_texts = {.ncodes = LENGTH(words),
									   .text = text_of_code};

/* Returns bits of a float: often an ordinary one. */
static int64_t
make_float(void)
{
	static const double special[] = {NAN, -0.0, 0.0, INFINITY, 5e-324, -1e300};
	double x = ldexp((double) random_below(1 << 20) - (1 << 19),
					 random_below(9) == 0 ? (int) random_below(900) - 450 : -3);
	int64_t bits;

	if (random_below(500) == 0)
		x = special[random_below(LENGTH(special))];
	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

/* Returns the bits of a value of a form. */
static int64_t
make_value(WaForm form)
{
	static bool narrow;
	static const int64_t extremes[] = {INT64_MIN, INT64_MAX,  INT32_MIN,
									   INT32_MAX, 0xffffffff, -1};

	switch (form)
	{
		case WA_FORM_BOOL:
			return (int64_t) random_below(2);
		case WA_FORM_TEXT:
			return (int64_t) random_below(LENGTH(words));
		case WA_FORM_FLOAT8:
			return make_float();
		case WA_FORM_FLOAT4:
			return (int64_t) random_below(UINT64_C(0x7f800001));
		case WA_FORM_DECIMAL64:
			return (int64_t) random_below(UINT64_C(1) << 40) - (1 << 30);
		default:
			if (random_below(1000) == 0)
				narrow = random_below(2) == 0;
			return random_below(40) == 0 && !narrow
					   ? extremes[random_below(LENGTH(extremes))]
					   : (int64_t) random_below(UINT64_C(1) << 48) - 99999;
	}
}

/* Fills a column with values of a form, some of them NULL if it has NULLs. */
static void
fill_column(Data *data, int input, WaForm form)
{
	WaColumnRows *rows = &data->rows[input];
	const size_t width = wa_form_width(form);
	const bool has_nulls = random_below(3) == 0;
	const bool mixed =
		wa_form_kind(form) == WA_VECTOR_DECIMAL && random_below(3) == 0;

	*rows = (WaColumnRows){.form = form, .values = data->values[input]};
	if (wa_form_kind(form) == WA_VECTOR_DECIMAL)
		rows->scale = (uint8_t) random_below(6);
	if (has_nulls)
		rows->validity = data->validity[input];
	if (mixed)
		rows->display = data->display;
	for (size_t i = 0; i < data->nrows; i++)
	{
		const bool is_null = has_nulls && random_below(5) == 0;
		const int64_t value = is_null ? 0 : make_value(form);

		if (form == WA_FORM_BOOL)
			put_bit(data->values[input], i, value != 0);
		else
			memcpy((char *) data->values[input] + i * width, &value, width);
		data->validity[input][i] = !is_null;
		if (mixed)
			data->display[i] =
				(uint8_t) random_below(rows->scale + UINT64_C(1));
	}
}

/* Fills all columns with up to so many rows. */
static void
fill(Data *data, size_t max_rows)
{
	static const WaForm ints[] = {WA_FORM_INT16, WA_FORM_INT32, WA_FORM_INT64,
								  WA_FORM_UINT32};

	data->nrows = random_below(max_rows + 1);
	fill_column(data, INT, ints[random_below(LENGTH(ints))]);
	fill_column(data, DECIMAL,
				random_below(2) ? WA_FORM_DECIMAL32 : WA_FORM_DECIMAL64);
	fill_column(data, FLOAT, random_below(4) ? WA_FORM_FLOAT8 : WA_FORM_FLOAT4);
	fill_column(data, BOOL, WA_FORM_BOOL);
	fill_column(data, TEXT, WA_FORM_TEXT);
}

/* Has a run take rows, in batches that it can take. */
static bool
take(WaQueryRun *run, const Data *data)
{
	const size_t most =
		wa_query_run_is_plain(run) ? data->nrows + 1 : WA_VECTOR_ROWS;

	for (size_t row = 0; row < data->nrows; row += most)
	{
		const size_t left = data->nrows - row;
		WaColumnRows rows[NINPUTS];

		for (int i = 0; i < NINPUTS; i++)
			rows[i] = wa_column_rows_after(&data->rows[i], row);
		EXPECT(wa_query_run_take(run, rows, left < most ? left : most) ==
			   WA_RUN_TAKEN);
	}
	return true;
}

/* Tells whether two runs have the same groups. */
static bool
same_groups(WaQueryRun *a, WaQueryRun *b, WaArena *arena)
{
	uint32_t next[2] = {0, 0};
	WaWriter writers[2];

	wa_writer_init(&writers[0], arena);
	wa_writer_init(&writers[1], arena);
	wa_query_run_write(a, &next[0], SIZE_MAX, &writers[0]);
	wa_query_run_write(b, &next[1], SIZE_MAX, &writers[1]);
	EXPECT(next[0] == next[1]);
	EXPECT(wa_query_run_rows(a) == wa_query_run_rows(b));
	EXPECT(writers[0].nwords == writers[1].nwords);
	EXPECT(memcmp(writers[0].words, writers[1].words,
				  writers[0].nwords * sizeof(uint64_t)) == 0);
	return true;
}

/* Gives two runs the same extents; tells whether they find the same groups. */
static bool
agree(Data *data, size_t max_rows, WaQueryRun **runs, WaArena *arena)
{
	for (int extent = 0; extent < 3; extent++)
	{
		fill(data, max_rows);
		EXPECT(take(runs[0], data) && take(runs[1], data));
	}
	return same_groups(runs[0], runs[1], arena);
}

/* A plain query against the same with a clause that is always true. */
static bool
test_plain(Data *data, size_t max_rows)
{
	const WaQuery plain = make_query();
	WaQuery slow = plain;
	WaQueryRun *runs[2];
	WaArena arena;

	slow.nfilters = LENGTH(all_rows);
	slow.filters = all_rows;
	wa_arena_init(&arena, SIZE_MAX);
	runs[0] = make_run(&arena, &plain, &word_texts);
	runs[1] = make_run(&arena, &slow, &word_texts);
	EXPECT(wa_query_run_is_plain(runs[0]) && !wa_query_run_is_plain(runs[1]));
	EXPECT(agree(data, max_rows, runs, &arena));
	wa_arena_reset(&arena);
	return true;
}

/* Few groups against the same with conditions that are always true. */
static bool
test_few(Data *data, size_t max_rows)
{
	WaQuery quick = make_query();
	WaQuery slow;
	WaQueryRun *runs[2];
	WaArena arena;

	quick.nkeys = 1;
	quick.keys = &text_key;
	quick.key_numbers = &text_number;
	quick.ncolumns = LENGTH(few);
	quick.columns = few;
	slow = quick;
	slow.columns = row_by_row;
	wa_arena_init(&arena, SIZE_MAX);
	runs[0] = make_run(&arena, &quick, &word_texts);
	runs[1] = make_run(&arena, &slow, &word_texts);
	EXPECT(agree(data, max_rows, runs, &arena));
	wa_arena_reset(&arena);
	return true;
}

/* Runs a test with few rows and with many. */
static bool
repeat(bool (*test)(Data *data, size_t max_rows))
{
	Data *data = malloc(sizeof(Data));

	for (int i = 0; i < ROUNDS; i++)
		EXPECT(test(data, i % 4 == 0 ? MAX_ROWS : 9));
	free(data);
	return true;
}

int
main(void)
{
	check(repeat(test_plain), "columns as they lie");
	check(repeat(test_few), "rows of few groups");
	return finish_checks();
}
