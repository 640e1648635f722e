/*
 * program_float.c
 *		Instructions over FLOAT.
 *
 * Overflow, underflow and division by zero are what PostgreSQL's float.h checks
 * for: results that are infinite or zero though no argument explains it.
 */
#include <math.h>

#include "core/product.h"
#include "core/program_internal.h"

/* From here on doubles have no fraction. */
#define WHOLE_FROM 0x1p52

/*
 * Tests that return 1 or 0, in as many bits as doubles have, so that results of
 * tests can be computed with beside them.
 */
static inline uint64_t
is_infinite(double x)
{
	return fabs(x) == INFINITY ? 1 : 0;
}

static inline uint64_t
is_zero(double x)
{
	return x == 0.0 ? 1 : 0;
}

static inline uint64_t
is_number(double x)
{
	return x == x ? 1 : 0;
}

/* Traps of float8_pl and float8_mi: the sum or difference r of x and y. */
static inline uint64_t
sum_traps(double x, double y, double r)
{
	return is_infinite(r) & ~(is_infinite(x) | is_infinite(y));
}

/* Traps of float8_mul. */
static inline uint64_t
product_traps(double x, double y, double r)
{
	return (is_infinite(r) & ~(is_infinite(x) | is_infinite(y))) |
		   (is_zero(r) & ~(is_zero(x) | is_zero(y)));
}

/* Traps of float8_div. */
static inline uint64_t
quotient_traps(double x, double y, double r)
{
	return (is_zero(y) & is_number(x)) | (is_infinite(r) & ~is_infinite(x)) |
		   (is_zero(r) & ~(is_zero(x) | is_infinite(y)));
}

/* Traps of dtof, the x of both arguments rounded to r. */
static inline uint64_t
narrow_traps(double x, double y, double r)
{
	(void) y;
	return (is_infinite(r) & ~is_infinite(x)) | (is_zero(r) & ~is_zero(x));
}

static inline uint64_t
no_traps(double x, double y, double r)
{
	(void) x;
	(void) y;
	(void) r;
	return 0;
}

/*
 * Returns the whole number that is the nearest to x, of two the even one, with
 * the sign of x, as rint() does, but without a call.
 */
static inline double
round_to_even(double x)
{
	double magnitude = fabs(x);
	double shift = WHOLE_FROM * (magnitude < WHOLE_FROM ? 1.0 : 0.0);

	return copysign((magnitude + shift) - shift, x);
}

static inline double
floor_of(double x)
{
	double rounded = round_to_even(x);

	return copysign(rounded - (rounded > x ? 1.0 : 0.0), x);
}

/* The ceiling of what is between -1 and 0 is -0. */
static inline double
ceil_of(double x)
{
	double rounded = round_to_even(x);

	return copysign(rounded + (rounded < x ? 1.0 : 0.0), x);
}

/*
 * Arithmetic of the operands x and y in a type; of one argument y is the first
 * again.
 */
#define DEFINE_LOOP(name, type, result, traps)                     \
	WA_VECTORISED bool name(const WaStep *step)                    \
	{                                                              \
		const double *restrict a = wa_vector_floats(step->a);      \
		const double *restrict b =                                 \
			wa_vector_floats(step->b != NULL ? step->b : step->a); \
		double *restrict out = wa_vector_floats(step->out);        \
		size_t nrows = step->nrows;                                \
		uint64_t bad = 0;                                          \
		for (size_t i = 0; i < nrows; i++)                         \
		{                                                          \
			type x = (type) a[i];                                  \
			type y = (type) b[i];                                  \
			double r = (double) (type) (result);                   \
			(void) y;                                              \
			bad |= traps(a[i], b[i], r);                           \
			out[i] = r;                                            \
		}                                                          \
		return bad == 0;                                           \
	}

#define DEFINE_ARITHMETIC(name, result, traps)                               \
	static DEFINE_LOOP(name##_float4, float, result,                         \
					   traps) static DEFINE_LOOP(name##_float8, double,      \
												 result, traps) bool         \
		wa_float_##name(const WaStep *step)                                  \
	{                                                                        \
		return step->extra == 4 ? name##_float4(step) : name##_float8(step); \
	}

DEFINE_ARITHMETIC(add, x + y, sum_traps)
DEFINE_ARITHMETIC(subtract, x - y, sum_traps)
DEFINE_ARITHMETIC(multiply, (x * y), product_traps)
DEFINE_ARITHMETIC(divide, x / y, quotient_traps)
DEFINE_LOOP(wa_float_negate, double, -x, no_traps)
DEFINE_LOOP(wa_float_abs, double, fabs(x), no_traps)
DEFINE_LOOP(wa_float_floor, double, floor_of(x), no_traps)
DEFINE_LOOP(wa_float_ceil, double, ceil_of(x), no_traps)
DEFINE_LOOP(wa_float_narrow, float, x, narrow_traps)

/* Returns the first half of the significand of a number, rounded. */
static inline double
first_half(double x)
{
	const int cut = 27;

	return wa_bits_double((wa_double_bits(x) + ((uint64_t) 1 << (cut - 1))) &
						  ~(((uint64_t) 1 << cut) - 1));
}

/*
 * Returns what the rounded product leaves, by products of halves (product.h), without fma.  Of
 * zeros it is 0.
 */
static inline double
low_product(double x, double y, double product)
{
	const double x1 = first_half(x);
	const double y1 = first_half(y);
	const double x2 = x - x1;
	const double y2 = y - y1;

	return x2 * y2 - (((product - x1 * y1) - x2 * y1) - x1 * y2) + 0.0;
}

static inline double
high_product(double x, double y, double product)
{
	(void) x;
	(void) y;
	return product;
}

/* Defines the loop of a part of products, which are infinite or NaN if a number is. */
#define DEFINE_PRODUCT(name, part)                              \
	WA_VECTORISED bool name(const WaStep *step)                 \
	{                                                           \
		const double *restrict a = wa_vector_floats(step->a);   \
		const double *restrict b = wa_vector_floats(step->b);   \
		double *restrict out = wa_vector_floats(step->out);     \
		size_t nrows = step->nrows;                             \
		uint64_t bad = 0;                                       \
		for (size_t i = 0; i < nrows; i++)                      \
		{                                                       \
			double product = a[i] * b[i];                       \
			uint64_t is_there = is_there_of(a[i], b[i]);        \
			bad |= is_there & is_beyond(a[i], b[i], product);   \
			out[i] = keep(part(a[i], b[i], product), is_there); \
		}                                                       \
		return bad == 0;                                        \
	}

/* The tests of core/product.h, as those above. */
static inline uint64_t
is_there_of(double x, double y)
{
	return (fabs(x) < INFINITY ? 1 : 0) & (fabs(y) < INFINITY ? 1 : 0) &
		   (x != 0.0 ? 1 : 0) & (y != 0.0 ? 1 : 0);
}

static inline uint64_t
is_beyond(double x, double y, double product)
{
	return (fabs(product) < WA_PRODUCT_SMALLEST ? 1 : 0) |
		   (fabs(product) >= WA_PRODUCT_LARGEST ? 1 : 0) |
		   (fabs(x) >= WA_PRODUCT_LARGEST_FACTOR ? 1 : 0) |
		   (fabs(y) >= WA_PRODUCT_LARGEST_FACTOR ? 1 : 0);
}

/* Returns a number, or 0. */
static inline double
keep(double x, uint64_t is_kept)
{
	return wa_bits_double(wa_double_bits(x) & (0 - is_kept));
}

DEFINE_PRODUCT(wa_float_high_part, high_product)
DEFINE_PRODUCT(wa_float_low_part, low_product)

WA_VECTORISED bool
wa_float_to_int(const WaStep *step)
{
	const double *restrict a = wa_vector_floats(step->a);
	int64_t *restrict out = wa_vector_ints(step->out);
	double limit = ldexp(1.0, (int) step->extra * 8 - 1);
	uint64_t bad = 0;
	size_t nrows = step->nrows;

	for (size_t i = 0; i < nrows; i++)
	{
		double rounded = round_to_even(a[i]);
		bool fits = rounded >= -limit && rounded < limit;

		bad |= fits ? 0 : 1;
		out[i] = (int64_t) (fits ? rounded : 0.0);
	}
	return bad == 0;
}
