/*
 * steps.c
 *		Looking up steps; see steps.h.
 */
#include <string.h>

#include "core/steps.h"

/*
 * Returns the step of an offset below nsteps * width.  The product is less than
 * one step off.
 */
static inline uint64_t
step_of(uint64_t offset, uint64_t width, double inverse)
{
	uint64_t step = (uint64_t) (int64_t) ((double) (int64_t) offset * inverse);
	int64_t rest = (int64_t) (offset - step * width);

	return step - (rest < 0) + (rest >= (int64_t) width);
}

bool
wa_steps_call(const WaSteps *steps, const WaVector *a, WaVector *out,
			  size_t nrows)
{
	const uint64_t span = steps->nsteps * steps->width;
	const double inverse = 1.0 / (double) steps->width;
	const int64_t *arguments = wa_vector_ints(a);
	int64_t *results = wa_vector_ints(out);
	bool all_known = true;

	out->has_nulls = a->has_nulls;
	out->mixed = false;
	out->scale = steps->scale;
	if (a->has_nulls)
		memcpy(out->valid, a->valid, nrows);
	for (size_t i = 0; i < nrows; i++)
	{
		uint64_t offset = (uint64_t) arguments[i] - (uint64_t) steps->base;
		bool is_null = a->has_nulls && a->valid[i] == 0;
		bool inside = offset < span;
		uint64_t step = step_of(inside ? offset : 0, steps->width, inverse);

		all_known &= is_null || (inside && steps->known[step] != 0);
		results[i] = is_null ? 0 : steps->values[step];
	}
	return all_known;
}

bool
wa_steps_are_sound(const WaSteps *steps)
{
	if (steps->nsteps == 0 || steps->nsteps > WA_MAX_STEPS ||
		steps->width == 0 || steps->width > WA_MAX_STEPS_SPAN / steps->nsteps ||
		steps->scale > WA_DECIMAL_MAX_SCALE)
		return false;
	return steps->base <=
		   INT64_MAX - (int64_t) (steps->nsteps * steps->width - 1);
}
