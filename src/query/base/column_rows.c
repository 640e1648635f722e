/*
 * column_rows.c
 *		Rows of a column as they lie in memory; see column_rows.h.
 */
#include "query/base/column_rows.h"
#include "core/vectorised.h"

/* Copies values, all or selected ones, perhaps to a wider type. */
#define DEFINE_COPY(name, from, to)                                    \
	WA_VECTORISED static void name(const from *restrict values,        \
								   const uint16_t *restrict selection, \
								   size_t nrows, to *restrict out)     \
	{                                                                  \
		if (selection == NULL)                                         \
			for (size_t i = 0; i < nrows; i++)                         \
				out[i] = values[i];                                    \
		else                                                           \
			for (size_t i = 0; i < nrows; i++)                         \
				out[i] = values[selection[i]];                         \
	}

DEFINE_COPY(widen_int16, int16_t, int64_t)
DEFINE_COPY(widen_int32, int32_t, int64_t)
DEFINE_COPY(widen_uint32, uint32_t, int64_t)
DEFINE_COPY(widen_float, float, double)
DEFINE_COPY(copy_words, uint64_t, uint64_t)
DEFINE_COPY(copy_bytes, uint8_t, uint8_t)
DEFINE_COPY(copy_wides, WaInt128, WaInt128)

/* Copies bits, all or selected ones, as bytes. */
static void
pick_bits(const WaColumnRows *rows, const uint16_t *selection, size_t nrows,
		  uint8_t *out)
{
	if (selection == NULL)
		wa_bits_unpack(rows->values, rows->first_bit, nrows, out);
	else
		for (size_t i = 0; i < nrows; i++)
			out[i] = wa_bits_get(rows->values, rows->first_bit + selection[i]);
}

/* Moves values that are bits on by so many rows. */
static void
move_bits(WaColumnRows *rows, size_t nrows)
{
	const size_t bit = rows->first_bit + nrows;

	rows->values = (const uint64_t *) rows->values + bit / 64;
	rows->first_bit = (uint8_t) (bit % 64);
}

WaColumnRows
wa_column_rows_after(const WaColumnRows *rows, size_t nrows)
{
	WaColumnRows after = *rows;

	if (rows->form == WA_FORM_BOOL)
		move_bits(&after, nrows);
	else
		after.values =
			(const char *) rows->values + nrows * wa_form_width(rows->form);
	if (rows->validity != NULL)
		after.validity = rows->validity + nrows;
	if (rows->display != NULL)
		after.display = rows->display + nrows;
	return after;
}

/* Copies wide values that have room in 64 bits. */
WA_VECTORISED static void
narrow_wides(const WaInt128 *restrict values,
			 const uint16_t *restrict selection, size_t nrows,
			 int64_t *restrict out)
{
	if (selection == NULL)
		for (size_t i = 0; i < nrows; i++)
			out[i] = (int64_t) values[i].lo;
	else
		for (size_t i = 0; i < nrows; i++)
			out[i] = (int64_t) values[selection[i]].lo;
}

/* Tells whether some wide value of the rows has no room in 64 bits. */
WA_VECTORISED static bool
has_wide(const WaInt128 *restrict values, const uint16_t *restrict selection,
		 size_t nrows)
{
	uint64_t beyond = 0;

	for (size_t i = 0; i < nrows; i++)
	{
		const WaInt128 *value = &values[selection == NULL ? i : selection[i]];

		beyond |= (uint64_t) value->hi ^ (0 - (value->lo >> 63));
	}
	return beyond != 0;
}

/*
 * Tells whether a vector of the selected rows, or of the first if selection is NULL,
 * is wide: their form is, and not all of them have room in 64 bits.
 */
static bool
are_wide(const WaColumnRows *rows, const uint16_t *selection, size_t nrows)
{
	return rows->form == WA_FORM_DECIMAL128 &&
		   (rows->scale > WA_DECIMAL_MAX_SCALE ||
			has_wide(rows->values, selection, nrows));
}

/* Returns wide values: those of the rows if they are wide and all. */
static void *
pick_wides(const WaColumnRows *rows, const uint16_t *selection, size_t nrows,
		   bool wide, void *memory)
{
	if (!wide)
		narrow_wides(rows->values, selection, nrows, memory);
	else if (selection == NULL)
		return (void *) (uintptr_t) rows->values;
	else
		copy_wides(rows->values, selection, nrows, memory);
	return memory;
}

/* Returns values: those of the rows, if they are all in their own width. */
static void *
pick_values(const WaColumnRows *rows, const uint16_t *selection, size_t nrows,
			void *memory)
{
	switch (rows->form)
	{
		case WA_FORM_INT16:
			widen_int16(rows->values, selection, nrows, memory);
			return memory;
		case WA_FORM_INT32:
		case WA_FORM_DECIMAL32:
		case WA_FORM_TEXT:
			widen_int32(rows->values, selection, nrows, memory);
			return memory;
		case WA_FORM_UINT32:
			widen_uint32(rows->values, selection, nrows, memory);
			return memory;
		case WA_FORM_FLOAT4:
			widen_float(rows->values, selection, nrows, memory);
			return memory;
		case WA_FORM_INT64:
		case WA_FORM_DECIMAL64:
		case WA_FORM_FLOAT8:
			if (selection == NULL)
				return (void *) (uintptr_t) rows->values;
			copy_words(rows->values, selection, nrows, memory);
			return memory;
		case WA_FORM_BOOL:
			pick_bits(rows, selection, nrows, memory);
			return memory;
		default:
			return memory;
	}
}

/* Returns the bytes of the rows. */
static uint8_t *
pick_bytes(const uint8_t *bytes, const uint16_t *selection, size_t nrows,
		   uint8_t *memory)
{
	if (selection == NULL)
		return (uint8_t *) (uintptr_t) bytes;
	copy_bytes(bytes, selection, nrows, memory);
	return memory;
}

void
wa_column_rows_vector(const WaColumnRows *rows, const uint16_t *selection,
					  size_t nrows, const WaVector *memory, WaVector *vector)
{
	*vector = *memory;
	vector->wide = are_wide(rows, selection, nrows);
	vector->values =
		rows->form == WA_FORM_DECIMAL128
			? pick_wides(rows, selection, nrows, vector->wide, memory->values)
			: pick_values(rows, selection, nrows, memory->values);
	vector->scale = rows->scale;
	vector->has_nulls = rows->validity != NULL;
	vector->mixed = rows->display != NULL;
	if (vector->has_nulls)
		vector->valid =
			pick_bytes(rows->validity, selection, nrows, memory->valid);
	if (vector->mixed)
		vector->display =
			pick_bytes(rows->display, selection, nrows, memory->display);
}
