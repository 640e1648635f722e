/*
 * group_look.c
 *		Which of equal keys that look different is shown; see group_key.h.
 *
 * Where all values of a key look alike, as those of numeric(10,2) do, nobody looks at
 * a row.
 */
#include <math.h>

#include "core/exact_sum.h"
#include "query/groups/group_key.h"

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
wa_key_look_differs(WaKeyCodec *codec, const WaVector *vector, size_t nrows)
{
	WaKeyLook *look = &codec->look;

	/* Of texts the words have told. */
	if (look->differs || codec->kind == WA_VECTOR_TEXT)
		return look->differs;
	look->differs = codec->kind == WA_VECTOR_DECIMAL
						? vector->mixed
						: has_negative_zero(vector, nrows);
	wa_key_look_note(look,
					 codec->kind == WA_VECTOR_DECIMAL ? vector->scale : 0);
	return look->differs;
}

bool
wa_key_looks_differ(WaKeyCodec *codec, const WaKeyCodec *other)
{
	if (other->look.is_known)
		wa_key_look_note(&codec->look, other->look.shown);
	codec->look.differs |= other->look.differs;
	return codec->look.differs;
}

void
wa_key_show_rows(const WaKeyCodec *codec, const WaVector *vector, size_t nrows,
				 const uint32_t *numbers, uint32_t *shown)
{
	for (size_t i = 0; i < nrows; i++)
	{
		const uint32_t group = numbers[i];
		uint32_t row_shown;

		if (group == WA_NO_GROUP || !wa_vector_is_valid(vector, i))
			continue;
		row_shown = wa_key_shown(codec, vector, i);
		if (wa_key_is_better_shown(codec, row_shown, shown[group]))
			shown[group] = row_shown;
	}
}
