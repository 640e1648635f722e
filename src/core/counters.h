/*
 * counters.h
 *		The counters that the supervisor keeps, the device process and the
 *		backends add to, and the views show.
 *
 * They lie in a memory file that the supervisor makes and seals, so they
 * outlive the device process.  Every field is added to atomically, by whoever it
 * concerns, and read without a lock; but `followed` is set by the device process, and
 * to 0 where one is started.  No field depends on another.  The condition of the device
 * process has rules of its own.
 */
#ifndef WA_CORE_COUNTERS_H
#define WA_CORE_COUNTERS_H

#include "core/condition.h"
#include "core/types.h"

/* Kinds of device, as warpagg.device names them. */
typedef enum WaDeviceKind
{
	WA_DEVICE_CPU = 0,
	WA_DEVICE_GPU,
	WA_DEVICE_KINDS
} WaDeviceKind;

/* X(NAME, text): why a buffer, or a query, was left to the backend */
#define WA_FALLBACK_LIST(X)                              \
	X(STARTING, "device process is starting")            \
	X(NO_SLOT, "no staging slot was free")               \
	X(LOST, "connection to the device process was lost") \
	X(TIMEOUT, "device process did not answer in time")  \
	X(DEVICE_ERROR, "device reported an error")          \
	X(RESTING, "device is left alone after a failure")   \
	X(NO_MEMORY, "memory or descriptors ran out")        \
	X(QUERY_MEMORY, "query needed more memory than it may take")

typedef enum WaFallback
{
#define X(name, text) WA_FALLBACK_##name,
	WA_FALLBACK_LIST(X)
#undef X
		WA_FALLBACK_COUNT
} WaFallback;

/* X(NAME, text): what the device process takes memory for */
#define WA_MEMORY_LIST(X)   \
	X(RESIDENT, "resident") \
	X(QUERIES, "queries")   \
	X(STAGING, "staging")   \
	X(PARCELS, "parcels")   \
	X(ALL, "all")

typedef enum WaMemoryKind
{
#define X(name, text) WA_MEMORY_##name,
	WA_MEMORY_LIST(X)
#undef X
		WA_MEMORY_KINDS
} WaMemoryKind;

/* Bytes of one kind, since the device process that runs was started. */
typedef struct WaMemoryUse
{
	int64_t current;
	int64_t peak;
	int64_t limit;
} WaMemoryUse;

/* Of one version of the protocol: whoever speaks another leaves them alone. */
#define WA_COUNTERS_MAGIC (0x57414300 | WA_PROTOCOL_VERSION) /* "WAC" */

typedef struct WaCounters
{
	uint32_t magic;
	uint32_t size_bytes; /* of this struct, as its maker knows it */
	int64_t starts;      /* device processes started */
	int64_t failures;    /* device processes that ended unasked or hung */
	int64_t connections; /* backends that connected */
	int64_t requests;    /* reductions asked for and answered */
	int64_t bytes;       /* of values reduced on a device */
	int64_t device_ns;   /* time spent in reductions, transfers included */
	uint64_t
		followed;  /* how far WAL has been followed: a hint; 0: not at all */
	int64_t loads; /* extents that were loaded or confirmed */
	int64_t loaded_bytes;
	int64_t queries;    /* answered from resident columns */
	int64_t query_rows; /* that these had there */
	int64_t query_ns;   /* from their arrival to the answer */
	/* reductions run and valid rows reduced, by where and what */
	int64_t runs[WA_DEVICE_KINDS][WA_OP_COUNT][WA_TYPE_COUNT];
	int64_t rows[WA_DEVICE_KINDS][WA_OP_COUNT][WA_TYPE_COUNT];
	int64_t fallbacks[WA_FALLBACK_COUNT];
	WaCondition condition;
	WaMemoryUse memory[WA_MEMORY_KINDS];
} WaCounters;

/* Adds to one counter. */
static inline void
wa_counter_add(int64_t *counter, int64_t number)
{
	(void) __atomic_fetch_add(counter, number, __ATOMIC_RELAXED);
}

/* Reads one counter. */
static inline int64_t
wa_counter_get(const int64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

#endif /* WA_CORE_COUNTERS_H */
