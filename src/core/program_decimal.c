/*
 * program_decimal.c
 *		Arithmetic over DECIMAL.
 */
#include <string.h>

#include "core/decimal.h"
#include "core/program_internal.h"

WA_VECTORISED const int64_t *
wa_decimal_at_scale(const WaVector *vector, uint8_t scale, int64_t *memory,
					size_t nrows)
{
	const int64_t *values = wa_vector_ints(vector);
	int64_t *restrict scaled = memory;
	uint64_t overflow = 0;
	int64_t factor;

	if (vector->scale == scale)
		return values;
	factor = wa_powers_of_ten[scale - vector->scale];
	for (size_t i = 0; i < nrows; i++)
		overflow |= __builtin_mul_overflow(values[i], factor, &scaled[i]);
	return overflow == 0 ? scaled : NULL;
}

const uint8_t *
wa_decimal_display(const WaVector *vector, uint8_t *memory, size_t nrows)
{
	if (vector->mixed)
		return vector->display;
	memset(memory, vector->scale, nrows);
	return memory;
}

WA_VECTORISED void
wa_decimal_show_larger(const WaStep *step)
{
	size_t nrows = step->nrows;
	uint8_t memory[2][WA_VECTOR_ROWS];
	const uint8_t *a = wa_decimal_display(step->a, memory[0], nrows);
	const uint8_t *b = wa_decimal_display(step->b, memory[1], nrows);
	uint8_t *restrict display = step->out->display;

	for (size_t i = 0; i < nrows; i++)
		display[i] = a[i] > b[i] ? a[i] : b[i];
}

WA_VECTORISED void
wa_decimal_show_sum(const WaStep *step)
{
	size_t nrows = step->nrows;
	uint8_t memory[2][WA_VECTOR_ROWS];
	const uint8_t *a = wa_decimal_display(step->a, memory[0], nrows);
	const uint8_t *b = wa_decimal_display(step->b, memory[1], nrows);
	uint8_t *restrict display = step->out->display;

	for (size_t i = 0; i < nrows; i++)
		display[i] = a[i] + b[i];
}

/*
 * Computes a + b, or a - b as the sum of a and the complement of b, and 1: flip
 * and carry are all ones and 1 for that, else 0.
 */
WA_VECTORISED static bool
add(const WaStep *step, uint64_t flip, uint64_t carry)
{
	int64_t memory[2][WA_VECTOR_ROWS];
	WaVector *out = step->out;
	uint64_t *restrict values = (uint64_t *) wa_vector_ints(out);
	const uint64_t *a;
	const uint64_t *b;
	uint64_t overflow = 0;
	size_t nrows = step->nrows;

	out->scale =
		step->a->scale > step->b->scale ? step->a->scale : step->b->scale;
	out->mixed = step->a->mixed || step->b->mixed;
	if (out->mixed)
		wa_decimal_show_larger(step);
	a = (const uint64_t *) wa_decimal_at_scale(step->a, out->scale, memory[0],
											   nrows);
	b = (const uint64_t *) wa_decimal_at_scale(step->b, out->scale, memory[1],
											   nrows);
	if (a == NULL || b == NULL)
		return false;
	for (size_t i = 0; i < nrows; i++)
	{
		uint64_t y = b[i] ^ flip;
		uint64_t sum = a[i] + y + carry;

		overflow |= (a[i] ^ sum) & (y ^ sum);
		values[i] = sum;
	}
	return overflow >> 63 == 0;
}

bool
wa_decimal_add(const WaStep *step)
{
	return add(step, 0, 0);
}

bool
wa_decimal_subtract(const WaStep *step)
{
	return add(step, ~(uint64_t) 0, 1);
}

bool
wa_decimal_multiply(const WaStep *step)
{
	if (step->a->scale + step->b->scale > WA_DECIMAL_MAX_SCALE)
		return false;
	step->out->scale = step->a->scale + step->b->scale;
	step->out->mixed = step->a->mixed || step->b->mixed;
	if (step->out->mixed)
		wa_decimal_show_sum(step);
	return wa_multiply_values(wa_vector_ints(step->a), wa_vector_ints(step->b),
							  wa_vector_ints(step->out), step->nrows);
}

void
wa_decimal_keep_display(const WaStep *step)
{
	step->out->scale = step->a->scale;
	step->out->mixed = step->a->mixed;
	if (step->a->mixed)
		memcpy(step->out->display, step->a->display, step->nrows);
}

/* Computes the values of the only argument as integers of 64 bits. */
static bool
compute_as_int(WaOperation operation, const WaStep *step)
{
	WaStep as_int = *step;

	wa_decimal_keep_display(step);
	as_int.extra = sizeof(int64_t);
	return operation(&as_int);
}

bool
wa_decimal_negate(const WaStep *step)
{
	return compute_as_int(wa_int_negate, step);
}

bool
wa_decimal_abs(const WaStep *step)
{
	return compute_as_int(wa_int_abs, step);
}

/*
 * The quotient of numeric_div has at least 16 - 4 w digits after the point, if it
 * has w + 1 digits of base 10000 before it.  A quotient of whole numbers that is
 * not whole itself is further from the next whole number than 1 / divisor; so
 * rounding does not take it there if the divisor has no more digits than that.
 */
static const struct
{
	int64_t divisor_below;
	int64_t quotient_below;
} exact_floors[] = {
	{INT64_C(100000000), INT64_C(1000000000000)},
	{INT64_C(1000000000000), INT64_C(100000000)},
};

/* Divides by a positive divisor and rounds down; returns false to trap. */
static inline bool
floor_divide(int64_t value, int64_t divisor, int64_t *quotient)
{
	const bool is_small = divisor < exact_floors[0].divisor_below;
	const int64_t limit = exact_floors[is_small ? 0 : 1].quotient_below;

	if (divisor <= 0 || divisor >= exact_floors[1].divisor_below)
		return false;
	*quotient = value / divisor - (value % divisor < 0 ? 1 : 0);
	return *quotient<limit && * quotient> - limit;
}

bool
wa_decimal_floor_divide(const WaStep *step)
{
	int64_t memory[2][WA_VECTOR_ROWS];
	const uint8_t scale =
		step->a->scale > step->b->scale ? step->a->scale : step->b->scale;
	const int64_t *a =
		wa_decimal_at_scale(step->a, scale, memory[0], step->nrows);
	const int64_t *b =
		wa_decimal_at_scale(step->b, scale, memory[1], step->nrows);
	bool fits = a != NULL && b != NULL;

	/* The 1 that NULL divisors are may be too large when it is scaled. */
	for (size_t i = 0; i < step->nrows && fits; i++)
		if (wa_vector_is_valid(step->out, i))
			fits = floor_divide(a[i], b[i], &wa_vector_ints(step->out)[i]);
	return fits;
}
