/*
 * test_query_constants.c
 *		Constants of up to 38 digits: as messages have them, and in a query that compares
 *		rows with one.
 */
#include <string.h>

#include "core/decimal.h"
#include "query/groups/group_decimal.h"
#include "query/message/query_wire.h"
#include "test/unit/check.h"
#include "test/unit/make_run.h"

#define LENGTH(array) ((int) (sizeof(array) / sizeof((array)[0])))
#define NVALUES       20000
#define MEMORY        ((size_t) 1024 * 1024)

static uint64_t seed = 20;

/* Returns a number of up to 38 digits, often with zeros at its end. */
static __int128
any_number(void)
{
	__int128 number = (__int128) (next_random(&seed) % 10000);
	const int ndigits = (int) (next_random(&seed) % 39);

	for (int i = 4; i < ndigits; i++)
		number =
			number * 10 +
			(next_random(&seed) % 3 == 0 ? (int) (next_random(&seed) % 10) : 0);
	if (next_random(&seed) % 20 == 0)
		number = WA_WIDE_LIMIT - 1;
	return next_random(&seed) % 2 == 0 ? -number : number;
}

/* Tells what a number is in units of 10^-to, if it is whole and has 38 digits. */
static bool
rescaled(__int128 number, int from, int to, __int128 *result)
{
	for (; from < to; from++)
	{
		if (number >= WA_WIDE_LIMIT / 10 || number <= -WA_WIDE_LIMIT / 10)
			return false;
		number *= 10;
	}
	for (; from > to; from--)
	{
		if (number % 10 != 0)
			return false;
		number /= 10;
	}
	*result = number;
	return true;
}

/* A value has its number in every unit that there is. */
static bool
test_numbers(void)
{
	for (int i = 0; i < NVALUES; i++)
	{
		const __int128 number = any_number();
		const int scale = (int) (next_random(&seed) % 39);
		char bytes[WA_WIDE_DECIMAL_BYTES];
		WaQueryValue value = {0};

		wa_decimal_make_value(wa_int128_make(number), scale, bytes, &value);
		EXPECT(!value.is_wide || wa_wide_decimal_is_sound(value.text));
		for (int to = 0; to <= WA_WIDE_MAX_SCALE; to++)
		{
			__int128 expected = 0;
			__int128 got = 0;
			const bool fits =
				number == 0 || rescaled(number, scale, to, &expected);

			EXPECT(wa_decimal_number(&value, to, &got) == fits);
			EXPECT(!fits || got == expected);
		}
	}
	return true;
}

/* Counts the rows of a query that was sent as a message; -1: it was refused. */
static int
count_rows(const WaQuery *query, const WaColumnRows *rows, size_t nrows)
{
	const WaQuery *read;
	WaWriter writer;
	WaArena arena;
	int count = -1;

	wa_arena_init(&arena, MEMORY);
	wa_writer_init(&writer, &arena);
	wa_query_write(&writer, query);
	read =
		wa_query_read(&arena, writer.words, writer.nwords * sizeof(uint64_t));
	if (read != NULL)
	{
		WaQueryRun *run = make_run(&arena, read, NULL);

		if (wa_query_run_take(run, rows, nrows) == WA_RUN_TAKEN)
			count = (int) wa_query_run_rows(run);
	}
	wa_arena_reset(&arena);
	return count;
}

/* Counts the values that compare with a constant so; -1: there is no such query. */
static int
compare_with(const WaQueryValue *constant, WaComparison comparison,
			 const WaInt128 values[3], int scale)
{
	static const WaVectorKind kinds[] = {WA_VECTOR_DECIMAL, WA_VECTOR_DECIMAL,
										 WA_VECTOR_BOOL};
	const WaInstruction instruction = {
		WA_CODE_COMPARE_DECIMAL, 2, 0, 1, 0, comparison};
	const WaQueryConstant constants[] = {{1, *constant}};
	const WaQueryFilter filter = {0, 1, 2};
	const WaQueryColumn column = {
		.argument = -1, .filter = -1, .kind = WA_VECTOR_BOOL};
	const WaQuery query = {.program = {.nregisters = LENGTH(kinds),
									   .kinds = kinds,
									   .instructions = &instruction,
									   .ninstructions = 1},
						   .ninputs = 1,
						   .nconstants = 1,
						   .constants = constants,
						   .nfilters = 1,
						   .filters = &filter,
						   .begin = 1,
						   .end = 1,
						   .ncolumns = 1,
						   .columns = &column};
	const WaColumnRows rows = {
		.form = WA_FORM_DECIMAL128, .scale = (uint8_t) scale, .values = values};

	return count_rows(&query, &rows, 3);
}

/* Rows around a constant are less, equal and greater. */
static bool
test_comparisons(void)
{
	for (int i = 0; i < NVALUES / 10; i++)
	{
		const __int128 number = any_number() / 10;
		const int scale = (int) (next_random(&seed) % 39);
		char bytes[WA_WIDE_DECIMAL_BYTES];
		WaQueryValue value = {.shown = (uint32_t) scale};
		WaInt128 values[3];

		for (int k = 0; k < 3; k++)
			values[k] = wa_int128_make(number + k - 1);
		wa_decimal_make_value(wa_int128_make(number), scale, bytes, &value);
		EXPECT(compare_with(&value, WA_LESS, values, scale) == 1);
		EXPECT(compare_with(&value, WA_EQUAL, values, scale) == 1);
		EXPECT(compare_with(&value, WA_LESS_OR_EQUAL, values, scale) == 2);
		value.shown = WA_WIDE_MAX_SCALE + 1;
		EXPECT(compare_with(&value, WA_LESS, values, scale) == -1);
		if (number % 10 != 0 && scale > 0)
		{
			value.shown = (uint32_t) scale - 1;
			EXPECT(compare_with(&value, WA_LESS, values, scale) == -1);
		}
	}
	return true;
}

int
main(void)
{
	check(test_numbers(), "numbers of values");
	check(test_comparisons(), "comparisons with constants");
	return finish_checks();
}
