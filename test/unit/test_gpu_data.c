/*
 * test_gpu_data.c
 *		Random relations; see test_gpu_data.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/check.h"
#include "test/unit/test_gpu_data.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#define RUN_ROWS      WA_MIRROR_RUN_ROWS
#define MAX_ROWS      3000 /* of an extent */
#define MAX_BLOCKS    24
#define MAX_GAP       3 /* runs between extents */
#define TEXTS         12
#define DECIMAL_SCALE 3

const WaForm test_forms[NCOLUMNS] = {
	WA_FORM_INT16,      WA_FORM_INT32,  WA_FORM_INT64,     WA_FORM_UINT32,
	WA_FORM_FLOAT4,     WA_FORM_FLOAT8, WA_FORM_DECIMAL32, WA_FORM_DECIMAL64,
	WA_FORM_BOOL,       WA_FORM_TEXT,   WA_FORM_DECIMAL64, WA_FORM_DECIMAL128,
	WA_FORM_DECIMAL128,
};

static const char *const texts[TEXTS] = {"",   "a",  "A  ", "b",   "abc", "ab",
										 "b ", "zz", "N",   "O  ", "O",   "~"};

static uint64_t seed = 20260101;

void
test_seed(uint64_t number)
{
	seed = number;
}

uint64_t
random_below(uint64_t end)
{
	return (next_random(&seed) >> 16) % end;
}

const char *
test_text(void)
{
	return texts[random_below(TEXTS)];
}

/* Returns a value of a column of 128 bits. */
static WaInt128
make_wide(int column, int64_t number)
{
	__int128 value = number;

	if (random_below(3) != 0)
		value *= (__int128) 1 << (column == COLUMN_WIDE ? 80 : 115);
	return wa_int128_make(value + 7);
}

/* Stores a value; most are small, so that they come several times. */
static void
make_value(TestRelation *relation, int column, void *values, size_t row)
{
	static const double special[] = {0.0,   -0.0,   NAN,       INFINITY,
									 1e300, 5e-324, -INFINITY, 1e-30};
	const int64_t number = (int64_t) random_below(40) - 13;
	double real = random_below(20) == 0 ? special[random_below(LENGTH(special))]
										: (double) number / 4;
	int32_t code = 0;

	if (relation->looks_alike && real == 0)
		real = 0;

	switch (test_forms[column])
	{
		case WA_FORM_INT16:
			((int16_t *) values)[row] =
				(int16_t) (random_below(5000) == 0 ? 32767 : number);
			break;
		case WA_FORM_INT32:
			((int32_t *) values)[row] = (int32_t) (number * 1000);
			break;
		case WA_FORM_INT64:
			((int64_t *) values)[row] =
				number * (random_below(2) == 0 ? INT64_C(1) << 55 : 3);
			if (relation->step > 0)
				((int64_t *) values)[row] =
					(int64_t) (relation->next + random_below(relation->step));
			relation->next += relation->step;
			break;
		case WA_FORM_UINT32:
			((uint32_t *) values)[row] = UINT32_MAX - (uint32_t) (number + 20);
			break;
		case WA_FORM_FLOAT4:
			((float *) values)[row] = (float) real;
			break;
		case WA_FORM_FLOAT8:
			((double *) values)[row] = real / 3;
			break;
		case WA_FORM_DECIMAL32:
			((int32_t *) values)[row] = (int32_t) number * 25;
			break;
		case WA_FORM_DECIMAL64:
			((int64_t *) values)[row] = number * 12500;
			break;
		case WA_FORM_DECIMAL128:
			((WaInt128 *) values)[row] = make_wide(column, number);
			break;
		case WA_FORM_BOOL:
			put_bit(values, row, (number & 1) != 0);
			break;
		default:
			if (!wa_dictionary_find(relation->dictionary, texts[number % 4 + 4],
									strlen(texts[number % 4 + 4]), &code))
				abort();
			((int32_t *) values)[row] = code;
			break;
	}
}

/* Notes the smallest and the largest of the integers. */
static void
note_range(WaColumn *column, const uint8_t *validity)
{
	column->smallest = INT64_MAX;
	column->largest = INT64_MIN;
	for (uint32_t row = 0; row < column->nrows; row++)
	{
		int64_t value;

		if (validity[row] == 0)
			continue;
		if (column->form == WA_FORM_INT16)
			value = ((const int16_t *) column->values)[row];
		else if (column->form == WA_FORM_INT32)
			value = ((const int32_t *) column->values)[row];
		else if (column->form == WA_FORM_INT64)
			value = ((const int64_t *) column->values)[row];
		else if (column->form == WA_FORM_UINT32)
			value = ((const uint32_t *) column->values)[row];
		else
			return;
		column->smallest = value < column->smallest ? value : column->smallest;
		column->largest = value > column->largest ? value : column->largest;
	}
}

/* Returns how many digits a row of a column shows: no fewer than it has. */
static uint8_t
make_display(const TestRelation *relation, int column, const void *values,
			 size_t row)
{
	if (relation->looks_alike && test_forms[column] == WA_FORM_DECIMAL64)
		return (uint8_t) (1 +
						  ((const uint64_t *) values)[row] / 4 % DECIMAL_SCALE);
	return (uint8_t) (1 + random_below(DECIMAL_SCALE));
}

/* Makes a column of an extent; columns 1, 3, ... have no NULLs. */
static WaColumn *
make_column(TestRelation *relation, int number, uint32_t nrows)
{
	WaColumn *column = calloc(1, sizeof(*column));
	void *values = calloc(1, wa_form_bytes(test_forms[number], nrows + 1));
	uint8_t *validity = malloc(nrows + (size_t) 1);
	uint8_t *display = malloc(nrows + (size_t) 1);

	column->nrows = nrows;
	column->name = relation->names[number];
	column->form = test_forms[number];
	column->scale = wa_form_kind(test_forms[number]) == WA_VECTOR_DECIMAL
						? DECIMAL_SCALE
						: 0;
	column->dictionary =
		test_forms[number] == WA_FORM_TEXT ? relation->dictionary : NULL;
	for (uint32_t row = 0; row < nrows; row++)
	{
		validity[row] = number % 2 != 0 || random_below(7) != 0;
		if (validity[row] != 0)
			make_value(relation, number, values, row);
		display[row] = make_display(relation, number, values, row);
	}
	column->values = values;
	column->has_large = number == COLUMN_LARGE;
	note_range(column, validity);
	column->validity = number % 2 == 0 ? validity : NULL;
	column->display = number == COLUMN_DECIMAL64 ? display : NULL;
	if (column->validity == NULL)
		free(validity);
	if (column->display == NULL)
		free(display);
	return column;
}

/* Makes the ranges of some of the blocks of an extent. */
static void
make_ranges(WaRunExtent *extent)
{
	WaRowRange *ranges = calloc(MAX_BLOCKS, sizeof(*ranges));
	uint32_t begin = 0;

	for (uint32_t block = 0; block < extent->nblocks; block++)
	{
		const uint32_t end = extent->row_end[block];
		const bool goes_on =
			extent->nranges > 0 && ranges[extent->nranges - 1].end == begin;

		if (end > begin && random_below(6) != 0)
		{
			if (!goes_on)
				ranges[extent->nranges++] = (WaRowRange){begin, end};
			ranges[extent->nranges - 1].end = end;
		}
		begin = end;
	}
	extent->ranges = ranges;
}

/* Makes an extent. */
static void
make_extent(TestRelation *relation, WaRunExtent *extent, uint32_t number)
{
	uint32_t *row_end = calloc(MAX_BLOCKS, sizeof(*row_end));
	const WaColumn **columns = calloc(NCOLUMNS, sizeof(*columns));

	*extent = (WaRunExtent){.number = number, .row_end = row_end};
	extent->nblocks = 1 + (uint32_t) random_below(MAX_BLOCKS - 1);
	for (uint32_t block = 0; block < extent->nblocks; block++)
	{
		if (extent->nrows < MAX_ROWS - 250)
			extent->nrows += (uint32_t) random_below(250);
		row_end[block] = extent->nrows;
	}
	for (int i = 0; i < NCOLUMNS; i++)
		columns[i] = make_column(relation, i, extent->nrows);
	extent->columns = columns;
	extent->device = (uint32_t) random_below(3 * NDEVICES) % (NDEVICES + 1);
	if (test_on_one_device)
		extent->device = 0;
	make_ranges(extent);
}

/* Copies a column of an extent to a flat one. */
static void
copy_column(const WaColumn *column, const TestFlat *flat, uint64_t first)
{
	const size_t width = wa_form_width(column->form);

	for (uint32_t row = 0; row < column->nrows; row++)
	{
		const uint64_t at = first + row;
		const bool is_valid =
			column->validity == NULL || column->validity[row] != 0;

		put_bit(flat->validity, at, is_valid);
		if (column->display != NULL)
			flat->display[at] = column->display[row];
		if (column->form != WA_FORM_BOOL)
			memcpy(flat->values + at * width,
				   (const uint8_t *) column->values + row * width, width);
		else
			put_bit(flat->values, at, wa_bits_get(column->values, row));
	}
}

/* Returns memory of a device that is full of anything. */
static void *
make_device_memory(size_t bytes)
{
	const size_t padded = (bytes + 255) / 256 * 256 + 256;
	void *memory = aligned_alloc(256, padded);

	memset(memory, 0xa5, padded);
	return memory;
}

/* Copies the extents to the devices that they lie on. */
static void
make_flats(TestRelation *relation)
{
	for (uint64_t i = 0; i < relation->nextents; i++)
	{
		const WaRunExtent *extent = &relation->extents[i];
		const uint64_t runs = (extent->nrows + RUN_ROWS - 1) / RUN_ROWS;

		if (extent->device == NDEVICES)
			continue;
		if (random_below(4) == 0)
			relation->rows[extent->device] +=
				(1 + random_below(MAX_GAP)) * RUN_ROWS;
		relation->first_rows[i] = relation->rows[extent->device];
		relation->rows[extent->device] += runs * RUN_ROWS;
	}
	for (int device = 0; device < NDEVICES; device++)
		for (int i = 0; i < NCOLUMNS; i++)
		{
			const uint64_t rows = relation->rows[device];
			TestFlat *flat = &relation->flats[device][i];

			flat->values =
				make_device_memory(rows * wa_form_width(test_forms[i]));
			flat->validity = make_device_memory(rows / 8);
			flat->display = make_device_memory(rows);
		}
	for (uint64_t i = 0; i < relation->nextents; i++)
		for (int c = 0; c < NCOLUMNS && relation->extents[i].device < NDEVICES;
			 c++)
			copy_column(relation->extents[i].columns[c],
						&relation->flats[relation->extents[i].device][c],
						relation->first_rows[i]);
}

/* Adds a text to the dictionary, which has the empty one. */
static void
add_text(TestRelation *relation, const char *text)
{
	WaDictionaryQuestion question = {text, (uint32_t) strlen(text), 0, 0};

	question.hash =
		wa_dictionary_hash(relation->dictionary, text, question.length);
	if (question.length > 0 &&
		!wa_dictionary_add_all(relation->dictionary, relation, &question, 1))
		abort();
}

/* Finds between what the integers of a column lie, or something more. */
static void
find_bounds(TestRelation *relation, int number)
{
	WaRunBounds *bounds = &relation->bounds[number];

	*bounds = (WaRunBounds){INT64_MAX, INT64_MIN};
	for (uint64_t i = 0; i < relation->nextents; i++)
	{
		const WaColumn *column = relation->extents[i].columns[number];

		if (column->smallest < bounds->smallest)
			bounds->smallest = column->smallest;
		if (column->largest > bounds->largest)
			bounds->largest = column->largest;
	}
	if (random_below(4) == 0 && bounds->smallest > INT64_MIN + 1000)
		bounds->smallest -= (int64_t) random_below(1000);
	if (random_below(4) == 0 && bounds->largest < INT64_MAX - 1000 &&
		bounds->largest >= bounds->smallest)
		bounds->largest += (int64_t) random_below(1000);
}

bool test_on_one_device;

TestRelation *
test_relation_make(uint64_t nextents, uint64_t step)
{
	TestRelation *relation = calloc(1, sizeof(*relation));

	relation->step = step;
	wa_ledger_set_limit(&relation->memory.ledger, (uint64_t) 1 << 30);
	relation->looks_alike = random_below(2) == 0;
	wa_chunks_init(&relation->memory.chunks);
	relation->dictionary = wa_dictionary_make(&relation->memory, relation);
	for (int i = 0; i < TEXTS; i++)
		add_text(relation, texts[i]);
	for (int i = 0; i < NCOLUMNS; i++)
		relation->names[i] =
			(WaColumnName){.attribute = (int16_t) (i + 1),
						   .kind = (uint16_t) wa_form_kind(test_forms[i])};
	relation->dictionaries[COLUMN_TEXT] = relation->dictionary;
	relation->nextents = nextents;
	relation->extents = calloc(nextents + 1, sizeof(*relation->extents));
	relation->list = calloc(nextents + 1, sizeof(*relation->list));
	relation->first_rows = calloc(nextents + 1, sizeof(uint64_t));
	for (uint64_t i = 0; i < nextents; i++)
	{
		make_extent(relation, &relation->extents[i], (uint32_t) i);
		relation->list[i] = &relation->extents[i];
	}
	for (int i = 0; i < NCOLUMNS; i++)
		find_bounds(relation, i);
	make_flats(relation);
	return relation;
}

void
test_relation_free(TestRelation *relation)
{
	for (uint64_t i = 0; i < relation->nextents; i++)
	{
		for (int c = 0; c < NCOLUMNS; c++)
		{
			WaColumn *column = (WaColumn *) relation->extents[i].columns[c];

			free((void *) column->values);
			free((void *) column->validity);
			free((void *) column->display);
			free(column);
		}
		free((void *) relation->extents[i].columns);
		free((void *) relation->extents[i].ranges);
		free((void *) relation->extents[i].row_end);
	}
	for (int device = 0; device < NDEVICES; device++)
		for (int i = 0; i < NCOLUMNS; i++)
		{
			free(relation->flats[device][i].values);
			free(relation->flats[device][i].validity);
			free(relation->flats[device][i].display);
		}
	wa_dictionary_release(relation->dictionary);
	free(relation->first_rows);
	free(relation->list);
	free(relation->extents);
	free(relation);
}
