/*
 * program_select.c
 *		Choosing between two vectors, row by row.
 *
 * The value of a NULL condition is 0, so that its row is the second one's.
 */
#include <string.h>

#include "core/decimal.h"
#include "core/program_internal.h"

/* Chooses among bytes. */
WA_VECTORISED static void
select_bytes(const uint8_t *restrict condition, const uint8_t *restrict b,
			 const uint8_t *restrict c, uint8_t *restrict out, size_t nrows)
{
	for (size_t i = 0; i < nrows; i++)
		out[i] = c[i] ^ ((b[i] ^ c[i]) & (0 - condition[i]));
}

/* Chooses among values of 64 bits. */
WA_VECTORISED static void
select_words(const WaStep *step)
{
	const uint8_t *restrict condition = wa_vector_bools(step->a);
	const WaWord *restrict b = step->b->values;
	const WaWord *restrict c = step->c->values;
	WaWord *restrict out = step->out->values;
	size_t nrows = step->nrows;

	for (size_t i = 0; i < nrows; i++)
		out[i] = c[i] ^ ((b[i] ^ c[i]) & (0 - (uint64_t) condition[i]));
}

/* Chooses among texts. */
static void
select_texts(const WaStep *step)
{
	const uint8_t *condition = wa_vector_bools(step->a);
	const WaText *b = wa_vector_texts(step->b);
	const WaText *c = wa_vector_texts(step->c);
	WaText *out = wa_vector_texts(step->out);
	size_t nrows = step->nrows;

	for (size_t i = 0; i < nrows; i++)
		out[i] = *(condition[i] != 0 ? &b[i] : &c[i]);
}

/*
 * Brings the rows chosen from decimals of different scales to the larger one.
 * Those that were not chosen need not fit it.
 */
WA_VECTORISED static bool
scale_selected(const WaStep *step, uint8_t scale)
{
	const uint8_t *restrict condition = wa_vector_bools(step->a);
	int64_t *restrict out = wa_vector_ints(step->out);
	int64_t factor_b = wa_powers_of_ten[scale - step->b->scale];
	int64_t factor_c = wa_powers_of_ten[scale - step->c->scale];
	uint64_t overflow = 0;
	size_t nrows = step->nrows;

	for (size_t i = 0; i < nrows; i++)
	{
		int64_t factor = condition[i] != 0 ? factor_b : factor_c;

		overflow |= __builtin_mul_overflow(out[i], factor, &out[i]);
	}
	return overflow == 0;
}

/* Gives the result of a choice among decimals its scale, and each row its display. */
static void
select_display(const WaStep *step)
{
	const WaVector *b = step->b;
	const WaVector *c = step->c;
	uint8_t memory[2][WA_VECTOR_ROWS];

	step->out->scale = b->scale > c->scale ? b->scale : c->scale;
	step->out->mixed = b->mixed || c->mixed || b->scale != c->scale;
	if (step->out->mixed)
		select_bytes(wa_vector_bools(step->a),
					 wa_decimal_display(b, memory[0], step->nrows),
					 wa_decimal_display(c, memory[1], step->nrows),
					 step->out->display, step->nrows);
}

/* Chooses among decimals: each row is shown as where it comes from. */
static bool
select_decimals(const WaStep *step)
{
	select_words(step);
	select_display(step);
	return step->b->scale == step->c->scale ||
		   scale_selected(step, step->out->scale);
}

/* Chooses which rows are NULL. */
static void
select_nulls(const WaStep *step)
{
	uint8_t ones[WA_VECTOR_ROWS];

	step->out->has_nulls = step->b->has_nulls || step->c->has_nulls;
	if (!step->out->has_nulls)
		return;
	memset(ones, 1, step->nrows);
	select_bytes(wa_vector_bools(step->a),
				 step->b->has_nulls ? step->b->valid : ones,
				 step->c->has_nulls ? step->c->valid : ones, step->out->valid,
				 step->nrows);
}

bool
wa_select(const WaStep *step)
{
	select_nulls(step);
	switch ((WaVectorKind) step->extra)
	{
		case WA_VECTOR_DECIMAL:
			return select_decimals(step);
		case WA_VECTOR_BOOL:
			select_bytes(wa_vector_bools(step->a), wa_vector_bools(step->b),
						 wa_vector_bools(step->c), wa_vector_bools(step->out),
						 step->nrows);
			break;
		case WA_VECTOR_TEXT:
			select_texts(step);
			break;
		default:
			select_words(step);
			break;
	}
	return true;
}

/* Of decimals, some or all of the values or results being wide. */
bool
wa_wide_select(const WaStep *step)
{
	const WaVector *b = step->b;
	const WaVector *c = step->c;
	const uint8_t *condition = wa_vector_bools(step->a);
	__int128 values[WA_VECTOR_ROWS];
	__int128 factor_b;
	__int128 factor_c;

	if ((WaVectorKind) step->extra != WA_VECTOR_DECIMAL)
		return false;
	select_nulls(step);
	select_display(step);
	factor_b = wa_wide_power_of_ten(step->out->scale - b->scale);
	factor_c = wa_wide_power_of_ten(step->out->scale - c->scale);
	for (size_t i = 0; i < step->nrows; i++)
	{
		const bool is_b = condition[i] != 0;

		values[i] = wa_decimal_at(is_b ? b : c, i);
		if (!wa_wide_decimal_multiply(&values[i], is_b ? factor_b : factor_c))
			return false;
	}
	return wa_wide_store(step->out, step->out->scale, values, step->nrows);
}
