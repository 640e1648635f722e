/*
 * gpu_records.c
 *		Keys and records of the groups that GPUs find; see gpu_records.h.
 */
#include <math.h>
#include <string.h>

#include "core/decimal.h"
#include "core/small_sum.h"
#include "daemon/gpu/gpu_records.h"

/* Adds the limbs of a sum that is not negative, times the sign, to a small sum. */
static bool
add_limbs(const WaExactSum *exact, double sign, WaInt128 *sum,
		  int16_t *exponent)
{
	for (int i = WA_EXACT_LIMBS - 1; i >= 0; i--)
	{
		const double number =
			sign * ldexp((double) exact->limbs[i],
						 i * WA_EXACT_LIMB_BITS + WA_EXACT_LOWEST_BIT);

		if (exact->limbs[i] != 0 &&
			(!isfinite(number) || !wa_small_sum_add(sum, exponent, number)))
			return false;
	}
	return true;
}

/* Makes a small sum of a normalized one; false if there is no room. */
static bool
shrink_sum(const WaExactSum *exact, WaInt128 *sum, int16_t *exponent)
{
	WaExactSum opposite;

	if (exact->positive_infinities != 0 || exact->negative_infinities != 0 ||
		exact->nans != 0)
		return false;
	if (exact->limbs[WA_EXACT_LIMBS - 1] >= 0)
		return add_limbs(exact, 1, sum, exponent);
	opposite = *exact;
	for (int i = 0; i < WA_EXACT_LIMBS; i++)
		opposite.limbs[i] = -exact->limbs[i];
	wa_exact_normalize(&opposite);
	return add_limbs(&opposite, -1, sum, exponent);
}

/* Stores the sums of floats: as small ones if they fit, else as a rest. */
static void
put_float_sums(WaOpSet ops, const WaPartial *partial,
			   const WaRecordLayout *layout, uint64_t *words, WaRecord *record)
{
	WaFloatHeader header = {.exponent = WA_NO_EXPONENT};
	WaInt128 sum = {0, 0};

	header.other = partial->exact->sum.negative_zeros != partial->rows;
	if (wa_ops_have(ops, WA_OP_SQUARES) ||
		!shrink_sum(&partial->exact->sum, &sum, &header.exponent))
	{
		header.exponent = WA_NO_EXPONENT;
		sum = (WaInt128){0, 0};
		record->rest = partial->exact;
	}
	memcpy(words + layout->header, &header, sizeof(header));
	memcpy(words + layout->sum, &sum, sizeof(sum));
}

/* Multiplies a number by a factor; false if it gets too large. */
static bool
multiply(WaUint192 *number, uint64_t factor)
{
	unsigned __int128 carry = 0;

	for (int i = 0; i < 3; i++)
	{
		carry += (unsigned __int128) number->word[i] * factor;
		number->word[i] = (uint64_t) carry;
		carry >>= 64;
	}
	return carry == 0;
}

/* Stores the sums of decimals, in units of a scale that is a multiple of 4. */
static bool
put_decimal_sums(WaOpSet ops, const WaCudaCell *cell,
				 const WaRecordLayout *layout, uint64_t *words,
				 WaRecord *record)
{
	const int padding = (4 - cell->scale % 4) % 4;
	const int64_t factor = wa_powers_of_ten[padding];
	WaUint192 squares = cell->partial.squares;
	WaInt128 sum;
	__int128 total;

	if (__builtin_mul_overflow(wa_int128_get(cell->partial.sum),
							   (__int128) factor, &total))
		return false;
	record->scale = cell->scale + padding;
	sum = wa_int128_make(total);
	memcpy(words + layout->sum, &sum, sizeof(sum));
	if (!wa_ops_have(ops, WA_OP_SQUARES))
		return true;
	if (!multiply(&squares, (uint64_t) (factor * factor)))
		return false;
	memcpy(words + layout->squares, &squares, sizeof(squares));
	return true;
}

/* Stores what a record of decimals has beside the smallest and the largest. */
static bool
put_decimal(WaOpSet ops, const WaCudaCell *cell, const WaRecordLayout *layout,
			uint64_t *words, WaRecord *record)
{
	const WaDecimalHeader header = {
		.display = wa_ops_have(ops, WA_OP_SUM) ? cell->display : 0,
		.min_scale = cell->scale,
		.min_display = cell->min_display,
		.max_scale = cell->scale,
		.max_display = cell->max_display,
	};

	memcpy(words + layout->header, &header, sizeof(header));
	return !wa_ops_have(ops, WA_OP_SUM) ||
		   put_decimal_sums(ops, cell, layout, words, record);
}

/* Stores the sums of integers, or their bits. */
static void
put_int_sums(WaOpSet ops, const WaPartial *partial,
			 const WaRecordLayout *layout, uint64_t *words)
{
	if (wa_ops_have(ops, WA_OP_SUM))
		memcpy(words + layout->sum, &partial->sum, sizeof(partial->sum));
	if (wa_ops_have(ops, WA_OP_SQUARES))
		memcpy(words + layout->squares, &partial->squares,
			   sizeof(partial->squares));
	for (WaOp op = WA_OP_BIT_AND; op < WA_OP_COUNT; op++)
		if (wa_ops_have(ops, op))
			words[wa_record_bits(*layout, ops, op)] =
				partial->bits[op - WA_OP_BIT_AND];
}

/* Returns the smallest or the largest of wide values. */
static WaWideExtreme
wide_extreme(const WaCudaCell *cell, WaValue value, uint8_t display)
{
	return (WaWideExtreme){
		.value = value.wide, .scale = cell->scale, .display = display};
}

_Static_assert(WA_CUDA_SQUARES_WORDS == WA_WIDE_SQUARES_WORDS,
			   "squares have as many words in records");

/* Stores what a record has of values of 128 bits in its rest. */
static void
put_wide(WaOpSet ops, const WaCudaCell *cell, WaWideRest *rest)
{
	const WaPartial *partial = &cell->partial;

	memset(rest, 0, sizeof(*rest));
	rest->rows = (uint64_t) partial->rows;
	rest->scale = cell->scale;
	if (wa_ops_have(ops, WA_OP_SUM))
	{
		rest->display = cell->display;
		memcpy(rest->sum, cell->sum, sizeof(cell->sum));
		rest->sum[3] = (int64_t) cell->sum[2] < 0 ? UINT64_MAX : 0;
	}
	if (wa_ops_have(ops, WA_OP_SQUARES))
		memcpy(rest->squares, cell->squares, sizeof(rest->squares));
	if (wa_ops_have(ops, WA_OP_MIN))
		rest->min = wide_extreme(cell, partial->min, cell->min_display);
	if (wa_ops_have(ops, WA_OP_MAX))
		rest->max = wide_extreme(cell, partial->max, cell->max_display);
}

bool
wa_gpu_record_make(const WaQueryColumn *column, const WaCudaCell *cell,
				   uint64_t words[WA_RECORD_MAX_WORDS], WaWideRest *rest,
				   WaRecord *record)
{
	const WaOpSet ops = column->ops;
	const WaPartial *partial = &cell->partial;
	const WaRecordLayout layout = wa_record_layout(column->kind, ops);

	memset(words, 0, WA_RECORD_MAX_WORDS * sizeof(*words));
	words[0] = (uint64_t) partial->rows;
	*record = (WaRecord){.words = words};
	if (ops == 0 || partial->rows == 0)
		return true;
	if (cell->is_wide)
	{
		put_wide(ops, cell, rest);
		record->wide = rest;
		return true;
	}
	if (wa_ops_have(ops, WA_OP_MIN))
		words[layout.min] = partial->min.u;
	if (wa_ops_have(ops, WA_OP_MAX))
		words[layout.max] = partial->max.u;
	if (column->kind == WA_VECTOR_DECIMAL)
		return put_decimal(ops, cell, &layout, words, record);
	if (column->kind == WA_VECTOR_INT)
		put_int_sums(ops, partial, &layout, words);
	else if (wa_ops_have(ops, WA_OP_SUM))
		put_float_sums(ops, partial, &layout, words, record);
	return true;
}

WaQueryValue
wa_gpu_key_value(WaVectorKind kind, const WaCudaKey *key,
				 char bytes[WA_WIDE_DECIMAL_BYTES])
{
	WaQueryValue value = {.is_null = key->is_null};

	if (key->is_null)
		return value;
	value.integer = key->word;
	if (kind == WA_VECTOR_FLOAT)
		memcpy(&value.number, &key->word, sizeof(value.number));
	if (kind == WA_VECTOR_DECIMAL)
	{
		value.scale = key->scale;
		value.shown = key->display;
	}
	if (key->is_wide)
		wa_decimal_make_value((WaInt128){(uint64_t) key->word, key->high},
							  key->scale, bytes, &value);
	return value;
}
