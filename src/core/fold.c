/*
 * fold.c
 *		Folding a batch into a partial on the CPU: what the CPU device and the
 *		backends run, and what the kernels are held against.
 *
 * The loops are written for the compiler to turn into vector instructions, or at
 * least to overlap.  One exists per line of WA_REDUCTION_LIST.
 */
#include <math.h>
#include <string.h>

#include "core/partial.h"
#include "core/vectorised.h"

/* Values as they are computed with: only those of I128 differ in that. */
#define PLAIN(value) (value)
#define WIDE(value)  wa_int128_get(value)

/* The loop of the sums and sums of squares of the integer storages. */
#define FOLD_INTEGERS(ctype, get, computed, take)        \
	const ctype *values = (const ctype *) batch->values; \
	for (size_t i = 0; i < batch->nrows; i++)            \
	{                                                    \
		computed x = get(values[i]);                     \
		take;                                            \
	}

/* 2^32 rows of 32 bits fit 64 bits.  What does not fit 128 bits wraps. */
#define DEFINE_INTEGER_SUM(storage, ctype, get, wide)                  \
	WA_VECTORISED static void fold_sum_##storage(WaPartial *partial,   \
												 const WaBatch *batch) \
	{                                                                  \
		wide sum = 0;                                                  \
		FOLD_INTEGERS(ctype, get, wide, sum += x)                      \
		wa_int128_add(&partial->sum, (__int128) sum);                  \
	}

DEFINE_INTEGER_SUM(I16, int16_t, PLAIN, int64_t)
DEFINE_INTEGER_SUM(I32, int32_t, PLAIN, int64_t)
DEFINE_INTEGER_SUM(I128, WaInt128, WIDE, unsigned __int128)

/*
 * The sum of 64-bit numbers, biased to be unsigned, whose halves are added up
 * apart: no loop carries, and 2^32 rows fit.
 */
WA_VECTORISED static void
fold_sum_I64(WaPartial *partial, const WaBatch *batch)
{
	const uint64_t bias = (uint64_t) 1 << 63;
	uint64_t low = 0;
	uint64_t high = 0;

	FOLD_INTEGERS(int64_t, PLAIN, int64_t, {
		uint64_t biased = (uint64_t) x ^ bias;

		low += biased & UINT32_MAX;
		high += biased >> 32;
	})
	wa_int128_add(&partial->sum,
				  ((__int128) high << 32) + low -
					  (__int128) ((unsigned __int128) bias * batch->nrows));
}

/* Squares of 32 bits, of which 2^32 rows fit 64 bits. */
WA_VECTORISED static void
fold_squares_I16(WaPartial *partial, const WaBatch *batch)
{
	uint64_t sum = 0;

	FOLD_INTEGERS(int16_t, PLAIN, int32_t, sum += (uint32_t) (x * x))
	wa_uint192_add(&partial->squares, wa_uint192_make(sum));
}

/* Squares of 64 bits, whose halves are added up apart. */
WA_VECTORISED static void
fold_squares_I32(WaPartial *partial, const WaBatch *batch)
{
	uint64_t low = 0;
	uint64_t high = 0;

	FOLD_INTEGERS(int32_t, PLAIN, int32_t, {
		uint64_t square = (uint64_t) ((int64_t) x * x);

		low += square & UINT32_MAX;
		high += square >> 32;
	})
	wa_uint192_add(&partial->squares,
				   wa_uint192_make(((unsigned __int128) high << 32) + low));
}

/* Squares of 128 bits, whose halves are summed up apart. */
static void
fold_squares_I64(WaPartial *partial, const WaBatch *batch)
{
	unsigned __int128 low = 0;
	unsigned __int128 high = 0;
	WaUint192 shifted;

	FOLD_INTEGERS(int64_t, PLAIN, int64_t, {
		unsigned __int128 square = wa_int64_square(x);

		low += (uint64_t) square;
		high += (uint64_t) (square >> 64);
	})
	shifted = (WaUint192){{0, (uint64_t) high, (uint64_t) (high >> 64)}};
	wa_uint192_add(&partial->squares, wa_uint192_make(low));
	wa_uint192_add(&partial->squares, shifted);
}

/* Sums and sums of squares of the float storages. */
#define DEFINE_FLOAT_SUMS(storage, ctype, name)                              \
	static void fold_sum_##storage(WaPartial *partial, const WaBatch *batch) \
	{                                                                        \
		wa_exact_add_##name(&partial->exact->sum,                            \
							(const ctype *) batch->values, batch->nrows);    \
	}                                                                        \
	static void fold_squares_##storage(WaPartial *partial,                   \
									   const WaBatch *batch)                 \
	{                                                                        \
		wa_squares_add_##name(&partial->exact->squares,                      \
							  (const ctype *) batch->values, batch->nrows);  \
	}

DEFINE_FLOAT_SUMS(F32, float, floats)
DEFINE_FLOAT_SUMS(F64, double, doubles)

/* The smallest or largest value of a batch with rows, of the integer storages. */
#define DEFINE_INTEGER_BEST(op, before, storage, ctype, get, computed, worst, \
							result)                                           \
	WA_VECTORISED static WaValue batch_##op##_##storage(const WaBatch *batch) \
	{                                                                         \
		const ctype *values = (const ctype *) batch->values;                  \
		computed best = worst;                                                \
		for (size_t i = 0; i < batch->nrows; i++)                             \
		{                                                                     \
			computed x = get(values[i]);                                      \
			best = x before best ? x : best;                                  \
		}                                                                     \
		return (WaValue){result};                                             \
	}

#define DEFINE_INTEGER_BESTS(storage, ctype, get, computed, smallest, largest, \
							 result)                                           \
	DEFINE_INTEGER_BEST(min, <, storage, ctype, get, computed, largest,        \
						result)                                                \
	DEFINE_INTEGER_BEST(max, >, storage, ctype, get, computed, smallest, result)

#define INT128_MAX ((__int128) (~(unsigned __int128) 0 >> 1))
#define INT128_MIN (-INT128_MAX - 1)

DEFINE_INTEGER_BESTS(I16, int16_t, PLAIN, int16_t, INT16_MIN, INT16_MAX,
					 .i = best)
DEFINE_INTEGER_BESTS(I32, int32_t, PLAIN, int32_t, INT32_MIN, INT32_MAX,
					 .i = best)
DEFINE_INTEGER_BESTS(I64, int64_t, PLAIN, int64_t, INT64_MIN, INT64_MAX,
					 .i = best)
DEFINE_INTEGER_BESTS(U32, uint32_t, PLAIN, uint32_t, 0, UINT32_MAX, .u = best)
DEFINE_INTEGER_BESTS(U64, uint64_t, PLAIN, uint64_t, 0, UINT64_MAX, .u = best)
DEFINE_INTEGER_BESTS(I128, WaInt128, WIDE, __int128, INT128_MIN, INT128_MAX,
					 .wide = wa_int128_make(best))

/* Returns 0 if a row has that, and else -0, for a batch of floats with a zero. */
static double
find_zero(const WaBatch *batch)
{
	const bool is_float4 = wa_type_storage(batch->type) == WA_F32;

	for (size_t i = 0; i < batch->nrows; i++)
	{
		const double x = is_float4 ? (double) ((const float *) batch->values)[i]
								   : ((const double *) batch->values)[i];

		if (x == 0 && !signbit(x))
			return x;
	}
	return -0.0;
}

/*
 * The same of the float storages, by integers that sort as the numbers do.  A
 * NaN is the largest value there is: a maximum is NaN if there is one at all, a
 * minimum if there is nothing else.  No comparison takes it.
 */
#define DEFINE_FLOAT_BEST(op, before, storage, ctype, bits_type, bits_max,     \
						  bits_worst, nan)                                     \
	WA_VECTORISED static WaValue batch_##op##_##storage(const WaBatch *batch)  \
	{                                                                          \
		const ctype *values = (const ctype *) batch->values;                   \
		const bits_type *bits = (const bits_type *) batch->values;             \
		bits_type best = bits_worst;                                           \
		size_t nans = 0;                                                       \
		ctype found = INFINITY;                                                \
		for (size_t i = 0; i < batch->nrows; i++)                              \
		{                                                                      \
			bits_type x = bits[i] ^ (bits[i] < 0 ? bits_max : 0);              \
			best = x before best ? x : best;                                   \
			nans += values[i] != values[i];                                    \
		}                                                                      \
		if (nan)                                                               \
			return (WaValue){.f = NAN};                                        \
		best ^= best < 0 ? bits_max : 0;                                       \
		if (nans == 0)                                                         \
			memcpy(&found, &best, sizeof(best));                               \
		for (size_t i = 0; nans > 0 && i < batch->nrows; i++)                  \
			found = values[i] < found ? values[i] : found;                     \
		return (WaValue){.f = found == 0 ? find_zero(batch) : (double) found}; \
	}

#define DEFINE_FLOAT_BESTS(storage, ctype, bits_type, bits_max)              \
	DEFINE_FLOAT_BEST(min, <, storage, ctype, bits_type, bits_max, bits_max, \
					  nans == batch->nrows)                                  \
	DEFINE_FLOAT_BEST(max, >, storage, ctype, bits_type, bits_max,           \
					  -bits_max - 1, nans > 0)

DEFINE_FLOAT_BESTS(F32, float, int32_t, INT32_MAX)
DEFINE_FLOAT_BESTS(F64, double, int64_t, INT64_MAX)

/* Merges what a batch has. */
#define DEFINE_FOLD_BESTS(storage)                                           \
	static void fold_min_##storage(WaPartial *partial, const WaBatch *batch) \
	{                                                                        \
		WaValue min = batch_min_##storage(batch);                            \
		if (partial->rows == 0 ||                                            \
			wa_value_beats(WA_OP_MIN, WA_##storage, min, partial->min))      \
			partial->min = min;                                              \
	}                                                                        \
	static void fold_max_##storage(WaPartial *partial, const WaBatch *batch) \
	{                                                                        \
		WaValue max = batch_max_##storage(batch);                            \
		if (partial->rows == 0 ||                                            \
			wa_value_beats(WA_OP_MAX, WA_##storage, max, partial->max))      \
			partial->max = max;                                              \
	}

#define X(storage, ctype) DEFINE_FOLD_BESTS(storage)
WA_STORAGE_LIST(X)
#undef X

/* Bits of the integer storages. */
#define DEFINE_FOLD_BITS(op, name, storage, ctype)                          \
	WA_VECTORISED static void fold_##name##_##storage(WaPartial *partial,   \
													  const WaBatch *batch) \
	{                                                                       \
		uint64_t *bits = wa_partial_bits(partial, op);                      \
		uint64_t all = *bits;                                               \
		FOLD_INTEGERS(ctype, PLAIN, int64_t,                                \
					  all = wa_bits_of_two(op, all, (uint64_t) x))          \
		*bits = all;                                                        \
	}

#define DEFINE_FOLDS_OF_BITS(storage, ctype)                 \
	DEFINE_FOLD_BITS(WA_OP_BIT_AND, bit_and, storage, ctype) \
	DEFINE_FOLD_BITS(WA_OP_BIT_OR, bit_or, storage, ctype)   \
	DEFINE_FOLD_BITS(WA_OP_BIT_XOR, bit_xor, storage, ctype)

DEFINE_FOLDS_OF_BITS(I16, int16_t)
DEFINE_FOLDS_OF_BITS(I32, int32_t)
DEFINE_FOLDS_OF_BITS(I64, int64_t)

typedef void (*FoldFunction)(WaPartial *partial, const WaBatch *batch);

/* By storage and operation; those that are not in the list are NULL. */
static const FoldFunction fold_functions[WA_STORAGE_COUNT][WA_OP_COUNT] = {
#define FOLD_SUM(storage)     fold_sum_##storage
#define FOLD_SQUARES(storage) fold_squares_##storage
#define FOLD_MIN(storage)     fold_min_##storage
#define FOLD_MAX(storage)     fold_max_##storage
#define FOLD_BIT_AND(storage) fold_bit_and_##storage
#define FOLD_BIT_OR(storage)  fold_bit_or_##storage
#define FOLD_BIT_XOR(storage) fold_bit_xor_##storage
#define X(op, storage, accumulator) \
	[WA_##storage][WA_OP_##op] = FOLD_##op(storage),
	WA_REDUCTION_LIST(X)
#undef X
};

void
wa_partial_fold(WaPartial *partial, WaOpSet ops, const WaBatch *batch)
{
	const FoldFunction *functions =
		fold_functions[wa_type_storage(batch->type)];

	if (batch->nrows == 0)
		return;
	for (int op = 0; op < WA_OP_COUNT; op++)
		if ((ops & WA_OP_BIT(op)) != 0)
			functions[op](partial, batch);
	partial->rows += (int64_t) batch->nrows;
}
