/*
 * records_int.c
 *		Records of integers, and of types stored as integers: sums in 128 bits,
 *		sums of squares in 192.
 */
#include "query/records_kind.h"

static inline int
squares_word(WaOpSet ops)
{
	return wa_record_layout(WA_VECTOR_INT, ops).squares;
}

static inline int
min_word(WaOpSet ops)
{
	return wa_record_layout(WA_VECTOR_INT, ops).min;
}

static inline int
max_word(WaOpSet ops)
{
	return wa_record_layout(WA_VECTOR_INT, ops).max;
}

static inline int
record_words(WaOpSet ops)
{
	return wa_record_layout(WA_VECTOR_INT, ops).words;
}

static void
int_clear(uint64_t *record, WaOpSet ops)
{
	if (wa_ops_have(ops, WA_OP_MIN))
		record[min_word(ops)] = (uint64_t) INT64_MAX;
	if (wa_ops_have(ops, WA_OP_MAX))
		record[max_word(ops)] = (uint64_t) INT64_MIN;
}

/* Offers values to the MIN and MAX of a record. */
static WA_ALWAYS_INLINE void
offer(uint64_t *record, const WaOpSet ops, int64_t smallest, int64_t largest)
{
	if (wa_ops_have(ops, WA_OP_MIN) &&
		smallest < (int64_t) record[min_word(ops)])
		record[min_word(ops)] = (uint64_t) smallest;
	if (wa_ops_have(ops, WA_OP_MAX) &&
		largest > (int64_t) record[max_word(ops)])
		record[max_word(ops)] = (uint64_t) largest;
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
			records + (size_t) groups[i] * (size_t) record_words(ops);
		int64_t value = values[i];

		record[0]++;
		if (wa_ops_have(ops, WA_OP_SUM))
			wa_int128_add((WaInt128 *) (record + 1), value);
		if (wa_ops_have(ops, WA_OP_SQUARES))
			wa_uint192_add((WaUint192 *) (record + squares_word(ops)),
						   wa_uint192_make(wa_int64_square(value)));
		offer(record, ops, value, value);
	}
}

/* Adds a partial, but for the number of rows, to a record. */
static void
add_partial(uint64_t *record, WaOpSet ops, const WaPartial *partial)
{
	if (wa_ops_have(ops, WA_OP_SUM))
		wa_int128_add((WaInt128 *) (record + 1), wa_int128_get(partial->sum));
	if (wa_ops_have(ops, WA_OP_SQUARES))
		wa_uint192_add((WaUint192 *) (record + squares_word(ops)),
					   partial->squares);
	offer(record, ops, partial->min.i, partial->max.i);
}

static bool
int_take_batch(WaRecordTable *table, const WaBatch *batch, uint8_t scale)
{
	const WaOpSet ops = table->ops;
	WaPartial partial;

	(void) scale;
	wa_partial_init(&partial, NULL);
	wa_partial_fold(&partial, ops, batch);
	add_partial(table->records, ops, &partial);
	table->records[0] += batch->nrows;
	return true;
}

static void
int_take(WaRecordTable *table, const WaTakenRows *rows)
{
	const WaBatch batch = {
		.type = WA_INT8, .values = rows->values, .nrows = rows->nrows};

	if (rows->groups == NULL)
	{
		(void) int_take_batch(table, &batch, 0);
		return;
	}
	switch (table->ops)
	{
#define X(set)                          \
	case set:                           \
		take_grouped(table, rows, set); \
		break;
		WA_OP_SET_LIST(X)
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
		memcpy(&partial.squares, record->words + squares_word(ops),
			   sizeof(WaUint192));
	if (wa_ops_have(ops, WA_OP_MIN))
		partial.min.u = record->words[min_word(ops)];
	if (wa_ops_have(ops, WA_OP_MAX))
		partial.max.u = record->words[max_word(ops)];
	add_partial(wa_record_of(table, group), ops, &partial);
	return true;
}

const WaRecordKind wa_records_int = {
	.clear = int_clear,
	.take = int_take,
	.take_sums = int_take_sums,
	.take_batch = int_take_batch,
	.merge = int_merge,
};
