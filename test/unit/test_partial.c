/*
 * test_partial.c
 *		Folding, merging and shipping partial states.
 *
 * Folds are held against the plainest loops there are, over batches of every
 * storage, with and without NULLs, of many lengths.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/partial.h"
#include "test/unit/check.h"

#define MAX_ROWS 2100

#define SUM     WA_OP_BIT(WA_OP_SUM)
#define SQUARES WA_OP_BIT(WA_OP_SQUARES)
#define MIN     WA_OP_BIT(WA_OP_MIN)
#define MAX     WA_OP_BIT(WA_OP_MAX)
#define ALL     (SUM | SQUARES | MIN | MAX)

static uint64_t seed = 4711;

/*
 * Memory for one batch; the values start at any multiple of their width, or of
 * 8 bytes if they are wider.
 */
static union
{
	uint64_t align;
	uint8_t bytes[(MAX_ROWS + 8) * 16];
} memory;

/* Returns row i of the batch, widened. */
static WaValue
value_at(const WaBatch *batch, size_t i)
{
	WaValue value = {0};

	switch (wa_type_storage(batch->type))
	{
#define INTEGER(storage, ctype, field)                    \
	case storage:                                         \
		value.field = ((const ctype *) batch->values)[i]; \
		break;
		INTEGER(WA_I16, int16_t, i)
		INTEGER(WA_I32, int32_t, i)
		INTEGER(WA_I64, int64_t, i)
		INTEGER(WA_U32, uint32_t, u)
		INTEGER(WA_U64, uint64_t, u)
		INTEGER(WA_I128, WaInt128, wide)
#undef INTEGER
		case WA_F32:
			value.f = ((const float *) batch->values)[i];
			break;
		default:
			value.f = ((const double *) batch->values)[i];
			break;
	}
	return value;
}

/*
 * Special values of floats: of a batch some become one of the first few.  So
 * there are batches with only zeros, with zeros as the smallest or largest
 * value, and with and without NaN.
 */
static const double specials[] = {0.0, -0.0, INFINITY, -INFINITY, NAN};

/* Makes some of the values special that the storage has. */
static void
make_special(uint8_t *values, WaType type, size_t nrows)
{
	size_t width = wa_type_width(type);
	uint64_t kinds = 2 + next_random(&seed) % 4;
	uint64_t sign = next_random(&seed) % 3;

	for (size_t i = 0; i < nrows; i++)
	{
		double special = specials[next_random(&seed) % kinds];
		float narrow = (float) special;
		uint8_t *value = values + i * width;

		if (wa_type_storage(type) == WA_I128)
			/* below 2^95 in magnitude */
			memset(value + 11, (int8_t) value[11] < 0 ? 0xff : 0, 5);
		if (wa_type_storage(type) != WA_F64 && wa_type_storage(type) != WA_F32)
			continue;
		if (sign != 0)
			value[width - 1] =
				(uint8_t) ((value[width - 1] & 0x3f) | (sign == 1 ? 0x80 : 0));
		if (next_random(&seed) % 8 != 0)
			continue;
		memcpy(value, width == 8 ? (void *) &special : (void *) &narrow, width);
	}
}

/* Makes a batch of random bits, of which some floats become special. */
static WaBatch
random_batch(WaType type, size_t nrows)
{
	size_t width = wa_type_width(type);
	size_t align = width < 8 ? width : 8;
	uint8_t *values = memory.bytes + align * (next_random(&seed) % 4);
	WaBatch batch = {type, values, NULL, nrows};

	for (size_t i = 0; i < sizeof(memory.bytes); i++)
		memory.bytes[i] = (uint8_t) (next_random(&seed) >> 32);
	make_special(values, type, nrows);
	return batch;
}

/* Tells whether two doubles are the same, all NaNs being one. */
static bool
same_double(double a, double b)
{
	return (a != a && b != b) || wa_double_bits(a) == wa_double_bits(b);
}

/* Tells whether a sorts before b; NaN is the largest, 0 and -0 are equal. */
static bool
plain_less(WaStorage storage, WaValue a, WaValue b)
{
	switch (storage)
	{
		case WA_F32:
		case WA_F64:
			return isnan(b.f) ? !isnan(a.f) : a.f < b.f;
		case WA_U32:
		case WA_U64:
			return a.u < b.u;
		case WA_I128:
			return a.wide.hi != b.wide.hi ? a.wide.hi < b.wide.hi
										  : a.wide.lo < b.wide.lo;
		default:
			return a.i < b.i;
	}
}

/* Tells whether two values look the same. */
static bool
same_value(WaStorage storage, WaValue a, WaValue b)
{
	if (storage == WA_F32 || storage == WA_F64)
		return same_double(a.f, b.f);
	if (storage == WA_I128)
		return memcmp(&a.wide, &b.wide, sizeof(a.wide)) == 0;
	return a.u == b.u;
}

/* Tells whether a value is 0 and another one -0. */
static bool
is_better_zero(WaStorage storage, WaValue a, WaValue b)
{
	return (storage == WA_F32 || storage == WA_F64) && a.f == 0 && b.f == 0 &&
		   !signbit(a.f) && signbit(b.f);
}

/* Takes one value into a partial, as plainly as can be. */
static void
take_plainly(WaPartial *partial, WaStorage storage, WaValue value)
{
	if (storage == WA_F32 || storage == WA_F64)
	{
		wa_exact_add(&partial->exact->sum, value.f);
		wa_squares_add(&partial->exact->squares, value.f);
	}
	else if (storage == WA_I128)
		wa_int128_add(&partial->sum, wa_int128_get(value.wide));
	else
	{
		wa_int128_add(&partial->sum, value.i);
		wa_uint192_add(&partial->squares,
					   wa_uint192_make(wa_int64_square(value.i)));
	}
	*wa_partial_bits(partial, WA_OP_BIT_AND) &= value.u;
	*wa_partial_bits(partial, WA_OP_BIT_OR) |= value.u;
	*wa_partial_bits(partial, WA_OP_BIT_XOR) ^= value.u;
	if (partial->rows == 0 || plain_less(storage, value, partial->min) ||
		is_better_zero(storage, value, partial->min))
		partial->min = value;
	if (partial->rows == 0 || plain_less(storage, partial->max, value) ||
		is_better_zero(storage, value, partial->max))
		partial->max = value;
	partial->rows++;
}

/* Tells whether two partials agree in what the operations need. */
static bool
same_partial(const WaPartial *a, const WaPartial *b, WaType type, WaOpSet ops)
{
	WaStorage storage = wa_type_storage(type);
	bool is_float = storage == WA_F32 || storage == WA_F64;

	if (a->rows != b->rows)
		return false;
	if ((ops & SUM) != 0 && is_float &&
		memcmp(&a->exact->sum, &b->exact->sum, sizeof(WaExactSum)) != 0)
		return false;
	if ((ops & SUM) != 0 && !is_float &&
		memcmp(&a->sum, &b->sum, sizeof(a->sum)) != 0)
		return false;
	if ((ops & SQUARES) != 0 && is_float &&
		memcmp(&a->exact->squares, &b->exact->squares,
			   sizeof(WaExactSquares)) != 0)
		return false;
	if ((ops & SQUARES) != 0 && !is_float &&
		memcmp(&a->squares, &b->squares, sizeof(a->squares)) != 0)
		return false;
	for (int i = 0; i < WA_BIT_OP_COUNT; i++)
		if (wa_ops_have(ops, (WaOp) (WA_OP_BIT_AND + i)) &&
			a->bits[i] != b->bits[i])
			return false;
	if (a->rows == 0)
		return true;
	return ((ops & MIN) == 0 || same_value(storage, a->min, b->min)) &&
		   ((ops & MAX) == 0 || same_value(storage, a->max, b->max));
}

/* Holds folds of the batch by each set of operations against plain loops. */
static bool
folds_are_right(const WaBatch *batch)
{
	WaStorage storage = wa_type_storage(batch->type);
	WaExactPart exact, plain_exact;
	WaPartial partial, plain;

	wa_partial_init(&plain, &plain_exact);
	for (size_t i = 0; i < batch->nrows; i++)
		take_plainly(&plain, storage, value_at(batch, i));
	wa_exact_normalize(&plain_exact.sum);
	wa_squares_normalize(&plain_exact.squares);

	for (WaOpSet ops = 1; ops < WA_OP_BIT(WA_OP_COUNT); ops++)
	{
		if (!wa_reductions_exist(ops, storage))
			continue;
		wa_partial_init(
			&partial, wa_partial_needs_exact(batch->type, ops) ? &exact : NULL);
		wa_partial_fold(&partial, ops, batch);
		EXPECT(same_partial(&partial, &plain, batch->type, ops));
	}
	return true;
}

/* Returns the operations that exist over the type. */
static WaOpSet
all_ops(WaType type)
{
	WaOpSet ops = 0;

	for (int op = 0; op < WA_OP_COUNT; op++)
		if (wa_reductions_exist(WA_OP_BIT(op), wa_type_storage(type)))
			ops |= WA_OP_BIT(op);
	return ops;
}

/* Folds batches of every length up to a few vectors, and long ones. */
static void
test_folds(WaType type)
{
	bool right = true;
	char name[64];

	for (size_t nrows = 0; nrows <= MAX_ROWS;
		 nrows = nrows < 200 ? nrows + 1 : nrows + 97)
	{
		WaBatch batch = random_batch(type, nrows);

		right = right && folds_are_right(&batch);
	}
	snprintf(name, sizeof(name), "folds of %s", wa_type_name(type));
	check(right, name);
}

/* Splits batches anywhere: folding the parts and merging changes nothing. */
static void
test_merges(WaType type)
{
	WaOpSet ops = all_ops(type);
	bool right = true;
	char name[64];

	for (int round = 0; round < 200; round++)
	{
		WaBatch whole = random_batch(type, 1 + next_random(&seed) % 500);
		WaBatch head = whole, tail = whole;
		WaExactPart exacts[4];
		WaPartial parts[4];

		head.nrows = next_random(&seed) % (whole.nrows + 1);
		tail.nrows = whole.nrows - head.nrows;
		tail.values =
			(const uint8_t *) whole.values + head.nrows * wa_type_width(type);
		for (int i = 0; i < 4; i++)
			wa_partial_init(&parts[i], &exacts[i]);
		wa_partial_fold(&parts[0], ops, &whole);
		wa_partial_fold(&parts[1], ops, &head);
		wa_partial_fold(&parts[2], ops, &tail);
		wa_partial_merge(&parts[1], &parts[2], type, ops);
		right = right && same_partial(&parts[0], &parts[1], type, ops);
		/* A fold goes on where another one ended. */
		wa_partial_fold(&parts[3], ops, &head);
		wa_partial_fold(&parts[3], ops, &tail);
		right = right && same_partial(&parts[0], &parts[3], type, ops);
	}
	snprintf(name, sizeof(name), "merges of %s", wa_type_name(type));
	check(right, name);
}

/* How many damaged partials were refused. */
static int damaged_refused;

/* Encodes the batch's partial, for all sets of operations, and decodes it. */
static bool
round_trips(const WaBatch *batch, WaOpSet ops)
{
	WaType type = batch->type;
	WaExactPart exacts[2];
	WaPartial parts[2];
	uint8_t bytes[WA_PARTIAL_MAX_BYTES + 1];
	size_t length;

	for (int i = 0; i < 2; i++)
		wa_partial_init(&parts[i], &exacts[i]);
	wa_partial_fold(&parts[0], ops, batch);
	length = wa_partial_encode(&parts[0], type, ops, bytes);
	EXPECT(length <= WA_PARTIAL_MAX_BYTES);
	EXPECT(wa_partial_decode(&parts[1], type, ops, bytes, length));
	EXPECT(same_partial(&parts[0], &parts[1], type, ops));
	for (size_t cut = 0; cut <= length + 1; cut++)
	{
		wa_partial_init(&parts[1], &exacts[1]);
		bytes[length] = 0;
		EXPECT(cut == length ||
			   !wa_partial_decode(&parts[1], type, ops, bytes, cut));
	}
	/* The sanitizers watch that no damage leads out of bounds. */
	for (size_t i = 0; i < length; i++)
		if (next_random(&seed) % 4 == 0)
			bytes[i] = (uint8_t) next_random(&seed);
	wa_partial_init(&parts[1], &exacts[1]);
	if (!wa_partial_decode(&parts[1], type, ops, bytes, length))
		damaged_refused++;
	return true;
}

/* Ships partials; damaged ones are refused or read as something else. */
static void
test_encoding(WaType type)
{
	bool right = true;
	char name[64];

	for (int round = 0; round < 40; round++)
	{
		WaBatch batch = random_batch(type, next_random(&seed) % 300);

		for (WaOpSet ops = 1; ops < WA_OP_BIT(WA_OP_COUNT); ops++)
			if (wa_reductions_exist(ops, wa_type_storage(type)))
				right = right && round_trips(&batch, ops);
	}
	snprintf(name, sizeof(name), "encoding of %s", wa_type_name(type));
	check(right, name);
}

/* Tells whether a part over float8 is refused when it is decoded. */
static bool
part_is_refused(WaExactPart *exact, WaOpSet ops)
{
	WaExactPart decoded;
	WaPartial partial, read;
	uint8_t bytes[WA_PARTIAL_MAX_BYTES];
	size_t length;

	wa_partial_init(&partial, NULL);
	partial.exact = exact;
	partial.rows = 1;
	length = wa_partial_encode(&partial, WA_FLOAT8, ops, bytes);
	wa_partial_init(&read, &decoded);
	return !wa_partial_decode(&read, WA_FLOAT8, ops, bytes, length);
}

/* Limbs that are not in normalized form are refused, and so are counts. */
static bool
test_damaged_limbs(void)
{
	static const int64_t bad_limbs[] = {-1, (int64_t) 1 << 32, INT64_MIN,
										INT64_MAX};
	WaExactPart exact;

	memset(&exact, 0, sizeof(exact));
	EXPECT(!part_is_refused(&exact, SUM | SQUARES));
	for (int limb = 0; limb < WA_EXACT_LIMBS - 1; limb++)
		for (size_t i = 0; i < 4; i++)
		{
			exact.sum.limbs[limb] = bad_limbs[i];
			EXPECT(part_is_refused(&exact, SUM | SQUARES));
			EXPECT(!part_is_refused(&exact, SQUARES));
			exact.sum.limbs[limb] = 0;
		}
	for (int limb = 0; limb < WA_SQUARES_LIMBS; limb++)
		for (size_t i = 0; i < 4; i++)
		{
			exact.squares.limbs[limb] = bad_limbs[i];
			EXPECT(part_is_refused(&exact, SUM | SQUARES));
			EXPECT(!part_is_refused(&exact, SUM));
			exact.squares.limbs[limb] = 0;
		}
	exact.sum.limbs[WA_EXACT_LIMBS - 1] = -1;
	EXPECT(!part_is_refused(&exact, SUM));
	exact.sum.limbs[WA_EXACT_LIMBS - 1] = -2;
	EXPECT(part_is_refused(&exact, SUM));
	exact.sum.limbs[WA_EXACT_LIMBS - 1] = 0;
	exact.sum.nans = -1;
	EXPECT(part_is_refused(&exact, SUM));
	return true;
}

/* Batches whose values are all the smallest, or all the largest, there is. */
static bool
test_extremes(void)
{
	const int64_t rows = 1000;
	int16_t narrow[1000];
	int64_t wide[1000];
	WaBatch batches[2] = {{WA_INT2, narrow, NULL, 1000},
						  {WA_INT8, wide, NULL, 1000}};
	WaUint192 expected = {{0, (uint64_t) rows << 62, (uint64_t) rows >> 2}};
	WaPartial partial;

	for (int i = 0; i < rows; i++)
	{
		narrow[i] = INT16_MIN;
		wide[i] = INT64_MIN;
	}
	wa_partial_init(&partial, NULL);
	wa_partial_fold(&partial, ALL, &batches[0]);
	EXPECT(wa_int128_get(partial.sum) == (__int128) INT16_MIN * rows);
	EXPECT(partial.squares.word[0] == (uint64_t) rows << 30);
	EXPECT(partial.min.i == INT16_MIN && partial.max.i == INT16_MIN);
	wa_partial_init(&partial, NULL);
	wa_partial_fold(&partial, ALL, &batches[1]);
	EXPECT(wa_int128_get(partial.sum) == (__int128) INT64_MIN * rows);
	EXPECT(memcmp(&partial.squares, &expected, sizeof(expected)) == 0);
	EXPECT(partial.min.i == INT64_MIN && partial.max.i == INT64_MIN);
	wa_uint192_subtract(&partial.squares, expected);
	wa_uint192_subtract(&expected, expected);
	EXPECT(memcmp(&partial.squares, &expected, sizeof(expected)) == 0);
	return true;
}

/* Wider values than promised wrap; they must not stop the device process. */
static bool
test_wrapping(void)
{
	const WaInt128 largest = {UINT64_MAX, INT64_MAX};
	const WaInt128 values[2] = {largest, largest};
	WaBatch batch = {WA_WIDE_NUMERIC, values, NULL, 2};
	WaPartial partial;

	wa_partial_init(&partial, NULL);
	wa_partial_fold(&partial, SUM | MIN | MAX, &batch);
	EXPECT(wa_int128_get(partial.sum) == -2);
	EXPECT(memcmp(&partial.min.wide, &largest, sizeof(largest)) == 0);
	EXPECT(memcmp(&partial.max.wide, &largest, sizeof(largest)) == 0);
	wa_partial_merge(&partial, &partial, WA_WIDE_NUMERIC, SUM);
	EXPECT(wa_int128_get(partial.sum) == -4 && partial.rows == 4);
	return true;
}

/* 128-bit integers at and beyond the ends of 64 bits. */
static void
test_int128(void)
{
	WaInt128 sum = wa_int128_make(INT64_MAX);
	int64_t small;

	check(wa_int128_to_int64(sum, &small) && small == INT64_MAX,
		  "largest int64 fits");
	wa_int128_add(&sum, 1);
	check(!wa_int128_to_int64(sum, &small), "one more does not");
	wa_int128_add(&sum, (__int128) INT64_MIN * 2 - 1);
	check(!wa_int128_to_int64(sum, &small), "one less than the lowest neither");
	wa_int128_add(&sum, 1);
	check(wa_int128_to_int64(sum, &small) && small == INT64_MIN,
		  "lowest int64 fits");
}

/* The lists agree with one another. */
static void
test_lists(void)
{
	bool backed = true;

	for (int type = 0; type < WA_TYPE_COUNT; type++)
		for (int op = 0; op < WA_OP_COUNT; op++)
			if (wa_aggregate_exists((WaOp) op, (WaType) type))
				backed = backed &&
						 wa_reductions_exist(WA_OP_BIT(op),
											 wa_type_storage((WaType) type));
	check(backed, "every aggregate has a reduction");
	check(!wa_reductions_exist(0, WA_I32) &&
			  !wa_reductions_exist(WA_OP_BIT(WA_OP_COUNT), WA_I32) &&
			  !wa_reductions_exist(SUM, WA_U32) &&
			  !wa_reductions_exist(SUM, WA_U64) &&
			  !wa_reductions_exist(MAX | SQUARES, WA_I128) &&
			  !wa_reductions_exist(WA_OP_BIT(WA_OP_BIT_OR), WA_F64) &&
			  !wa_reductions_exist(SUM | WA_OP_BIT(WA_OP_BIT_OR), WA_I32),
		  "sets without a reduction are refused");
}

int
main(void)
{
	for (int type = 0; type < WA_TYPE_COUNT; type++)
	{
		test_folds((WaType) type);
		test_merges((WaType) type);
		test_encoding((WaType) type);
	}
	check(damaged_refused > 0, "some damaged partials are refused");
	check(test_damaged_limbs(), "damaged limbs");
	check(test_extremes(), "extremes");
	check(test_wrapping(), "values that are too wide");
	test_int128();
	test_lists();
	return finish_checks();
}
