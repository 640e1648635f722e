/*
 * column_values.c
 *		Loops over the values of a resident column; see column_values.h.
 */
#include "daemon/column/column_values.h"

#include "core/decimal.h"
#include "core/vectorised.h"

WA_VECTORISED uint8_t
wa_values_largest_byte(const uint8_t *bytes, size_t count)
{
	uint8_t largest = 0;

	for (size_t i = 0; i < count; i++)
		largest = bytes[i] > largest ? bytes[i] : largest;
	return largest;
}

WA_VECTORISED uint32_t
wa_values_largest_number(const uint32_t *numbers, size_t count)
{
	uint32_t largest = 0;

	for (size_t i = 0; i < count; i++)
		largest = numbers[i] > largest ? numbers[i] : largest;
	return largest;
}

/* Sets the values of NULLs to 0; name is that of a type of such a width. */
#define CLEAR_NULLS(name, type)                                        \
	static WA_VECTORISED void name(type *values, const uint8_t *valid, \
								   size_t nrows)                       \
	{                                                                  \
		for (size_t i = 0; i < nrows; i++)                             \
			values[i] = (type) (values[i] & (type) - (type) valid[i]); \
	}

CLEAR_NULLS(clear_nulls_8, uint8_t)
CLEAR_NULLS(clear_nulls_16, uint16_t)
CLEAR_NULLS(clear_nulls_32, uint32_t)
CLEAR_NULLS(clear_nulls_64, uint64_t)

static void
clear_nulls_128(WaInt128 *values, const uint8_t *valid, size_t nrows)
{
	for (size_t i = 0; i < nrows; i++)
		if (valid[i] == 0)
			values[i] = (WaInt128){0, 0};
}

bool
wa_values_are_decimals(const WaInt128 *values, size_t nrows)
{
	bool fit = true;

	for (size_t i = 0; i < nrows; i++)
		fit &= wa_is_wide_decimal(wa_int128_get(values[i]));
	return fit;
}

bool
wa_values_have_large(const WaInt128 *values, size_t nrows)
{
	const int64_t limit = INT64_C(1) << (95 - 64);
	bool have = false;

	for (size_t i = 0; i < nrows; i++)
		have |= values[i].hi >= limit || values[i].hi < 1 - limit;
	return have;
}

void
wa_values_clear_nulls(WaForm form, void *values, const uint8_t *valid,
					  size_t nrows)
{
	switch (wa_form_width(form))
	{
		case 1:
			clear_nulls_8(values, valid, nrows);
			break;
		case 2:
			clear_nulls_16(values, valid, nrows);
			break;
		case 4:
			clear_nulls_32(values, valid, nrows);
			break;
		case 16:
			clear_nulls_128(values, valid, nrows);
			break;
		default:
			clear_nulls_64(values, valid, nrows);
			break;
	}
}

/*
 * Finds the bounds of values of a type, from its largest value, `most`, and its
 * smallest, `least`, on.
 */
#define FIND_BOUNDS(name, type, least, most)                                 \
	static WA_VECTORISED void name(const type *values, const uint8_t *valid, \
								   size_t nrows, int64_t *smallest,          \
								   int64_t *largest)                         \
	{                                                                        \
		type lower = most;                                                   \
		type upper = least;                                                  \
                                                                             \
		for (size_t i = 0; i < nrows && valid == NULL; i++)                  \
		{                                                                    \
			lower = values[i] < lower ? values[i] : lower;                   \
			upper = values[i] > upper ? values[i] : upper;                   \
		}                                                                    \
		for (size_t i = 0; i < nrows && valid != NULL; i++)                  \
		{                                                                    \
			const type not_less = valid[i] != 0 ? values[i] : most;          \
			const type not_more = valid[i] != 0 ? values[i] : least;         \
                                                                             \
			lower = not_less < lower ? not_less : lower;                     \
			upper = not_more > upper ? not_more : upper;                     \
		}                                                                    \
		*smallest = (int64_t) lower;                                         \
		*largest = (int64_t) upper;                                          \
	}

FIND_BOUNDS(find_bounds_int16, int16_t, INT16_MIN, INT16_MAX)
FIND_BOUNDS(find_bounds_int32, int32_t, INT32_MIN, INT32_MAX)
FIND_BOUNDS(find_bounds_int64, int64_t, INT64_MIN, INT64_MAX)
FIND_BOUNDS(find_bounds_uint32, uint32_t, 0, UINT32_MAX)

void
wa_values_find_bounds(WaForm form, const void *values, const uint8_t *valid,
					  size_t nrows, int64_t *smallest, int64_t *largest)
{
	const bool has_any =
		nrows > 0 &&
		(valid == NULL || wa_values_largest_byte(valid, nrows) != 0);

	*smallest = INT64_MAX;
	*largest = INT64_MIN;
	if (!has_any)
		return;
	switch (form)
	{
		case WA_FORM_INT16:
			find_bounds_int16(values, valid, nrows, smallest, largest);
			break;
		case WA_FORM_INT32:
			find_bounds_int32(values, valid, nrows, smallest, largest);
			break;
		case WA_FORM_INT64:
			find_bounds_int64(values, valid, nrows, smallest, largest);
			break;
		case WA_FORM_UINT32:
			find_bounds_uint32(values, valid, nrows, smallest, largest);
			break;
		default:
			break;
	}
}
