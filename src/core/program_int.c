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

/*
 * Instructions of x, the first argument, and y, the second or, of one, the first
 * again: the result r, and a word whose highest bit tells that it overflowed.
 */
#define DEFINE_CHECKED(name, result, overflowed)                         \
	WA_VECTORISED bool name(const WaStep *step)                          \
	{                                                                    \
		const uint64_t *restrict a = bits_of(step->a);                   \
		const uint64_t *restrict b =                                     \
			bits_of(step->b != NULL ? step->b : step->a);                \
		uint64_t *restrict out = (uint64_t *) wa_vector_ints(step->out); \
		WaIntRange range = wa_int_range(step->extra);                    \
		uint64_t overflow = 0;                                           \
		uint64_t beyond = 0;                                             \
		size_t nrows = step->nrows;                                      \
		for (size_t i = 0; i < nrows; i++)                               \
		{                                                                \
			uint64_t x = a[i];                                           \
			uint64_t y = b[i];                                           \
			uint64_t r = (result);                                       \
			(void) y;                                                    \
			overflow |= (overflowed);                                    \
			beyond |= wa_int_beyond(range, r);                           \
			out[i] = r;                                                  \
		}                                                                \
		return (overflow >> 63 | beyond) == 0;                           \
	}

DEFINE_CHECKED(wa_int_add, x + y, (x ^ r) & (y ^ r))
DEFINE_CHECKED(wa_int_subtract, x - y, (x ^ y) & (x ^ r))
DEFINE_CHECKED(wa_int_negate, 0 - x, x &r)
DEFINE_CHECKED(wa_int_abs, (int64_t) x < 0 ? 0 - x : x, r)
DEFINE_CHECKED(wa_int_narrow, x, 0)

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

/* Divisions of x by y: the result from the quotient q, and what else traps. */
#define DEFINE_DIVISION(name, divide, result, trap)          \
	WA_VECTORISED static bool name(const WaStep *step)       \
	{                                                        \
		const int64_t *restrict a = wa_vector_ints(step->a); \
		const int64_t *restrict b = wa_vector_ints(step->b); \
		int64_t *restrict out = wa_vector_ints(step->out);   \
		WaIntRange range = wa_int_range(step->extra);        \
		uint64_t traps = 0;                                  \
		size_t nrows = step->nrows;                          \
		for (size_t i = 0; i < nrows; i++)                   \
		{                                                    \
			int64_t x = a[i];                                \
			int64_t y = b[i];                                \
			uint64_t q = (uint64_t) divide(x, y);            \
			traps |= y == 0 ? 1 : 0;                         \
			traps |= (trap);                                 \
			out[i] = (int64_t) (result);                     \
		}                                                    \
		(void) range;                                        \
		return traps == 0;                                   \
	}

DEFINE_DIVISION(divide_narrow, quotient_narrow, q, wa_int_beyond(range, q))
DEFINE_DIVISION(divide_wide, quotient, q, x == INT64_MIN && y == -1 ? 1 : 0)
/* The smallest of the integers % -1 is 0, as x - x / y * y modulo 2^64 is. */
DEFINE_DIVISION(remainder_narrow, quotient_narrow,
				(uint64_t) x - q * (uint64_t) y, 0)
DEFINE_DIVISION(remainder_wide, quotient, (uint64_t) x - q * (uint64_t) y, 0)

bool
wa_int_divide(const WaStep *step)
{
	return step->extra < 8 ? divide_narrow(step) : divide_wide(step);
}

bool
wa_int_remainder(const WaStep *step)
{
	return step->extra < 8 ? remainder_narrow(step) : remainder_wide(step);
}
