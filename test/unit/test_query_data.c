/*
 * test_query_data.c
 *		A query over random rows, and what its groups have to be.
 */
#include <math.h>
#include <string.h>

#include "core/decimal.h"
#include "core/partial.h"
#include "core/small_sum.h"
#include "test/unit/test_query_data.h"

#define OPS(a, b, c, d)                                           \
	((a) << WA_OP_SUM | (b) << WA_OP_SQUARES | (c) << WA_OP_MIN | \
	 (d) << WA_OP_MAX)

static const WaVectorKind kinds[NREGISTERS] = {
	[KEY_INT] = WA_VECTOR_INT,
	[KEY_TEXT] = WA_VECTOR_TEXT,
	[KEY_DECIMAL] = WA_VECTOR_DECIMAL,
	[KEY_FLOAT] = WA_VECTOR_FLOAT,
	[KEY_BOOL] = WA_VECTOR_BOOL,
	[VALUE_INT] = WA_VECTOR_INT,
	[VALUE_DECIMAL] = WA_VECTOR_DECIMAL,
	[VALUE_FLOAT] = WA_VECTOR_FLOAT,
	[LIMIT] = WA_VECTOR_INT,
	[STEP] = WA_VECTOR_INT,
	[IS_BELOW] = WA_VECTOR_BOOL,
	[NEXT] = WA_VECTOR_INT,
	[IS_ODD] = WA_VECTOR_BOOL,
};

static const WaInstruction instructions[] = {
	{WA_CODE_COMPARE_INT, IS_BELOW, VALUE_INT, LIMIT, 0, WA_LESS},
	{WA_CODE_INT_ADD, NEXT, VALUE_INT, STEP, 0, 4},
	{WA_CODE_NOT, IS_ODD, KEY_BOOL, 0, 0, 0},
};

static const WaQueryConstant constants[] = {
	{LIMIT, {.integer = LIMIT_VALUE}},
	{STEP, {.integer = STEP_VALUE}},
};

static const WaQueryFilter filters[] = {{0, 1, IS_BELOW}};

static const WaQueryKey keys[NKEYS] = {
	{.kind = WA_VECTOR_INT},     {.kind = WA_VECTOR_TEXT},
	{.kind = WA_VECTOR_DECIMAL}, {.kind = WA_VECTOR_FLOAT},
	{.kind = WA_VECTOR_BOOL},
};

static const uint16_t key_numbers[NKEYS] = {KEY_INT, KEY_TEXT, KEY_DECIMAL,
											KEY_FLOAT, KEY_BOOL};

static const WaQueryColumn columns[NCOLUMNS] = {
	{-1, -1, WA_VECTOR_BOOL, 0},
	{NEXT, -1, WA_VECTOR_INT, OPS(1, 1, 1, 1)},
	{VALUE_DECIMAL, -1, WA_VECTOR_DECIMAL, OPS(1, 1, 1, 1)},
	{VALUE_FLOAT, -1, WA_VECTOR_FLOAT, OPS(1, 1, 1, 1)},
	{VALUE_FLOAT, IS_ODD, WA_VECTOR_FLOAT, OPS(1, 0, 0, 1)},
	{KEY_TEXT, IS_ODD, WA_VECTOR_TEXT, 0},
	{NEXT, IS_ODD, WA_VECTOR_INT, WA_BIT_OPS},
};

/* What a column takes: an input, or -1. */
static const int column_inputs[NCOLUMNS] = {
	-1,          VALUE_INT, VALUE_DECIMAL, VALUE_FLOAT,
	VALUE_FLOAT, KEY_TEXT,  VALUE_INT};

static uint64_t seed = 4711;

uint64_t
random_below(uint64_t end)
{
	return (next_random(&seed) >> 16) % end;
}

const WaQuery *
test_query(uint32_t nkeys)
{
	static WaQuery query;

	query = (WaQuery){
		.program = {.nregisters = NREGISTERS,
					.kinds = kinds,
					.instructions = instructions,
					.ninstructions = LENGTH(instructions)},
		.ninputs = NINPUTS,
		.nconstants = LENGTH(constants),
		.constants = constants,
		.nfilters = LENGTH(filters),
		.filters = filters,
		.begin = 1,
		.end = LENGTH(instructions),
		.nkeys = nkeys,
		.keys = keys,
		.key_numbers = key_numbers,
		.ncolumns = NCOLUMNS,
		.columns = columns,
	};
	return &query;
}

/* Makes a float: ordinary, a special one, or of any size. */
static double
make_float(uint64_t variety)
{
	static const double special[] = {0.0,   -0.0,   NAN,       INFINITY, 1e-310,
									 1e308, -1e308, -INFINITY, 5e-324};
	double number = (double) random_below(variety * 2) - (double) variety;

	switch (random_below(8))
	{
		case 0:
			return special[random_below(LENGTH(special))];
		case 1:
			return ldexp(number / 7, (int) random_below(400) - 200);
		case 2:
			return random_below(2) ? 0.0 : -0.0;
		default:
			return number / 8;
	}
}

static void
make_cell(Cell *cell, int input, uint64_t variety, const uint8_t *scales)
{
	memset(cell, 0, sizeof(*cell));
	cell->is_null = random_below(9) == 0;
	if (cell->is_null)
		return;
	cell->i = (int64_t) random_below(variety) - (int64_t) (variety / 3);
	if (kinds[input] == WA_VECTOR_BOOL)
		cell->i &= 1;
	if (input == VALUE_INT)
		cell->i = (int64_t) random_below(1000);
	if (kinds[input] == WA_VECTOR_FLOAT)
		cell->f = make_float(variety);
	if (kinds[input] == WA_VECTOR_DECIMAL)
	{
		/* Also such as have no room in a word beside their scale */
		if (random_below(10) == 0 && input == KEY_DECIMAL)
			cell->i = INT64_MAX - (int64_t) random_below(5);
		else if (random_below(2) == 0)
			cell->i *= wa_powers_of_ten[scales[input]];
		cell->scale = scales[input];
		cell->display = (uint8_t) random_below(cell->scale + UINT64_C(1));
	}
	if (kinds[input] == WA_VECTOR_TEXT)
		(void) snprintf(cell->text, sizeof(cell->text), "%.*s%.*s",
						(int) random_below(4), "abcd", (int) random_below(3),
						"   ");
}

void
make_batch(Row *rows, size_t nrows, uint64_t variety)
{
	uint8_t scales[NINPUTS];

	for (int i = 0; i < NINPUTS; i++)
		scales[i] = (uint8_t) random_below(7);
	for (size_t i = 0; i < nrows; i++)
		for (int input = 0; input < NINPUTS; input++)
			make_cell(&rows[i].cells[input], input, variety, scales);
}

/* All texts that keys may be. */
static const char *const texts[] = {"",     " ",   "  ",   "a",
									"a ",   "a  ", "ab",   "ab ",
									"ab  ", "abc", "abc ", "abc  "};

static WaText
text_of_code(const void *context, int32_t code)
{
	(void) context;
	return (WaText){texts[code], strlen(texts[code])};
}

const WaTextCodes test_texts = {.ncodes = LENGTH(texts), .text = text_of_code};

/* Returns the code of a text. */
static int32_t
code_of_text(const char *text)
{
	int32_t code = 0;

	while (strcmp(texts[code], text) != 0)
		code++;
	return code;
}

/* Tells whether the integers of an input lie between two numbers. */
static bool
lie_between(const Row *rows, size_t nrows, int input, int64_t least,
			int64_t most)
{
	for (size_t i = 0; i < nrows; i++)
		if (rows[i].cells[input].i < least || rows[i].cells[input].i > most)
			return false;
	return true;
}

/* Returns a form that an input may have. */
static WaForm
choose_form(const Row *rows, size_t nrows, int input)
{
	switch (kinds[input])
	{
		case WA_VECTOR_BOOL:
			return WA_FORM_BOOL;
		case WA_VECTOR_TEXT:
			return WA_FORM_TEXT;
		case WA_VECTOR_FLOAT:
			return WA_FORM_FLOAT8;
		case WA_VECTOR_DECIMAL:
			return random_below(2) == 0 &&
						   lie_between(rows, nrows, input, INT32_MIN, INT32_MAX)
					   ? WA_FORM_DECIMAL32
					   : WA_FORM_DECIMAL64;
		default:
			break;
	}
	switch (random_below(4))
	{
		case 0:
			if (lie_between(rows, nrows, input, INT16_MIN, INT16_MAX))
				return WA_FORM_INT16;
			return WA_FORM_INT64;
		case 1:
			if (lie_between(rows, nrows, input, INT32_MIN, INT32_MAX))
				return WA_FORM_INT32;
			return WA_FORM_INT64;
		case 2:
			if (lie_between(rows, nrows, input, 0, UINT32_MAX))
				return WA_FORM_UINT32;
			return WA_FORM_INT64;
		default:
			return WA_FORM_INT64;
	}
}

/* Stores a value of a form; that of a NULL is 0. */
static void
store_value(void *values, WaForm form, size_t row, const Cell *cell)
{
	switch (form)
	{
		case WA_FORM_BOOL:
			put_bit(values, row, cell->i != 0);
			break;
		case WA_FORM_TEXT:
			((int32_t *) values)[row] =
				cell->is_null ? 0 : code_of_text(cell->text);
			break;
		case WA_FORM_FLOAT8:
			((double *) values)[row] = cell->f;
			break;
		case WA_FORM_INT16:
			((int16_t *) values)[row] = (int16_t) cell->i;
			break;
		case WA_FORM_INT32:
		case WA_FORM_DECIMAL32:
			((int32_t *) values)[row] = (int32_t) cell->i;
			break;
		case WA_FORM_UINT32:
			((uint32_t *) values)[row] = (uint32_t) cell->i;
			break;
		default:
			((int64_t *) values)[row] = cell->i;
			break;
	}
}

/* Fills one input. */
static void
fill_input(Inputs *inputs, int input, const Row *rows, size_t nrows)
{
	WaColumnRows *column = &inputs->rows[input];
	bool has_nulls = false;

	*column = (WaColumnRows){.form = choose_form(rows, nrows, input),
							 .values = inputs->values[input]};
	for (size_t i = 0; i < nrows; i++)
	{
		const Cell *cell = &rows[i].cells[input];

		store_value(inputs->values[input], column->form, i, cell);
		inputs->validity[input][i] = !cell->is_null;
		inputs->display[input][i] = cell->display;
		has_nulls |= cell->is_null;
		if (!cell->is_null)
			column->scale = cell->scale;
	}
	if (has_nulls)
		column->validity = inputs->validity[input];
	if (kinds[input] == WA_VECTOR_DECIMAL)
		column->display = inputs->display[input];
}

void
fill_inputs(Inputs *inputs, const Row *rows, size_t nrows)
{
	for (int input = 0; input < NINPUTS; input++)
		fill_input(inputs, input, rows, nrows);
}

/* Compares decimals as numbers: less than 0, 0, more than 0. */
static int
compare_decimals(const Cell *a, const Cell *b)
{
	__int128 left = (__int128) a->i * wa_powers_of_ten[b->scale];
	__int128 right = (__int128) b->i * wa_powers_of_ten[a->scale];

	return (left > right) - (left < right);
}

/* Tells whether two keys are equal as GROUP BY has it. */
static bool
same_key(WaVectorKind kind, const Cell *a, const Cell *b)
{
	if (a->is_null || b->is_null)
		return a->is_null && b->is_null;
	switch (kind)
	{
		case WA_VECTOR_FLOAT:
			return a->f == b->f || (isnan(a->f) && isnan(b->f));
		case WA_VECTOR_DECIMAL:
			return compare_decimals(a, b) == 0;
		case WA_VECTOR_TEXT:
			return strcmp(a->text, b->text) == 0;
		default:
			return a->i == b->i;
	}
}

/* Tells whether of equal keys or values one is shown rather than another. */
static bool
is_better_shown(WaVectorKind kind, const Cell *a, const Cell *b)
{
	if (a->is_null)
		return false;
	switch (kind)
	{
		case WA_VECTOR_FLOAT:
			return a->f == 0 && !signbit(a->f) && signbit(b->f);
		case WA_VECTOR_DECIMAL:
			return a->display > b->display;
		default:
			return false;
	}
}

void
expect_value(Expected *expected, WaVectorKind kind, const Cell *cell)
{
	const bool first = expected->rows++ == 0;
	int to_min = 0;
	int to_max = 0;

	if (kind == WA_VECTOR_FLOAT)
	{
		wa_exact_add(&expected->exact.sum, cell->f);
		wa_squares_add(&expected->exact.squares, cell->f);
		expected->other |= cell->f != 0 || !signbit(cell->f);
		to_min = wa_float_less(expected->min.f, cell->f) -
				 wa_float_less(cell->f, expected->min.f);
		to_max = wa_float_less(expected->max.f, cell->f) -
				 wa_float_less(cell->f, expected->max.f);
	}
	else if (kind != WA_VECTOR_TEXT && kind != WA_VECTOR_BOOL)
	{
		__int128 units = cell->i;

		to_min = first ? 0 : compare_decimals(cell, &expected->min);
		to_max = first ? 0 : compare_decimals(cell, &expected->max);
		if (kind == WA_VECTOR_DECIMAL)
			units *= wa_powers_of_ten[REFERENCE_SCALE - cell->scale];
		expected->sum += units;
		expected->all =
			(uint64_t) cell->i & (first ? UINT64_MAX : expected->all);
		expected->any |= (uint64_t) cell->i;
		expected->odd ^= (uint64_t) cell->i;
		expected->squares += (unsigned __int128) (units * units);
		if (cell->display > expected->display)
			expected->display = cell->display;
	}
	if (first || to_min < 0 ||
		(to_min == 0 && is_better_shown(kind, cell, &expected->min)))
		expected->min = *cell;
	if (first || to_max > 0 ||
		(to_max == 0 && is_better_shown(kind, cell, &expected->max)))
		expected->max = *cell;
}

/* Adds a row, which fulfils WHERE, to a group. */
static void
expect_in_group(ExpectedGroup *group, const Row *row)
{
	const Cell *odd = &row->cells[KEY_BOOL];

	for (int i = 0; i < NCOLUMNS; i++)
	{
		Cell cell = {0};

		if (columns[i].filter >= 0 && (odd->is_null || odd->i != 0))
			continue;
		if (column_inputs[i] >= 0)
			cell = row->cells[column_inputs[i]];
		if (column_inputs[i] == VALUE_INT)
			cell.i += STEP_VALUE;
		if (!cell.is_null)
			expect_value(&group->columns[i], columns[i].kind, &cell);
	}
}

size_t
find_same(const ExpectedGroup *groups, size_t ngroups, const Cell *cells,
		  uint32_t nkeys, uint32_t skipped)
{
	size_t number = 0;

	for (; number < ngroups; number++)
	{
		uint32_t key = 0;

		while (key < nkeys &&
			   (key == skipped || same_key(keys[key].kind, &cells[key],
										   &groups[number].keys[key])))
			key++;
		if (key == nkeys)
			break;
	}
	return number;
}

size_t
expect_row(ExpectedGroup *groups, size_t ngroups, const Row *row,
		   uint32_t nkeys)
{
	return expect_row_but(groups, ngroups, row, nkeys, NO_KEY);
}

size_t
expect_row_but(ExpectedGroup *groups, size_t ngroups, const Row *row,
			   uint32_t nkeys, uint32_t skipped)
{
	size_t number;

	if (row->cells[VALUE_INT].is_null || row->cells[VALUE_INT].i >= LIMIT_VALUE)
		return ngroups;
	number = find_same(groups, ngroups, row->cells, nkeys, skipped);
	if (number == ngroups)
	{
		memset(&groups[number], 0, sizeof(groups[number]));
		memcpy(groups[number].keys, row->cells, sizeof(groups[number].keys));
	}
	for (uint32_t key = 0; key < nkeys; key++)
		if (is_better_shown(keys[key].kind, &row->cells[key],
							&groups[number].keys[key]))
			groups[number].keys[key] = row->cells[key];
	expect_in_group(&groups[number], row);
	return number == ngroups ? ngroups + 1 : ngroups;
}

/*
 * Turns a wide decimal, at most a few digits of base 10000 without any after
 * the point but for six decimal ones, to units of 10^-8.
 */
static __int128
wide_units(WaText text)
{
	WaWideDecimal header;
	size_t ndigits = (text.length - sizeof(header)) / sizeof(int16_t);
	__int128 units = 0;

	memcpy(&header, text.data, sizeof(header));
	for (int place = header.weight; place >= -2; place--)
	{
		size_t i = (size_t) (header.weight - place);
		int16_t digit = 0;

		if (i < ndigits)
			memcpy(&digit, text.data + sizeof(header) + i * sizeof(digit),
				   sizeof(digit));
		units = units * WA_NUMERIC_BASE + digit;
	}
	return header.negative ? -units : units;
}

/* Tells whether a key that was read is that of a group, and shown like it. */
static bool
is_key(WaVectorKind kind, const Cell *cell, const WaQueryValue *value)
{
	size_t length = strlen(cell->text);
	__int128 units;

	if (cell->is_null || value->is_null)
		return cell->is_null && value->is_null;
	switch (kind)
	{
		case WA_VECTOR_FLOAT:
			return (isnan(cell->f) && isnan(value->number)) ||
				   memcmp(&cell->f, &value->number, sizeof(double)) == 0;
		case WA_VECTOR_DECIMAL:
			units = value->is_wide ? wide_units(value->text)
								   : (__int128) value->integer *
										 wa_powers_of_ten[8 - value->scale];
			return units ==
					   (__int128) cell->i * wa_powers_of_ten[8 - cell->scale] &&
				   value->shown == cell->display;
		case WA_VECTOR_TEXT:
			return value->text.length == length && value->shown == 0 &&
				   memcmp(value->text.data, cell->text, length) == 0;
		default:
			return value->integer == cell->i;
	}
}

ExpectedGroup *
find_expected(ExpectedGroup *groups, size_t ngroups, const WaQueryValue *values,
			  uint32_t nkeys)
{
	return find_expected_but(groups, ngroups, values, nkeys, NO_KEY);
}

ExpectedGroup *
find_expected_but(ExpectedGroup *groups, size_t ngroups,
				  const WaQueryValue *values, uint32_t nkeys, uint32_t skipped)
{
	for (size_t i = 0; i < ngroups; i++)
	{
		uint32_t key = 0;

		while (key < nkeys && (key == skipped ||
							   is_key(keys[key].kind, &groups[i].keys[key],
									  &values[key < skipped ? key : key - 1])))
			key++;
		if (key == nkeys)
			return &groups[i];
	}
	return NULL;
}

/* Tells whether a sum and a sum of squares are those, times a power of ten. */
static bool
are_sums(const Expected *expected, const WaRecordLayout *layout,
		 const uint64_t *words, int64_t power)
{
	unsigned __int128 wide;
	WaInt128 sum;
	WaUint192 squares;

	memcpy(&sum, words + layout->sum, sizeof(sum));
	memcpy(&squares, words + layout->squares, sizeof(squares));
	wide = (unsigned __int128) squares.word[1] << 64 | squares.word[0];
	EXPECT(wa_int128_get(sum) * power == expected->sum);
	EXPECT(wide * (unsigned __int128) power * (unsigned __int128) power ==
		   expected->squares);
	EXPECT(squares.word[2] == 0);
	return true;
}

static bool
is_expected_int(const Expected *expected, const WaRecordLayout *layout,
				const uint64_t *words)
{
	EXPECT(are_sums(expected, layout, words, 1));
	EXPECT((int64_t) words[layout->min] == expected->min.i);
	EXPECT((int64_t) words[layout->max] == expected->max.i);
	return true;
}

static bool
are_expected_bits(const Expected *expected, const WaRecordLayout *layout,
				  const uint64_t *words)
{
	EXPECT(words[layout->bits] == expected->all);
	EXPECT(words[layout->bits + 1] == expected->any);
	EXPECT(words[layout->bits + 2] == expected->odd);
	return true;
}

static bool
is_expected_decimal(const Expected *expected, const WaRecordLayout *layout,
					const WaRecord *record)
{
	const uint64_t *words = record->words;
	WaDecimalHeader header;
	Cell min;
	Cell max;

	memcpy(&header, words + layout->header, sizeof(header));
	EXPECT(are_sums(expected, layout, words,
					wa_powers_of_ten[REFERENCE_SCALE - record->scale]));
	EXPECT(header.display == expected->display);
	min = (Cell){.i = (int64_t) words[layout->min], .scale = header.min_scale};
	max = (Cell){.i = (int64_t) words[layout->max], .scale = header.max_scale};
	EXPECT(compare_decimals(&min, &expected->min) == 0 &&
		   header.min_display == expected->min.display);
	EXPECT(compare_decimals(&max, &expected->max) == 0 &&
		   header.max_display == expected->max.display);
	return true;
}

/* Tells whether two floats are the same, all NaNs being one. */
static bool
same_float(double a, double b)
{
	return wa_double_bits(a) == wa_double_bits(b) || (isnan(a) && isnan(b));
}

/* Adds up all sums of a record. */
static void
expand(const WaRecordLayout *layout, const WaRecord *record, bool has_squares,
	   WaExactPart *exact)
{
	WaFloatHeader header;
	WaInt128 sum;
	WaInt256 squares;

	memset(exact, 0, sizeof(*exact));
	memcpy(&header, record->words + layout->header, sizeof(header));
	memcpy(&sum, record->words + layout->sum, sizeof(sum));
	wa_small_sum_expand(sum, header.exponent, &exact->sum);
	if (has_squares)
	{
		memcpy(&squares, record->words + layout->squares, sizeof(squares));
		wa_small_squares_expand(&squares, header.squares_exponent,
								&exact->squares);
	}
	if (record->rest == NULL)
		return;
	wa_exact_merge(&exact->sum, &record->rest->sum);
	if (has_squares)
		wa_squares_merge(&exact->squares, &record->rest->squares);
}

static bool
is_expected_float(const Expected *expected, const WaQueryColumn *column,
				  const WaRecordLayout *layout, const WaRecord *record)
{
	const bool has_squares = wa_ops_have(column->ops, WA_OP_SQUARES);
	WaExactPart want = expected->exact;
	WaFloatHeader header;
	WaExactPart got;

	memcpy(&header, record->words + layout->header, sizeof(header));
	expand(layout, record, has_squares, &got);
	wa_exact_normalize(&want.sum);
	wa_squares_normalize(&want.squares);
	EXPECT((header.other != 0) == expected->other);
	EXPECT(memcmp(got.sum.limbs, want.sum.limbs, sizeof(want.sum.limbs)) == 0);
	EXPECT(got.sum.nans == want.sum.nans &&
		   got.sum.positive_infinities == want.sum.positive_infinities &&
		   got.sum.negative_infinities == want.sum.negative_infinities);
	EXPECT(!has_squares ||
		   memcmp(&got.squares, &want.squares, sizeof(want.squares)) == 0);
	EXPECT(!wa_ops_have(column->ops, WA_OP_MIN) ||
		   same_float(wa_bits_double(record->words[layout->min]),
					  expected->min.f));
	EXPECT(same_float(wa_bits_double(record->words[layout->max]),
					  expected->max.f));
	return true;
}

bool
is_expected(const Expected *expected, const WaQueryColumn *column,
			const WaPartialCell *cell)
{
	const WaRecordLayout layout = wa_record_layout(column->kind, column->ops);

	EXPECT(cell->bytes.data == NULL);
	EXPECT((cell->record.words == NULL) == (expected->rows == 0));
	if (expected->rows == 0)
		return true;
	EXPECT(cell->record.words[0] == expected->rows);
	if (column->ops == 0)
		return true;
	if ((column->ops & WA_BIT_OPS) != 0)
		return are_expected_bits(expected, &layout, cell->record.words);
	switch (column->kind)
	{
		case WA_VECTOR_INT:
			return is_expected_int(expected, &layout, cell->record.words);
		case WA_VECTOR_DECIMAL:
			return is_expected_decimal(expected, &layout, &cell->record);
		default:
			return is_expected_float(expected, column, &layout, &cell->record);
	}
}
