/*
 * test_patch.c
 *		Exchanging blocks of columns (daemon/column/column_patch.h): against a model that knows
 *		of each block which rows it has.
 */
#include <stdlib.h>
#include <string.h>

#include "core/decimal.h"
#include "daemon/column/column_patch.h"
#include "test/unit/check.h"
#include "test/unit/test_extent.h"

#define TRIALS       150
#define PATCHES      6
#define MAX_ROWS     120
#define TEXTS        50
#define PARCEL_BYTES ((size_t) 4 << 20)

/* What a row is to be; the value of a DECIMAL is in units of 10^-scale. */
typedef struct Row
{
	bool is_null;
	__int128 value; /* of a text its length, of a float an integer */
	uint8_t scale;
	uint8_t display;
} Row;

typedef struct Block
{
	uint64_t lsn; /* 0: it is not there */
	uint64_t first_xid;
	uint64_t last_xid;
	bool is_odd;
	uint32_t nrows;
	Row rows[MAX_ROWS];
} Block;

typedef struct Model
{
	uint32_t nblocks;
	uint64_t settled;
	Block blocks[WA_EXTENT_BLOCKS];
} Model;

static uint64_t state = 4711;
static WaMemory memory;
static WaDictionary *dictionary;
static uint8_t *parcel;
static uint64_t next_lsn = 1;

/* Returns a number below a limit. */
static uint32_t
below(uint32_t limit)
{
	return (uint32_t) (next_random(&state) % limit);
}

/* Returns a form of a kind; narrow: one of up to 64 bits. */
static WaForm
choose_form(WaVectorKind kind, bool narrow)
{
	WaForm form;

	do
		form = (WaForm) below(WA_FORM_COUNT);
	while (wa_form_kind(form) != kind || form == WA_FORM_UINT32 ||
		   (narrow && form == WA_FORM_DECIMAL128));
	return form;
}

/* Returns a value that fits a form. */
static __int128
choose_value(WaForm form)
{
	const int64_t bits = (int64_t) next_random(&state);

	switch (form)
	{
		case WA_FORM_BOOL:
			return bits & 1;
		case WA_FORM_TEXT:
			return (uint64_t) bits % TEXTS;
		case WA_FORM_INT16:
			return (int16_t) bits;
		case WA_FORM_FLOAT4:
		case WA_FORM_FLOAT8:
			return bits % (1 << 20);
		case WA_FORM_INT64:
		case WA_FORM_DECIMAL64:
			return bits >> below(60);
		case WA_FORM_DECIMAL128:
			return (__int128) bits * (1 << 20) >> below(80);
		default:
			return (int32_t) bits >> below(30);
	}
}

/* Makes the rows of a block, of a column of some form. */
static void
make_block(Block *block, WaForm form, uint8_t scale, bool has_nulls,
		   bool has_display, uint64_t settled)
{
	memset(block, 0, sizeof(*block));
	block->lsn = next_lsn++;
	block->last_xid = below(3) == 0 ? 0 : 1 + below(1000);
	if (block->last_xid >= settled)
		block->first_xid = settled;
	block->is_odd = below(20) == 0;
	block->nrows = below(4) == 0 ? 0 : below(MAX_ROWS + 1);
	for (uint32_t i = 0; i < block->nrows; i++)
	{
		Row *row = &block->rows[i];

		row->is_null = has_nulls && below(3) == 0;
		row->value = row->is_null ? 0 : choose_value(form);
		row->scale = scale;
		row->display = has_display ? (uint8_t) below(scale + 1U) : scale;
	}
}

/* Writes a value; of a text its number. */
static void
write_value(uint8_t *to, WaForm form, __int128 value)
{
	const float as_float = (float) value;
	const double as_double = (double) value;

	if (form == WA_FORM_FLOAT4)
		memcpy(to, &as_float, sizeof(as_float));
	else if (form == WA_FORM_FLOAT8)
		memcpy(to, &as_double, sizeof(as_double));
	else
		memcpy(to, &value, wa_form_width(form));
}

/* Writes what the model says of blocks, those that there are, to a head. */
static void
write_head(const Model *model, WaExtentHead *head)
{
	memset(head, 0, sizeof(*head));
	head->nblocks = model->nblocks;
	head->settled = model->settled;
	for (uint32_t i = 0; i < model->nblocks; i++)
	{
		const Block *block = &model->blocks[i];

		head->block_lsn[i] = block->lsn;
		head->first_xid[i] = block->first_xid;
		head->last_xid[i] = block->last_xid;
		if (block->is_odd)
			head->columns[0].odd[i / 64] |= (uint64_t) 1 << i % 64;
		head->nrows += block->nrows;
		head->row_end[i] = head->nrows;
	}
	head->ncolumns = 1;
}

/* Makes the column that the model says. */
static WaColumn *
make_column(const Model *model, WaExtentHead *head, WaForm form, uint8_t scale,
			bool has_nulls, bool has_display)
{
	WaExtentColumn *column = &head->columns[0];
	uint64_t end = 64;
	uint32_t row = 0;
	WaColumn *made = NULL;
	char error[WA_MAX_ERROR_BYTES];

	write_head(model, head);
	column->name.attribute = 1;
	column->name.kind = (uint16_t) wa_form_kind(form);
	column->form = form;
	column->scale = scale;
	column->values = wa_test_take(&end, head->nrows * wa_form_width(form));
	if (has_nulls)
		column->validity = wa_test_take(&end, head->nrows);
	if (has_display)
		column->display = wa_test_take(&end, head->nrows);
	for (uint32_t i = 0; i < model->nblocks; i++)
		for (uint32_t j = 0; j < model->blocks[i].nrows; j++, row++)
		{
			const Row *from = &model->blocks[i].rows[j];

			write_value(parcel + column->values + row * wa_form_width(form),
						form, from->value);
			if (has_nulls)
				parcel[column->validity + row] = !from->is_null;
			if (has_display)
				parcel[column->display + row] = from->display;
		}
	if (form == WA_FORM_TEXT)
		wa_test_write_texts(parcel, column, TEXTS, &end);
	if (end > PARCEL_BYTES ||
		wa_column_copy(&memory, NULL, column, head->nrows, parcel, dictionary,
					   &made, error, sizeof(error)) != WA_OK)
		abort();
	return made;
}

/* Returns a value of a column as a number. */
static __int128
number_at(const WaColumn *column, uint32_t row)
{
	const void *values = column->values;

	switch (column->form)
	{
		case WA_FORM_INT16:
			return ((const int16_t *) values)[row];
		case WA_FORM_INT64:
		case WA_FORM_DECIMAL64:
			return ((const int64_t *) values)[row];
		case WA_FORM_DECIMAL128:
			return wa_int128_get(((const WaInt128 *) values)[row]);
		case WA_FORM_FLOAT4:
			return (__int128) ((const float *) values)[row];
		case WA_FORM_FLOAT8:
			return (__int128) ((const double *) values)[row];
		case WA_FORM_BOOL:
			return wa_bits_get(values, row);
		case WA_FORM_TEXT:
			return wa_dictionary_text(column->dictionary,
									  ((const int32_t *) values)[row])
				.length;
		default:
			return ((const int32_t *) values)[row];
	}
}

/* Tells whether a row of a column is right. */
static bool
row_is_right(const WaColumn *column, uint32_t row, const Row *expected)
{
	const bool is_null = column->validity != NULL && column->validity[row] == 0;
	__int128 value = expected->value;

	EXPECT(is_null == expected->is_null);
	if (is_null)
		value = 0;
	else if (wa_form_kind(column->form) == WA_VECTOR_DECIMAL)
	{
		EXPECT(column->scale >= expected->scale);
		EXPECT(wa_wide_decimal_raise(&value, column->scale - expected->scale));
		EXPECT(
			expected->display ==
			(column->display == NULL ? column->scale : column->display[row]));
	}
	EXPECT(column->display == NULL || column->display[row] <= column->scale);
	EXPECT(number_at(column, row) == value);
	return true;
}

/* Tells whether what follows from a column's values is right. */
static bool
sums_are_right(const WaColumn *column)
{
	int64_t smallest = INT64_MAX;
	int64_t largest = INT64_MIN;
	bool has_odd = false;

	for (uint32_t row = 0; row < column->nrows; row++)
	{
		const int64_t value = (int64_t) number_at(column, row);

		if (wa_form_kind(column->form) != WA_VECTOR_INT ||
			(column->validity != NULL && column->validity[row] == 0))
			continue;
		smallest = value < smallest ? value : smallest;
		largest = value > largest ? value : largest;
	}
	for (int i = 0; i < WA_EXTENT_WORDS; i++)
		has_odd |= column->odd[i] != 0;
	EXPECT(column->has_odd == has_odd);
	EXPECT(column->smallest == smallest && column->largest == largest);
	EXPECT(column->form != WA_FORM_BOOL || column->nrows % 64 == 0 ||
		   ((const uint64_t *) column->values)[column->nrows / 64] >>
				   column->nrows % 64 ==
			   0);
	return true;
}

/* Tells whether a layout and a column are what the model says. */
static bool
is_right(const Model *model, const WaLayout *layout, const WaColumn *column)
{
	uint64_t newest = 0;
	uint32_t row = 0;

	EXPECT(layout->nblocks == model->nblocks);
	EXPECT(layout->deciders.settled == model->settled);
	EXPECT(column->nrows == layout->nrows);
	for (uint32_t i = 0; i < model->nblocks; i++)
	{
		const Block *block = &model->blocks[i];

		EXPECT(layout->block_lsn[i] == block->lsn);
		EXPECT(layout->first_xid[i] == block->first_xid);
		EXPECT(layout->last_xid[i] == block->last_xid);
		EXPECT(layout->row_end[i] == row + block->nrows);
		EXPECT(block->nrows == 0 ||
			   wa_bits_get(column->odd, i) == block->is_odd);
		for (uint32_t j = 0; j < block->nrows && !block->is_odd; j++)
			EXPECT(row_is_right(column, row + j, &block->rows[j]));
		newest = block->last_xid > newest ? block->last_xid : newest;
		row += block->nrows;
	}
	EXPECT(layout->nrows == row);
	EXPECT(layout->deciders.last_xid == newest);
	return sums_are_right(column);
}

/*
 * Makes blocks of a patch, and puts those that are not older to the model.  If the
 * patch will have no such column they become odd.
 */
static void
make_patch(Model *model, Model *patch, WaForm form, uint8_t scale,
		   bool has_nulls, bool has_display, bool lacks_column)
{
	const uint32_t one_in = 1 + below(30);

	memset(patch, 0, sizeof(*patch));
	patch->nblocks = 1 + below(WA_EXTENT_BLOCKS);
	patch->settled = 1 + below(1000);
	for (uint32_t i = 0; i < patch->nblocks; i++)
	{
		Block *block = &patch->blocks[i];

		if (below(one_in) != 0)
			continue;
		make_block(block, form, scale, has_nulls, has_display, patch->settled);
		if (below(10) == 0)
			block->lsn = 1;
		if (i < model->nblocks && block->lsn < model->blocks[i].lsn)
			continue;
		model->blocks[i] = *block;
		model->blocks[i].is_odd |= lacks_column && block->nrows > 0;
	}
	if (patch->nblocks > model->nblocks)
		model->nblocks = patch->nblocks;
	if (patch->settled > model->settled)
		model->settled = patch->settled;
}

/* Patches an extent; the references to what was there go. */
static bool
apply(const WaExtentHead *head, WaLayout **layout, WaColumn **column,
	  const WaColumn *brought)
{
	WaPatch *patch = malloc(sizeof(*patch));
	WaLayout *old_layout = *layout;
	WaColumn *old_column = *column;

	WaLayout *brought_layout = wa_layout_make(&memory, NULL, head);

	EXPECT(brought_layout != NULL);
	EXPECT(wa_patch_plan(old_layout, brought_layout, patch));
	*layout = wa_layout_patch(&memory, NULL, patch);
	*column = wa_column_patch(&memory, NULL, patch, old_column, brought);
	EXPECT(*layout != NULL && *column != NULL);
	wa_layout_patch_xids(*layout, patch);
	wa_layout_release(brought_layout);
	wa_layout_release(old_layout);
	wa_column_release(old_column);
	free(patch);
	return true;
}

/* Patches a column several times, by others that may have other forms. */
static bool
patch_column(WaVectorKind kind, Model *model, Model *patch, WaExtentHead *head)
{
	const bool is_decimal = kind == WA_VECTOR_DECIMAL;
	WaForm form = choose_form(kind, false);
	uint8_t scale = is_decimal ? (uint8_t) below(8) : 0;
	bool has_nulls = below(2) == 0;
	bool has_display = is_decimal && below(3) == 0;
	WaLayout *layout;
	WaColumn *column;

	memset(model, 0, sizeof(*model));
	model->nblocks = 1 + below(WA_EXTENT_BLOCKS);
	model->settled = 1 + below(1000);
	for (uint32_t i = 0; i < model->nblocks; i++)
		if (below(8) != 0)
			make_block(&model->blocks[i], form, scale, has_nulls, has_display,
					   model->settled);
	column = make_column(model, head, form, scale, has_nulls, has_display);
	layout = wa_layout_make(&memory, NULL, head);
	EXPECT(is_right(model, layout, column));
	for (int i = 0; i < PATCHES; i++)
	{
		const bool lacks_column = below(12) == 0;
		WaColumn *brought;

		form = choose_form(kind, below(3) != 0);
		scale = is_decimal ? (uint8_t) below(8) : 0;
		has_nulls = below(2) == 0;
		has_display = is_decimal && below(3) == 0;
		make_patch(model, patch, form, scale, has_nulls, has_display,
				   lacks_column);
		brought = make_column(patch, head, form, scale, has_nulls, has_display);
		EXPECT(apply(head, &layout, &column, lacks_column ? NULL : brought));
		wa_column_release(brought);
		EXPECT(is_right(model, layout, column));
	}
	wa_layout_release(layout);
	wa_column_release(column);
	return true;
}

/* Patches many columns of a kind; nothing of them must be left. */
static bool
test_kind(WaVectorKind kind)
{
	Model *model = malloc(sizeof(*model));
	Model *patch = malloc(sizeof(*patch));
	WaExtentHead *head = malloc(sizeof(*head));
	uint64_t used;

	for (int i = 0; i < TRIALS; i++)
	{
		dictionary = wa_dictionary_make(&memory, NULL);
		EXPECT(patch_column(kind, model, patch, head));
		wa_dictionary_release(dictionary);
	}
	used = wa_memory_used(&memory);
	free(model);
	free(patch);
	free(head);
	EXPECT(used == 0);
	return true;
}

/* Makes an extent of one block of a decimal, or of NULL. */
static WaColumn *
make_decimal(Model *model, WaExtentHead *head, WaForm form, uint8_t scale,
			 __int128 value, bool is_null)
{
	memset(model, 0, sizeof(*model));
	model->nblocks = 1;
	model->settled = 1;
	model->blocks[0].lsn = next_lsn++;
	model->blocks[0].nrows = 1;
	model->blocks[0].rows[0] =
		(Row){is_null, is_null ? 0 : value, scale, scale};
	return make_column(model, head, form, scale, is_null, false);
}

/* Appends a block of a decimal to one of another; returns what comes of it. */
static WaColumn *
join_decimals(WaForm old_form, uint8_t old_scale, __int128 old_value,
			  WaForm form, uint8_t scale, __int128 value, bool is_null)
{
	Model *model = malloc(sizeof(*model));
	WaExtentHead *head = malloc(sizeof(*head));
	WaColumn *column =
		make_decimal(model, head, old_form, old_scale, old_value, false);
	WaLayout *layout = wa_layout_make(&memory, NULL, head);
	WaColumn *brought = make_decimal(model, head, form, scale, value, is_null);

	head->nblocks = 2;
	head->block_lsn[1] = head->block_lsn[0];
	head->block_lsn[0] = 0;
	head->row_end[0] = 0;
	head->row_end[1] = 1;
	if (!apply(head, &layout, &column, brought))
		abort();
	wa_layout_release(layout);
	wa_column_release(brought);
	free(model);
	free(head);
	return column;
}

/* Decimals find a form, and if there is none the block is odd. */
static bool
test_decimals(void)
{
	const __int128 large = wa_wide_powers_of_ten[37];
	WaColumn *column = join_decimals(WA_FORM_DECIMAL32, 2, INT32_MAX,
									 WA_FORM_DECIMAL32, 4, 15, false);

	EXPECT(column->form == WA_FORM_DECIMAL64 && column->scale == 4);
	EXPECT(number_at(column, 0) == (__int128) INT32_MAX * 100);
	EXPECT(number_at(column, 1) == 15);
	EXPECT(column->display[0] == 2 && column->display[1] == 4);
	wa_column_release(column);
	column = join_decimals(WA_FORM_DECIMAL64, 2, INT64_MAX, WA_FORM_DECIMAL32,
						   4, 15, false);
	EXPECT(column->form == WA_FORM_DECIMAL128 && column->scale == 4);
	EXPECT(number_at(column, 0) == (__int128) INT64_MAX * 100);
	wa_column_release(column);
	column = join_decimals(WA_FORM_DECIMAL32, 4, 15, WA_FORM_DECIMAL64, 2,
						   INT64_MIN, false);
	EXPECT(column->form == WA_FORM_DECIMAL128 && column->scale == 4);
	EXPECT(number_at(column, 1) == (__int128) INT64_MIN * 100);
	wa_column_release(column);
	column = join_decimals(WA_FORM_DECIMAL128, 0, large, WA_FORM_DECIMAL32, 4,
						   15, false);
	EXPECT(column->form == WA_FORM_DECIMAL128 && column->scale == 0);
	EXPECT(column->has_odd && column->odd[0] == 2);
	EXPECT(number_at(column, 0) == large && number_at(column, 1) == 0);
	EXPECT(column->has_large);
	wa_column_release(column);
	column =
		join_decimals(WA_FORM_DECIMAL32, 2, 15, WA_FORM_DECIMAL64, 9, 0, true);
	EXPECT(column->form == WA_FORM_DECIMAL32 && column->scale == 2);
	EXPECT(column->display == NULL && column->validity[1] == 0);
	EXPECT(!column->has_odd && column->validity[0] == 1);
	wa_column_release(column);
	return true;
}

/* An extent does not get more rows than there may be. */
static bool
test_too_many(void)
{
	WaExtentHead *head = calloc(1, sizeof(*head));
	WaPatch *patch = malloc(sizeof(*patch));
	WaLayout *brought;
	WaLayout *layout;

	head->nblocks = 2;
	head->nrows = WA_MAX_EXTENT_ROWS;
	head->block_lsn[1] = 7;
	head->row_end[1] = head->nrows;
	layout = wa_layout_make(&memory, NULL, head);
	head->nrows = 1;
	head->block_lsn[0] = 8;
	head->block_lsn[1] = 0;
	head->row_end[0] = 1;
	head->row_end[1] = 1;
	brought = wa_layout_make(&memory, NULL, head);
	EXPECT(!wa_patch_plan(layout, brought, patch));
	wa_layout_release(brought);
	head->block_lsn[0] = 0;
	head->block_lsn[1] = 8;
	head->row_end[0] = 0;
	brought = wa_layout_make(&memory, NULL, head);
	EXPECT(wa_patch_plan(layout, brought, patch) && patch->nrows == 1);
	wa_layout_release(brought);
	wa_layout_release(layout);
	free(head);
	free(patch);
	return true;
}

int
main(void)
{
	parcel = malloc(PARCEL_BYTES);
	wa_ledger_set_limit(&memory.ledger, UINT64_MAX);
	wa_chunks_init(&memory.chunks);
	check(test_kind(WA_VECTOR_INT), "integers are patched");
	check(test_kind(WA_VECTOR_FLOAT), "floats are patched");
	check(test_kind(WA_VECTOR_DECIMAL), "decimals are patched");
	check(test_kind(WA_VECTOR_BOOL), "booleans are patched");
	check(test_kind(WA_VECTOR_TEXT), "texts are patched");
	check(test_decimals(), "decimals get a common form");
	check(test_too_many(), "there are not too many rows");
	free(parcel);
	return finish_checks();
}
