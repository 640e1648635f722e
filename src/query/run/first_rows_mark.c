/*
 * first_rows_mark.c
 *		Which rows may still be among the first, as far as an input tells; see first_rows.h.
 *
 * It is compared with the last row that is wanted so far, in loops over the values as they lie in
 * memory: for most rows nothing else has to be computed then.
 */
#include <math.h>

#include "core/vectorised.h"
#include "query/run/first_rows_internal.h"
#include "query/run/order_rank.h"
#include "query/run/run_conditions.h"

/* Tells for floats whether they are at most so much, and for NaN that it is not. */
#define DEFINE_AT_MOST(name, type)                                            \
	WA_VECTORISED static void name(const type *restrict values, size_t nrows, \
								   double most, uint8_t *restrict marks)      \
	{                                                                         \
		for (size_t i = 0; i < nrows; i++)                                    \
			marks[i] = values[i] <= most;                                     \
	}

/* Likewise whether they are at least so much, which NaN is. */
#define DEFINE_AT_LEAST(name, type)                                           \
	WA_VECTORISED static void name(const type *restrict values, size_t nrows, \
								   double least, uint8_t *restrict marks)     \
	{                                                                         \
		for (size_t i = 0; i < nrows; i++)                                    \
			marks[i] = !(values[i] < least);                                  \
	}

DEFINE_AT_MOST(are_at_most_float4, float)
DEFINE_AT_MOST(are_at_most_float8, double)
DEFINE_AT_LEAST(are_at_least_float4, float)
DEFINE_AT_LEAST(are_at_least_float8, double)

/* Marks floats whose ranks are at most so much, or at least, if the order descends. */
static bool
mark_floats(const WaColumnRows *rows, size_t nrows, Rank rank, bool descending,
			uint8_t *marks)
{
	const int64_t infinity = wa_float_rank(INFINITY);
	double limit;

	/* There are ranks without floats beyond. */
	if (rank > infinity || rank < -infinity)
		return false;
	limit = wa_rank_float((int64_t) rank);
	if (rows->form == WA_FORM_FLOAT4)
		(descending ? are_at_least_float4
					: are_at_most_float4)(rows->values, nrows, limit, marks);
	else
		(descending ? are_at_least_float8
					: are_at_most_float8)(rows->values, nrows, limit, marks);
	for (size_t i = 0; i < nrows && rows->validity != NULL; i++)
		marks[i] &= rows->validity[i];
	return true;
}

/* Returns a number divided by a positive one, rounded down. */
static Rank
divide_down(Rank number, Rank by)
{
	return number / by - (number % by < 0);
}

/* Likewise integers, or decimals, which are in units of 10^-scale. */
static bool
mark_integers(const WaColumnRows *rows, size_t nrows, Rank rank,
			  bool descending, uint8_t *marks)
{
	const Rank unit =
		rows->form == WA_FORM_DECIMAL32 || rows->form == WA_FORM_DECIMAL64
			? wa_decimal_rank(1, rows->scale)
			: 1;
	const Rank limit =
		descending ? -divide_down(-rank, unit) : divide_down(rank, unit);
	const WaRunCondition condition = {
		.least = descending ? (int64_t) limit : INT64_MIN,
		.most = descending ? INT64_MAX : (int64_t) limit};

	return limit == (int64_t) limit &&
		   wa_run_condition_apply(&condition, rows, NULL, nrows, marks);
}

bool
wa_first_rows_mark(const WaFirstRows *first, const WaColumnRows *inputs,
				   size_t nrows, uint8_t *marks)
{
	const WaOrderBy *order = &first->query->top_n.orders[0];
	const uint16_t number = first->query->key_numbers[order->number];
	const WaColumnRows *rows = &inputs[number];
	Rank rank = first->last[0];

	if (!first->has_last || number >= first->query->ninputs ||
		(order->nulls_first && rows->validity != NULL))
		return false;
	/* With one order alone, rows that are equal to the last do not come before it. */
	if (first->norders == 1)
		rank--;
	if (order->descending)
		rank = ~rank;
	switch (first->query->keys[order->number].kind)
	{
		case WA_VECTOR_FLOAT:
			return mark_floats(rows, nrows, rank, order->descending, marks);
		case WA_VECTOR_INT:
		case WA_VECTOR_DECIMAL:
			return mark_integers(rows, nrows, rank, order->descending, marks);
		default:
			return false;
	}
}
