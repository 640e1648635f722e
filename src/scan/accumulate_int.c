/*
 * accumulate_int.c
 *		Accumulators of integers, and of types stored as integers: sums in 128
 *		bits, sums of squares in 192.
 *
 * A record is the number of rows, then the sum, the sum of squares, the smallest
 * and the largest value, of these what the operations need.
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "scan/accumulate_kind.h"
#include "state/column.h"
#include "state/extreme.h"
#include "state/integer.h"

#define SUM_WORDS     2
#define SQUARES_WORDS 3

static inline int
squares_word(WaOpSet ops)
{
	return 1 + (wa_ops_have(ops, WA_OP_SUM) ? SUM_WORDS : 0);
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
int_record_words(WaOpSet ops)
{
	return record_words(ops);
}

static void
int_clear(uint64 *record, WaOpSet ops)
{
	if (wa_ops_have(ops, WA_OP_MIN))
		record[min_word(ops)] = (uint64) PG_INT64_MAX;
	if (wa_ops_have(ops, WA_OP_MAX))
		record[max_word(ops)] = (uint64) PG_INT64_MIN;
}

/* Offers values to the MIN and MAX of a record. */
static pg_attribute_always_inline void
offer(uint64 *record, const WaOpSet ops, int64 smallest, int64 largest)
{
	if (wa_ops_have(ops, WA_OP_MIN) && smallest < (int64) record[min_word(ops)])
		record[min_word(ops)] = (uint64) smallest;
	if (wa_ops_have(ops, WA_OP_MAX) && largest > (int64) record[max_word(ops)])
		record[max_word(ops)] = (uint64) largest;
}

/* Takes rows of many groups, with the operations, which are known here. */
static pg_attribute_always_inline void
take_grouped(const WaAccumulator *accumulator, const WaTakenRows *rows,
			 const WaOpSet ops)
{
	const uint32 *groups = rows->groups;
	const int64 *values = rows->values;
	uint64 *records = accumulator->records;

	for (size_t i = 0; i < rows->nrows; i++)
	{
		uint64 *record = records + (Size) groups[i] * record_words(ops);
		int64 value = values[i];

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
add_partial(uint64 *record, WaOpSet ops, const WaPartial *partial)
{
	if (wa_ops_have(ops, WA_OP_SUM))
		wa_int128_add((WaInt128 *) (record + 1), wa_int128_get(partial->sum));
	if (wa_ops_have(ops, WA_OP_SQUARES))
		wa_uint192_add((WaUint192 *) (record + squares_word(ops)),
					   partial->squares);
	offer(record, ops, partial->min.i, partial->max.i);
}

/* Takes rows of the one group. */
static void
take_together(const WaAccumulator *accumulator, const WaTakenRows *rows)
{
	const WaOpSet ops = accumulator->ops;
	uint64 *record = accumulator->records;
	const WaBatch batch = {
		.type = WA_INT8, .values = rows->values, .nrows = rows->nrows};
	WaPartial partial;

	wa_partial_init(&partial, NULL);
	wa_partial_fold(&partial, ops, &batch);
	add_partial(record, ops, &partial);
	record[0] += rows->nrows;
}

static void
int_take(WaAccumulator *accumulator, const WaTakenRows *rows)
{
	if (rows->groups == NULL)
	{
		take_together(accumulator, rows);
		return;
	}
	switch (accumulator->ops)
	{
#define X(set)                                \
	case set:                                 \
		take_grouped(accumulator, rows, set); \
		break;
		WA_OP_SET_LIST(X)
#undef X
	}
}

static bool
int_store(const WaAccumulator *accumulator, Datum value, int64 *stored,
		  uint8 *scale)
{
	switch (wa_type_storage(accumulator->plan->type))
	{
		case WA_I16:
			*stored = DatumGetInt16(value);
			return true;
		case WA_I32:
			*stored = DatumGetInt32(value);
			return true;
		case WA_U32:
			*stored = DatumGetUInt32(value);
			return true;
		case WA_I64:
			*stored = DatumGetInt64(value);
			return true;
		default:
			return false;
	}
}

static void
int_put(const WaAccumulator *accumulator, uint32 group, WaAggState *state)
{
	const WaOpSet ops = accumulator->ops;
	const uint64 *record = wa_accumulator_record(accumulator, group);
	WaPartial partial;

	wa_partial_init(&partial, NULL);
	if (wa_ops_have(ops, WA_OP_SQUARES))
		memcpy(&partial.squares, record + squares_word(ops), sizeof(WaUint192));
	if (wa_ops_have(ops, WA_OP_SUM))
	{
		memcpy(&partial.sum, record + 1, sizeof(WaInt128));
		accumulator->plan->kind->absorb(state, &partial);
	}
	if (wa_ops_have(ops, WA_OP_MIN))
		partial.min.u = record[min_word(ops)];
	if (wa_ops_have(ops, WA_OP_MAX))
		partial.max.u = record[max_word(ops)];
	wa_extreme_absorb(state, &partial);
}

static bool
int_merge(WaAccumulator *accumulator, uint32 group, const WaAggState *state)
{
	const WaOpSet ops = accumulator->ops;
	WaPartial partial;

	wa_partial_init(&partial, NULL);
	if (wa_ops_have(ops, WA_OP_SUM))
		wa_integer_get(state, &partial);
	if (wa_ops_have(ops, WA_OP_MIN))
		partial.min.i = wa_extreme_of(state, WA_OP_MIN)->i;
	if (wa_ops_have(ops, WA_OP_MAX))
		partial.max.i = wa_extreme_of(state, WA_OP_MAX)->i;
	add_partial(wa_accumulator_record(accumulator, group), ops, &partial);
	return true;
}

const WaAccumulatorKind wa_accumulate_int = {
	.record_words = int_record_words,
	.clear = int_clear,
	.take = int_take,
	.store = int_store,
	.merge = int_merge,
	.put = int_put,
};
