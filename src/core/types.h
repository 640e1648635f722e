/*
 * types.h
 *		The one list of types, storages and reductions.
 *
 * A type is what SQL calls a type; a storage is how its values lie in memory.
 * Several types share a storage (date is stored as int4), so kernels and fold
 * loops exist per (operation, storage), while counters and results go by
 * (operation, type).  Everything else is generated from the three lists below:
 * adding a type, a storage or a reduction is a line here and an operation
 * header where the operation itself is new.
 *
 * This header and all of src/core are plain C without PostgreSQL or CUDA, and
 * also compile as C++ and as CUDA, so that one definition serves the server,
 * the device process, the kernels and their emulator.
 */
#ifndef WA_CORE_TYPES_H
#define WA_CORE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Functions that run both on the host and on the GPU are marked WA_INLINE.
 */
#ifdef __CUDACC__
#define WA_INLINE static __host__ __device__ __forceinline__
#else
#define WA_INLINE static inline
#endif

/*
 * X(NAME, C type): how values lie in memory.  I128 is a WaInt128 (int128.h)
 * below 2^95 in magnitude, so that sums of 2^30 of them fit 128 bits.
 */
#define WA_STORAGE_LIST(X) \
	X(I16, int16_t)        \
	X(I32, int32_t)        \
	X(I64, int64_t)        \
	X(U32, uint32_t)       \
	X(U64, uint64_t)       \
	X(I128, WaInt128)      \
	X(F32, float)          \
	X(F64, double)

/*
 * X(NAME, name as in pg_type, storage): the types that a device takes.  A
 * numeric travels as an integer, scaled by a power of ten that the sender
 * keeps to itself: as NUMERIC where it fits 64 bits, else as WIDE_NUMERIC.
 */
#define WA_TYPE_LIST(X)                \
	X(INT2, "int2", I16)               \
	X(INT4, "int4", I32)               \
	X(INT8, "int8", I64)               \
	X(FLOAT4, "float4", F32)           \
	X(FLOAT8, "float8", F64)           \
	X(DATE, "date", I32)               \
	X(TIME, "time", I64)               \
	X(TIMESTAMP, "timestamp", I64)     \
	X(TIMESTAMPTZ, "timestamptz", I64) \
	X(MONEY, "money", I64)             \
	X(OID, "oid", U32)                 \
	X(XID8, "xid8", U64)               \
	X(PG_LSN, "pg_lsn", U64)           \
	X(NUMERIC, "numeric", I64)         \
	X(WIDE_NUMERIC, "numeric (wide)", I128)

/*
 * X(NAME, name): what a device computes over a column.  Aggregates of SQL ask
 * for sets of them: the average for SUM, a variance for SUM and SQUARES.  The
 * number of rows comes with any of them.
 */
#define WA_OP_LIST(X)     \
	X(SUM, "sum")         \
	X(SQUARES, "squares") \
	X(MIN, "min")         \
	X(MAX, "max")         \
	X(BIT_AND, "bit_and") \
	X(BIT_OR, "bit_or")   \
	X(BIT_XOR, "bit_xor")

/* X(type): the types that have a smallest and a largest value */
#define WA_ORDERED_LIST(X, op) \
	X(op, INT2)                \
	X(op, INT4)                \
	X(op, INT8)                \
	X(op, FLOAT4)              \
	X(op, FLOAT8)              \
	X(op, DATE)                \
	X(op, TIME)                \
	X(op, TIMESTAMP)           \
	X(op, TIMESTAMPTZ)         \
	X(op, MONEY)               \
	X(op, OID)                 \
	X(op, XID8)                \
	X(op, PG_LSN)              \
	X(op, NUMERIC)             \
	X(op, WIDE_NUMERIC)

/*
 * X(operation, type): what the aggregates of SQL ask a device for.  The GPU
 * test demands a kernel run of each.
 */
#define WA_AGGREGATE_LIST(X) \
	X(SUM, INT2)             \
	X(SUM, INT4)             \
	X(SUM, INT8)             \
	X(SUM, FLOAT4)           \
	X(SUM, FLOAT8)           \
	X(SUM, MONEY)            \
	X(SUM, NUMERIC)          \
	X(SUM, WIDE_NUMERIC)     \
	X(SQUARES, INT2)         \
	X(SQUARES, INT4)         \
	X(SQUARES, INT8)         \
	X(SQUARES, FLOAT4)       \
	X(SQUARES, FLOAT8)       \
	X(SQUARES, NUMERIC)      \
	WA_ORDERED_LIST(X, MIN)  \
	WA_ORDERED_LIST(X, MAX)

/*
 * X(operation, storage, accumulator): every reduction that a device has.
 *
 * INT		WaInt128, exact for any number of rows (for I128: for 2^30)
 * SQUARE	WaUint192, exact for any number of rows
 * EXACT	WaExactSum, exact; correctly rounded at the end
 * EXACT_SQUARE	WaExactSquares, likewise
 * VALUE	one value of the storage
 * BITS		its bits, as a word of 64
 *
 * Those over bits are together with each other, but with no others.
 */
#define WA_REDUCTION_LIST(X)      \
	X(SUM, I16, INT)              \
	X(SUM, I32, INT)              \
	X(SUM, I64, INT)              \
	X(SUM, I128, INT)             \
	X(SUM, F32, EXACT)            \
	X(SUM, F64, EXACT)            \
	X(SQUARES, I16, SQUARE)       \
	X(SQUARES, I32, SQUARE)       \
	X(SQUARES, I64, SQUARE)       \
	X(SQUARES, F32, EXACT_SQUARE) \
	X(SQUARES, F64, EXACT_SQUARE) \
	X(MIN, I16, VALUE)            \
	X(MIN, I32, VALUE)            \
	X(MIN, I64, VALUE)            \
	X(MIN, U32, VALUE)            \
	X(MIN, U64, VALUE)            \
	X(MIN, I128, VALUE)           \
	X(MIN, F32, VALUE)            \
	X(MIN, F64, VALUE)            \
	X(MAX, I16, VALUE)            \
	X(MAX, I32, VALUE)            \
	X(MAX, I64, VALUE)            \
	X(MAX, U32, VALUE)            \
	X(MAX, U64, VALUE)            \
	X(MAX, I128, VALUE)           \
	X(MAX, F32, VALUE)            \
	X(MAX, F64, VALUE)            \
	X(BIT_AND, I16, BITS)         \
	X(BIT_AND, I32, BITS)         \
	X(BIT_AND, I64, BITS)         \
	X(BIT_OR, I16, BITS)          \
	X(BIT_OR, I32, BITS)          \
	X(BIT_OR, I64, BITS)          \
	X(BIT_XOR, I16, BITS)         \
	X(BIT_XOR, I32, BITS)         \
	X(BIT_XOR, I64, BITS)

typedef enum WaStorage
{
#define X(name, ctype) WA_##name,
	WA_STORAGE_LIST(X)
#undef X
		WA_STORAGE_COUNT
} WaStorage;

typedef enum WaType
{
#define X(name, sql, storage) WA_##name,
	WA_TYPE_LIST(X)
#undef X
		WA_TYPE_COUNT
} WaType;

typedef enum WaOp
{
#define X(name, sql) WA_OP_##name,
	WA_OP_LIST(X)
#undef X
		WA_OP_COUNT
} WaOp;

/* A set of operations, one bit each. */
typedef uint32_t WaOpSet;

#define WA_OP_BIT(op) ((WaOpSet) 1 << (op))

/* Tells whether the set has the operation. */
WA_INLINE bool
wa_ops_have(WaOpSet ops, WaOp op)
{
	return (ops & WA_OP_BIT(op)) != 0;
}

/* The operations over bits, from the first to the last. */
#define WA_BIT_OPS                                        \
	(WA_OP_BIT(WA_OP_BIT_AND) | WA_OP_BIT(WA_OP_BIT_OR) | \
	 WA_OP_BIT(WA_OP_BIT_XOR))
#define WA_BIT_OP_COUNT (WA_OP_COUNT - WA_OP_BIT_AND)

/* Tells whether reductions of the set can be made together. */
WA_INLINE bool
wa_ops_are_together(WaOpSet ops)
{
	return (ops & WA_BIT_OPS) == 0 || (ops & ~WA_BIT_OPS) == 0;
}

/* Returns what an operation over bits makes of no value. */
WA_INLINE uint64_t
wa_bits_of_none(WaOp op)
{
	return op == WA_OP_BIT_AND ? UINT64_MAX : 0;
}

/* Returns what it makes of two values. */
WA_INLINE uint64_t
wa_bits_of_two(WaOp op, uint64_t a, uint64_t b)
{
	switch (op)
	{
		case WA_OP_BIT_AND:
			return a & b;
		case WA_OP_BIT_OR:
			return a | b;
		default:
			return a ^ b;
	}
}

/* What a core or device function reports; text goes beside it. */
typedef enum WaStatus
{
	WA_OK = 0,
	WA_UNSUPPORTED,   /* no such reduction, or no such device */
	WA_OUT_OF_MEMORY, /* host or device memory; may work later */
	WA_DEVICE_LOST,   /* the device is unusable until it is opened again */
	WA_BAD_REQUEST,   /* the request breaks the protocol */
	WA_OUT_OF_FILES,  /* descriptors or connections; may work later */
	WA_NOT_KEPT       /* a table of the query is not, or has no room */
} WaStatus;

#ifdef __cplusplus
extern "C"
{
#endif

/* Returns how values of the type lie in memory. */
WaStorage wa_type_storage(WaType type);

/* Returns the bytes one value of the type takes: 2, 4, 8 or 16. */
size_t wa_type_width(WaType type);

/* Returns the type's name as in pg_type, e.g. "int4". */
const char *wa_type_name(WaType type);

/* Returns the operation's name, e.g. "sum". */
const char *wa_op_name(WaOp op);

/* Tells whether the operation over the type is one of WA_AGGREGATE_LIST. */
bool wa_aggregate_exists(WaOp op, WaType type);

/* Tells whether every operation of the set has a reduction over the storage. */
bool wa_reductions_exist(WaOpSet ops, WaStorage storage);

#ifdef __cplusplus
}
#endif

#endif /* WA_CORE_TYPES_H */
