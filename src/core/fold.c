/*
 * fold.c
 *		Folding a batch into a partial on the CPU: what the CPU device and the
 *		backends run, and what the kernels are held against.
 *
 * The loops without a validity bitmap are written for the compiler to turn
 * into vector instructions, or at least to overlap; those with one go bit by
 * bit.  One loop exists per line of WA_REDUCTION_LIST.
 */
#include <math.h>

#include "core/order.h"
#include "core/partial.h"

/* Independent chains of dependent comparisons that a float minimum keeps. */
#define MIN_CHAINS 4

/* Counts the valid rows of a batch. */
static int64_t
count_valid(const WaBatch *batch)
{
	size_t words = batch->nrows / 64;
	unsigned tail = batch->nrows % 64;
	int64_t rows = 0;

	if (batch->validity == NULL)
		return (int64_t) batch->nrows;
	for (size_t i = 0; i < words; i++)
		rows += __builtin_popcountll(batch->validity[i]);
	if (tail != 0)
		rows += __builtin_popcountll(batch->validity[words] &
									 (((uint64_t) 1 << tail) - 1));
	return rows;
}

/* Sums of the integer storages; 2^32 rows of 32 bits fit 64 bits. */
#define DEFINE_INTEGER_SUM(storage, ctype, wide)                             \
	static void fold_sum_##storage(WaPartial *partial, const WaBatch *batch) \
	{                                                                        \
		const ctype *values = (const ctype *) batch->values;                 \
		wide sum = 0;                                                        \
		if (batch->validity == NULL)                                         \
			for (size_t i = 0; i < batch->nrows; i++)                        \
				sum += values[i];                                            \
		else                                                                 \
			for (size_t i = 0; i < batch->nrows; i++)                        \
				sum += wa_row_is_valid(batch->validity, i) ? values[i] : 0;  \
		wa_int128_add(&partial->sum, sum);                                   \
	}

DEFINE_INTEGER_SUM(I16, int16_t, int64_t)
DEFINE_INTEGER_SUM(I32, int32_t, int64_t)
DEFINE_INTEGER_SUM(I64, int64_t, __int128)

static void
fold_sum_F32(WaPartial *partial, const WaBatch *batch)
{
	wa_exact_add_floats(partial->exact, (const float *) batch->values,
						batch->validity, batch->nrows);
}

static void
fold_sum_F64(WaPartial *partial, const WaBatch *batch)
{
	wa_exact_add_doubles(partial->exact, (const double *) batch->values,
						 batch->validity, batch->nrows);
}

/* Minima of the integer storages, of batches with at least one valid row. */
#define DEFINE_INTEGER_MIN(storage, ctype, largest)                         \
	static WaValue batch_min_##storage(const WaBatch *batch)                \
	{                                                                       \
		const ctype *values = (const ctype *) batch->values;                \
		ctype min = largest;                                                \
		if (batch->validity == NULL)                                        \
			for (size_t i = 0; i < batch->nrows; i++)                       \
				min = values[i] < min ? values[i] : min;                    \
		else                                                                \
			for (size_t i = 0; i < batch->nrows; i++)                       \
				if (wa_row_is_valid(batch->validity, i) && values[i] < min) \
					min = values[i];                                        \
		return (WaValue){.i = min};                                         \
	}

DEFINE_INTEGER_MIN(I16, int16_t, INT16_MAX)
DEFINE_INTEGER_MIN(I32, int32_t, INT32_MAX)
DEFINE_INTEGER_MIN(I64, int64_t, INT64_MAX)
DEFINE_INTEGER_MIN(U32, uint32_t, UINT32_MAX)

/*
 * Minima of the float storages, likewise.  "x < min" never takes a NaN, so a
 * minimum that is still infinite is Infinity if any row was, else NaN.
 */
#define DEFINE_FLOAT_MIN(storage, ctype)                             \
	static WaValue batch_min_##storage(const WaBatch *batch)         \
	{                                                                \
		const ctype *values = (const ctype *) batch->values;         \
		ctype mins[MIN_CHAINS];                                      \
		bool number_seen = false;                                    \
		size_t i = 0;                                                \
		for (int chain = 0; chain < MIN_CHAINS; chain++)             \
			mins[chain] = (ctype) INFINITY;                          \
		if (batch->validity == NULL)                                 \
			for (; i + MIN_CHAINS <= batch->nrows; i += MIN_CHAINS)  \
				for (int chain = 0; chain < MIN_CHAINS; chain++)     \
				{                                                    \
					ctype x = values[i + chain];                     \
					mins[chain] = x < mins[chain] ? x : mins[chain]; \
					number_seen |= x == x;                           \
				}                                                    \
		for (; i < batch->nrows; i++)                                \
			if (wa_row_is_valid(batch->validity, i))                 \
			{                                                        \
				mins[0] = values[i] < mins[0] ? values[i] : mins[0]; \
				number_seen |= values[i] == values[i];               \
			}                                                        \
		for (int chain = 1; chain < MIN_CHAINS; chain++)             \
			mins[0] = mins[chain] < mins[0] ? mins[chain] : mins[0]; \
		if (mins[0] == 0)                                            \
			return (WaValue){.f = wa_batch_last_zero(batch)};        \
		return (WaValue){.f = number_seen ? (double) mins[0] : NAN}; \
	}

DEFINE_FLOAT_MIN(F32, float)
DEFINE_FLOAT_MIN(F64, double)

/* Merges the minimum of a batch that comes after all rows of the partial. */
#define DEFINE_FOLD_MIN(storage, less)                                       \
	static void fold_min_##storage(WaPartial *partial, const WaBatch *batch) \
	{                                                                        \
		WaValue min = batch_min_##storage(batch);                            \
		if (partial->rows == 0 || !(less))                                   \
			partial->min = min;                                              \
	}

DEFINE_FOLD_MIN(I16, partial->min.i < min.i)
DEFINE_FOLD_MIN(I32, partial->min.i < min.i)
DEFINE_FOLD_MIN(I64, partial->min.i < min.i)
DEFINE_FOLD_MIN(U32, partial->min.i < min.i)
DEFINE_FOLD_MIN(F32, wa_float_less(partial->min.f, min.f))
DEFINE_FOLD_MIN(F64, wa_float_less(partial->min.f, min.f))

typedef void (*FoldFunction)(WaPartial *partial, const WaBatch *batch);

/* By storage and operation; those that are not in the list are NULL. */
static const FoldFunction fold_functions[WA_STORAGE_COUNT][WA_OP_COUNT] = {
#define FOLD_SUM(storage) fold_sum_##storage
#define FOLD_MIN(storage) fold_min_##storage
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
	int64_t rows = count_valid(batch);

	if (rows == 0)
		return;
	for (int op = 0; op < WA_OP_COUNT; op++)
		if ((ops & WA_OP_BIT(op)) != 0)
			functions[op](partial, batch);
	partial->rows += rows;
}

double
wa_batch_last_zero(const WaBatch *batch)
{
	for (size_t i = batch->nrows; i-- > 0;)
	{
		double x = wa_type_storage(batch->type) == WA_F32
					   ? (double) ((const float *) batch->values)[i]
					   : ((const double *) batch->values)[i];

		if (x == 0 && wa_row_is_valid(batch->validity, i))
			return x;
	}
	return 0;
}
