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

/*
 * Tells whether all arguments are in the step of the first one, as times often are that
 * have come one after the other.
 */
static bool
are_of_one_step(const WaSteps *steps, const int64_t *arguments, size_t nrows)
{
	const uint64_t offset = (uint64_t) arguments[0] - (uint64_t) steps->base;
	const uint64_t first =
		(uint64_t) arguments[0] - offset % steps->width; /* of the step */
	const uint64_t last = first + steps->width - 1;
	uint64_t signs = 0;

	if (offset >= steps->nsteps * steps->width)
		return false;
	/* Modulo 2^64, one of both has its highest bit set where it is not between. */
	for (size_t i = 0; i < nrows; i++)
		signs |= ((uint64_t) arguments[i] - first) |
				 (last - (uint64_t) arguments[i]);
	return signs >> 63 == 0;
}

/* Looks up integers; stores what is known of each in known. */
static void
look_up_ints(const WaSteps *steps, const int64_t *arguments, int64_t *words,
			 uint8_t *known, size_t nrows)
{
	const uint64_t span = steps->nsteps * steps->width;
	const double inverse = 1.0 / (double) steps->width;

	for (size_t i = 0; i < nrows; i++)
	{
		uint64_t offset = (uint64_t) arguments[i] - (uint64_t) steps->base;
		bool inside = offset < span;
		uint64_t step = step_of(inside ? offset : 0, steps->width, inverse);

		known[i] = inside ? steps->known[step] : WA_STEP_UNKNOWN;
		words[i] = steps->values[step];
	}
}

/* Likewise, codes. */
static void
look_up_codes(const WaSteps *steps, const int32_t *codes, int64_t *words,
			  uint8_t *known, size_t nrows)
{
	for (size_t i = 0; i < nrows; i++)
	{
		bool inside = (uint32_t) codes[i] < steps->nsteps;
		uint32_t step = inside ? (uint32_t) codes[i] : 0;

		known[i] = inside ? steps->known[step] : WA_STEP_UNKNOWN;
		words[i] = steps->values[step];
	}
}

/* Sets what the function is of the rows that are NULL. */
static void
set_nulls(const WaSteps *steps, const WaVector *a, int64_t *words,
		  uint8_t *known, size_t nrows)
{
	const uint8_t state = steps->null_has_value ? WA_STEP_VALUE : WA_STEP_NULL;

	for (size_t i = 0; i < nrows; i++)
		if (a->valid[i] == 0)
		{
			known[i] = state;
			words[i] = steps->null_value;
		}
}

/* Stores what rows that are all in the step of a value have. */
static bool
look_up_one(const WaSteps *steps, int64_t argument, WaVector *out,
			int64_t *words, size_t nrows)
{
	const uint64_t step =
		((uint64_t) argument - (uint64_t) steps->base) / steps->width;
	const uint8_t known = steps->known[step];
	const int64_t word = known == WA_STEP_VALUE ? steps->values[step] : 0;

	out->has_nulls = known == WA_STEP_NULL;
	out->mixed = false;
	out->scale = steps->scale;
	if (out->has_nulls)
		memset(out->valid, 0, nrows);
	for (size_t i = 0; i < nrows; i++)
		words[i] = word;
	return known != WA_STEP_UNKNOWN;
}

bool
wa_steps_look_up(const WaSteps *steps, const WaVector *a, const int32_t *codes,
				 WaVector *out, int64_t *words, size_t nrows)
{
	uint8_t known[WA_VECTOR_ROWS];
	bool all_known = true;
	bool has_nulls = false;

	if (codes == NULL && !a->has_nulls && nrows > 0 &&
		are_of_one_step(steps, wa_vector_ints(a), nrows))
		return look_up_one(steps, wa_vector_ints(a)[0], out, words, nrows);
	if (codes == NULL)
		look_up_ints(steps, wa_vector_ints(a), words, known, nrows);
	else
		look_up_codes(steps, codes, words, known, nrows);
	if (a->has_nulls)
		set_nulls(steps, a, words, known, nrows);
	for (size_t i = 0; i < nrows; i++)
	{
		all_known &= known[i] != WA_STEP_UNKNOWN;
		has_nulls |= known[i] == WA_STEP_NULL;
	}
	out->has_nulls = has_nulls;
	out->mixed = false;
	out->scale = steps->scale;
	for (size_t i = 0; has_nulls && i < nrows; i++)
	{
		out->valid[i] = known[i] == WA_STEP_VALUE;
		words[i] = out->valid[i] != 0 ? words[i] : 0;
	}
	return all_known;
}

/* Stores texts, none where a row is NULL. */
static void
store_texts(const WaSteps *steps, const int64_t *words, WaVector *out,
			size_t nrows)
{
	WaText *texts = wa_vector_texts(out);

	for (size_t i = 0; i < nrows; i++)
		texts[i] = wa_vector_is_valid(out, i) ? steps->texts[words[i]]
											  : (WaText){NULL, 0};
}

void
wa_steps_store(const WaSteps *steps, const int64_t *words, WaVector *out,
			   size_t nrows)
{
	uint8_t *bools = wa_vector_bools(out);

	switch (steps->results)
	{
		case WA_STEPS_BOOLS:
			for (size_t i = 0; i < nrows; i++)
				bools[i] = (uint8_t) words[i];
			break;
		case WA_STEPS_TEXTS:
			store_texts(steps, words, out, nrows);
			break;
		default:
			memcpy(out->values, words, nrows * sizeof(int64_t));
			break;
	}
}

bool
wa_steps_call(const WaSteps *steps, const WaVector *a, WaVector *out,
			  size_t nrows)
{
	int64_t words[WA_VECTOR_ROWS];

	if (steps->results == WA_STEPS_WORDS)
		return wa_steps_look_up(steps, a, NULL, out, wa_vector_ints(out),
								nrows);
	if (!wa_steps_look_up(steps, a, NULL, out, words, nrows))
		return false;
	wa_steps_store(steps, words, out, nrows);
	return true;
}

/* Tells whether all values are numbers below `end`. */
static bool
values_are_below(const WaSteps *steps, uint64_t end)
{
	bool below = !steps->null_has_value || (uint64_t) steps->null_value < end;

	for (uint64_t i = 0; i < steps->nsteps; i++)
		below &= steps->known[i] != WA_STEP_VALUE ||
				 (uint64_t) steps->values[i] < end;
	return below;
}

/* Tells whether what is known and the values are what they may be. */
static bool
values_are_sound(const WaSteps *steps)
{
	bool is_state = true;

	for (uint64_t i = 0; i < steps->nsteps; i++)
		is_state &= steps->known[i] <= WA_STEP_NULL;
	if (!is_state)
		return false;
	switch (steps->results)
	{
		case WA_STEPS_WORDS:
			return true;
		case WA_STEPS_BOOLS:
			return steps->scale == 0 && values_are_below(steps, 2);
		case WA_STEPS_TEXTS:
			return steps->scale == 0 && values_are_below(steps, steps->ntexts);
		default:
			return false;
	}
}

bool
wa_steps_are_sound(const WaSteps *steps)
{
	if (steps->nsteps == 0 || steps->nsteps > WA_MAX_STEPS ||
		steps->width == 0 || steps->width > WA_MAX_STEPS_SPAN / steps->nsteps ||
		steps->scale > WA_DECIMAL_MAX_SCALE)
		return false;
	if (steps->dictionary != 0 && (steps->base != 0 || steps->width != 1))
		return false;
	return steps->base <=
			   INT64_MAX - (int64_t) (steps->nsteps * steps->width - 1) &&
		   values_are_sound(steps);
}

bool
wa_steps_suit(const WaSteps *steps, WaVectorKind kind)
{
	switch (kind)
	{
		case WA_VECTOR_BOOL:
			return steps->results == WA_STEPS_BOOLS;
		case WA_VECTOR_TEXT:
			return steps->results == WA_STEPS_TEXTS;
		default:
			return steps->results == WA_STEPS_WORDS &&
				   (kind == WA_VECTOR_DECIMAL || steps->scale == 0);
	}
}
