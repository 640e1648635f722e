/*
 * program_int.c
 *		Instructions over INT.
 *
 * Arithmetic is done modulo 2^64.  Two kinds of traps are collected: signs that
 * tell an overflow of 64 bits, in the highest bit, and what is beyond fewer
 * bytes (WaIntRange).
 */
#include "core/program_internal.h"

static inline const uint64_t *
bits_of(const WaVector *vector)
{
	return (const uint64_t *) wa_vector_ints(vector);
}

WA_VECTORISED bool
wa_int_add(const WaStep *step)
{
	const uint64_t *restrict a = bits_of(step->a);
	const uint64_t *restrict b = bits_of(step->b);
	uint64_t *restrict out = (uint64_t *) wa_vector_ints(step->out);
	WaIntRange range = wa_int_range(step->extra);
	uint64_t overflow = 0;
	uint64_t beyond = 0;
	size_t nrows = step->nrows;

	for (size_t i = 0; i < nrows; i++)
	{
		uint64_t sum = a[i] + b[i];

		overflow |= (a[i] ^ sum) & (b[i] ^ sum);
		beyond |= wa_int_beyond(range, sum);
		out[i] = sum;
	}
	return (overflow >> 63 | beyond) == 0;
}

WA_VECTORISED bool
wa_int_subtract(const WaStep *step)
{
	const uint64_t *restrict a = bits_of(step->a);
	const uint64_t *restrict b = bits_of(step->b);
	uint64_t *restrict out = (uint64_t *) wa_vector_ints(step->out);
	WaIntRange range = wa_int_range(step->extra);
	uint64_t overflow = 0;
	uint64_t beyond = 0;
	size_t nrows = step->nrows;

	for (size_t i = 0; i < nrows; i++)
	{
		uint64_t difference = a[i] - b[i];

		overflow |= (a[i] ^ b[i]) & (a[i] ^ difference);
		beyond |= wa_int_beyond(range, difference);
		out[i] = difference;
	}
	return (overflow >> 63 | beyond) == 0;
}

/* Multiplies modulo 2^64.  Tells whether all factors fit 32 bits. */
WA_VECTORISED static bool
multiply_small(const int64_t *restrict a, const int64_t *restrict b,
			   int64_t *restrict out, size_t nrows)
{
	WaIntRange range = wa_int_range(sizeof(int32_t));
	uint64_t beyond = 0;

	for (size_t i = 0; i < nrows; i++)
	{
		beyond |= wa_int_beyond(range, (uint64_t) a[i]);
		beyond |= wa_int_beyond(range, (uint64_t) b[i]);
		out[i] = (int64_t) ((uint64_t) a[i] * (uint64_t) b[i]);
	}
	return beyond == 0;
}

/* That an overflow is looked for in each row takes some three times as long. */
bool
wa_multiply_values(const int64_t *restrict a, const int64_t *restrict b,
				   int64_t *restrict out, size_t nrows)
{
	uint64_t overflow = 0;

	if (multiply_small(a, b, out, nrows))
		return true;
	for (size_t i = 0; i < nrows; i++)
		overflow |= __builtin_mul_overflow(a[i], b[i], &out[i]);
	return overflow == 0;
}

/* Tells whether all values fit a number of bytes. */
WA_VECTORISED static bool
fits(const int64_t *restrict values, uint32_t bytes, size_t nrows)
{
	WaIntRange range = wa_int_range(bytes);
	uint64_t beyond = 0;

	for (size_t i = 0; i < nrows; i++)
		beyond |= wa_int_beyond(range, (uint64_t) values[i]);
	return beyond == 0;
}

bool
wa_int_multiply(const WaStep *step)
{
	int64_t *out = wa_vector_ints(step->out);

	return wa_multiply_values(wa_vector_ints(step->a), wa_vector_ints(step->b),
							  out, step->nrows) &&
		   (step->extra == sizeof(int64_t) ||
			fits(out, step->extra, step->nrows));
}

/* Returns a / b modulo 2^64, and anything if b is 0. */
static inline int64_t
quotient(int64_t a, int64_t b)
{
	bool special = (uint64_t) b + 1 <= 1; /* -1, 0: the processor may trap */
	int64_t result = a / (special ? 1 : b);

	return b == -1 ? (int64_t) (0 - (uint64_t) a) : result;
}

/* The same of numbers of 32 bits, by which processors divide faster. */
static inline int64_t
quotient_narrow(int64_t a, int64_t b)
{
	int32_t divisor = (int32_t) b;
	bool special = (uint32_t) divisor + 1 <= 1;
	int32_t result = (int32_t) a / (special ? 1 : divisor);

	return b == -1 ? (int64_t) (0 - (uint64_t) a) : result;
}

WA_VECTORISED bool
wa_int_divide(const WaStep *step)
{
	const int64_t *restrict a = wa_vector_ints(step->a);
	const int64_t *restrict b = wa_vector_ints(step->b);
	int64_t *restrict out = wa_vector_ints(step->out);
	WaIntRange range = wa_int_range(step->extra);
	uint64_t traps = 0;
	size_t nrows = step->nrows;

	if (step->extra < 8)
		for (size_t i = 0; i < nrows; i++)
		{
			int64_t result = quotient_narrow(a[i], b[i]);

			traps |= b[i] == 0 ? 1 : 0;
			traps |= wa_int_beyond(range, (uint64_t) result);
			out[i] = result;
		}
	else
		for (size_t i = 0; i < nrows; i++)
		{
			traps |= b[i] == 0 ? 1 : 0;
			traps |= a[i] == INT64_MIN && b[i] == -1 ? 1 : 0;
			out[i] = quotient(a[i], b[i]);
		}
	return traps == 0;
}

/* The smallest of the integers % -1 is 0, as a - a / b * b modulo 2^64 is. */
WA_VECTORISED bool
wa_int_remainder(const WaStep *step)
{
	const int64_t *restrict a = wa_vector_ints(step->a);
	const int64_t *restrict b = wa_vector_ints(step->b);
	int64_t *restrict out = wa_vector_ints(step->out);
	uint64_t traps = 0;
	size_t nrows = step->nrows;

	if (step->extra < 8)
		for (size_t i = 0; i < nrows; i++)
		{
			uint64_t whole = (uint64_t) quotient_narrow(a[i], b[i]);

			traps |= b[i] == 0 ? 1 : 0;
			out[i] = (int64_t) ((uint64_t) a[i] - whole * (uint64_t) b[i]);
		}
	else
		for (size_t i = 0; i < nrows; i++)
		{
			uint64_t whole = (uint64_t) quotient(a[i], b[i]);

			traps |= b[i] == 0 ? 1 : 0;
			out[i] = (int64_t) ((uint64_t) a[i] - whole * (uint64_t) b[i]);
		}
	return traps == 0;
}

WA_VECTORISED bool
wa_int_negate(const WaStep *step)
{
	const uint64_t *restrict a = bits_of(step->a);
	uint64_t *restrict out = (uint64_t *) wa_vector_ints(step->out);
	WaIntRange range = wa_int_range(step->extra);
	uint64_t overflow = 0;
	uint64_t beyond = 0;
	size_t nrows = step->nrows;

	for (size_t i = 0; i < nrows; i++)
	{
		uint64_t negative = 0 - a[i];

		overflow |= a[i] & negative;
		beyond |= wa_int_beyond(range, negative);
		out[i] = negative;
	}
	return (overflow >> 63 | beyond) == 0;
}

WA_VECTORISED bool
wa_int_abs(const WaStep *step)
{
	const uint64_t *restrict a = bits_of(step->a);
	uint64_t *restrict out = (uint64_t *) wa_vector_ints(step->out);
	WaIntRange range = wa_int_range(step->extra);
	uint64_t overflow = 0;
	uint64_t beyond = 0;
	size_t nrows = step->nrows;

	for (size_t i = 0; i < nrows; i++)
	{
		uint64_t sign = 0 - (a[i] >> 63);
		uint64_t magnitude = (a[i] ^ sign) - sign;

		overflow |= magnitude;
		beyond |= wa_int_beyond(range, magnitude);
		out[i] = magnitude;
	}
	return (overflow >> 63 | beyond) == 0;
}

WA_VECTORISED bool
wa_int_narrow(const WaStep *step)
{
	const uint64_t *restrict a = bits_of(step->a);
	uint64_t *restrict out = (uint64_t *) wa_vector_ints(step->out);
	WaIntRange range = wa_int_range(step->extra);
	uint64_t beyond = 0;
	size_t nrows = step->nrows;

	for (size_t i = 0; i < nrows; i++)
	{
		beyond |= wa_int_beyond(range, a[i]);
		out[i] = a[i];
	}
	return beyond == 0;
}
