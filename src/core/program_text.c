/*
 * program_text.c
 *		Instructions over TEXT.
 */
#include <string.h>

#include "core/program_internal.h"

bool
wa_trim_text(const WaStep *step)
{
	const WaText *a = wa_vector_texts(step->a);
	WaText *out = wa_vector_texts(step->out);

	step->out->has_nulls = step->a->has_nulls;
	if (step->a->has_nulls)
		memcpy(step->out->valid, step->a->valid, step->nrows);
	for (size_t i = 0; i < step->nrows; i++)
		out[i] = wa_text_trim(a[i]);
	return true;
}
