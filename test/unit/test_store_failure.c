/*
 * test_store_failure.c
 *		Loads and runs in which any one allocation fails: they say so, and
 *		nothing is lost or left.
 *
 * Linked such that allocations go by the functions here first.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "daemon/run/run.h"
#include "test/unit/check.h"
#include "test/unit/test_counting_runner.h"
#include "test/unit/test_extent.h"

#define PLENTY ((uint64_t) 1 << 40)

#define MOST_TRIALS 400

/* That relations have. */
#define BLOCKS (40 * WA_EXTENT_BLOCKS)

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *place, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__real_wa_chunks_get(WaChunks *chunks, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *place, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_wa_chunks_get(WaChunks *chunks, size_t bytes);

/* Allocations up to the one that fails; negative: none fails. */
static long countdown = -1;
static bool has_failed;

/* Tells whether this allocation is to fail. */
static bool
fails(void)
{
	if (__atomic_load_n(&countdown, __ATOMIC_SEQ_CST) < 0 ||
		__atomic_fetch_sub(&countdown, 1, __ATOMIC_SEQ_CST) != 0)
		return false;
	__atomic_store_n(&has_failed, true, __ATOMIC_SEQ_CST);
	return true;
}

void *
__wrap_malloc(size_t bytes)
{
	return fails() ? NULL : __real_malloc(bytes);
}

void *
__wrap_calloc(size_t count, size_t bytes)
{
	return fails() ? NULL : __real_calloc(count, bytes);
}

void *
__wrap_realloc(void *place, size_t bytes)
{
	return fails() ? NULL : __real_realloc(place, bytes);
}

void *
__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
	return fails() ? NULL : __real_aligned_alloc(alignment, bytes);
}

void *
__wrap_wa_chunks_get(WaChunks *chunks, size_t bytes)
{
	return fails() ? NULL : __real_wa_chunks_get(chunks, bytes);
}

static WaStore store;
static WaPool pool;
static WaFinishedQueue finished;
static int event_fd;
static WaParcel parcel;
static WaExtentHead *head;

/* Loads the extent that is in the parcel, with the nth allocation failing. */
static WaStatus
load_with_failure(long nth)
{
	char error[WA_MAX_ERROR_BYTES] = "";
	WaStatus status;

	memcpy(head, parcel.memory, sizeof(*head));
	has_failed = false;
	__atomic_store_n(&countdown, nth, __ATOMIC_SEQ_CST);
	status = wa_store_load(&store, head, parcel.memory, error, sizeof(error));
	__atomic_store_n(&countdown, -1, __ATOMIC_SEQ_CST);
	return status;
}

/* Loads of an extent: new, of other blocks, and with more columns. */
static bool
test_loads(void)
{
	const WaRelation relation = wa_test_relation(0);
	long trials = 0;

	do
	{
		/* every other one into an empty store */
		if (trials % 2 == 0)
			wa_store_unload(&store, &relation, 0);
		wa_test_write_extent(parcel.memory, relation, 3, 1,
							 400 + (uint64_t) trials % 4 / 2, 9,
							 trials % 2 == 0 ? 0x204 : 0x3ff);
		EXPECT(load_with_failure(trials / 2) ==
			   (has_failed ? WA_OUT_OF_MEMORY : WA_OK));
		trials++;
	} while ((has_failed || trials % 2 != 0) && trials < MOST_TRIALS);
	EXPECT(trials > 20 && trials < MOST_TRIALS);
	wa_store_unload(&store, &relation, 0);
	EXPECT(wa_memory_used(&store.memory) == 0);
	EXPECT(store.buckets[0] == NULL && store.newest == NULL);
	return true;
}

/* Patches of an extent, which stays what it was if they fail. */
static bool
test_patches(void)
{
	const WaRelation relation = wa_test_relation(0);
	WaExtentState state;
	long trials = 0;

	do
	{
		EXPECT(wa_test_load(&store, parcel.memory, 0, 3, 1, 400, 9, 0x7fe) ==
			   WA_OK);
		wa_test_write_extent(parcel.memory, relation, 3, 1, 401, 9, 0x3ff);
		((WaExtentHead *) (void *) parcel.memory)->is_patch = 1;
		EXPECT(load_with_failure(trials) ==
			   (has_failed ? WA_OUT_OF_MEMORY : WA_OK));
		wa_test_extent_state(&store, &relation, 3, NULL, 0, &state);
		EXPECT(state.exists == 1 && state.ncolumns == 10);
		EXPECT(state.block_lsn[0] == (has_failed ? 400 : 401));
		wa_store_unload(&store, &relation, 0);
		EXPECT(wa_memory_used(&store.memory) == 0);
		trials++;
	} while (has_failed && trials < MOST_TRIALS);
	EXPECT(trials > 20 && trials < MOST_TRIALS);
	return true;
}

/* Waits until the run is finished. */
static bool
wait_for_run(void)
{
	struct pollfd input = {.fd = event_fd, .events = POLLIN};
	uint64_t number;

	EXPECT(poll(&input, 1, 20000) == 1);
	EXPECT(read(event_fd, &number, sizeof(number)) == sizeof(number));
	EXPECT(wa_finished_collect(&finished) != NULL);
	return true;
}

/*
 * Writes a run's query to the parcel, and makes its message: over two attributes of one
 * relation, or one of several.
 */
static WaRunMessage
prepare(uint32_t nrelations)
{
	const int16_t attribute = 3;
	const WaTestQuery query = {.magic = WA_TEST_QUERY_MAGIC,
							   .groups_bytes = 100};
	WaRunMessage message;

	memcpy(parcel.memory + 65536, &query, sizeof(query));
	memset(&message, 0, sizeof(message));
	message.sources = 98304;
	message.position = 1;
	message.snapshot = wa_test_snapshot;
	message.query = 65536;
	message.query_bytes = sizeof(query);
	message.used = 131072;
	message.groups = 196608;
	message.groups_room = 100;
	wa_test_write_only_source(parcel.memory, &message, 0, BLOCKS,
							  nrelations == 1 ? 0x204 : 4);
	message.nsources = nrelations;
	for (uint32_t i = 0; nrelations > 1 && i < nrelations; i++)
		wa_test_write_source(parcel.memory, &message, i, i, BLOCKS, &attribute);
	wa_message_begin(&message.header, WA_MSG_RUN,
					 (uint32_t) (offsetof(WaRunMessage, columns) +
								 message.ncolumns * sizeof(WaColumnName)),
					 1);
	message.header.bulk = wa_run_checksum(
		&message, &query, parcel.memory + message.sources, NULL);
	return message;
}

/* Loads the extents of a relation. */
static bool
load_all(uint64_t relation)
{
	for (uint32_t i = 0; i < 40; i++)
		EXPECT(wa_test_load(&store, parcel.memory, relation, i, 1, 400 + i, 2,
							0x204) == WA_OK);
	return true;
}

/* Runs over a number of extents of so many relations. */
static bool
try_runs(uint32_t nrelations)
{
	WaRunMessage message;
	long trials = 0;

	for (uint32_t i = 0; i < nrelations; i++)
		EXPECT(load_all(i));
	do
	{
		WaRun *run;

		/* so that what an earlier run has found is of no use */
		EXPECT(wa_test_load(&store, parcel.memory, 0, 0, 1, 400, 2, 0x204) ==
			   WA_OK);
		message = prepare(nrelations);
		run = wa_run_make(&store, &parcel, &message, pool.nthreads, NULL, NULL);
		EXPECT(run != NULL);
		has_failed = false;
		__atomic_store_n(&countdown, trials, __ATOMIC_SEQ_CST);
		wa_pool_submit(&pool, wa_run_job(run));
		EXPECT(wait_for_run());
		__atomic_store_n(&countdown, -1, __ATOMIC_SEQ_CST);
		EXPECT(wa_run_outcome(run)->status ==
			   (has_failed ? WA_OUT_OF_MEMORY : WA_OK));
		wa_run_free(run);
		EXPECT(wa_test_runner_live() == 0);
		trials++;
	} while (has_failed && trials < MOST_TRIALS);
	EXPECT(trials > 10 && trials < MOST_TRIALS);
	for (uint32_t i = 0; i < nrelations; i++)
	{
		const WaRelation relation = wa_test_relation(i);

		wa_store_unload(&store, &relation, 0);
	}
	EXPECT(wa_memory_used(&store.memory) == 0);
	return true;
}

static bool
test_runs(void)
{
	return try_runs(1) && try_runs(3);
}

int
main(void)
{
	event_fd = eventfd(0, EFD_CLOEXEC);
	wa_finished_init(&finished, event_fd);
	wa_store_init(&store, PLENTY, 1);
	wa_test_know(&store, 1);
	parcel.bytes = WA_TEST_EXTENT_BYTES;
	parcel.memory = aligned_alloc(64, parcel.bytes);
	head = malloc(sizeof(*head));
	check(wa_pool_start(&pool, &finished, "test", 2, 0), "start");
	check(test_loads(), "loads");
	check(test_patches(), "patches");
	check(test_runs(), "runs");
	free(parcel.memory);
	free(head);
	return finish_checks();
}
