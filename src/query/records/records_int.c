/*
 * records_int.c
 *		Records of integers, and of types stored as integers: sums in 128 bits,
 *		sums of squares in 192, what operations over bits come to in 64.
 */
#include "query/records/records_internal.h"

/* Returns where the parts of a record are. */
static WA_ALWAYS_INLINE WaRecordLayout
layout_of(const WaOpSet ops)
{
	return wa_record_layout(WA_VECTOR_INT, ops);
}

static void
int_clear(uint64_t *record, WaOpSet ops)
{
	if (wa_ops_have(ops, WA_OP_MIN))
		record[layout_of(ops).min] = (uint64_t) INT64_MAX;
	if (wa_ops_have(ops, WA_OP_MAX))
		record[layout_of(ops).max] = (uint64_t) INT64_MIN;
	for (WaOp op = WA_OP_BIT_AND; op < WA_OP_COUNT; op++)
		if (wa_ops_have(ops, op))
			record[wa_record_bits(layout_of(ops), ops, op)] =
				wa_bits_of_none(op);
}

/* Offers values to the MIN and MAX of a record. */
static WA_ALWAYS_INLINE void
offer(uint64_t *record, const WaOpSet ops, int64_t smallest, int64_t largest)
{
	if (wa_ops_have(ops, WA_OP_MIN) &&
		smallest < (int64_t) record[layout_of(ops).min])
		record[layout_of(ops).min] = (uint64_t) smallest;
	if (wa_ops_have(ops, WA_OP_MAX) &&
		largest > (int64_t) record[layout_of(ops).max])
		record[layout_of(ops).max] = (uint64_t) largest;
}

/* Adds bits, by operation, to those of a record. */
static WA_ALWAYS_INLINE void
add_bits(uint64_t *record, const WaOpSet ops, const uint64_t *bits)
{
	for (WaOp op = WA_OP_BIT_AND; op < WA_OP_COUNT; op++)
	{
		uint64_t *word = record + wa_record_bits(layout_of(ops), ops, op);

		if (wa_ops_have(ops, op))
			*word = wa_bits_of_two(op, *word, bits[op - WA_OP_BIT_AND]);
	}
}

/* Takes rows of many groups, with the operations, which are known here. */
static WA_ALWAYS_INLINE void
take_grouped(const WaRecordTable *table, const WaTakenRows *rows,
			 const WaOpSet ops)
{
	const uint32_t *groups = rows->groups;
	const int64_t *values = rows->values;
	uint64_t *records = table->records;

	for (size_t i = 0; i < rows->nrows; i++)
	{
		uint64_t *record =
			records + (size_t) groups[i] * (size_t) layout_of(ops).words;
		int64_t value = values[i];

		record[0]++;
		if (wa_ops_have(ops, WA_OP_SUM))
			wa_int128_add((WaInt128 *) (record + 1), value);
		if (wa_ops_have(ops, WA_OP_SQUARES))
			wa_uint192_add((WaUint192 *) (record + layout_of(ops).squares),
						   wa_uint192_make(wa_int64_square(value)));
		offer(record, ops, value, value);
	}
}

/* The same of operations over bits. */
static WA_ALWAYS_INLINE void
take_bits(const WaRecordTable *table, const WaTakenRows *rows,
		  const WaOpSet ops)
{
	const int64_t *values = rows->values;

	for (size_t i = 0; i < rows->nrows; i++)
	{
		uint64_t *record = table->records + (size_t) rows->groups[i] *
												(size_t) layout_of(ops).words;
		const uint64_t bits[] = {(uint64_t) values[i], (uint64_t) values[i],
								 (uint64_t) values[i]};

		record[0]++;
		add_bits(record, ops, bits);
	}
}

/* Adds a partial, but for the number of rows, to a record. */
static void
add_partial(uint64_t *record, WaOpSet ops, const WaPartial *partial)
{
	if (wa_ops_have(ops, WA_OP_SUM))
		wa_int128_add((WaInt128 *) (record + 1), wa_int128_get(partial->sum));
	if (wa_ops_have(ops, WA_OP_SQUARES))
		wa_uint192_add((WaUint192 *) (record + layout_of(ops).squares),
					   partial->squares);
	offer(record, ops, partial->min.i, partial->max.i);
	add_bits(record, ops, partial->bits);
}

static bool
int_take_together(WaRecordTable *table, const WaTakenRows *rows)
{
	WaPartial partial;

	wa_partial_init(&partial, NULL);
	wa_taken_rows_fold(rows, table->ops, &partial);
	add_partial(table->records, table->ops, &partial);
	return true;
}

static void
int_take(WaRecordTable *table, const WaTakenRows *rows)
{
	switch (table->ops)
	{
#define X(set)                          \
	case set:                           \
		take_grouped(table, rows, set); \
		break;
		WA_OP_SET_LIST(X)
#undef X
#define X(set)                       \
	case set:                        \
		take_bits(table, rows, set); \
		break;
		WA_BIT_SET_LIST(X)
#undef X
	}
}

static bool
int_take_sums(WaRecordTable *table, const uint32_t *counts, const int64_t *sums,
			  uint8_t scale)
{
	(void) scale;
	for (uint32_t group = 0; group < table->ngroups; group++)
	{
		uint64_t *record = wa_record_of(table, group);

		record[0] += counts[group];
		wa_int128_add((WaInt128 *) (record + 1), sums[group]);
	}
	return true;
}

static bool
int_merge(WaRecordTable *table, uint32_t group, const WaRecord *record)
{
	const WaOpSet ops = table->ops;
	WaPartial partial;

	wa_partial_init(&partial, NULL);
	if (wa_ops_have(ops, WA_OP_SUM))
		memcpy(&partial.sum, record->words + 1, sizeof(WaInt128));
	if (wa_ops_have(ops, WA_OP_SQUARES))
		memcpy(&partial.squares, record->words + layout_of(ops).squares,
			   sizeof(WaUint192));
	if (wa_ops_have(ops, WA_OP_MIN))
		partial.min.u = record->words[layout_of(ops).min];
	if (wa_ops_have(ops, WA_OP_MAX))
		partial.max.u = record->words[layout_of(ops).max];
	wa_record_get_bits(layout_of(ops), ops, record, &partial);
	add_partial(wa_record_of(table, group), ops, &partial);
	return true;
}

const WaRecordKind wa_records_int = {
	.clear = int_clear,
	.take = int_take,
	.take_together = int_take_together,
	.take_sums = int_take_sums,
	.merge = int_merge,
};
