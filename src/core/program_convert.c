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

/* date2timestamp() */
WA_VECTORISED bool
wa_date_to_timestamp(const WaStep *step)
{
	const int64_t *restrict a = wa_vector_ints(step->a);
	uint64_t *restrict out = (uint64_t *) wa_vector_ints(step->out);
	uint64_t bad = 0;
	size_t nrows = step->nrows;

	for (size_t i = 0; i < nrows; i++)
	{
		bad |= a[i] < FIRST_DAY || a[i] >= END_DAY ? 1 : 0;
		out[i] = (uint64_t) a[i] * DAY_MICROSECONDS;
	}
	return bad == 0;
}

/* timestamp_date() */
WA_VECTORISED bool
wa_timestamp_to_date(const WaStep *step)
{
	const int64_t *restrict a = wa_vector_ints(step->a);
	int64_t *restrict out = wa_vector_ints(step->out);
	uint64_t bad = 0;
	size_t nrows = step->nrows;

	for (size_t i = 0; i < nrows; i++)
	{
		int64_t day = a[i] / DAY_MICROSECONDS;

		bad |= a[i] == INT64_MIN || a[i] == INT64_MAX ? 1 : 0;
		out[i] = day - (a[i] < day * DAY_MICROSECONDS ? 1 : 0);
	}
	return bad == 0;
}

/* Returns 1 if a timestamp has no microseconds since 1970, else 0. */
static inline uint64_t
is_before_or_after(int64_t time)
{
	return time == INT64_MIN || time > INT64_MAX - EPOCH_MICROSECONDS ? 1 : 0;
}

/* extract(epoch ...) */
WA_VECTORISED bool
wa_timestamp_to_decimal(const WaStep *step)
{
	const int64_t *restrict a = wa_vector_ints(step->a);
	uint64_t *restrict out = (uint64_t *) wa_vector_ints(step->out);
	uint64_t bad = 0;
	size_t nrows = step->nrows;

	step->out->scale = SECOND_SCALE;
	for (size_t i = 0; i < nrows; i++)
	{
		bad |= is_before_or_after(a[i]);
		out[i] = (uint64_t) a[i] + EPOCH_MICROSECONDS;
	}
	return bad == 0;
}

/* date_part('epoch', ...) */
WA_VECTORISED bool
wa_timestamp_to_float(const WaStep *step)
{
	const int64_t *restrict a = wa_vector_ints(step->a);
	double *restrict out = wa_vector_floats(step->out);
	uint64_t bad = 0;
	size_t nrows = step->nrows;

	for (size_t i = 0; i < nrows; i++)
	{
		uint64_t since = (uint64_t) a[i] + EPOCH_MICROSECONDS;

		bad |= is_before_or_after(a[i]);
		out[i] = (double) (int64_t) since / 1000000.0;
	}
	return bad == 0;
}
