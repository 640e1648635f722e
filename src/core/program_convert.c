/*
 * program_convert.c
 *		Instructions from one kind, or one SQL type, to another.
 */
#include <string.h>

#include "core/decimal.h"
#include "core/program_internal.h"

/* The first days that dates and timestamps do and do not have, since 2000. */
#define FIRST_DAY INT64_C(-2451545)
#define END_DAY   INT64_C(106751983)

#define DAY_MICROSECONDS INT64_C(86400000000)

/* Microseconds from 1970 to 2000, and the digits after the point of seconds. */
#define EPOCH_MICROSECONDS INT64_C(946684800000000)
#define SECOND_SCALE       6

/* Up to here, and down to its negative, each integer is a double. */
#define WHOLE_DOUBLES (INT64_C(1) << 53)

WA_VECTORISED bool
wa_int_to_float(const WaStep *step)
{
	const int64_t *restrict a = wa_vector_ints(step->a);
	double *restrict out = wa_vector_floats(step->out);
	size_t nrows = step->nrows;

	if (step->extra == 4)
		for (size_t i = 0; i < nrows; i++)
			out[i] = (double) (float) a[i];
	else
		for (size_t i = 0; i < nrows; i++)
			out[i] = (double) a[i];
	return true;
}

WA_VECTORISED bool
wa_int_to_decimal(const WaStep *step)
{
	memcpy(step->out->values, step->a->values, step->nrows * sizeof(int64_t));
	return true;
}

/*
 * Returns 1 if a double lies exactly between two float4, else 0: if it was
 * rounded, nobody knows to which of them the number before should be.
 */
static inline uint64_t
is_between_floats(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return (bits & 0x1fffffff) == 0x10000000 ? 1 : 0;
}

/*
 * Where value and power of ten are exact doubles, the quotient is rounded once,
 * as what strtod() returns for the digits.  A float4 is rounded twice, which
 * makes a difference only between two of them; these trap.
 */
WA_VECTORISED bool
wa_decimal_to_float(const WaStep *step)
{
	const int64_t *restrict a = wa_vector_ints(step->a);
	double *restrict out = wa_vector_floats(step->out);
	double power = (double) wa_powers_of_ten[step->a->scale];
	uint64_t bad = 0;
	size_t nrows = step->nrows;

	if (step->extra == 4)
		for (size_t i = 0; i < nrows; i++)
		{
			double quotient = (double) a[i] / power;

			bad |= 1 - wa_int_within(a[i], WHOLE_DOUBLES);
			bad |= is_between_floats(quotient);
			out[i] = (double) (float) quotient;
		}
	else
		for (size_t i = 0; i < nrows; i++)
		{
			bad |= 1 - wa_int_within(a[i], WHOLE_DOUBLES);
			out[i] = (double) a[i] / power;
		}
	return bad == 0;
}

bool
wa_decimal_scale(const WaStep *step)
{
	for (size_t i = 0; i < step->nrows; i++)
		wa_vector_ints(step->out)[i] = wa_decimal_shown(step->a, i);
	return true;
}

/* Tells whether a timestamp has no microseconds since 1970. */
static inline bool
is_before_or_after(int64_t time)
{
	return time == INT64_MIN || time > INT64_MAX - EPOCH_MICROSECONDS;
}

/* The day of a timestamp, rounded down. */
static inline int64_t
day_of(int64_t time)
{
	int64_t day = time / DAY_MICROSECONDS;

	return day - (time < day * DAY_MICROSECONDS ? 1 : 0);
}

/*
 * Conversions of times x: the result of another type, which is shown with so many
 * digits, and whether it traps.
 */
#define DEFINE_CONVERSION(name, type, values_of, digits, result, trap) \
	WA_VECTORISED bool name(const WaStep *step)                        \
	{                                                                  \
		const int64_t *restrict a = wa_vector_ints(step->a);           \
		type *restrict out = values_of(step->out);                     \
		uint64_t bad = 0;                                              \
		size_t nrows = step->nrows;                                    \
		step->out->scale = (digits);                                   \
		for (size_t i = 0; i < nrows; i++)                             \
		{                                                              \
			int64_t x = a[i];                                          \
			bad |= (trap) ? 1 : 0;                                     \
			out[i] = (type) (result);                                  \
		}                                                              \
		return bad == 0;                                               \
	}

#define SINCE_1970(x) ((int64_t) ((uint64_t) (x) + EPOCH_MICROSECONDS))

/* date2timestamp() */
DEFINE_CONVERSION(wa_date_to_timestamp, int64_t, wa_vector_ints, 0,
				  (uint64_t) x *DAY_MICROSECONDS, x < FIRST_DAY || x >= END_DAY)
/* timestamp_date() */
DEFINE_CONVERSION(wa_timestamp_to_date, int64_t, wa_vector_ints, 0, day_of(x),
				  x == INT64_MIN || x == INT64_MAX)
/* extract(epoch ...) */
DEFINE_CONVERSION(wa_timestamp_to_decimal, int64_t, wa_vector_ints,
				  SECOND_SCALE, SINCE_1970(x), is_before_or_after(x))
/* date_part('epoch', ...) */
DEFINE_CONVERSION(wa_timestamp_to_float, double, wa_vector_floats, 0,
				  (double) SINCE_1970(x) / 1000000.0, is_before_or_after(x))
