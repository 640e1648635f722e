/*
 * partial.h
 *		The partial state of the aggregates over one column.
 *
 * A partial holds the components that a set of operations needs.  It is
 * exact, and merging is associative and commutative: of 0 and -0, which are equal, min
 * and max keep 0.
 */
#ifndef WA_CORE_PARTIAL_H
#define WA_CORE_PARTIAL_H

#include <math.h>

#include "core/batch.h"
#include "core/exact_squares.h"
#include "core/exact_sum.h"
#include "core/int128.h"
#include "core/must_check.h"

/*
 * A value of any storage: i for the signed integers (widened), u for the
 * unsigned ones, f for the floats, wide for I128.
 */
typedef union WaValue
{
	int64_t i;
	uint64_t u;
	double f;
	WaInt128 wide;
} WaValue;

/* Tells whether values of the storage are floats. */
WA_INLINE bool
wa_storage_is_float(WaStorage storage)
{
	return storage == WA_F32 || storage == WA_F64;
}

/* Tells whether a sorts before b, as float8_lt does: NaN is the largest. */
WA_INLINE bool
wa_float_less(double a, double b)
{
	return a < b || (b != b && a == a);
}

/* Tells whether a sorts before b, as PostgreSQL orders values of the storage. */
WA_INLINE bool
wa_value_less(WaStorage storage, WaValue a, WaValue b)
{
	switch (storage)
	{
		case WA_F32:
		case WA_F64:
			return wa_float_less(a.f, b.f);
		case WA_U32:
		case WA_U64:
			return a.u < b.u;
		case WA_I128:
			return wa_int128_get(a.wide) < wa_int128_get(b.wide);
		default:
			return a.i < b.i;
	}
}

/*
 * Tells whether the operation, MIN or MAX, has a rather than b: it is the smaller or the
 * larger one, or they are zeros and b is -0.
 */
WA_INLINE bool
wa_value_beats(WaOp op, WaStorage storage, WaValue a, WaValue b)
{
	if (op == WA_OP_MIN ? wa_value_less(storage, a, b)
						: wa_value_less(storage, b, a))
		return true;
	return wa_storage_is_float(storage) && a.f == 0 && b.f == 0 && signbit(b.f);
}

/* The parts of a partial over floats. */
typedef struct WaExactPart
{
	WaExactSum sum;         /* SUM; its counts serve SQUARES too */
	WaExactSquares squares; /* SQUARES */
} WaExactPart;

typedef struct WaPartial
{
	int64_t rows;       /* valid rows taken in */
	WaInt128 sum;       /* SUM over integers */
	WaUint192 squares;  /* SQUARES over integers */
	WaExactPart *exact; /* SUM and SQUARES over floats; the maker's memory */
	WaValue min;        /* MIN; undefined while rows is 0 */
	WaValue max;        /* MAX, likewise */
	uint64_t bits[WA_BIT_OP_COUNT]; /* by operation, from BIT_AND on */
} WaPartial;

/* Returns the bits that an operation over bits has come to. */
WA_INLINE uint64_t *
wa_partial_bits(WaPartial *partial, WaOp op)
{
	return &partial->bits[op - WA_OP_BIT_AND];
}

/* No encoded partial is longer than this. */
#define WA_PARTIAL_MAX_BYTES (sizeof(WaPartial) + 64 + sizeof(WaExactPart))

#ifdef __cplusplus
extern "C"
{
#endif

/* Tells whether the operations over the type need a WaExactPart. */
bool wa_partial_needs_exact(WaType type, WaOpSet ops);

/*
 * Makes *partial the partial of no rows.  exact is memory for the float parts,
 * which has to outlive the partial, or NULL where none are needed.
 */
void wa_partial_init(WaPartial *partial, WaExactPart *exact);

/*
 * Folds the batch, all of whose rows are valid, into *partial on the calling thread.
 * This is the whole of the CPU device's reduction, and the reference the kernels are
 * held against.
 */
void wa_partial_fold(WaPartial *partial, WaOpSet ops, const WaBatch *batch);

/* Merges *from, whose rows came after those of *into, into *into. */
void wa_partial_merge(WaPartial *into, const WaPartial *from, WaType type,
					  WaOpSet ops);

/*
 * Writes the partial to buffer, which has WA_PARTIAL_MAX_BYTES, and returns
 * the bytes written.  The form is only for processes of one machine and one
 * version of warpagg.
 */
size_t wa_partial_encode(const WaPartial *partial, WaType type, WaOpSet ops,
						 uint8_t *buffer);

/*
 * Reads what wa_partial_encode wrote for the same type and operations into
 * *partial, which wa_partial_init has made.  Returns false, with *partial
 * undefined, if the bytes are not such a partial.
 */
WA_MUST_CHECK bool wa_partial_decode(WaPartial *partial, WaType type,
									 WaOpSet ops, const uint8_t *buffer,
									 size_t length);

#ifdef __cplusplus
}
#endif

#endif /* WA_CORE_PARTIAL_H */
