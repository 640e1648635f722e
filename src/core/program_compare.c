/*
 * program_compare.c
 *		Comparisons.
 *
 * A comparison is one of equality or one of order, either way round, and
 * perhaps the opposite of that.
 */
#include <string.h>

#include "core/decimal.h"
#include "core/program_internal.h"

/* Lists up to this long are searched value by value. */
#define SHORT_LIST 16

/* A comparison in terms of = and <. */
typedef struct Comparison
{
	bool order; /* <, else = */
	bool swap;
	uint8_t negate;
} Comparison;

static const Comparison comparisons[] = {
	[WA_EQUAL] = {false, false, 0}, [WA_NOT_EQUAL] = {false, false, 1},
	[WA_LESS] = {true, false, 0},   [WA_LESS_OR_EQUAL] = {true, true, 1},
	[WA_GREATER] = {true, true, 0}, [WA_GREATER_OR_EQUAL] = {true, false, 1},
};

/* Compares the values of two arrays, given what = and < of x and y are. */
#define DEFINE_COMPARE(name, type, equal, less)                   \
	WA_VECTORISED static void name(                               \
		const type *restrict left, const type *restrict right,    \
		uint32_t comparison, uint8_t *restrict out, size_t nrows) \
	{                                                             \
		Comparison how = comparisons[comparison];                 \
		const type *restrict a = how.swap ? right : left;         \
		const type *restrict b = how.swap ? left : right;         \
		if (how.order)                                            \
			for (size_t i = 0; i < nrows; i++)                    \
			{                                                     \
				type x = a[i];                                    \
				type y = b[i];                                    \
				out[i] = (uint8_t) (less) ^ how.negate;           \
			}                                                     \
		else                                                      \
			for (size_t i = 0; i < nrows; i++)                    \
			{                                                     \
				type x = a[i];                                    \
				type y = b[i];                                    \
				out[i] = (uint8_t) (equal) ^ how.negate;          \
			}                                                     \
	}

DEFINE_COMPARE(compare_ints, int64_t, x == y, x < y)
DEFINE_COMPARE(compare_bools, uint8_t, x == y, x < y)
/* float8_eq, float8_lt: x != x is a NaN */
DEFINE_COMPARE(compare_floats, double, (x == y) | ((x != x) & (y != y)),
			   (x < y) | ((x == x) & (y != y)))

bool
wa_compare_int(const WaStep *step)
{
	compare_ints(wa_vector_ints(step->a), wa_vector_ints(step->b), step->extra,
				 wa_vector_bools(step->out), step->nrows);
	return true;
}

bool
wa_compare_bool(const WaStep *step)
{
	compare_bools(wa_vector_bools(step->a), wa_vector_bools(step->b),
				  step->extra, wa_vector_bools(step->out), step->nrows);
	return true;
}

bool
wa_compare_float(const WaStep *step)
{
	compare_floats(wa_vector_floats(step->a), wa_vector_floats(step->b),
				   step->extra, wa_vector_bools(step->out), step->nrows);
	return true;
}

/* Returns whether a comparison holds for less (-1), equal (0), greater (1). */
static uint8_t
holds(uint32_t comparison, int order)
{
	Comparison how = comparisons[comparison];

	if (!how.order)
		return (order == 0 ? 1 : 0) ^ how.negate;
	return ((how.swap ? -order : order) < 0 ? 1 : 0) ^ how.negate;
}

/* Compares numbers that may not fit 64 bits, or not in the same scale. */
static void
compare_wide(const WaStep *step)
{
	const WaVector *a = step->a;
	const WaVector *b = step->b;
	uint8_t *out = wa_vector_bools(step->out);

	for (size_t i = 0; i < step->nrows; i++)
		out[i] = holds(step->extra,
					   wa_wide_decimal_compare(wa_decimal_at(a, i), a->scale,
											   wa_decimal_at(b, i), b->scale));
}

bool
wa_compare_decimal(const WaStep *step)
{
	int64_t memory[2][WA_VECTOR_ROWS];
	uint8_t scale =
		step->a->scale > step->b->scale ? step->a->scale : step->b->scale;
	const int64_t *a = NULL;
	const int64_t *b = NULL;

	if (!step->a->wide && !step->b->wide)
	{
		a = wa_decimal_at_scale(step->a, scale, memory[0], step->nrows);
		b = wa_decimal_at_scale(step->b, scale, memory[1], step->nrows);
	}
	if (a == NULL || b == NULL)
		compare_wide(step);
	else
		compare_ints(a, b, step->extra, wa_vector_bools(step->out),
					 step->nrows);
	return true;
}

/* An empty text may have no data at all. */
int
wa_texts_order(WaText a, WaText b)
{
	size_t length = a.length < b.length ? a.length : b.length;
	int order = length == 0 ? 0 : memcmp(a.data, b.data, length);

	return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

/* Tells whether two texts are the same. */
static bool
same_bytes(WaText a, WaText b)
{
	return a.length == b.length &&
		   (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

bool
wa_texts_compare(uint32_t comparison, WaText a, WaText b)
{
	if (comparisons[comparison].order)
		return holds(comparison, wa_texts_order(a, b)) != 0;
	return holds(comparison, same_bytes(a, b) ? 0 : 1) != 0;
}

bool
wa_compare_text(const WaStep *step)
{
	const WaText *a = wa_vector_texts(step->a);
	const WaText *b = wa_vector_texts(step->b);
	uint8_t *out = wa_vector_bools(step->out);
	size_t nrows = step->nrows;

	for (size_t i = 0; i < nrows; i++)
		out[i] = wa_texts_compare(step->extra, a[i], b[i]) ? 1 : 0;
	return true;
}

/* Tells whether a value is in a list that is not empty. */
static inline uint8_t
is_in_list(const WaIntList *list, int64_t value)
{
	const int64_t *first = list->values;
	size_t nvalues = list->nvalues;

	/* The value, if there, is among the nvalues from first on. */
	while (nvalues > 1)
	{
		size_t half = nvalues / 2;

		first += first[half] <= value ? half : 0;
		nvalues -= half;
	}
	return *first == value ? 1 : 0;
}

WA_VECTORISED bool
wa_in_int(const WaStep *step)
{
	const WaIntList *list = &step->program->lists[step->extra];
	const int64_t *restrict a = wa_vector_ints(step->a);
	uint8_t *restrict out = wa_vector_bools(step->out);
	size_t nrows = step->nrows;

	if (list->nvalues > SHORT_LIST)
	{
		for (size_t i = 0; i < nrows; i++)
			out[i] = is_in_list(list, a[i]);
		return true;
	}
	memset(out, 0, nrows);
	for (size_t k = 0; k < list->nvalues; k++)
	{
		int64_t value = list->values[k];

		for (size_t i = 0; i < nrows; i++)
			out[i] |= a[i] == value ? 1 : 0;
	}
	return true;
}

uint32_t
wa_comparison_turned(uint32_t comparison)
{
	static const WaComparison turned[] = {
		[WA_EQUAL] = WA_EQUAL,  [WA_NOT_EQUAL] = WA_NOT_EQUAL,
		[WA_LESS] = WA_GREATER, [WA_LESS_OR_EQUAL] = WA_GREATER_OR_EQUAL,
		[WA_GREATER] = WA_LESS, [WA_GREATER_OR_EQUAL] = WA_LESS_OR_EQUAL,
	};

	return turned[comparison];
}
