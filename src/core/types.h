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

/* X(NAME, C type): how values lie in memory */
#define WA_STORAGE_LIST(X) \
	X(I16, int16_t)        \
	X(I32, int32_t)        \
	X(I64, int64_t)        \
	X(U32, uint32_t)       \
	X(F32, float)          \
	X(F64, double)

/* X(NAME, name as in pg_type, storage) */
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
	X(OID, "oid", U32)

/* X(NAME, name as in SQL without its gpu_) */
#define WA_OP_LIST(X) \
	X(SUM, "sum")     \
	X(MIN, "min")

/*
 * X(operation, type): every aggregate that SQL offers.  The installation
 * script declares exactly these, and the GPU test demands a kernel run of
 * each.
 */
#define WA_AGGREGATE_LIST(X) \
	X(SUM, INT2)             \
	X(SUM, INT4)             \
	X(SUM, INT8)             \
	X(SUM, FLOAT4)           \
	X(SUM, FLOAT8)           \
	X(SUM, MONEY)            \
	X(MIN, INT2)             \
	X(MIN, INT4)             \
	X(MIN, INT8)             \
	X(MIN, FLOAT4)           \
	X(MIN, FLOAT8)           \
	X(MIN, DATE)             \
	X(MIN, TIME)             \
	X(MIN, TIMESTAMP)        \
	X(MIN, TIMESTAMPTZ)      \
	X(MIN, MONEY)            \
	X(MIN, OID)

/*
 * X(operation, storage, accumulator): every reduction that a device has.
 *
 * INT		WaInt128, exact for any number of rows
 * EXACT	WaExactSum, exact and correctly rounded
 * VALUE	one value of the storage
 */
#define WA_REDUCTION_LIST(X) \
	X(SUM, I16, INT)         \
	X(SUM, I32, INT)         \
	X(SUM, I64, INT)         \
	X(SUM, F32, EXACT)       \
	X(SUM, F64, EXACT)       \
	X(MIN, I16, VALUE)       \
	X(MIN, I32, VALUE)       \
	X(MIN, I64, VALUE)       \
	X(MIN, U32, VALUE)       \
	X(MIN, F32, VALUE)       \
	X(MIN, F64, VALUE)

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

/* What a core or device function reports; text goes beside it. */
typedef enum WaStatus
{
	WA_OK = 0,
	WA_UNSUPPORTED,   /* no such reduction, or no such device */
	WA_OUT_OF_MEMORY, /* host or device memory; may work later */
	WA_DEVICE_LOST,   /* the device is unusable until it is opened again */
	WA_BAD_REQUEST    /* the request breaks the protocol */
} WaStatus;

#ifdef __cplusplus
extern "C"
{
#endif

/* Returns how values of the type lie in memory. */
WaStorage wa_type_storage(WaType type);

/* Returns the bytes one value of the type takes: 2, 4 or 8. */
size_t wa_type_width(WaType type);

/* Returns the type's name as in pg_type, e.g. "int4". */
const char *wa_type_name(WaType type);

/* Returns the operation's name as in SQL without its gpu_, e.g. "sum". */
const char *wa_op_name(WaOp op);

/* Tells whether SQL offers the operation over the type. */
bool wa_aggregate_exists(WaOp op, WaType type);

/* Tells whether every operation of the set has a reduction over the storage. */
bool wa_reductions_exist(WaOpSet ops, WaStorage storage);

#ifdef __cplusplus
}
#endif

#endif /* WA_CORE_TYPES_H */
