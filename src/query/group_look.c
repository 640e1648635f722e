/*
 * group_look.c
 *		Whether equal keys look different; see group_key.h.
 *
 * Where all values of a key look alike, as those of numeric(10,2) do, nobody looks at
 * a row.
 */
#include <math.h>

#include "core/exact_sum.h"
#include "query/group_key.h"

/* Tells whether a value of a vector is shown as -0. */
static bool
has_negative_zero(const WaVector *vector, size_t nrows)
{
	const double *values = wa_vector_floats(vector);
	const uint64_t negative_zero = wa_double_bits(-0.0);
	bool found = false;

	for (size_t i = 0; i < nrows; i++)
		found |= wa_double_bits(values[i]) == negative_zero;
	return found;
}

bool
wa_key_look_differs(WaKeyLook *look, WaVectorKind kind, const WaVector *vector,
					size_t nrows)
{
	if (look->differs)
		return true;
	if (kind == WA_VECTOR_DECIMAL)
	{
		look->differs = vector->mixed;
		wa_key_look_note(look, vector->scale);
	}
	else
	{
		look->differs = has_negative_zero(vector, nrows);
		wa_key_look_note(look, 0);
	}
	return look->differs;
}

bool
wa_key_looks_differ(WaKeyLook *look, const WaKeyLook *other)
{
	if (other->is_known)
		wa_key_look_note(look, other->shown);
	look->differs |= other->differs;
	return look->differs;
}

/* Tells whether numerics look like the keys of their groups. */
static bool
decimals_look_like(const WaVector *vector, size_t nrows, const uint32_t *shown,
				   const uint32_t *numbers)
{
	const uint8_t *display = vector->mixed ? vector->display : &vector->scale;
	const size_t step = vector->mixed;
	bool alike = true;

	if (!vector->has_nulls)
		for (size_t i = 0; i < nrows; i++)
			alike &= display[i * step] == shown[numbers[i]];
	else
		for (size_t i = 0; i < nrows; i++)
			alike &=
				vector->valid[i] == 0 || display[i * step] == shown[numbers[i]];
	return alike;
}

/* Likewise floats; of these only zeros look different. */
static bool
floats_look_like(const WaVector *vector, size_t nrows, const uint32_t *shown,
				 const uint32_t *numbers)
{
	const double *values = wa_vector_floats(vector);
	bool alike = true;

	for (size_t i = 0; i < nrows; i++)
		if (values[i] == 0 && wa_vector_is_valid(vector, i))
			alike &= (signbit(values[i]) != 0) == (shown[numbers[i]] != 0);
	return alike;
}

bool
wa_key_rows_look_like(WaVectorKind kind, const WaVector *vector, size_t nrows,
					  const uint32_t *shown, const uint32_t *numbers)
{
	return kind == WA_VECTOR_DECIMAL
			   ? decimals_look_like(vector, nrows, shown, numbers)
			   : floats_look_like(vector, nrows, shown, numbers);
}
