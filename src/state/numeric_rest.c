/*
 * numeric_rest.c
 *		What a sum of numeric has beside scaled integers; see numeric_rest.h.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "utils/memutils.h"

#include "state/numeric_rest.h"

WaNumericRest *
wa_numeric_rest_make(MemoryContext context)
{
	WaNumericRest *rest =
		MemoryContextAllocZero(context, sizeof(WaNumericRest));

	rest->context = context;
	rest->sum.context = context;
	rest->squares.context = context;
	return rest;
}

void
wa_numeric_rest_take(WaNumericRest *rest, const WaNumericView *number,
					 bool squares, int sign)
{
	wa_digit_sum_add(&rest->sum, number, sign);
	if (squares)
		wa_digit_sum_add_product(&rest->squares, number, number, sign);
}

void
wa_numeric_rest_count(WaNumericRest *rest, WaNumericClass class, int sign)
{
	if (class == WA_NUMERIC_NAN)
		rest->nans += sign;
	else if (class == WA_NUMERIC_PLUS_INFINITY)
		rest->plus_infinities += sign;
	else
		rest->minus_infinities += sign;
}

/* Returns the count of a scale, which it makes if there is none. */
static WaScaleCount *
find_scale(WaNumericRest *rest, uint16 scale)
{
	WaScaleCount *count;

	for (int i = 0; i < rest->nscales; i++)
		if (rest->scales[i].scale == scale)
			return &rest->scales[i];
	if (rest->scales == NULL)
		rest->scales = MemoryContextAlloc(rest->context, sizeof(WaScaleCount));
	else
		rest->scales = repalloc(rest->scales, (Size) (rest->nscales + 1) *
												  sizeof(WaScaleCount));
	count = &rest->scales[rest->nscales++];
	count->scale = scale;
	count->rows = 0;
	return count;
}

uint16
wa_numeric_rest_count_scale(WaNumericRest *rest, uint16 scale, int sign)
{
	WaScaleCount *count = find_scale(rest, scale);
	uint16 largest = 0;

	count->rows += sign;
	if (count->rows == 0)
		*count = rest->scales[--rest->nscales];
	for (int i = 0; i < rest->nscales; i++)
		largest = Max(largest, rest->scales[i].scale);
	return largest;
}

void
wa_numeric_rest_merge(WaNumericRest *into, const WaNumericRest *from)
{
	wa_digit_sum_merge(&into->sum, &from->sum);
	wa_digit_sum_merge(&into->squares, &from->squares);
	into->nans += from->nans;
	into->plus_infinities += from->plus_infinities;
	into->minus_infinities += from->minus_infinities;
}

Numeric
wa_numeric_rest_special(const WaNumericRest *rest)
{
	if (rest == NULL)
		return NULL;
	if (rest->nans > 0 ||
		(rest->plus_infinities > 0 && rest->minus_infinities > 0))
		return wa_numeric_of_text("NaN");
	if (rest->plus_infinities > 0)
		return wa_numeric_of_text("Infinity");
	if (rest->minus_infinities > 0)
		return wa_numeric_of_text("-Infinity");
	return NULL;
}

/* What stands before the sums of a serialized rest. */
typedef struct RestHeader
{
	int64 nans;
	int64 plus_infinities;
	int64 minus_infinities;
} RestHeader;

void
wa_numeric_rest_write(const WaNumericRest *rest, StringInfo buffer)
{
	RestHeader header = {.nans = rest->nans,
						 .plus_infinities = rest->plus_infinities,
						 .minus_infinities = rest->minus_infinities};

	appendBinaryStringInfo(buffer, (char *) &header, sizeof(header));
	wa_digit_sum_write(&rest->sum, buffer);
	wa_digit_sum_write(&rest->squares, buffer);
}

void
wa_numeric_rest_read(WaNumericRest *rest, StringInfo buffer)
{
	RestHeader header;

	pq_copymsgbytes(buffer, (char *) &header, sizeof(header));
	rest->nans = header.nans;
	rest->plus_infinities = header.plus_infinities;
	rest->minus_infinities = header.minus_infinities;
	wa_digit_sum_read(&rest->sum, buffer);
	wa_digit_sum_read(&rest->squares, buffer);
}
