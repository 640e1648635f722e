/*
 * records_decimal.c
 *		Records of numerics that come as integers in units of 10^-scale.
 *
 * The sums of all groups are in units of one scale, which is a multiple of four,
 * as in transition states (state/numeric.c); it rises when a vector has a larger
 * one.  The smallest and the largest value keep their own scales.  A value that
 * cannot be added goes to the table's owner.  Of wide values: records_wide.c.
 */
#include "core/decimal.h"
#include "query/records/records_internal.h"

#define SUM_WORDS 2

/* Of 2^30 sums of squares of so many bits the sum fits 190 bits. */
#define SQUARES_BITS 160

/* Returns where the parts of a record are. */
static WA_ALWAYS_INLINE WaRecordLayout
layout_of(const WaOpSet ops)
{
	return wa_record_layout(WA_VECTOR_DECIMAL, ops);
}

static inline WaDecimalHeader *
header_of(const uint64_t *record)
{
	return (WaDecimalHeader *) (record + 1);
}

static inline WaInt128 *
sum_of(const uint64_t *record)
{
	return (WaInt128 *) (record + 2);
}

static inline WaUint192 *
squares_of(const uint64_t *record)
{
	return (WaUint192 *) (record + 2 + SUM_WORDS);
}

/* No value is larger than the first smallest one, which has scale 0. */
static void
decimal_clear(uint64_t *record, WaOpSet ops)
{
	if (wa_ops_have(ops, WA_OP_MIN))
		record[layout_of(ops).min] = (uint64_t) INT64_MAX;
	if (wa_ops_have(ops, WA_OP_MAX))
		record[layout_of(ops).max] = (uint64_t) INT64_MIN;
}

/* Tells whether a value is less than another of another scale. */
static WA_NOINLINE bool
scaled_less(int64_t a, int a_scale, int64_t b, int b_scale)
{
	int scale = a_scale > b_scale ? a_scale : b_scale;

	return (__int128) a * wa_powers_of_ten[scale - a_scale] <
		   (__int128) b * wa_powers_of_ten[scale - b_scale];
}

static inline bool
decimal_less(int64_t a, int a_scale, int64_t b, int b_scale)
{
	return WA_LIKELY(a_scale == b_scale) ? a < b
										 : scaled_less(a, a_scale, b, b_scale);
}

/* Tells whether a value beats another one in the operation, MIN or MAX. */
static WA_ALWAYS_INLINE bool
beats(const WaOp op, int64_t a, int a_scale, int64_t b, int b_scale)
{
	return op == WA_OP_MIN ? decimal_less(a, a_scale, b, b_scale)
						   : decimal_less(b, b_scale, a, a_scale);
}

/*
 * Offers a value to the MIN or MAX of a group, if it has that.  Of equal ones that is
 * kept which shows more digits.
 */
static WA_ALWAYS_INLINE void
offer(uint64_t *record, const WaOpSet ops, const WaOp op, int64_t value,
	  uint8_t scale, uint8_t display)
{
	const bool is_min = op == WA_OP_MIN;
	WaDecimalHeader *header = header_of(record);
	uint64_t *kept = &record[is_min ? layout_of(ops).min : layout_of(ops).max];
	uint8_t *kept_scale = is_min ? &header->min_scale : &header->max_scale;
	uint8_t *kept_display =
		is_min ? &header->min_display : &header->max_display;

	if (!wa_ops_have(ops, op) ||
		beats(op, (int64_t) *kept, *kept_scale, value, scale) ||
		(display <= *kept_display &&
		 !beats(op, value, scale, (int64_t) *kept, *kept_scale)))
		return;
	*kept = (uint64_t) value;
	*kept_scale = scale;
	*kept_display = display;
}

/* Notes that so many digits are shown of a row. */
static inline void
note_display(uint64_t *record, uint8_t display)
{
	WaDecimalHeader *header = header_of(record);

	if (header->display < display)
		header->display = display;
}

/*
 * Adds a value, by the factor to the scale of the sums, to those of a record;
 * false, with nothing changed, if there is no room.
 */
static WA_ALWAYS_INLINE bool
add(uint64_t *record, const WaOpSet ops, int64_t value, int64_t factor)
{
	__int128 units = (__int128) value * factor;
	__int128 total;

	if (wa_ops_have(ops, WA_OP_SQUARES) &&
		WA_UNLIKELY(units != (int64_t) units))
		return false;
	if (WA_UNLIKELY(__builtin_add_overflow(wa_int128_get(*sum_of(record)),
										   units, &total)))
		return false;
	*sum_of(record) = wa_int128_make(total);
	if (wa_ops_have(ops, WA_OP_SQUARES))
		wa_uint192_add(squares_of(record),
					   wa_uint192_make(wa_int64_square((int64_t) units)));
	return true;
}

/* Takes rows of many groups, with the operations, which are known here. */
static WA_ALWAYS_INLINE void
take_grouped(WaRecordTable *table, const WaTakenRows *rows,
			 const uint32_t *groups, int64_t factor, const WaOpSet ops)
{
	const int64_t *values = rows->values;
	const uint8_t *shown = rows->display;
	const size_t step = rows->step;
	const size_t nrows = rows->nrows;
	const uint8_t scale = rows->scale;
	uint64_t *records = table->records;

	for (size_t i = 0; i < nrows; i++)
	{
		uint64_t *record =
			records + (size_t) groups[i] * (size_t) layout_of(ops).words;
		int64_t value = values[i];
		uint8_t display = shown[i * step];

		if (wa_ops_have(ops, WA_OP_SUM))
		{
			if (!add(record, ops, value, factor))
			{
				wa_record_refuse(table, groups[i], value, scale, display);
				continue;
			}
			note_display(record, display);
		}
		record[0]++;
		offer(record, ops, WA_OP_MIN, value, scale, display);
		offer(record, ops, WA_OP_MAX, value, scale, display);
	}
}

/* Returns how many digits are shown at most of the rows with a value, which there are. */
static uint8_t
most_display(const WaTakenRows *rows, int64_t value)
{
	const int64_t *values = rows->values;
	uint8_t most = 0;

	if (rows->step == 0)
		return *rows->display;
	for (size_t i = 0; i < rows->nrows; i++)
		if (values[i] == value && rows->display[i] > most)
			most = rows->display[i];
	return most;
}

/*
 * Adds the sums of a partial, by the factor to the scale of a record's, to those;
 * false, with nothing changed, if there is no room.
 */
static bool
add_sums(uint64_t *record, WaOpSet ops, const WaPartial *partial,
		 int64_t factor)
{
	WaUint192 squares = partial->squares;
	__int128 total;

	if (wa_ops_have(ops, WA_OP_SQUARES) &&
		!(wa_uint192_multiply(&squares, (uint64_t) factor, SQUARES_BITS) &&
		  wa_uint192_multiply(&squares, (uint64_t) factor, SQUARES_BITS)))
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

/* Raises the scale of a record's sums by four digits; false if it cannot. */
static bool
raise_record(uint64_t *record, WaOpSet ops)
{
	__int128 sum;

	if (__builtin_mul_overflow(wa_int128_get(*sum_of(record)),
							   (__int128) WA_NUMERIC_BASE, &sum) ||
		(wa_ops_have(ops, WA_OP_SQUARES) &&
		 !wa_uint192_multiply(squares_of(record),
							  WA_NUMERIC_BASE * WA_NUMERIC_BASE, SQUARES_BITS)))
		return false;
	*sum_of(record) = wa_int128_make(sum);
	return true;
}

/* Raises the scale of all sums by four digits. */
static void
raise_scale(WaRecordTable *table)
{
	/* What cannot be raised is moved while its scale is the present one. */
	for (uint32_t group = 0; group < table->ngroups; group++)
		if (!raise_record(wa_record_of(table, group), table->ops))
			wa_record_flush(table, group);
	table->scale += WA_NUMERIC_BASE_DIGITS;
}

/*
 * Raises the scale of the sums to one of rows at least; returns the factor from
 * theirs to it, 0 if that is too large.
 */
static int64_t
factor_of(WaRecordTable *table, uint8_t scale)
{
	while (table->scale < scale)
		raise_scale(table);
	return table->scale - scale >= WA_DECIMAL_POWERS
			   ? 0
			   : wa_powers_of_ten[table->scale - scale];
}

static bool
decimal_take_together(WaRecordTable *table, const WaTakenRows *rows)
{
	const WaOpSet ops = table->ops;
	const int64_t factor =
		wa_ops_have(ops, WA_OP_SUM) ? factor_of(table, rows->scale) : 1;
	uint64_t *record = table->records;
	WaPartial partial;

	if (factor == 0)
		return false;
	wa_partial_init(&partial, NULL);
	wa_taken_rows_fold(rows, ops, &partial);
	if (wa_ops_have(ops, WA_OP_SUM))
	{
		if (!add_sums(record, ops, &partial, factor))
			return false;
		for (size_t i = 0; i < (rows->step == 0 ? 1 : rows->nrows); i++)
			note_display(record, rows->display[i]);
	}
	if (wa_ops_have(ops, WA_OP_MIN))
		offer(record, ops, WA_OP_MIN, partial.min.i, rows->scale,
			  most_display(rows, partial.min.i));
	if (wa_ops_have(ops, WA_OP_MAX))
		offer(record, ops, WA_OP_MAX, partial.max.i, rows->scale,
			  most_display(rows, partial.max.i));
	return true;
}

/* Tells whether sums, times a factor, have room in the records. */
static bool
have_room(const WaRecordTable *table, const int64_t *sums, int64_t factor)
{
	for (uint32_t group = 0; group < table->ngroups; group++)
	{
		__int128 total;

		if (__builtin_add_overflow(
				wa_int128_get(*sum_of(wa_record_of(table, group))),
				(__int128) sums[group] * factor, &total))
			return false;
	}
	return true;
}

static bool
decimal_take_sums(WaRecordTable *table, const uint32_t *counts,
				  const int64_t *sums, uint8_t scale)
{
	const int64_t factor = factor_of(table, scale);

	if (factor == 0 || !have_room(table, sums, factor))
		return false;
	for (uint32_t group = 0; group < table->ngroups; group++)
	{
		uint64_t *record = wa_record_of(table, group);

		if (counts[group] == 0)
			continue;
		record[0] += counts[group];
		wa_int128_add(sum_of(record), (__int128) sums[group] * factor);
		note_display(record, scale);
	}
	return true;
}

static void
decimal_take(WaRecordTable *table, const WaTakenRows *rows)
{
	static const uint32_t zeros[WA_VECTOR_ROWS];
	const uint32_t *groups = rows->groups != NULL ? rows->groups : zeros;
	const int64_t *values = rows->values;
	int64_t factor = 1;

	if (wa_ops_have(table->ops, WA_OP_SUM))
	{
		factor = factor_of(table, rows->scale);
		if (factor == 0)
		{
			for (size_t i = 0; i < rows->nrows; i++)
				wa_record_refuse(table, groups[i], values[i], rows->scale,
								 rows->display[i * rows->step]);
			return;
		}
	}
	switch (table->ops)
	{
#define X(set)                                          \
	case set:                                           \
		take_grouped(table, rows, groups, factor, set); \
		break;
		WA_OP_SET_LIST(X)
#undef X
	}
}

/* Adds the sums of a record of narrow rows to those of a group; false: cannot. */
static bool
merge_sums(WaRecordTable *table, uint32_t group, const WaRecord *from)
{
	uint64_t *record = wa_record_of(table, group);
	WaPartial partial;

	while (table->scale < from->scale)
		raise_scale(table);
	if (table->scale - from->scale >= WA_DECIMAL_POWERS)
		return false;
	wa_partial_init(&partial, NULL);
	partial.sum = *sum_of(from->words);
	if (wa_ops_have(table->ops, WA_OP_SQUARES))
		partial.squares = *squares_of(from->words);
	if (!add_sums(record, table->ops, &partial,
				  wa_powers_of_ten[table->scale - from->scale]))
		return false;
	note_display(record, header_of(from->words)->display);
	return true;
}

/* Offers the extremes of a record of narrow rows to those of a group. */
static void
merge_extremes(WaRecordTable *table, uint32_t group, const WaRecord *record)
{
	const WaOpSet ops = table->ops;
	const WaDecimalHeader *from = header_of(record->words);
	uint64_t *into = wa_record_of(table, group);

	if (wa_ops_have(ops, WA_OP_MIN))
		offer(into, ops, WA_OP_MIN, (int64_t) record->words[layout_of(ops).min],
			  from->min_scale, from->min_display);
	if (wa_ops_have(ops, WA_OP_MAX))
		offer(into, ops, WA_OP_MAX, (int64_t) record->words[layout_of(ops).max],
			  from->max_scale, from->max_display);
}

static bool
decimal_merge(WaRecordTable *table, uint32_t group, const WaRecord *record)
{
	const bool has_narrow = wa_record_has_narrow(record);

	if (!wa_records_fit_wide(table, group, record->wide))
		return false;
	if (has_narrow && wa_ops_have(table->ops, WA_OP_SUM) &&
		!merge_sums(table, group, record))
		return false;
	if (has_narrow)
		merge_extremes(table, group, record);
	wa_records_merge_wide(table, group, record->wide);
	return true;
}

static bool
decimal_is_sound(WaOpSet ops, const WaRecord *record)
{
	const WaDecimalHeader *header = header_of(record->words);

	return header->display <= WA_DECIMAL_MAX_SCALE &&
		   header->min_scale <= WA_DECIMAL_MAX_SCALE &&
		   header->min_display <= WA_WIDE_MAX_SCALE &&
		   header->max_scale <= WA_DECIMAL_MAX_SCALE &&
		   header->max_display <= WA_WIDE_MAX_SCALE && record->scale >= 0 &&
		   record->scale <= WA_MAX_SUM_SCALE &&
		   record->scale % WA_NUMERIC_BASE_DIGITS == 0 &&
		   (!wa_ops_have(ops, WA_OP_SQUARES) ||
			squares_of(record->words)->word[2] >> 62 == 0);
}

const WaRecordKind wa_records_decimal = {
	.clear = decimal_clear,
	.take = decimal_take,
	.take_together = decimal_take_together,
	.take_sums = decimal_take_sums,
	.merge = decimal_merge,
	.is_sound = decimal_is_sound,
	.show_rest = wa_records_show_wide,
};
