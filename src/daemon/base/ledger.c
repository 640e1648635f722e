/*
 * ledger.c
 *		Counting the memory of the process; see ledger.h.
 */
#include <string.h>

#include "daemon/base/ledger.h"

/* The part of the limit of resident columns that queries have, beside these. */
#define QUERY_PART 4

/* Returns the sum of two sizes, or the largest number that the counters show. */
static uint64_t
add(uint64_t a, uint64_t b)
{
	const uint64_t most = INT64_MAX;

	return a > most || b > most - a ? most : a + b;
}

/* Sets a limit. */
static void
set_limit(WaLedger *ledger, WaMemoryKind kind, uint64_t bytes)
{
	bytes = add(bytes, 0);
	__atomic_store_n(&ledger->limit[kind], bytes, __ATOMIC_RELAXED);
	if (ledger->shown != NULL)
		__atomic_store_n(&ledger->shown[kind].limit, (int64_t) bytes,
						 __ATOMIC_RELAXED);
}

void
wa_ledger_set_limit(WaLedger *ledger, uint64_t resident_limit)
{
	uint64_t queries = resident_limit / QUERY_PART;
	uint64_t all;

	if (queries < WA_LEAST_QUERY_BYTES)
		queries = WA_LEAST_QUERY_BYTES;
	all = add(add(resident_limit, queries), ledger->staging_bytes);
	set_limit(ledger, WA_MEMORY_RESIDENT, resident_limit);
	set_limit(ledger, WA_MEMORY_QUERIES, queries);
	set_limit(ledger, WA_MEMORY_STAGING, ledger->staging_bytes);
	set_limit(ledger, WA_MEMORY_PARCELS, all);
	set_limit(ledger, WA_MEMORY_ALL, all);
}

void
wa_ledger_init(WaLedger *ledger, WaMemoryUse *shown, uint64_t staging_bytes,
			   uint64_t resident_limit)
{
	memset(ledger, 0, sizeof(*ledger));
	memset(shown, 0, WA_MEMORY_KINDS * sizeof(*shown));
	ledger->shown = shown;
	ledger->staging_bytes = staging_bytes;
	wa_ledger_set_limit(ledger, resident_limit);
}

/* Counts bytes of one kind, if they are within its limit. */
static bool
count(WaLedger *ledger, WaMemoryKind kind, uint64_t bytes)
{
	uint64_t used = __atomic_load_n(&ledger->used[kind], __ATOMIC_RELAXED);

	do
	{
		const uint64_t limit =
			__atomic_load_n(&ledger->limit[kind], __ATOMIC_RELAXED);

		if (used > limit || bytes > limit - used)
			return false;
	} while (!__atomic_compare_exchange_n(&ledger->used[kind], &used,
										  used + bytes, true, __ATOMIC_RELAXED,
										  __ATOMIC_RELAXED));
	return true;
}

/* Shows a change of one kind. */
static void
show(WaLedger *ledger, WaMemoryKind kind, int64_t bytes)
{
	WaMemoryUse *shown;
	int64_t current;
	int64_t peak;

	if (ledger->shown == NULL)
		return;
	shown = &ledger->shown[kind];
	current = __atomic_add_fetch(&shown->current, bytes, __ATOMIC_RELAXED);
	peak = wa_counter_get(&shown->peak);
	while (peak < current &&
		   !__atomic_compare_exchange_n(&shown->peak, &peak, current, true,
										__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

WaTaken
wa_ledger_take(WaLedger *ledger, WaMemoryKind kind, uint64_t bytes)
{
	if (!count(ledger, kind, bytes))
		return WA_TAKEN_TOO_MUCH;
	if (!count(ledger, WA_MEMORY_ALL, bytes))
	{
		(void) __atomic_fetch_sub(&ledger->used[kind], bytes, __ATOMIC_RELAXED);
		return WA_TAKEN_ALL;
	}
	show(ledger, kind, (int64_t) bytes);
	show(ledger, WA_MEMORY_ALL, (int64_t) bytes);
	return WA_TAKEN;
}

void
wa_ledger_note(WaLedger *ledger, WaMemoryKind kind, uint64_t bytes)
{
	(void) __atomic_fetch_add(&ledger->used[kind], bytes, __ATOMIC_RELAXED);
	(void) __atomic_fetch_add(&ledger->used[WA_MEMORY_ALL], bytes,
							  __ATOMIC_RELAXED);
	show(ledger, kind, (int64_t) bytes);
	show(ledger, WA_MEMORY_ALL, (int64_t) bytes);
}

void
wa_ledger_give(WaLedger *ledger, WaMemoryKind kind, uint64_t bytes)
{
	(void) __atomic_fetch_sub(&ledger->used[kind], bytes, __ATOMIC_RELAXED);
	(void) __atomic_fetch_sub(&ledger->used[WA_MEMORY_ALL], bytes,
							  __ATOMIC_RELAXED);
	show(ledger, kind, -(int64_t) bytes);
	show(ledger, WA_MEMORY_ALL, -(int64_t) bytes);
}
