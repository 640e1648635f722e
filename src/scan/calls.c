/*
 * calls.c
 *		Functions of one vector that programs call; see calls.h.
 */
#include "postgres.h"

#include "datatype/timestamp.h"

#include "scan/calls.h"

/* Microseconds from 1970-01-01 to PostgreSQL's epoch. */
#define EPOCH_USECS \
	((int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY)

/* Digits after the point of extract(epoch ...). */
#define EPOCH_SCALE 6

/*
 * The quotient of numeric_div has at least 16 - 4 w digits after the point, if it
 * has w + 1 digits of base 10000 before it.  A quotient of whole numbers that is
 * not whole itself is further from the next whole number than 1 / divisor; so
 * rounding does not take it there if the divisor has no more digits than that.
 */
static const struct
{
	int64 divisor_below;
	int64 quotient_below;
} exact_floors[] = {
	{INT64CONST(100000000), INT64CONST(1000000000000)},
	{INT64CONST(1000000000000), INT64CONST(100000000)},
};

/* Gives the result the NULLs of its argument. */
static void
copy_nulls(const WaVector *a, WaVector *out, size_t nrows)
{
	out->has_nulls = a->has_nulls;
	out->mixed = false;
	out->scale = 0;
	if (a->has_nulls)
		memcpy(out->valid, a->valid, nrows);
}

WaText
wa_trim(WaText text)
{
	while (text.length > 0 && text.data[text.length - 1] == ' ')
		text.length--;
	return text;
}

bool
wa_trim_call(void *context, const WaVector *a, WaVector *out, size_t nrows)
{
	copy_nulls(a, out, nrows);
	for (size_t i = 0; i < nrows; i++)
		wa_vector_texts(out)[i] = wa_trim(wa_vector_texts(a)[i]);
	return true;
}

/* Returns microseconds since 1970, or false if a row is infinite or too far. */
static bool
since_epoch(const WaVector *a, int64 *results, size_t nrows)
{
	bool trapped = false;

	for (size_t i = 0; i < nrows; i++)
	{
		int64 valid = wa_vector_is_valid(a, i);

		trapped |= wa_vector_ints(a)[i] == PG_INT64_MIN;
		trapped |= __builtin_add_overflow(wa_vector_ints(a)[i],
										  valid * EPOCH_USECS, &results[i]);
	}
	return !trapped;
}

bool
wa_epoch_decimal_call(void *context, const WaVector *a, WaVector *out,
					  size_t nrows)
{
	copy_nulls(a, out, nrows);
	out->scale = EPOCH_SCALE;
	return since_epoch(a, wa_vector_ints(out), nrows);
}

bool
wa_epoch_float_call(void *context, const WaVector *a, WaVector *out,
					size_t nrows)
{
	int64 usecs[WA_VECTOR_ROWS];

	copy_nulls(a, out, nrows);
	if (!since_epoch(a, usecs, nrows))
		return false;
	for (size_t i = 0; i < nrows; i++)
		wa_vector_floats(out)[i] = (double) usecs[i] / 1000000.0;
	return true;
}

/* Multiplies by a power of ten; false if it does not fit. */
static bool
shift(int64 *value, int digits)
{
	for (; digits > 0; digits--)
		if (__builtin_mul_overflow(*value, INT64CONST(10), value))
			return false;
	return true;
}

/* Divides by whole units of the rows, rounding down. */
static bool
divide_rows(const WaVector *a, int64 divisor, int digits, int64 limit,
			int64 *results, size_t nrows)
{
	bool trapped = false;

	for (size_t i = 0; i < nrows; i++)
	{
		int64 value = wa_vector_ints(a)[i];
		int64 quotient;

		if (!shift(&value, digits))
			return false;
		quotient = value / divisor - (value % divisor < 0);
		trapped |= quotient >= limit || quotient <= -limit;
		results[i] = quotient;
	}
	return !trapped;
}

bool
wa_floor_divide_call(void *context, const WaVector *a, WaVector *out,
					 size_t nrows)
{
	const WaDivisor *divisor = (const WaDivisor *) context;
	int64 units = divisor->value;
	int digits = divisor->scale - a->scale; /* that the rows have too few */

	copy_nulls(a, out, nrows);
	if (divisor->is_null)
	{
		memset(out->values, 0, nrows * sizeof(int64));
		memset(out->valid, 0, nrows);
		out->has_nulls = true;
		return true;
	}
	if (units <= 0 || !shift(&units, -digits))
		return false;
	for (int i = 0; i < lengthof(exact_floors); i++)
		if (units < exact_floors[i].divisor_below)
			return divide_rows(a, units, digits, exact_floors[i].quotient_below,
							   wa_vector_ints(out), nrows);
	return false;
}
