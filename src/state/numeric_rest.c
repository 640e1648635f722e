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
		rest->counts.nans += sign;
	else if (class == WA_NUMERIC_PLUS_INFINITY)
		rest->counts.plus_infinities += sign;
	else
		rest->counts.minus_infinities += sign;
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
	into->counts.nans += from->counts.nans;
	into->counts.plus_infinities += from->counts.plus_infinities;
	into->counts.minus_infinities += from->counts.minus_infinities;
}

Numeric
wa_numeric_rest_special(const WaNumericRest *rest)
{
	if (rest == NULL)
		return NULL;
	if (rest->counts.nans > 0 ||
		(rest->counts.plus_infinities > 0 && rest->counts.minus_infinities > 0))
		return wa_numeric_of_text("NaN");
	if (rest->counts.plus_infinities > 0)
		return wa_numeric_of_text("Infinity");
	if (rest->counts.minus_infinities > 0)
		return wa_numeric_of_text("-Infinity");
	return NULL;
}

void
wa_numeric_rest_write(const WaNumericRest *rest, StringInfo buffer)
{
	appendBinaryStringInfo(buffer, (const char *) &rest->counts,
						   sizeof(rest->counts));
	wa_digit_sum_write(&rest->sum, buffer);
	wa_digit_sum_write(&rest->squares, buffer);
}

void
wa_numeric_rest_read(WaNumericRest *rest, StringInfo buffer)
{
	pq_copymsgbytes(buffer, (char *) &rest->counts, sizeof(rest->counts));
	wa_digit_sum_read(&rest->sum, buffer);
	wa_digit_sum_read(&rest->squares, buffer);
}
