/*
 * program_bool.c
 *		Instructions over BOOL, and tests for NULL.
 *
 * The value of a NULL is 0: a row is true where its value is 1, and false where
 * it is valid and its value 0.
 */
#include <string.h>

#include "core/program_internal.h"

/* Returns which rows are valid: the vector's, or written to memory. */
static const uint8_t *
valid_rows(const WaVector *vector, uint8_t *memory, size_t nrows)
{
	if (vector->has_nulls)
		return vector->valid;
	memset(memory, 1, nrows);
	return memory;
}

/*
 * A row is false if one argument is, and true if both are.  With flip 1, for OR,
 * that is said of the opposites of arguments and results.
 */
WA_VECTORISED static bool
combine(const WaStep *step, uint8_t flip)
{
	size_t nrows = step->nrows;
	uint8_t memory[2][WA_VECTOR_ROWS];
	const uint8_t *valid_a = valid_rows(step->a, memory[0], nrows);
	const uint8_t *valid_b = valid_rows(step->b, memory[1], nrows);
	const uint8_t *a = wa_vector_bools(step->a);
	const uint8_t *b = wa_vector_bools(step->b);
	uint8_t *restrict out = wa_vector_bools(step->out);
	uint8_t *restrict valid = step->out->valid;

	for (size_t i = 0; i < nrows; i++)
		out[i] = ((a[i] ^ flip) & (b[i] ^ flip)) ^ flip;
	step->out->has_nulls = step->a->has_nulls || step->b->has_nulls;
	if (step->out->has_nulls)
		for (size_t i = 0; i < nrows; i++)
			valid[i] = (valid_a[i] & valid_b[i]) |
					   (valid_a[i] & (a[i] ^ flip ^ 1)) |
					   (valid_b[i] & (b[i] ^ flip ^ 1));
	return true;
}

bool
wa_bool_and(const WaStep *step)
{
	return combine(step, 0);
}

bool
wa_bool_or(const WaStep *step)
{
	return combine(step, 1);
}

WA_VECTORISED bool
wa_bool_not(const WaStep *step)
{
	const uint8_t *restrict a = wa_vector_bools(step->a);
	uint8_t *restrict out = wa_vector_bools(step->out);
	size_t nrows = step->nrows;

	for (size_t i = 0; i < nrows; i++)
		out[i] = a[i] ^ 1;
	return true;
}

WA_VECTORISED bool
wa_is_null(const WaStep *step)
{
	const uint8_t *restrict valid = step->a->valid;
	uint8_t *restrict out = wa_vector_bools(step->out);
	size_t nrows = step->nrows;

	if (step->a->has_nulls)
		for (size_t i = 0; i < nrows; i++)
			out[i] = valid[i] ^ 1;
	else
		memset(out, 0, nrows);
	return true;
}

bool
wa_is_not_null(const WaStep *step)
{
	uint8_t *out = wa_vector_bools(step->out);

	if (step->a->has_nulls)
		memcpy(out, step->a->valid, step->nrows);
	else
		memset(out, 1, step->nrows);
	return true;
}

bool
wa_is_true(const WaStep *step)
{
	memcpy(step->out->values, step->a->values, step->nrows);
	return true;
}
