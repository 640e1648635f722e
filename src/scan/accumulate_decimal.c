/*
 * accumulate_decimal.c
 *		Accumulators of numerics that come as integers in units of 10^-scale.
 *
 * The sums of all groups are in units of one scale, which is a multiple of four,
 * as in transition states (state/numeric.c); it rises when a vector has a larger
 * one.  The smallest and the largest value keep their own scales.  A value that
 * cannot be added goes to the group's transition state.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "scan/accumulate_kind.h"
#include "state/column.h"
#include "state/extreme.h"
#include "state/numeric.h"
#include "state/numeric_format.h"

#define SUM_WORDS     2
#define SQUARES_WORDS 3

/* The scale of sums is never larger: that of a DECIMAL, rounded up. */
#define MAX_SUM_SCALE 20

/* Of 2^30 sums of squares of so many bits the sum fits 190 bits. */
#define SQUARES_BITS 160

/* What a record has after the number of rows: digits after the point. */
typedef struct DecimalHeader
{
	uint8 display;     /* the most that are shown */
	uint8 min_scale;   /* of the smallest value */
	uint8 min_display; /* shown of it */
	uint8 max_scale;
	uint8 max_display;
} DecimalHeader;

static inline int
squares_word(WaOpSet ops)
{
	return 2 + (wa_ops_have(ops, WA_OP_SUM) ? SUM_WORDS : 0);
}

static inline int
min_word(WaOpSet ops)
{
	return squares_word(ops) +
		   (wa_ops_have(ops, WA_OP_SQUARES) ? SQUARES_WORDS : 0);
}

static inline int
max_word(WaOpSet ops)
{
	return min_word(ops) + wa_ops_have(ops, WA_OP_MIN);
}

static inline int
record_words(WaOpSet ops)
{
	return max_word(ops) + wa_ops_have(ops, WA_OP_MAX);
}

static int
decimal_record_words(WaOpSet ops)
{
	return record_words(ops);
}

static inline DecimalHeader *
header_of(const uint64 *record)
{
	return (DecimalHeader *) (record + 1);
}

static inline WaInt128 *
sum_of(const uint64 *record)
{
	return (WaInt128 *) (record + 2);
}

static inline WaUint192 *
squares_of(const uint64 *record)
{
	return (WaUint192 *) (record + 2 + SUM_WORDS);
}

/* No value is larger than the first smallest one, which has scale 0. */
static void
decimal_clear(uint64 *record, WaOpSet ops)
{
	if (wa_ops_have(ops, WA_OP_MIN))
		record[min_word(ops)] = (uint64) PG_INT64_MAX;
	if (wa_ops_have(ops, WA_OP_MAX))
		record[max_word(ops)] = (uint64) PG_INT64_MIN;
}

/* Tells whether a value is less than another of another scale. */
static pg_noinline bool
scaled_less(int64 a, int a_scale, int64 b, int b_scale)
{
	int scale = Max(a_scale, b_scale);

	return (__int128) a * wa_powers_of_ten[scale - a_scale] <
		   (__int128) b * wa_powers_of_ten[scale - b_scale];
}

static inline bool
decimal_less(int64 a, int a_scale, int64 b, int b_scale)
{
	return likely(a_scale == b_scale) ? a < b
									  : scaled_less(a, a_scale, b, b_scale);
}

/* Offers a value to the MIN of a record; of equal ones the later is kept. */
static pg_attribute_always_inline void
offer_min(uint64 *record, const WaOpSet ops, int64 value, uint8 scale,
		  uint8 display)
{
	DecimalHeader *header = header_of(record);

	if (decimal_less((int64) record[min_word(ops)], header->min_scale, value,
					 scale))
		return;
	record[min_word(ops)] = (uint64) value;
	header->min_scale = scale;
	header->min_display = display;
}

static pg_attribute_always_inline void
offer_max(uint64 *record, const WaOpSet ops, int64 value, uint8 scale,
		  uint8 display)
{
	DecimalHeader *header = header_of(record);

	if (decimal_less(value, scale, (int64) record[max_word(ops)],
					 header->max_scale))
		return;
	record[max_word(ops)] = (uint64) value;
	header->max_scale = scale;
	header->max_display = display;
}

/* Notes that so many digits are shown of a row. */
static inline void
note_display(uint64 *record, uint8 display)
{
	DecimalHeader *header = header_of(record);

	if (header->display < display)
		header->display = display;
}

/* Takes one row into the state of its group. */
static pg_noinline void
take_into_state(WaAccumulator *accumulator, uint32 group, int64 value,
				int scale, int display)
{
	WaAggState *state = wa_accumulator_flush(accumulator, group);
	MemoryContext old;

	MemoryContextReset(accumulator->scratch);
	old = MemoryContextSwitchTo(accumulator->scratch);
	wa_state_take(
		state, NumericGetDatum(wa_numeric_from_decimal(value, scale, display)));
	MemoryContextSwitchTo(old);
}

/*
 * Adds a value, by the factor to the scale of the sums, to those of a record;
 * false, with nothing changed, if there is no room.
 */
static pg_attribute_always_inline bool
add(uint64 *record, const WaOpSet ops, int64 value, int64 factor)
{
	__int128 units = (__int128) value * factor;
	__int128 total;

	if (wa_ops_have(ops, WA_OP_SQUARES) && unlikely(units != (int64) units))
		return false;
	if (unlikely(__builtin_add_overflow(wa_int128_get(*sum_of(record)), units,
										&total)))
		return false;
	*sum_of(record) = wa_int128_make(total);
	if (wa_ops_have(ops, WA_OP_SQUARES))
		wa_uint192_add(squares_of(record),
					   wa_uint192_make(wa_int64_square((int64) units)));
	return true;
}

/* Takes rows of many groups, with the operations, which are known here. */
static pg_attribute_always_inline void
take_grouped(WaAccumulator *accumulator, const WaTakenRows *rows,
			 const uint32 *groups, int64 factor, const WaOpSet ops)
{
	const int64 *values = rows->values;
	const uint8 scale = rows->scale;
	uint64 *records = accumulator->records;

	for (size_t i = 0; i < rows->nrows; i++)
	{
		uint64 *record = records + (Size) groups[i] * record_words(ops);
		int64 value = values[i];
		uint8 display = rows->display[i * rows->step];

		if (wa_ops_have(ops, WA_OP_SUM))
		{
			if (!add(record, ops, value, factor))
			{
				take_into_state(accumulator, groups[i], value, scale, display);
				continue;
			}
			note_display(record, display);
		}
		record[0]++;
		if (wa_ops_have(ops, WA_OP_MIN))
			offer_min(record, ops, value, scale, display);
		if (wa_ops_have(ops, WA_OP_MAX))
			offer_max(record, ops, value, scale, display);
	}
}

/* Returns how many digits are shown of the last row with a value. */
static uint8
last_display(const WaTakenRows *rows, int64 value)
{
	const int64 *values = rows->values;
	size_t row = rows->nrows;

	if (rows->step == 0)
		return *rows->display;
	while (values[--row] != value)
		;
	return rows->display[row];
}

/* Multiplies a number by a factor; false, unchanged, if it gets too large. */
static bool
multiply_squares(WaUint192 *squares, uint64 factor)
{
	WaUint192 product;
	unsigned __int128 carry = 0;

	for (int i = 0; i < 3; i++)
	{
		carry += (unsigned __int128) squares->word[i] * factor;
		product.word[i] = (uint64) carry;
		carry >>= 64;
	}
	if (carry != 0 || product.word[2] >> (SQUARES_BITS - 128) != 0)
		return false;
	*squares = product;
	return true;
}

/*
 * Adds the sums of a partial, by the factor to the scale of a record's, to those;
 * false, with nothing changed, if there is no room.
 */
static bool
add_sums(uint64 *record, WaOpSet ops, const WaPartial *partial, int64 factor)
{
	WaUint192 squares = partial->squares;
	__int128 total;

	if (wa_ops_have(ops, WA_OP_SQUARES) &&
		!(multiply_squares(&squares, (uint64) factor) &&
		  multiply_squares(&squares, (uint64) factor)))
		return false;
	if (__builtin_mul_overflow(wa_int128_get(partial->sum), (__int128) factor,
							   &total) ||
		__builtin_add_overflow(wa_int128_get(*sum_of(record)), total, &total))
		return false;
	*sum_of(record) = wa_int128_make(total);
	if (wa_ops_have(ops, WA_OP_SQUARES))
		wa_uint192_add(squares_of(record), squares);
	return true;
}

/* Takes rows of the one group; false, with nothing changed, if it cannot. */
static bool
take_together(WaAccumulator *accumulator, const WaTakenRows *rows, int64 factor)
{
	const WaOpSet ops = accumulator->ops;
	uint64 *record = accumulator->records;
	const WaBatch batch = {
		.type = WA_NUMERIC, .values = rows->values, .nrows = rows->nrows};
	WaPartial partial;

	wa_partial_init(&partial, NULL);
	wa_partial_fold(&partial, ops, &batch);
	if (wa_ops_have(ops, WA_OP_SUM))
	{
		if (!add_sums(record, ops, &partial, factor))
			return false;
		for (size_t i = 0; i < (rows->step == 0 ? 1 : rows->nrows); i++)
			note_display(record, rows->display[i]);
	}
	record[0] += rows->nrows;
	if (wa_ops_have(ops, WA_OP_MIN))
		offer_min(record, ops, partial.min.i, rows->scale,
				  last_display(rows, partial.min.i));
	if (wa_ops_have(ops, WA_OP_MAX))
		offer_max(record, ops, partial.max.i, rows->scale,
				  last_display(rows, partial.max.i));
	return true;
}

/* Raises the scale of a record's sums by four digits; false if it cannot. */
static bool
raise_record(uint64 *record, WaOpSet ops)
{
	__int128 sum;

	if (__builtin_mul_overflow(wa_int128_get(*sum_of(record)),
							   (__int128) WA_NUMERIC_BASE, &sum) ||
		(wa_ops_have(ops, WA_OP_SQUARES) &&
		 !multiply_squares(squares_of(record),
						   WA_NUMERIC_BASE * WA_NUMERIC_BASE)))
		return false;
	*sum_of(record) = wa_int128_make(sum);
	return true;
}

/* Raises the scale of all sums by four digits. */
static void
raise_scale(WaAccumulator *accumulator)
{
	/* What cannot be raised is moved while its scale is the present one. */
	for (uint32 group = 0; group < accumulator->ngroups; group++)
		if (!raise_record(wa_accumulator_record(accumulator, group),
						  accumulator->ops))
			wa_accumulator_flush(accumulator, group);
	accumulator->scale += WA_NUMERIC_BASE_DIGITS;
}

static void
decimal_take(WaAccumulator *accumulator, const WaTakenRows *rows)
{
	static const uint32 zeros[WA_VECTOR_ROWS];
	const uint32 *groups = rows->groups != NULL ? rows->groups : zeros;
	const int64 *values = rows->values;
	int64 factor = 1;

	if (wa_ops_have(accumulator->ops, WA_OP_SUM))
	{
		while (accumulator->scale < rows->scale)
			raise_scale(accumulator);
		if (accumulator->scale - rows->scale >= WA_DECIMAL_POWERS)
		{
			for (size_t i = 0; i < rows->nrows; i++)
				take_into_state(accumulator, groups[i], values[i], rows->scale,
								rows->display[i * rows->step]);
			return;
		}
		factor = wa_powers_of_ten[accumulator->scale - rows->scale];
	}
	if (rows->groups == NULL && take_together(accumulator, rows, factor))
		return;
	switch (accumulator->ops)
	{
#define X(set)                                                \
	case set:                                                 \
		take_grouped(accumulator, rows, groups, factor, set); \
		break;
		WA_OP_SET_LIST(X)
#undef X
	}
}

static bool
decimal_store(const WaAccumulator *accumulator, Datum value, int64 *stored,
			  uint8 *scale)
{
	WaNumericView view;

	wa_numeric_view((Numeric) PG_DETOAST_DATUM_PACKED(value), &view);
	if (view.class != WA_NUMERIC_FINITE ||
		view.display_scale > WA_DECIMAL_MAX_SCALE ||
		!wa_numeric_to_decimal(&view, view.display_scale, stored))
		return false;
	*scale = (uint8) view.display_scale;
	return true;
}

/* Adds the sums of a state to those of a record; false if it cannot. */
static bool
merge_sums(WaAccumulator *accumulator, uint32 group, const WaAggState *state)
{
	uint64 *record = wa_accumulator_record(accumulator, group);
	WaPartial partial;
	int scale;
	int display;

	wa_partial_init(&partial, NULL);
	if (!wa_numeric_get_units(state, &partial, &scale, &display) ||
		scale * WA_NUMERIC_BASE_DIGITS > MAX_SUM_SCALE ||
		display > WA_DECIMAL_MAX_SCALE)
		return false;
	while (accumulator->scale < scale * WA_NUMERIC_BASE_DIGITS)
		raise_scale(accumulator);
	if (accumulator->scale - scale * WA_NUMERIC_BASE_DIGITS >=
			WA_DECIMAL_POWERS ||
		!add_sums(record, accumulator->ops, &partial,
				  wa_powers_of_ten[accumulator->scale -
								   scale * WA_NUMERIC_BASE_DIGITS]))
		return false;
	note_display(record, (uint8) display);
	return true;
}

/* Stores the smallest or largest value of a state; false if it does not fit. */
static bool
load_extreme(const WaAccumulator *accumulator, const WaAggState *state, WaOp op,
			 int64 *value, uint8 *scale)
{
	return !wa_ops_have(accumulator->ops, op) ||
		   decimal_store(accumulator, wa_extreme_of(state, op)->datum, value,
						 scale);
}

static bool
decimal_merge(WaAccumulator *accumulator, uint32 group, const WaAggState *state)
{
	const WaOpSet ops = accumulator->ops;
	uint64 *record;
	int64 min;
	int64 max;
	uint8 min_scale;
	uint8 max_scale;

	if (!load_extreme(accumulator, state, WA_OP_MIN, &min, &min_scale) ||
		!load_extreme(accumulator, state, WA_OP_MAX, &max, &max_scale) ||
		(wa_ops_have(ops, WA_OP_SUM) && !merge_sums(accumulator, group, state)))
		return false;
	record = wa_accumulator_record(accumulator, group);
	if (wa_ops_have(ops, WA_OP_MIN))
		offer_min(record, ops, min, min_scale, min_scale);
	if (wa_ops_have(ops, WA_OP_MAX))
		offer_max(record, ops, max, max_scale, max_scale);
	return true;
}

static void
decimal_put(const WaAccumulator *accumulator, uint32 group, WaAggState *state)
{
	const WaOpSet ops = accumulator->ops;
	const uint64 *record = wa_accumulator_record(accumulator, group);
	const DecimalHeader *header = header_of(record);
	MemoryContext old = MemoryContextSwitchTo(accumulator->scratch);
	WaPartial partial;

	wa_partial_init(&partial, NULL);
	if (wa_ops_have(ops, WA_OP_SQUARES))
		partial.squares = *squares_of(record);
	if (wa_ops_have(ops, WA_OP_SUM))
	{
		partial.sum = *sum_of(record);
		wa_numeric_set_unit(state, accumulator->scale / WA_NUMERIC_BASE_DIGITS,
							header->display);
		accumulator->plan->kind->absorb(state, &partial);
	}
	if (wa_ops_have(ops, WA_OP_MIN))
		wa_extreme_offer(state, WA_OP_MIN,
						 NumericGetDatum(wa_numeric_from_decimal(
							 (int64) record[min_word(ops)], header->min_scale,
							 header->min_display)));
	if (wa_ops_have(ops, WA_OP_MAX))
		wa_extreme_offer(state, WA_OP_MAX,
						 NumericGetDatum(wa_numeric_from_decimal(
							 (int64) record[max_word(ops)], header->max_scale,
							 header->max_display)));
	MemoryContextSwitchTo(old);
}

const WaAccumulatorKind wa_accumulate_decimal = {
	.record_words = decimal_record_words,
	.clear = decimal_clear,
	.take = decimal_take,
	.store = decimal_store,
	.merge = decimal_merge,
	.put = decimal_put,
};
