/*
 * test_bits.c
 *		Bytes as bits (core/bits.h), and booleans of a column that lie as such: from
 *		anywhere on, all rows or selected ones, with nothing read or written beside.
 */
#include <stdlib.h>
#include <string.h>

#include "query/base/column_rows.h"
#include "test/unit/check.h"

#define MAX_BITS 1500
#define TRIALS   20000

static uint64_t state = 7;

/* Returns a number below a limit. */
static size_t
below(size_t limit)
{
	return (size_t) (next_random(&state) % limit);
}

/* Fills bytes with 0 and 1. */
static void
fill(uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bytes[i] = (uint8_t) below(2);
}

/* Returns words of bytes, in memory that ends with the last of them. */
static uint64_t *
pack(const uint8_t *bytes, size_t count)
{
	uint64_t *words = malloc(wa_bits_words(count) * sizeof(uint64_t) + 1);

	memset(words, 0xa5, wa_bits_words(count) * sizeof(uint64_t));
	wa_bits_pack(bytes, count, words);
	return words;
}

/* Tells whether the bits are those of the bytes, and 0 behind them. */
static bool
is_packed(const uint64_t *words, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < wa_bits_words(count) * 64; i++)
		EXPECT(wa_bits_get(words, i) == (i < count && bytes[i] != 0));
	return true;
}

/* Packs bytes and unpacks some of them. */
static bool
test_unpack(void)
{
	uint8_t bytes[MAX_BITS];
	uint8_t out[MAX_BITS + 1];

	for (int trial = 0; trial < TRIALS; trial++)
	{
		const size_t count = below(MAX_BITS) + 1;
		const size_t first = below(count + 1);
		const size_t some = below(count - first + 1);
		uint64_t *words;

		fill(bytes, count);
		words = pack(bytes, count);
		EXPECT(is_packed(words, bytes, count));
		out[some] = 99;
		wa_bits_unpack(words, first, some, out);
		EXPECT(memcmp(out, bytes + first, some) == 0 && out[some] == 99);
		free(words);
	}
	return true;
}

/* Copies bits to anywhere among others. */
static bool
test_copy(void)
{
	uint8_t bytes[MAX_BITS];
	uint8_t others[MAX_BITS];

	for (int trial = 0; trial < TRIALS; trial++)
	{
		const size_t count = below(MAX_BITS) + 1;
		const size_t to_count = below(MAX_BITS) + 1;
		const size_t first = below(count + 1);
		const size_t to_first = below(to_count + 1);
		const size_t most = count - first < to_count - to_first
								? count - first
								: to_count - to_first;
		const size_t some = below(most + 1);
		uint64_t *words;
		uint64_t *to_words;

		fill(bytes, count);
		fill(others, to_count);
		words = pack(bytes, count);
		to_words = pack(others, to_count);
		wa_bits_copy(words, first, some, to_words, to_first);
		memcpy(others + to_first, bytes + first, some);
		EXPECT(is_packed(to_words, others, to_count));
		EXPECT(is_packed(words, bytes, count));
		free(words);
		free(to_words);
	}
	return true;
}

/* Selects rows of a few, ascending; returns how many. */
static size_t
choose(uint16_t *selection, size_t nrows)
{
	size_t nselected = 0;

	for (size_t row = 0; row < nrows; row++)
		if (below(3) == 0)
			selection[nselected++] = (uint16_t) row;
	return nselected;
}

/* Tells whether the vector of rows from `first` on is right. */
static bool
vector_is_right(const WaColumnRows *rows, const uint8_t *bytes, size_t nrows,
				const uint16_t *selection, size_t nselected)
{
	static uint64_t memory[WA_VECTOR_ROWS];
	WaVector vector;
	WaVector place;

	wa_vector_place(&place, WA_VECTOR_BOOL, memory);
	wa_column_rows_vector(rows, NULL, nrows, &place, &vector);
	EXPECT(memcmp(vector.values, bytes, nrows) == 0 && !vector.has_nulls);
	wa_column_rows_vector(rows, selection, nselected, &place, &vector);
	for (size_t i = 0; i < nselected; i++)
		EXPECT(wa_vector_bools(&vector)[i] == bytes[selection[i]]);
	return true;
}

/* Makes vectors of rows of a column, having moved on twice. */
static bool
test_rows(void)
{
	uint16_t selection[WA_VECTOR_ROWS];
	uint8_t bytes[MAX_BITS];

	for (int trial = 0; trial < TRIALS; trial++)
	{
		const size_t count = below(MAX_BITS) + 1;
		const size_t first = below(count);
		const size_t second = below(count - first);
		const size_t rest = count - first - second;
		const size_t nrows = rest < WA_VECTOR_ROWS ? rest : WA_VECTOR_ROWS;
		WaColumnRows rows = {.form = WA_FORM_BOOL};
		uint64_t *words;

		fill(bytes, count);
		words = pack(bytes, count);
		rows.values = words;
		rows = wa_column_rows_after(&rows, first);
		rows = wa_column_rows_after(&rows, second);
		EXPECT(vector_is_right(&rows, bytes + first + second, nrows, selection,
							   choose(selection, nrows)));
		free(words);
	}
	return true;
}

int
main(void)
{
	check(test_copy(), "bits are copied to anywhere");
	check(test_unpack(), "bytes become bits, and bytes again");
	check(test_rows(), "rows of booleans become vectors");
	return finish_checks();
}
