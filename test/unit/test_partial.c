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

#include "core/order.h"
#include "core/partial.h"
#include "test/unit/check.h"

#define MAX_ROWS 2100

static uint64_t seed = 4711;

/* Memory for one batch; the values start at any multiple of their width. */
static union
{
	uint64_t align;
	uint8_t bytes[(MAX_ROWS + 8) * 8];
} memory;
static uint64_t validity[(MAX_ROWS + 63) / 64];

/* Returns row i of the batch, widened. */
static WaValue
value_at(const WaBatch *batch, size_t i)
{
	WaValue value = {0};

	switch (wa_type_storage(batch->type))
	{
#define INTEGER(storage, ctype)                       \
	case storage:                                     \
		value.i = ((const ctype *) batch->values)[i]; \
		break;
		INTEGER(WA_I16, int16_t)
		INTEGER(WA_I32, int32_t)
		INTEGER(WA_I64, int64_t)
		INTEGER(WA_U32, uint32_t)
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

/* Makes a batch of random bits, of which some floats become special. */
static WaBatch
random_batch(WaType type, size_t nrows, bool nulls)
{
	size_t width = wa_type_width(type);
	uint8_t *values = memory.bytes + width * (next_random(&seed) % 4);
	WaBatch batch = {type, values, nulls ? validity : NULL, nrows};
	static const double specials[] = {0.0, -0.0, INFINITY, -INFINITY, NAN};

	for (size_t i = 0; i < sizeof(memory.bytes); i++)
		memory.bytes[i] = (uint8_t) (next_random(&seed) >> 32);
	for (size_t i = 0; i < sizeof(validity) / 8; i++)
		validity[i] = next_random(&seed);
	for (size_t i = 0; i < nrows; i++)
	{
		double special = specials[next_random(&seed) % 5];
		float narrow = (float) special;

		if (next_random(&seed) % 8 != 0)
			continue;
		if (wa_type_storage(type) == WA_F64)
			memcpy(values + i * width, &special, width);
		if (wa_type_storage(type) == WA_F32)
			memcpy(values + i * width, &narrow, width);
	}
	return batch;
}

/* Tells whether two doubles are the same, all NaNs being one. */
static bool
same_double(double a, double b)
{
	return (a != a && b != b) || wa_double_bits(a) == wa_double_bits(b);
}

/* Holds a fold of the batch against plain loops. */
static bool
fold_is_right(const WaBatch *batch, WaOpSet ops)
{
	WaStorage storage = wa_type_storage(batch->type);
	bool is_float = storage == WA_F32 || storage == WA_F64;
	WaExactSum exact, plain_exact;
	WaPartial partial;
	__int128 sum = 0;
	int64_t rows = 0;
	WaValue min = {0};

	wa_exact_init(&plain_exact);
	for (size_t i = 0; i < batch->nrows; i++)
	{
		WaValue value = value_at(batch, i);

		if (!wa_row_is_valid(batch->validity, i))
			continue;
		if (is_float)
			wa_exact_add(&plain_exact, value.f);
		else
			sum += value.i;
		if (rows == 0 ||
			!(is_float ? wa_float_less(min.f, value.f) : min.i < value.i))
			min = value;
		rows++;
	}
	wa_exact_normalize(&plain_exact);

	wa_partial_init(&partial, &exact);
	wa_partial_fold(&partial, ops, batch);
	if (partial.rows != rows)
		return false;
	if (rows == 0)
		return true;
	if ((ops & WA_OP_BIT(WA_OP_SUM)) != 0 && is_float &&
		memcmp(&exact, &plain_exact, sizeof(exact)) != 0)
		return false;
	if ((ops & WA_OP_BIT(WA_OP_SUM)) != 0 && !is_float &&
		wa_int128_get(partial.sum) != sum)
		return false;
	return is_float ? same_double(partial.min.f, min.f)
					: partial.min.i == min.i;
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

/* Folds batches of every length up to a few words of bitmap, and long ones. */
static void
test_folds(WaType type)
{
	bool right = true;
	char name[64];

	for (size_t nrows = 0; nrows <= MAX_ROWS;
		 nrows = nrows < 200 ? nrows + 1 : nrows + 97)
		for (int nulls = 0; nulls <= 1; nulls++)
		{
			WaBatch batch = random_batch(type, nrows, nulls);

			right = right && fold_is_right(&batch, all_ops(type));
		}
	snprintf(name, sizeof(name), "folds of %s", wa_type_name(type));
	check(right, name);
}

/* Tells whether two partials are the same. */
static bool
same_partial(const WaPartial *a, const WaPartial *b, WaType type)
{
	WaStorage storage = wa_type_storage(type);

	if (a->rows != b->rows || memcmp(&a->sum, &b->sum, sizeof(a->sum)) != 0 ||
		memcmp(a->exact, b->exact, sizeof(WaExactSum)) != 0)
		return false;
	if (a->rows == 0)
		return true;
	return storage == WA_F32 || storage == WA_F64
			   ? same_double(a->min.f, b->min.f)
			   : a->min.i == b->min.i;
}

/* Splits batches anywhere: folding the parts and merging changes nothing. */
static void
test_merges(WaType type)
{
	bool right = true;
	char name[64];

	for (int round = 0; round < 50; round++)
	{
		WaBatch whole = random_batch(type, 1 + next_random(&seed) % 500, false);
		WaBatch head = whole, tail = whole;
		WaExactSum exacts[3];
		WaPartial parts[3];

		head.nrows = next_random(&seed) % (whole.nrows + 1);
		tail.nrows = whole.nrows - head.nrows;
		tail.values =
			(const uint8_t *) whole.values + head.nrows * wa_type_width(type);
		for (int i = 0; i < 3; i++)
			wa_partial_init(&parts[i], &exacts[i]);
		wa_partial_fold(&parts[0], all_ops(type), &whole);
		wa_partial_fold(&parts[1], all_ops(type), &head);
		wa_partial_fold(&parts[2], all_ops(type), &tail);
		wa_partial_merge(&parts[1], &parts[2], type, all_ops(type));
		right = right && same_partial(&parts[0], &parts[1], type);
	}
	snprintf(name, sizeof(name), "merges of %s", wa_type_name(type));
	check(right, name);
}

/* Ships partials; damaged ones are refused or read as something else. */
static void
test_encoding(WaType type)
{
	bool round_trips = true, refused = true;
	char name[64];

	for (int round = 0; round < 200; round++)
	{
		WaBatch batch = random_batch(type, next_random(&seed) % 300, round % 2);
		WaExactSum exacts[2];
		WaPartial parts[2];
		uint8_t bytes[WA_PARTIAL_MAX_BYTES];
		size_t length;

		for (int i = 0; i < 2; i++)
			wa_partial_init(&parts[i], &exacts[i]);
		wa_partial_fold(&parts[0], all_ops(type), &batch);
		length = wa_partial_encode(&parts[0], type, all_ops(type), bytes);
		round_trips =
			round_trips && length <= sizeof(bytes) &&
			wa_partial_decode(&parts[1], type, all_ops(type), bytes, length) &&
			same_partial(&parts[0], &parts[1], type);
		refused = refused &&
				  !wa_partial_decode(&parts[1], type, all_ops(type), bytes,
									 length - 1) &&
				  !wa_partial_decode(&parts[1], type, all_ops(type), bytes, 0);
		/* The sanitizers watch that no damage leads out of bounds. */
		for (size_t i = 0; i < length; i++)
			if (next_random(&seed) % 4 == 0)
				bytes[i] = (uint8_t) next_random(&seed);
		(void) wa_partial_decode(&parts[1], type, all_ops(type), bytes, length);
	}
	snprintf(name, sizeof(name), "encoding of %s", wa_type_name(type));
	check(round_trips && refused, name);
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
			  !wa_reductions_exist(WA_OP_BIT(WA_OP_SUM), WA_U32),
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
	test_int128();
	test_lists();
	return finish_checks();
}
