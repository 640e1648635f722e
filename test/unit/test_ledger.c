/*
 * test_ledger.c
 *		Counting the memory of the process by what it is for, and its limits.
 */
#include <pthread.h>
#include <stdlib.h>

#include "test/unit/check.h"
#include "test/unit/test_extent.h"

#define MIB     ((uint64_t) 1 << 20)
#define STAGING (8 * MIB)
#define LIMIT   (400 * MIB)
#define QUERIES (LIMIT / 4)
#define ALL     (LIMIT + QUERIES + STAGING)

#define THREADS 8
#define TURNS   20000

static WaMemoryUse shown[WA_MEMORY_KINDS];

/* Tells whether a kind is shown to have so much now, and to have had so much. */
static bool
is_shown(WaMemoryKind kind, uint64_t current, uint64_t peak)
{
	return shown[kind].current == (int64_t) current &&
		   shown[kind].peak == (int64_t) peak;
}

/* Each kind has a limit, and all together have one. */
static bool
test_limits(void)
{
	WaLedger ledger;

	shown[WA_MEMORY_QUERIES].current = 7; /* of another process */
	wa_ledger_init(&ledger, shown, STAGING, LIMIT);
	EXPECT(is_shown(WA_MEMORY_QUERIES, 0, 0));
	EXPECT(shown[WA_MEMORY_QUERIES].limit == (int64_t) QUERIES);
	EXPECT(shown[WA_MEMORY_ALL].limit == (int64_t) ALL);
	EXPECT(wa_ledger_take(&ledger, WA_MEMORY_QUERIES, QUERIES + 1) ==
		   WA_TAKEN_TOO_MUCH);
	EXPECT(wa_ledger_take(&ledger, WA_MEMORY_QUERIES, QUERIES) == WA_TAKEN);
	EXPECT(wa_ledger_take(&ledger, WA_MEMORY_QUERIES, 1) == WA_TAKEN_TOO_MUCH);
	EXPECT(wa_ledger_take(&ledger, WA_MEMORY_RESIDENT, LIMIT) == WA_TAKEN);
	EXPECT(wa_ledger_take(&ledger, WA_MEMORY_PARCELS, STAGING) == WA_TAKEN);
	EXPECT(wa_ledger_take(&ledger, WA_MEMORY_PARCELS, 1) == WA_TAKEN_ALL);
	/* What is there already counts all the same. */
	wa_ledger_note(&ledger, WA_MEMORY_STAGING, STAGING);
	EXPECT(is_shown(WA_MEMORY_ALL, ALL + STAGING, ALL + STAGING));
	wa_ledger_give(&ledger, WA_MEMORY_RESIDENT, LIMIT);
	wa_ledger_give(&ledger, WA_MEMORY_QUERIES, QUERIES);
	EXPECT(is_shown(WA_MEMORY_QUERIES, 0, QUERIES));
	EXPECT(is_shown(WA_MEMORY_RESIDENT, 0, LIMIT));
	EXPECT(is_shown(WA_MEMORY_ALL, 2 * STAGING, ALL + STAGING));
	return true;
}

/* Queries have some memory however small the limit is, and no limit is too large. */
static bool
test_odd_limits(void)
{
	WaLedger ledger;

	wa_ledger_init(&ledger, shown, STAGING, 0);
	EXPECT(wa_ledger_take(&ledger, WA_MEMORY_RESIDENT, 1) == WA_TAKEN_TOO_MUCH);
	EXPECT(wa_ledger_take(&ledger, WA_MEMORY_QUERIES, WA_LEAST_QUERY_BYTES) ==
		   WA_TAKEN);
	wa_ledger_set_limit(&ledger, UINT64_MAX);
	for (int kind = 0; kind < WA_MEMORY_KINDS; kind++)
		EXPECT(shown[kind].limit > 0);
	EXPECT(wa_ledger_take(&ledger, WA_MEMORY_QUERIES, UINT64_MAX) ==
		   WA_TAKEN_TOO_MUCH);
	EXPECT(wa_ledger_take(&ledger, WA_MEMORY_RESIDENT, INT64_MAX) ==
		   WA_TAKEN_ALL);
	EXPECT(wa_ledger_take(&ledger, WA_MEMORY_RESIDENT, INT64_MAX / 2) ==
		   WA_TAKEN);
	/* What was taken may be above a limit that comes later. */
	wa_ledger_set_limit(&ledger, 0);
	EXPECT(wa_ledger_take(&ledger, WA_MEMORY_QUERIES, 1) == WA_TAKEN_TOO_MUCH);
	EXPECT(wa_ledger_take(&ledger, WA_MEMORY_PARCELS, 1) == WA_TAKEN_ALL);
	return true;
}

/* Where all is taken, what needs memory has columns go that nobody uses. */
static bool
test_eviction(void)
{
	static WaStore store;
	uint8_t *parcel = aligned_alloc(64, WA_TEST_EXTENT_BYTES);
	const WaLedger *ledger = &store.memory.ledger;
	uint64_t bytes;
	uint64_t left;
	uint64_t rest;

	EXPECT(parcel != NULL);
	wa_store_init(&store, LIMIT, 1);
	wa_test_know(&store, 1);
	wa_ledger_init(&store.memory.ledger, shown, 0, LIMIT);
	for (uint32_t i = 0; i < 4; i++)
		EXPECT(wa_test_load(&store, parcel, 0, i, 1, 400, 4, 4) == WA_OK);
	bytes = wa_memory_used(&store.memory);
	EXPECT(is_shown(WA_MEMORY_RESIDENT, bytes, bytes));
	EXPECT(wa_memory_take(&store.memory, WA_MEMORY_PARCELS,
						  LIMIT + QUERIES - bytes));
	EXPECT(wa_memory_used(&store.memory) == bytes);
	EXPECT(wa_memory_take(&store.memory, WA_MEMORY_QUERIES, bytes / 2));
	left = wa_memory_used(&store.memory);
	EXPECT(left > 0 && left <= bytes / 2);
	/* What is more than queries may have makes nothing go. */
	EXPECT(!wa_memory_take(&store.memory, WA_MEMORY_QUERIES, QUERIES));
	EXPECT(wa_memory_used(&store.memory) == left);
	/* Columns do not come where there is no room. */
	rest = bytes - bytes / 2 - left;
	EXPECT(wa_memory_take(&store.memory, WA_MEMORY_PARCELS, rest));
	EXPECT(wa_memory_used(&store.memory) == left);
	EXPECT(wa_test_load(&store, parcel, 0, 7, 1, 400, 4, 4) ==
		   WA_OUT_OF_MEMORY);
	EXPECT(!wa_memory_take(&store.memory, WA_MEMORY_QUERIES, bytes));
	EXPECT(wa_memory_used(&store.memory) == 0);
	wa_memory_give(&store.memory, WA_MEMORY_QUERIES, bytes / 2);
	wa_memory_give(&store.memory, WA_MEMORY_PARCELS, LIMIT + QUERIES - bytes);
	wa_memory_give(&store.memory, WA_MEMORY_PARCELS, rest);
	for (int kind = 0; kind < WA_MEMORY_KINDS; kind++)
		EXPECT(ledger->used[kind] == 0 && shown[kind].current == 0);
	free(parcel);
	return true;
}

/* Takes memory and gives it back, again and again. */
static void *
take_turns(void *arg)
{
	WaLedger *ledger = arg;

	for (int i = 0; i < TURNS; i++)
	{
		const WaMemoryKind kind =
			i % 3 == 0 ? WA_MEMORY_QUERIES : WA_MEMORY_PARCELS;
		const uint64_t bytes = (uint64_t) (i % 7) * 10 * MIB;

		if (wa_ledger_take(ledger, kind, bytes) == WA_TAKEN)
			wa_ledger_give(ledger, kind, bytes);
	}
	return NULL;
}

/* Nothing is lost by several threads, and no limit exceeded. */
static bool
test_threads(void)
{
	pthread_t threads[THREADS];
	WaLedger ledger;

	wa_ledger_init(&ledger, shown, STAGING, 0);
	for (int i = 0; i < THREADS; i++)
		EXPECT(pthread_create(&threads[i], NULL, take_turns, &ledger) == 0);
	for (int i = 0; i < THREADS; i++)
		EXPECT(pthread_join(threads[i], NULL) == 0);
	for (int kind = 0; kind < WA_MEMORY_KINDS; kind++)
		EXPECT(ledger.used[kind] == 0 && shown[kind].current == 0);
	return true;
}

int
main(void)
{
	check(test_limits(), "limits");
	check(test_odd_limits(), "odd limits");
	check(test_eviction(), "columns that make room");
	check(test_threads(), "threads");
	return finish_checks();
}
