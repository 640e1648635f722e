/*
 * accumulate_float.c
 *		Accumulators of floats: exact sums.
 *
 * A record has the sum, and that of squares, as small sums (core/small_sum.h).
 * What these refuse, and whole vectors of the one group, are in a rest, which is
 * wide.
 */
#include "postgres.h"

#include <math.h>

#include "scan/accumulate_kind.h"
#include "state/column.h"
#include "state/extreme.h"
#include "state/float.h"

#define SUM_WORDS     2
#define SQUARES_WORDS 4

/* What a record with a sum has after the number of rows. */
typedef struct SumHeader
{
	int16
		exponent; /* of the sum; NO_EXPONENT while no row was a number but 0 */
	int16 squares_exponent;
	bool other; /* some row is not -0 */
} SumHeader;

/* Nothing can be added in units of it. */
#define NO_EXPONENT 0x7000

/* Of an ordinary double, above the bits that are stored of its significand. */
#define HIDDEN_BIT ((uint64) 1 << 52)

/* Significands shifted by more do not fit 128 bits. */
#define MAX_SHIFT 73

/* What the small sums of a group do not have. */
typedef struct FloatRest
{
	int64 additions;  /* since the sums were normalized */
	WaExactPart part; /* without squares if the plan has none */
} FloatRest;

static inline int
squares_word(WaOpSet ops)
{
	return 2 + SUM_WORDS;
}

static inline int
min_word(WaOpSet ops)
{
	return !wa_ops_have(ops, WA_OP_SUM)       ? 1
		   : !wa_ops_have(ops, WA_OP_SQUARES) ? 2 + SUM_WORDS
											  : 2 + SUM_WORDS + SQUARES_WORDS;
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
float_record_words(WaOpSet ops)
{
	return record_words(ops);
}

static inline SumHeader *
header_of(const uint64 *record)
{
	return (SumHeader *) (record + 1);
}

static inline WaInt128 *
sum_of(const uint64 *record)
{
	return (WaInt128 *) (record + 2);
}

static inline WaInt256 *
squares_of(const uint64 *record)
{
	return (WaInt256 *) (record + 2 + SUM_WORDS);
}

/* The last value of the order is the first smallest one, and vice versa. */
static void
float_clear(uint64 *record, WaOpSet ops)
{
	if (wa_ops_have(ops, WA_OP_SUM))
		header_of(record)->exponent = NO_EXPONENT;
	if (wa_ops_have(ops, WA_OP_MIN))
		record[min_word(ops)] = wa_double_bits(NAN);
	if (wa_ops_have(ops, WA_OP_MAX))
		record[max_word(ops)] = wa_double_bits(-INFINITY);
}

/* Returns a group's rest, which is made if there is none. */
static FloatRest *
rest_of(WaAccumulator *accumulator, uint32 group)
{
	void **rest = wa_accumulator_rest(accumulator, group);

	if (*rest == NULL)
		*rest = MemoryContextAllocZero(
			accumulator->context, wa_ops_have(accumulator->ops, WA_OP_SQUARES)
									  ? sizeof(FloatRest)
									  : offsetof(FloatRest, part.squares));
	return *rest;
}

/* Normalizes the sums of a rest. */
static void
normalize(const WaAccumulator *accumulator, FloatRest *rest)
{
	if (rest->additions == 0)
		return;
	wa_exact_normalize(&rest->part.sum);
	if (wa_ops_have(accumulator->ops, WA_OP_SQUARES))
		wa_squares_normalize(&rest->part.squares);
	rest->additions = 0;
}

/* Adds a finite number to small sums; false, with nothing changed, if not. */
static bool
add_small(uint64 *record, WaOpSet ops, double x)
{
	SumHeader *header = header_of(record);
	WaInt128 sum_before = *sum_of(record);
	int16 exponent_before = header->exponent;

	if (!wa_small_sum_add(sum_of(record), &header->exponent, x))
		return false;
	if (wa_ops_have(ops, WA_OP_SQUARES) &&
		!wa_small_squares_add(squares_of(record), &header->squares_exponent, x))
	{
		*sum_of(record) = sum_before;
		header->exponent = exponent_before;
		return false;
	}
	return true;
}

/* Adds any number to the sums of a group. */
static pg_noinline void
add_with_care(WaAccumulator *accumulator, uint32 group, double x)
{
	uint64 *record = wa_accumulator_record(accumulator, group);
	FloatRest *rest;

	if (x != 0 || !signbit(x))
		header_of(record)->other = true;
	if (wa_is_finite(x) && add_small(record, accumulator->ops, x))
		return;
	rest = rest_of(accumulator, group);
	wa_exact_add(&rest->part.sum, x);
	if (wa_ops_have(accumulator->ops, WA_OP_SQUARES))
		wa_squares_add(&rest->part.squares, x);
	if (++rest->additions >= WA_EXACT_MAX_ADDITIONS)
		normalize(accumulator, rest);
}

/*
 * Adds a number to a sum in the sum's units, as wa_small_sum_add does.  Returns
 * false, with nothing changed, if it has no room there or is not an ordinary
 * number.
 */
static pg_attribute_always_inline bool
add_quickly(WaInt128 *sum, int exponent, double x)
{
	uint64 bits = wa_double_bits(x);
	int biased = (int) (bits >> 52) & 0x7ff;
	int shift = biased - 1075 - exponent;
	int64 number = (int64) ((bits & (HIDDEN_BIT - 1)) | HIDDEN_BIT);
	__int128 total;

	if ((unsigned) shift > MAX_SHIFT || (unsigned) (biased - 1) >= 0x7fe)
		return false;
	number = (int64) bits < 0 ? -number : number;
	if (__builtin_add_overflow(
			wa_int128_get(*sum),
			(__int128) ((unsigned __int128) (__int128) number << shift),
			&total))
		return false;
	*sum = wa_int128_make(total);
	return true;
}

/* Adds a number to the sums of a group. */
static pg_attribute_always_inline void
add(WaAccumulator *accumulator, uint64 *record, const WaOpSet ops, uint32 group,
	double x)
{
	SumHeader *header = header_of(record);
	WaInt128 sum = *sum_of(record);

	if (likely(add_quickly(&sum, header->exponent, x)) &&
		(!wa_ops_have(ops, WA_OP_SQUARES) ||
		 wa_small_squares_add(squares_of(record), &header->squares_exponent,
							  x)))
		*sum_of(record) = sum;
	else
		add_with_care(accumulator, group, x);
}

/* Offers values to the MIN and MAX of a record. */
static pg_attribute_always_inline void
offer(uint64 *record, const WaOpSet ops, double smallest, double largest)
{
	if (wa_ops_have(ops, WA_OP_MIN) &&
		!wa_float_less(wa_bits_double(record[min_word(ops)]), smallest))
		record[min_word(ops)] = wa_double_bits(smallest);
	if (wa_ops_have(ops, WA_OP_MAX) &&
		!wa_float_less(largest, wa_bits_double(record[max_word(ops)])))
		record[max_word(ops)] = wa_double_bits(largest);
}

/* Takes rows of many groups, with the operations, which are known here. */
static pg_attribute_always_inline void
take_grouped(WaAccumulator *accumulator, const WaTakenRows *rows,
			 const WaOpSet ops)
{
	const uint32 *groups = rows->groups;
	const double *values = rows->values;
	uint64 *records = accumulator->records;

	for (size_t i = 0; i < rows->nrows; i++)
	{
		uint64 *record = records + (Size) groups[i] * record_words(ops);
		double x = values[i];

		record[0]++;
		if (wa_ops_have(ops, WA_OP_SUM))
			add(accumulator, record, ops, groups[i], x);
		offer(record, ops, x, x);
	}
}

/* Takes rows of the one group. */
static void
take_together(WaAccumulator *accumulator, const WaTakenRows *rows)
{
	const WaOpSet ops = accumulator->ops;
	uint64 *record = accumulator->records;
	const WaBatch batch = {
		.type = WA_FLOAT8, .values = rows->values, .nrows = rows->nrows};
	WaPartial partial;
	FloatRest *rest;

	wa_partial_init(&partial, NULL);
	if (wa_ops_have(ops, WA_OP_SUM))
	{
		rest = rest_of(accumulator, 0);
		normalize(accumulator, rest);
		rest->part.sum.negative_zeros = 0;
		partial.exact = &rest->part;
	}
	wa_partial_fold(&partial, ops, &batch);
	record[0] += rows->nrows;
	if (partial.exact != NULL &&
		partial.exact->sum.negative_zeros != (int64) rows->nrows)
		header_of(record)->other = true;
	offer(record, ops, partial.min.f, partial.max.f);
}

static void
float_take(WaAccumulator *accumulator, const WaTakenRows *rows)
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
float_store(const WaAccumulator *accumulator, Datum value, int64 *stored,
			uint8 *scale)
{
	double x = accumulator->plan->type == WA_FLOAT4
				   ? (double) DatumGetFloat4(value)
				   : DatumGetFloat8(value);

	memcpy(stored, &x, sizeof(x));
	return true;
}

/* Puts the sums of a record and its rest into a state without rows. */
static void
put_sums(const WaAccumulator *accumulator, uint32 group, WaAggState *state)
{
	const uint64 *record = wa_accumulator_record(accumulator, group);
	const SumHeader *header = header_of(record);
	WaSmallSums sums = {.sum = *sum_of(record),
						.negative_zeros = !header->other};
	FloatRest *rest =
		accumulator->rests != NULL ? accumulator->rests[group] : NULL;
	WaPartial partial;

	if (header->exponent != NO_EXPONENT)
		sums.exponent = header->exponent;
	if (wa_ops_have(accumulator->ops, WA_OP_SQUARES))
	{
		sums.squares = *squares_of(record);
		sums.squares_exponent = header->squares_exponent;
	}
	wa_float_set_small(state, &sums);
	if (rest == NULL)
		return;
	normalize(accumulator, rest);
	/* Which only matter where all rows are -0 */
	rest->part.sum.negative_zeros = header->other ? 0 : (int64) record[0];
	wa_partial_init(&partial, NULL);
	partial.exact = &rest->part;
	accumulator->plan->kind->absorb(state, &partial);
}

static void
float_put(const WaAccumulator *accumulator, uint32 group, WaAggState *state)
{
	const WaOpSet ops = accumulator->ops;
	const uint64 *record = wa_accumulator_record(accumulator, group);
	WaPartial partial;

	if (wa_ops_have(ops, WA_OP_SUM))
		put_sums(accumulator, group, state);
	wa_partial_init(&partial, NULL);
	if (wa_ops_have(ops, WA_OP_MIN))
		partial.min.u = record[min_word(ops)];
	if (wa_ops_have(ops, WA_OP_MAX))
		partial.max.u = record[max_word(ops)];
	wa_extreme_absorb(state, &partial);
}

/* Adds the sums of a state to those of a record; false, if it cannot. */
static bool
merge_sums(uint64 *record, WaOpSet ops, const WaAggState *state)
{
	SumHeader *header = header_of(record);
	WaInt128 sum_before = *sum_of(record);
	int16 exponent_before = header->exponent;
	WaSmallSums sums;

	if (!wa_float_get_small(state, &sums) ||
		!wa_small_sum_merge(sum_of(record), &header->exponent, sums.sum,
							sums.exponent))
		return false;
	if (wa_ops_have(ops, WA_OP_SQUARES) &&
		!wa_small_squares_merge(squares_of(record), &header->squares_exponent,
								&sums.squares, sums.squares_exponent))
	{
		*sum_of(record) = sum_before;
		header->exponent = exponent_before;
		return false;
	}
	if (!sums.negative_zeros)
		header->other = true;
	return true;
}

static bool
float_merge(WaAccumulator *accumulator, uint32 group, const WaAggState *state)
{
	const WaOpSet ops = accumulator->ops;
	uint64 *record = wa_accumulator_record(accumulator, group);

	if (wa_ops_have(ops, WA_OP_SUM) && !merge_sums(record, ops, state))
		return false;
	offer(record, ops,
		  wa_ops_have(ops, WA_OP_MIN) ? wa_extreme_of(state, WA_OP_MIN)->f : 0,
		  wa_ops_have(ops, WA_OP_MAX) ? wa_extreme_of(state, WA_OP_MAX)->f : 0);
	return true;
}

const WaAccumulatorKind wa_accumulate_float = {
	.record_words = float_record_words,
	.clear = float_clear,
	.take = float_take,
	.store = float_store,
	.merge = float_merge,
	.put = float_put,
};
