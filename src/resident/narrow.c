/*
 * narrow.c
 *		Integers of 64 bits in the forms that take fewer; see narrow.h.
 */
#include "postgres.h"

#include "core/vectorised.h"
#include "resident/narrow.h"

WA_VECTORISED void
wa_narrow_bounds(const int64_t *values, uint32_t nrows, int64_t *smallest,
				 int64_t *largest)
{
	int64_t least = *smallest;
	int64_t most = *largest;

	for (uint32_t i = 0; i < nrows; i++)
	{
		least = values[i] < least ? values[i] : least;
		most = values[i] > most ? values[i] : most;
	}
	*smallest = least;
	*largest = most;
}

static WA_VECTORISED void
copy_int16(int16_t *to, const int64_t *from, uint32_t nrows)
{
	for (uint32_t i = 0; i < nrows; i++)
		to[i] = (int16_t) from[i];
}

/* Of unsigned ones, too. */
static WA_VECTORISED void
copy_int32(uint32_t *to, const int64_t *from, uint32_t nrows)
{
	for (uint32_t i = 0; i < nrows; i++)
		to[i] = (uint32_t) from[i];
}

void
wa_narrow_copy(WaForm form, void *to, const int64_t *from, uint32_t nrows)
{
	switch (wa_form_width(form))
	{
		case sizeof(int16_t):
			copy_int16(to, from, nrows);
			break;
		case sizeof(int32_t):
			copy_int32(to, from, nrows);
			break;
		default:
			memcpy(to, from, nrows * sizeof(*from));
			break;
	}
}

/* Returns a value of a form. */
static int64_t
value_of(WaForm form, const void *values, uint32_t row)
{
	switch (form)
	{
		case WA_FORM_INT16:
			return ((const int16_t *) values)[row];
		case WA_FORM_INT32:
		case WA_FORM_DECIMAL32:
			return ((const int32_t *) values)[row];
		case WA_FORM_UINT32:
			return ((const uint32_t *) values)[row];
		default:
			return ((const int64_t *) values)[row];
	}
}

void
wa_narrow_widen(WaForm from, WaForm to, void *values, uint32_t nrows)
{
	const size_t width = wa_form_width(to);
	WaInt128 *wide = values;

	/* From the last on, as none may be overwritten before it is read. */
	for (uint32_t i = nrows; i-- > 0;)
	{
		int64_t value = value_of(from, values, i);

		if (to == WA_FORM_DECIMAL128)
			wide[i] = wa_int128_make(value);
		else
			wa_narrow_copy(to, (char *) values + i * width, &value, 1);
	}
}
