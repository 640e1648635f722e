/*
 * collect.c
 *		A column of an extent while the extent is read; see collect.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/memutils.h"

#include "core/decimal.h"
#include "resident/collect.h"
#include "resident/narrow.h"
#include "state/numeric_format.h"

/* Rows that there is room for at first. */
#define FIRST_ROWS 16384

/* What begins in a parcel is aligned to this. */
#define PARCEL_ALIGNMENT 64

/* Returns the narrowest form of integers between the limits. */
static WaForm
int_form(int64_t smallest, int64_t largest)
{
	if (smallest >= PG_INT16_MIN && largest <= PG_INT16_MAX)
		return WA_FORM_INT16;
	if (smallest >= PG_INT32_MIN && largest <= PG_INT32_MAX)
		return WA_FORM_INT32;
	if (smallest >= 0 && largest <= PG_UINT32_MAX)
		return WA_FORM_UINT32;
	return WA_FORM_INT64;
}

/* Returns the narrowest form that takes a column's values. */
static WaForm
choose_form(const WaCollected *column)
{
	switch (column->name.kind)
	{
		case WA_VECTOR_INT:
			return int_form(column->smallest, column->largest);
		case WA_VECTOR_FLOAT:
			return column->name.type == FLOAT4OID ? WA_FORM_FLOAT4
												  : WA_FORM_FLOAT8;
		case WA_VECTOR_BOOL:
			return WA_FORM_BOOL;
		case WA_VECTOR_TEXT:
			return WA_FORM_TEXT;
		default:
			if (column->wide)
				return WA_FORM_DECIMAL128;
			return column->smallest >= PG_INT32_MIN &&
						   column->largest <= PG_INT32_MAX
					   ? WA_FORM_DECIMAL32
					   : WA_FORM_DECIMAL64;
	}
}

void
wa_collect_begin(WaCollected *column)
{
	column->nrows = 0;
	column->has_nulls = false;
	column->mixed = false;
	column->wide = false;
	column->has_scale = false;
	column->scale = 0;
	column->smallest = 0;
	column->largest = 0;
	memset(column->odd, 0, sizeof(column->odd));
	wa_texts_begin(&column->texts);
	column->form = choose_form(column);
}

/* Returns memory with room for more, and what was there; old may be NULL. */
static void *
grow(void *old, size_t bytes)
{
	if (old == NULL)
		return MemoryContextAllocHuge(CurrentMemoryContext, bytes);
	return repalloc_huge(old, bytes);
}

/* Sees to it that there is room for more rows. */
static void
reserve_rows(WaCollected *column, uint32_t more)
{
	uint32_t needed = column->nrows + more;
	bool is_decimal = column->name.kind == WA_VECTOR_DECIMAL;
	size_t width = is_decimal ? sizeof(WaInt128) : sizeof(int64_t);

	if (needed <= column->room)
		return;
	column->room = Max(needed, Max(FIRST_ROWS, column->room * 2));
	/* Where a form is narrower, memory that is not touched is none. */
	column->values = grow(column->values, column->room * width);
	column->validity = grow(column->validity, column->room);
	if (is_decimal)
		column->display = grow(column->display, column->room);
}

/* Appends which rows are NULL. */
static void
append_validity(WaCollected *column, const WaVector *vector, uint32_t nrows)
{
	if (vector->has_nulls && !column->has_nulls)
	{
		column->has_nulls = true;
		memset(column->validity, 1, column->nrows);
	}
	if (vector->has_nulls)
		memcpy(column->validity + column->nrows, vector->valid, nrows);
	else if (column->has_nulls)
		memset(column->validity + column->nrows, 1, nrows);
}

/* Gives the column a form, unless its own is wider. */
static void
widen(WaCollected *column, WaForm form)
{
	if (form == column->form ||
		wa_form_width(form) < wa_form_width(column->form))
		return;
	wa_narrow_widen(column->form, form, column->values, column->nrows);
	column->form = form;
}

/* Returns where the next value goes. */
static void *
next_value(const WaCollected *column)
{
	return (char *) column->values +
		   column->nrows * wa_form_width(column->form);
}

/* Appends integers, which the column's limits take in. */
static void
append_ints(WaCollected *column, const int64_t *values, uint32_t nrows)
{
	wa_narrow_bounds(values, nrows, &column->smallest, &column->largest);
	widen(column, choose_form(column));
	wa_narrow_copy(column->form, next_value(column), values, nrows);
}

/* Appends floats; those of a FLOAT4 have such values. */
static void
append_floats(WaCollected *column, const double *values, uint32_t nrows)
{
	float *to = next_value(column);

	if (column->form == WA_FORM_FLOAT8)
	{
		memcpy(to, values, nrows * sizeof(*values));
		return;
	}
	for (uint32_t i = 0; i < nrows; i++)
		to[i] = (float) values[i];
}

/* Multiplies values by a power of ten, if all of them still fit; else false. */
static bool
rescale(int64_t *values, uint32_t nrows, uint32_t digits)
{
	int64_t factor = wa_powers_of_ten[digits];
	int64_t limit = PG_INT64_MAX / factor;

	for (uint32_t i = 0; i < nrows; i++)
		if (values[i] > limit || values[i] < -limit)
			return false;
	for (uint32_t i = 0; i < nrows; i++)
		values[i] *= factor;
	return true;
}

/* Gives the column a larger scale, if its values take it. */
static bool
raise_scale(WaCollected *column, uint32_t scale)
{
	uint32_t digits = scale - column->scale;

	column->scale = scale;
	/* There are zeros at most. */
	if (!column->has_scale)
		return true;
	widen(column, WA_FORM_DECIMAL64);
	if (!rescale(column->values, column->nrows, digits))
	{
		column->scale -= digits;
		return false;
	}
	/* May be larger than any value: it is only used to choose a form. */
	column->smallest =
		Max(column->smallest, -PG_INT64_MAX / wa_powers_of_ten[digits]) *
		wa_powers_of_ten[digits];
	column->largest =
		Min(column->largest, PG_INT64_MAX / wa_powers_of_ten[digits]) *
		wa_powers_of_ten[digits];
	return true;
}

/* Multiplies wide values by a power of ten, if all still fit; else false. */
static bool
rescale_wide(WaInt128 *values, uint32_t nrows, uint32_t digits)
{
	for (uint32_t i = 0; i < nrows; i++)
	{
		__int128 value = wa_int128_get(values[i]);

		if (!wa_wide_decimal_raise(&value, (int) digits))
			return false;
	}
	for (uint32_t i = 0; i < nrows && digits > 0; i++)
	{
		__int128 value = wa_int128_get(values[i]);

		(void) wa_wide_decimal_raise(&value, (int) digits);
		values[i] = wa_int128_make(value);
	}
	return true;
}

/* Stores the values of a vector, in units of 10^-scale; false if one is too large. */
static bool
take_wide(const WaVector *vector, uint32_t scale, uint32_t nrows,
		  WaInt128 *values)
{
	for (uint32_t i = 0; i < nrows; i++)
	{
		__int128 value = vector->wide
							 ? wa_int128_get(wa_vector_wides(vector)[i])
							 : wa_vector_ints(vector)[i];

		if (!wa_wide_decimal_raise(&value, (int) (scale - vector->scale)))
			return false;
		values[i] = wa_int128_make(value);
	}
	return true;
}

/*
 * Appends decimals as integers of 128 bits, which all that there are become; false
 * if not all of them fit these.
 */
static bool
append_wide(WaCollected *column, const WaVector *vector, uint32_t nrows)
{
	uint32_t scale = Max(column->scale, vector->scale);
	WaInt128 values[WA_VECTOR_ROWS];

	if (!take_wide(vector, scale, nrows, values))
		return false;
	widen(column, WA_FORM_DECIMAL128);
	column->wide = true;
	if (!rescale_wide(column->values, column->nrows, scale - column->scale))
		return false;
	column->scale = scale;
	memcpy(next_value(column), values, nrows * sizeof(*values));
	return true;
}

/* Begins to keep how many digits each row shows: so far the same. */
static void
begin_display(WaCollected *column, uint32_t digits)
{
	if (column->mixed)
		return;
	column->mixed = true;
	memset(column->display, (int) digits, column->nrows);
}

/*
 * Appends decimals as integers of 64 bits; false, with the column as it was, if not
 * all that it has then fit these.
 */
static bool
append_narrow(WaCollected *column, const WaVector *vector, uint32_t nrows)
{
	const int64_t *values = wa_vector_ints(vector);
	uint32_t scale = Max(column->scale, vector->scale);
	int64_t scaled[WA_VECTOR_ROWS];

	if (column->wide || vector->wide || scale > WA_DECIMAL_MAX_SCALE)
		return false;
	if (scale > vector->scale)
	{
		memcpy(scaled, values, nrows * sizeof(*values));
		if (!rescale(scaled, nrows, scale - vector->scale))
			return false;
		values = scaled;
	}
	if (scale > column->scale && !raise_scale(column, scale))
		return false;
	append_ints(column, values, nrows);
	return true;
}

/* Appends decimals; false if they have no scale together with the others. */
static bool
append_decimals(WaCollected *column, const WaVector *vector, uint32_t nrows)
{
	uint32_t shown = column->scale;

	if (!append_narrow(column, vector, nrows) &&
		!append_wide(column, vector, nrows))
		return false;
	if (!column->mixed && !vector->mixed &&
		(!column->has_scale || shown == vector->scale))
		return true;
	begin_display(column, shown);
	if (vector->mixed)
		memcpy(column->display + column->nrows, vector->display, nrows);
	else
		memset(column->display + column->nrows, vector->scale, nrows);
	return true;
}

/* Tells whether all rows of a vector are NULL, so that it has no scale. */
static bool
is_all_null(const WaVector *vector, uint32_t nrows)
{
	return vector->has_nulls && memchr(vector->valid, 1, nrows) == NULL;
}

/* Appends the values of a vector, which there is room for. */
static bool
append_values(WaCollected *column, const WaVector *vector, uint32_t nrows)
{
	WaVector zeros;

	switch (column->name.kind)
	{
		case WA_VECTOR_INT:
			append_ints(column, wa_vector_ints(vector), nrows);
			return true;
		case WA_VECTOR_FLOAT:
			append_floats(column, wa_vector_floats(vector), nrows);
			return true;
		case WA_VECTOR_BOOL:
			memcpy(next_value(column), wa_vector_bools(vector), nrows);
			return true;
		case WA_VECTOR_TEXT:
			return wa_texts_append(&column->texts, wa_vector_texts(vector),
								   nrows, next_value(column));
		default:
			break;
	}
	if (!is_all_null(vector, nrows))
	{
		if (!append_decimals(column, vector, nrows))
			return false;
		column->has_scale = true;
		return true;
	}
	zeros = *vector;
	zeros.scale = (uint8_t) column->scale;
	zeros.mixed = false;
	zeros.wide = false;
	return append_decimals(column, &zeros, nrows);
}

bool
wa_collect_append(WaCollected *column, const WaVector *vector, uint32_t nrows)
{
	if (nrows == 0) /* an empty block has no scale */
		return true;
	reserve_rows(column, nrows);
	if (!append_values(column, vector, nrows))
		return false;
	append_validity(column, vector, nrows);
	column->nrows += nrows;
	return true;
}

/* Appends zeros, or a text that there is, as the values of rows. */
static void
append_any(WaCollected *column, uint32_t nrows)
{
	const WaText empty = {"", 0};
	uint32_t number;

	if (column->name.kind == WA_VECTOR_TEXT && column->texts.ntexts == 0 &&
		!wa_texts_append(&column->texts, &empty, 1, &number))
		elog(ERROR, "no room for an empty text");
	memset(next_value(column), 0, nrows * wa_form_width(column->form));
}

void
wa_collect_skip(WaCollected *column, uint32_t block, uint32_t nrows)
{
	reserve_rows(column, nrows);
	append_any(column, nrows);
	if (column->has_nulls)
		memset(column->validity + column->nrows, 1, nrows);
	if (column->mixed)
		memset(column->display + column->nrows, (int) column->scale, nrows);
	column->odd[block / 64] |= UINT64CONST(1) << block % 64;
	column->nrows += nrows;
}

void
wa_collect_cut(WaCollected *column, uint32_t nrows)
{
	column->nrows = nrows;
}

/* Returns an offset for so many bytes, and moves on behind them. */
static uint64_t
place(uint64_t *offset, uint64_t bytes)
{
	uint64_t start = *offset;

	*offset += TYPEALIGN64(PARCEL_ALIGNMENT, bytes);
	return start;
}

void
wa_collect_place(const WaCollected *column, WaExtentColumn *where,
				 uint64_t *offset)
{
	const uint32_t nrows = column->nrows;
	WaForm form = choose_form(column);

	memset(where, 0, sizeof(*where));
	where->name = column->name;
	where->form = form;
	where->scale = column->scale;
	memcpy(where->odd, column->odd, sizeof(where->odd));
	where->values = place(offset, nrows * wa_form_width(form));
	if (column->has_nulls)
		where->validity = place(offset, nrows);
	if (column->mixed)
		where->display = place(offset, nrows);
	if (form != WA_FORM_TEXT)
		return;
	where->ntexts = column->texts.ntexts;
	where->text_ends =
		place(offset, where->ntexts * sizeof(*column->texts.ends));
	where->text_bytes = column->texts.nbytes;
	where->text = place(offset, where->text_bytes);
}

/* Writes the texts. */
static void
write_texts(const WaCollectedTexts *texts, const WaExtentColumn *where,
			char *parcel)
{
	if (texts->ntexts == 0)
		return;
	memcpy(parcel + where->text_ends, texts->ends,
		   texts->ntexts * sizeof(*texts->ends));
	memcpy(parcel + where->text, texts->bytes, texts->nbytes);
}

void
wa_collect_write(const WaCollected *column, const WaExtentColumn *where,
				 char *parcel)
{
	const WaForm form = (WaForm) where->form;
	const uint32_t nrows = column->nrows;

	if (nrows == 0)
		return;
	if (form == column->form)
		memcpy(parcel + where->values, column->values,
			   nrows * wa_form_width(form));
	else
		/* A larger scale took 64 bits for a while. */
		wa_narrow_copy(form, parcel + where->values,
					   (const int64_t *) column->values, nrows);
	if (where->validity != 0)
		memcpy(parcel + where->validity, column->validity, nrows);
	if (where->display != 0)
		memcpy(parcel + where->display, column->display, nrows);
	write_texts(&column->texts, where, parcel);
}
