/*
 * program_round.c
 *		Instructions that take digits off a DECIMAL.
 */
#include <string.h>

#include "core/decimal.h"
#include "core/program_internal.h"

/* X(n, 10^n) */
#define POWER_LIST(X)         \
	X(1, 10)                  \
	X(2, 100)                 \
	X(3, 1000)                \
	X(4, 10000)               \
	X(5, 100000)              \
	X(6, 1000000)             \
	X(7, 10000000)            \
	X(8, 100000000)           \
	X(9, 1000000000)          \
	X(10, 10000000000)        \
	X(11, 100000000000)       \
	X(12, 1000000000000)      \
	X(13, 10000000000000)     \
	X(14, 100000000000000)    \
	X(15, 1000000000000000)   \
	X(16, 10000000000000000)  \
	X(17, 100000000000000000) \
	X(18, 1000000000000000000)

/*
 * Divides by 10^digits, towards zero.  A division by a constant is a
 * multiplication, some ten times faster than one by a variable.
 */
WA_VECTORISED static void
drop_digits(const int64_t *restrict values, unsigned digits,
			int64_t *restrict out, size_t nrows)
{
	switch (digits)
	{
#define X(n, power)                              \
	case n:                                      \
		for (size_t i = 0; i < nrows; i++)       \
			out[i] = values[i] / INT64_C(power); \
		break;
		POWER_LIST(X)
#undef X
		default:
			memcpy(out, values, nrows * sizeof(*out));
			break;
	}
}

/* Rounds to whole numbers: down, or up. */
WA_VECTORISED static bool
cut_off(const WaStep *step, bool up)
{
	const int64_t *restrict a = wa_vector_ints(step->a);
	int64_t *restrict out = wa_vector_ints(step->out);
	int64_t power = wa_powers_of_ten[step->a->scale];
	size_t nrows = step->nrows;

	drop_digits(a, step->a->scale, out, nrows);
	if (up)
		for (size_t i = 0; i < nrows; i++)
			out[i] += a[i] > out[i] * power ? 1 : 0;
	else
		for (size_t i = 0; i < nrows; i++)
			out[i] -= a[i] < out[i] * power ? 1 : 0;
	return true;
}

bool
wa_decimal_floor(const WaStep *step)
{
	return cut_off(step, false);
}

bool
wa_decimal_ceil(const WaStep *step)
{
	return cut_off(step, true);
}

/* Divides by 10^digits and rounds half away from zero. */
WA_VECTORISED static void
round_digits(const int64_t *restrict values, unsigned digits,
			 int64_t *restrict out, size_t nrows)
{
	int64_t power = wa_powers_of_ten[digits];

	drop_digits(values, digits, out, nrows);
	if (digits == 0)
		return;
	for (size_t i = 0; i < nrows; i++)
	{
		int64_t twice = 2 * (values[i] - out[i] * power);

		out[i] += (twice >= power ? 1 : 0) - (twice <= -power ? 1 : 0);
	}
}

WA_VECTORISED bool
wa_decimal_round(const WaStep *step)
{
	const WaVector *a = step->a;
	int64_t *restrict out = wa_vector_ints(step->out);
	unsigned scale = step->extra % 256;
	unsigned digits = step->extra / 256;
	uint64_t bad = 0;
	int64_t limit;
	size_t nrows = step->nrows;

	if (scale > WA_DECIMAL_MAX_SCALE)
		return false;
	step->out->scale = (uint8_t) scale;
	if (scale < a->scale)
		round_digits(wa_vector_ints(a), a->scale - scale, out, nrows);
	else if (scale == a->scale)
		memcpy(out, a->values, nrows * sizeof(*out));
	else if (wa_decimal_at_scale(a, (uint8_t) scale, out, nrows) == NULL)
		return false;
	if (digits == 255 || digits + scale > WA_DECIMAL_MAX_SCALE)
		return true;
	limit = wa_powers_of_ten[digits + scale];
	for (size_t i = 0; i < nrows; i++)
		bad |= out[i] <= -limit || out[i] >= limit ? 1 : 0;
	return bad == 0;
}

WA_VECTORISED bool
wa_decimal_to_int(const WaStep *step)
{
	int64_t *restrict out = wa_vector_ints(step->out);
	WaIntRange range = wa_int_range(step->extra);
	uint64_t beyond = 0;
	size_t nrows = step->nrows;

	round_digits(wa_vector_ints(step->a), step->a->scale, out, nrows);
	for (size_t i = 0; i < nrows; i++)
		beyond |= wa_int_beyond(range, (uint64_t) out[i]);
	return beyond == 0;
}
