/*
 * records_float.c
 *		Records of floats: exact sums.
 *
 * What small sums refuse, and whole vectors of the one group, are in a rest,
 * which is wide.
 */
#include <math.h>

#include "core/small_sum.h"
#include "query/records/records_internal.h"

#define SUM_WORDS     2
#define SQUARES_WORDS 4

/* Of an ordinary double, above the bits that are stored of its significand. */
#define HIDDEN_BIT ((uint64_t) 1 << 52)

/* Significands shifted by more do not fit 128 bits. */
#define MAX_SHIFT 73

/* What the small sums of a group do not have. */
typedef struct FloatRest
{
	int64_t additions; /* since the sums were normalized */
	WaExactPart part;  /* without squares if the plan has none */
} FloatRest;

/* Returns where the parts of a record are. */
static WA_ALWAYS_INLINE WaRecordLayout
layout_of(const WaOpSet ops)
{
	return wa_record_layout(WA_VECTOR_FLOAT, ops);
}

static inline WaFloatHeader *
header_of(const uint64_t *record)
{
	return (WaFloatHeader *) (record + 1);
}

static inline WaInt128 *
sum_of(const uint64_t *record)
{
	return (WaInt128 *) (record + 2);
}

static inline WaInt256 *
squares_of(const uint64_t *record)
{
	return (WaInt256 *) (record + 2 + SUM_WORDS);
}

/* The last value of the order is the first smallest one, and vice versa. */
static void
float_clear(uint64_t *record, WaOpSet ops)
{
	if (wa_ops_have(ops, WA_OP_SUM))
		header_of(record)->exponent = WA_NO_EXPONENT;
	if (wa_ops_have(ops, WA_OP_MIN))
		record[layout_of(ops).min] = wa_double_bits(NAN);
	if (wa_ops_have(ops, WA_OP_MAX))
		record[layout_of(ops).max] = wa_double_bits(-INFINITY);
}

/* Returns a group's rest, which is made if there is none; NULL: no memory. */
static FloatRest *
rest_of(WaRecordTable *table, uint32_t group)
{
	void **rest = wa_record_rest(table, group);

	if (rest == NULL)
		return NULL;
	if (*rest == NULL)
		*rest = wa_arena_alloc_zero(table->arena,
									wa_ops_have(table->ops, WA_OP_SQUARES)
										? sizeof(FloatRest)
										: offsetof(FloatRest, part.squares));
	return *rest;
}

/* Normalizes the sums of a rest. */
static void
normalize(const WaRecordTable *table, FloatRest *rest)
{
	if (rest->additions == 0)
		return;
	wa_exact_normalize(&rest->part.sum);
	if (wa_ops_have(table->ops, WA_OP_SQUARES))
		wa_squares_normalize(&rest->part.squares);
	rest->additions = 0;
}

/* Adds a finite number to small sums; false, with nothing changed, if not. */
static bool
add_small(uint64_t *record, WaOpSet ops, double x)
{
	WaFloatHeader *header = header_of(record);
	WaInt128 sum_before = *sum_of(record);
	int16_t exponent_before = header->exponent;

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
static WA_NOINLINE void
add_with_care(WaRecordTable *table, uint32_t group, double x)
{
	uint64_t *record = wa_record_of(table, group);
	FloatRest *rest;

	if (x != 0 || !signbit(x))
		header_of(record)->other = 1;
	if (wa_is_finite(x) && add_small(record, table->ops, x))
		return;
	rest = rest_of(table, group);
	if (rest == NULL)
		return;
	wa_exact_add(&rest->part.sum, x);
	if (wa_ops_have(table->ops, WA_OP_SQUARES))
		wa_squares_add(&rest->part.squares, x);
	if (++rest->additions >= WA_EXACT_MAX_ADDITIONS)
		normalize(table, rest);
}

/*
 * Adds a number to a sum in the sum's units, as wa_small_sum_add does.  Returns
 * false, with nothing changed, if it has no room there or is not an ordinary
 * number.
 */
static WA_ALWAYS_INLINE bool
add_quickly(WaInt128 *sum, int exponent, double x)
{
	uint64_t bits = wa_double_bits(x);
	int biased = (int) (bits >> 52) & 0x7ff;
	int shift = biased - 1075 - exponent;
	int64_t number = (int64_t) ((bits & (HIDDEN_BIT - 1)) | HIDDEN_BIT);
	__int128 total;

	if ((unsigned) shift > MAX_SHIFT || (unsigned) (biased - 1) >= 0x7fe)
		return false;
	number = (int64_t) bits < 0 ? -number : number;
	if (__builtin_add_overflow(
			wa_int128_get(*sum),
			(__int128) ((unsigned __int128) (__int128) number << shift),
			&total))
		return false;
	*sum = wa_int128_make(total);
	return true;
}

/* Adds a number to the sums of a group. */
static WA_ALWAYS_INLINE void
add(WaRecordTable *table, uint64_t *record, const WaOpSet ops, uint32_t group,
	double x)
{
	WaFloatHeader *header = header_of(record);
	WaInt128 sum = *sum_of(record);

	/* As many low parts of products are. */
	if (wa_double_bits(x) == 0)
	{
		header->other = 1;
		return;
	}
	if (WA_LIKELY(add_quickly(&sum, header->exponent, x)) &&
		(!wa_ops_have(ops, WA_OP_SQUARES) ||
		 wa_small_squares_add(squares_of(record), &header->squares_exponent,
							  x)))
		*sum_of(record) = sum;
	else
		add_with_care(table, group, x);
}

/* Has a value take the place of a MIN or MAX that does not beat it; 0 that of -0. */
static WA_ALWAYS_INLINE void
replace(uint64_t *word, double x)
{
	/* The sum of zeros is 0 unless all are -0. */
	if (WA_UNLIKELY(x == 0) && wa_bits_double(*word) == 0)
		x += wa_bits_double(*word);
	*word = wa_double_bits(x);
}

/* Offers values to the MIN and MAX of a group. */
static WA_ALWAYS_INLINE void
offer(uint64_t *record, const WaOpSet ops, double smallest, double largest)
{
	if (wa_ops_have(ops, WA_OP_MIN) &&
		!wa_float_less(wa_bits_double(record[layout_of(ops).min]), smallest))
		replace(&record[layout_of(ops).min], smallest);
	if (wa_ops_have(ops, WA_OP_MAX) &&
		!wa_float_less(largest, wa_bits_double(record[layout_of(ops).max])))
		replace(&record[layout_of(ops).max], largest);
}

/* Takes rows of many groups, with the operations, which are known here. */
static WA_ALWAYS_INLINE void
take_grouped(WaRecordTable *table, const WaTakenRows *rows, const WaOpSet ops)
{
	const uint32_t *groups = rows->groups;
	const double *values = rows->values;
	uint64_t *records = table->records;

	for (size_t i = 0; i < rows->nrows; i++)
	{
		uint64_t *record =
			records + (size_t) groups[i] * (size_t) layout_of(ops).words;
		double x = values[i];

		record[0]++;
		if (wa_ops_have(ops, WA_OP_SUM))
			add(table, record, ops, groups[i], x);
		offer(record, ops, x, x);
	}
}

static bool
float_take_together(WaRecordTable *table, const WaTakenRows *rows)
{
	const WaOpSet ops = table->ops;
	uint64_t *record = table->records;
	WaPartial partial;
	FloatRest *rest;

	wa_partial_init(&partial, NULL);
	if (wa_ops_have(ops, WA_OP_SUM))
	{
		rest = rest_of(table, 0);
		if (rest == NULL)
			return true; /* nobody looks at it any more */
		normalize(table, rest);
		rest->part.sum.negative_zeros = 0;
		partial.exact = &rest->part;
	}
	wa_taken_rows_fold(rows, ops, &partial);
	if (partial.exact != NULL &&
		partial.exact->sum.negative_zeros != (int64_t) rows->nrows)
		header_of(record)->other = 1;
	offer(record, ops, partial.min.f, partial.max.f);
	return true;
}

static void
float_take(WaRecordTable *table, const WaTakenRows *rows)
{
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

/* Adds the small sums of another record to a group's; they may have no room. */
static bool
merge_small(uint64_t *record, WaOpSet ops, const uint64_t *from)
{
	WaFloatHeader *header = header_of(record);
	const WaFloatHeader *from_header = header_of(from);
	WaInt128 sum_before = *sum_of(record);
	int16_t exponent_before = header->exponent;

	if (!wa_small_sum_merge(sum_of(record), &header->exponent, *sum_of(from),
							from_header->exponent))
		return false;
	if (wa_ops_have(ops, WA_OP_SQUARES) &&
		!wa_small_squares_merge(squares_of(record), &header->squares_exponent,
								squares_of(from),
								from_header->squares_exponent))
	{
		*sum_of(record) = sum_before;
		header->exponent = exponent_before;
		return false;
	}
	return true;
}

/* Adds the sums of another record to those of a group. */
static void
merge_sums(WaRecordTable *table, uint32_t group, const WaRecord *from)
{
	uint64_t *record = wa_record_of(table, group);
	const WaFloatHeader *header = header_of(from->words);
	const bool squares = wa_ops_have(table->ops, WA_OP_SQUARES);
	const bool is_small = merge_small(record, table->ops, from->words);
	FloatRest *rest;

	header_of(record)->other |= header->other;
	if (is_small && from->rest == NULL)
		return;
	rest = rest_of(table, group);
	if (rest == NULL)
		return;
	normalize(table, rest);
	if (!is_small)
		wa_small_sum_expand(*sum_of(from->words), header->exponent,
							&rest->part.sum);
	if (!is_small && squares)
		wa_small_squares_expand(squares_of(from->words),
								header->squares_exponent, &rest->part.squares);
	if (from->rest == NULL)
		return;
	wa_exact_merge(&rest->part.sum, &from->rest->sum);
	if (squares)
		wa_squares_merge(&rest->part.squares, &from->rest->squares);
}

static bool
float_merge(WaRecordTable *table, uint32_t group, const WaRecord *record)
{
	const WaOpSet ops = table->ops;
	const uint64_t *from = record->words;

	if (wa_ops_have(ops, WA_OP_SUM))
		merge_sums(table, group, record);
	offer(wa_record_of(table, group), ops,
		  wa_ops_have(ops, WA_OP_MIN) ? wa_bits_double(from[layout_of(ops).min])
									  : 0,
		  wa_ops_have(ops, WA_OP_MAX) ? wa_bits_double(from[layout_of(ops).max])
									  : 0);
	return true;
}

/* Returns the bits of a magnitude; words: lowest first. */
static int
count_bits(const uint64_t *words, int nwords)
{
	for (int i = nwords - 1; i >= 0; i--)
		if (words[i] != 0)
			return i * 64 + 64 - __builtin_clzll(words[i]);
	return 0;
}

/* Tells whether a sum is one of less than 2^63 doubles, in units that it may have. */
static bool
sum_is_sound(const uint64_t *record)
{
	__int128 sum = wa_int128_get(*sum_of(record));
	unsigned __int128 magnitude = wa_int128_magnitude(sum);
	const uint64_t words[2] = {(uint64_t) magnitude,
							   (uint64_t) (magnitude >> 64)};
	int exponent = header_of(record)->exponent;

	if (sum == 0 && exponent == WA_NO_EXPONENT)
		return true;
	return exponent >= -1074 && exponent <= 1023 &&
		   count_bits(words, 2) + exponent <= 1024 + 63;
}

/* Likewise for a sum of squares, which is never negative. */
static bool
squares_are_sound(const uint64_t *record)
{
	const uint64_t *words = squares_of(record)->word;
	int exponent = header_of(record)->squares_exponent;

	return words[3] >> 63 == 0 && exponent >= -2148 && exponent <= 2046 &&
		   count_bits(words, SQUARES_WORDS) + exponent <= 2048 + 63;
}

static bool
float_is_sound(WaOpSet ops, const WaRecord *record)
{
	if (!wa_ops_have(ops, WA_OP_SUM))
		return true;
	return header_of(record->words)->other <= 1 &&
		   sum_is_sound(record->words) &&
		   (!wa_ops_have(ops, WA_OP_SQUARES) ||
			squares_are_sound(record->words));
}

static void
float_show_rest(WaRecordTable *table, uint32_t group, WaRecord *shown)
{
	const uint64_t *record = wa_record_of(table, group);
	FloatRest *rest = table->rests[group];

	normalize(table, rest);
	/* Which only matter where all rows are -0 */
	rest->part.sum.negative_zeros =
		header_of(record)->other ? 0 : (int64_t) record[0];
	shown->rest = &rest->part;
}

const WaRecordKind wa_records_float = {
	.clear = float_clear,
	.take = float_take,
	.take_together = float_take_together,
	.merge = float_merge,
	.is_sound = float_is_sound,
	.show_rest = float_show_rest,
};
