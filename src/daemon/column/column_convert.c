/*
 * column_convert.c
 *		Converting columns for GPUs; see column_convert.h.
 */
#include <string.h>

#include "core/decimal.h"
#include "daemon/column/column_convert.h"

/* Returns the narrowest form that takes the values of two of a kind. */
static WaForm
wider(WaForm a, WaForm b)
{
	if (a == b)
		return a;
	switch (wa_form_kind(a))
	{
		case WA_VECTOR_INT:
			return a == WA_FORM_INT64 || b == WA_FORM_INT64 ||
						   a == WA_FORM_UINT32 || b == WA_FORM_UINT32
					   ? WA_FORM_INT64
					   : WA_FORM_INT32;
		case WA_VECTOR_FLOAT:
			return WA_FORM_FLOAT8;
		default:
			return a == WA_FORM_DECIMAL128 || b == WA_FORM_DECIMAL128
					   ? WA_FORM_DECIMAL128
					   : WA_FORM_DECIMAL64;
	}
}

/* Tells whether no row of a column has a value. */
static bool
is_all_null(const WaColumn *column)
{
	return column->validity != NULL &&
		   memchr(column->validity, 1, column->nrows) == NULL;
}

bool
wa_column_join(WaForm form, uint8_t scale, const WaColumn *column,
			   WaForm *joined, uint8_t *joined_scale)
{
	*joined = form;
	*joined_scale = scale;
	if (wa_form_kind(form) != wa_form_kind(column->form))
		return false;
	if (column->form == form && column->scale == scale)
		return true;
	if (is_all_null(column))
		return true;
	*joined = wider(form, column->form);
	if (column->scale > scale)
		*joined_scale = column->scale;
	if (*joined == WA_FORM_DECIMAL32 &&
		!wa_column_fits(column, *joined, *joined_scale))
		*joined = WA_FORM_DECIMAL64;
	return wa_column_fits(column, *joined, *joined_scale);
}

/* Tells whether no value is larger than the limit, whatever its sign. */
#define IS_BELOW(name, type)                                            \
	static bool name(const type *values, uint32_t nrows, int64_t limit) \
	{                                                                   \
		bool is_below = true;                                           \
                                                                        \
		for (uint32_t i = 0; i < nrows; i++)                            \
			is_below &= values[i] <= limit && values[i] >= -limit;      \
		return is_below;                                                \
	}

IS_BELOW(is_below_32, int32_t)
IS_BELOW(is_below_64, int64_t)

/* Returns a value of a DECIMAL of any form. */
static __int128
decimal_at(const WaColumn *column, uint32_t row)
{
	switch (column->form)
	{
		case WA_FORM_DECIMAL32:
			return ((const int32_t *) column->values)[row];
		case WA_FORM_DECIMAL64:
			return ((const int64_t *) column->values)[row];
		default:
			return wa_int128_get(((const WaInt128 *) column->values)[row]);
	}
}

/* Tells whether all values have 38 digits at most in units of 10^-scale. */
static bool
fits_wide(const WaColumn *column, uint8_t scale)
{
	for (uint32_t i = 0; i < column->nrows; i++)
	{
		__int128 value = decimal_at(column, i);

		if (!wa_wide_decimal_raise(&value, scale - column->scale))
			return false;
	}
	return true;
}

bool
wa_column_fits(const WaColumn *column, WaForm form, uint8_t scale)
{
	int64_t limit = form == WA_FORM_DECIMAL32 ? INT32_MAX : INT64_MAX;

	if (wa_form_kind(form) != WA_VECTOR_DECIMAL || is_all_null(column) ||
		(column->scale == scale && column->form == form))
		return true;
	if (column->scale > scale)
		return false;
	if (form == WA_FORM_DECIMAL128)
		return fits_wide(column, scale);
	if (column->form == WA_FORM_DECIMAL128)
		return false;
	limit /= wa_powers_of_ten[scale - column->scale];
	return column->form == WA_FORM_DECIMAL32
			   ? is_below_32(column->values, column->nrows, limit)
			   : is_below_64(column->values, column->nrows, limit);
}

bool
wa_column_needs_display(const WaColumn *column, uint8_t scale)
{
	return wa_form_kind(column->form) == WA_VECTOR_DECIMAL &&
		   (column->display != NULL || column->scale != scale) &&
		   !is_all_null(column);
}

/* Writes values of a type as such of a wider one. */
#define WIDEN(name, from_type, to_type)                                  \
	static void name(const from_type *from, to_type *to, uint32_t nrows) \
	{                                                                    \
		for (uint32_t i = 0; i < nrows; i++)                             \
			to[i] = (to_type) from[i];                                   \
	}

WIDEN(widen_int16_int32, int16_t, int32_t)
WIDEN(widen_int16_int64, int16_t, int64_t)
WIDEN(widen_int32_int64, int32_t, int64_t)
WIDEN(widen_uint32_int64, uint32_t, int64_t)
WIDEN(widen_float4_float8, float, double)

/* Writes decimals of a type, times a factor, as such of another. */
#define SCALE(name, from_type, to_type)                                  \
	static void name(const from_type *from, to_type *to, uint32_t nrows, \
					 int64_t factor)                                     \
	{                                                                    \
		for (uint32_t i = 0; i < nrows; i++)                             \
			to[i] = (to_type) (from[i] * factor);                        \
	}

SCALE(scale_32_32, int32_t, int32_t)
SCALE(scale_32_64, int32_t, int64_t)
SCALE(scale_64_64, int64_t, int64_t)

/* Writes decimals as those of 128 bits. */
static void
write_wide(const WaColumn *column, uint8_t scale, WaInt128 *to)
{
	for (uint32_t i = 0; i < column->nrows; i++)
	{
		__int128 value = decimal_at(column, i);

		(void) wa_wide_decimal_raise(&value, scale - column->scale);
		to[i] = wa_int128_make(value);
	}
}

/* Writes decimals that have values in another form or scale, of up to 64 bits. */
static void
write_decimals(const WaColumn *column, WaForm form, uint8_t scale, void *to)
{
	const int64_t factor = wa_powers_of_ten[scale - column->scale];

	if (form == WA_FORM_DECIMAL32)
		scale_32_32(column->values, to, column->nrows, factor);
	else if (column->form == WA_FORM_DECIMAL32)
		scale_32_64(column->values, to, column->nrows, factor);
	else
		scale_64_64(column->values, to, column->nrows, factor);
}

/* Writes integers and floats in a wider form. */
static void
write_wider(const WaColumn *column, WaForm form, void *to)
{
	const void *from = column->values;

	switch (column->form)
	{
		case WA_FORM_INT16:
			if (form == WA_FORM_INT32)
				widen_int16_int32(from, to, column->nrows);
			else
				widen_int16_int64(from, to, column->nrows);
			break;
		case WA_FORM_INT32:
			widen_int32_int64(from, to, column->nrows);
			break;
		case WA_FORM_UINT32:
			widen_uint32_int64(from, to, column->nrows);
			break;
		default:
			widen_float4_float8(from, to, column->nrows);
			break;
	}
}

void
wa_column_write_values(const WaColumn *column, WaForm form, uint8_t scale,
					   void *to)
{
	if (is_all_null(column))
		memset(to, 0, wa_form_bytes(form, column->nrows));
	else if (column->form == form && (column->scale == scale ||
									  wa_form_kind(form) != WA_VECTOR_DECIMAL))
		memcpy(to, column->values, wa_form_bytes(form, column->nrows));
	else if (form == WA_FORM_DECIMAL128)
		write_wide(column, scale, to);
	else if (wa_form_kind(form) == WA_VECTOR_DECIMAL)
		write_decimals(column, form, scale, to);
	else
		write_wider(column, form, to);
}
