/*
 * test_pool.c
 *		Jobs in the pool, and runs over the store, without a daemon around them.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "daemon/base/memory_file.h"
#include "daemon/run/run.h"
#include "daemon/store/cover_renew.h"
#include "test/unit/check.h"
#include "test/unit/test_counting_runner.h"
#include "test/unit/test_extent.h"

#define THREADS  4
#define PLENTY   ((uint64_t) 1 << 40)
#define PATIENCE 20000
#define EXTENTS  40
#define LOOK_NS  300000

static WaPool pool;
static WaFinishedQueue finished;
static int event_fd;
static uint64_t random_state = 23;

/* Returns a random number below the bound. */
static uint64_t
pick(uint64_t bound)
{
	return next_random(&random_state) % bound;
}

/* Waits until something is finished; returns all of it. */
static WaFinished *
wait_for_finished(void)
{
	struct pollfd input = {.fd = event_fd, .events = POLLIN};
	uint64_t number;

	while (poll(&input, 1, PATIENCE) == 1)
	{
		WaFinished *first;

		(void) read(event_fd, &number, sizeof(number));
		first = wa_finished_collect(&finished);
		if (first != NULL)
			return first;
	}
	return NULL;
}

/* Waits until so many are finished. */
static bool
wait_for(int count)
{
	while (count > 0)
	{
		WaFinished *first = wait_for_finished();

		EXPECT(first != NULL);
		for (; first != NULL; first = first->next)
			count--;
	}
	EXPECT(count == 0);
	return true;
}

/* A job that notes what is done with it. */
typedef struct NotingJob
{
	WaPoolJob job;
	uint64_t nmorsels;
	uint64_t stop_at; /* no further ones are needed after that */
	useconds_t delay_us;
	int stages_left; /* after the present one */
	uint64_t done;   /* morsels, atomically */
	uint64_t expected;
	uint64_t numbers; /* the sum of their numbers */
	int inside;       /* threads at morsels */
	int prepared;
	int finished;
	bool wrong;
	bool was_cancelled;
	int64_t *order; /* where the order of finishing is noted */
	int64_t place;
} NotingJob;

static uint64_t
noting_prepare(WaPoolJob *arg)
{
	NotingJob *job = (NotingJob *) arg;

	job->prepared++;
	return job->nmorsels;
}

/* How many jobs of a few are at their morsels; waits there for all of them. */
static int together;

static bool
meet(WaPoolJob *arg, unsigned thread, uint64_t number)
{
	(void) arg;
	(void) thread;
	(void) number;
	(void) __atomic_add_fetch(&together, 1, __ATOMIC_SEQ_CST);
	for (int i = 0;
		 i < PATIENCE && __atomic_load_n(&together, __ATOMIC_SEQ_CST) < THREADS;
		 i++)
		(void) usleep(1000);
	return true;
}

static bool
noting_morsel(WaPoolJob *arg, unsigned thread, uint64_t number)
{
	NotingJob *job = (NotingJob *) arg;

	(void) __atomic_fetch_add(&job->inside, 1, __ATOMIC_SEQ_CST);
	if (job->delay_us > 0)
		(void) usleep(job->delay_us);
	(void) __atomic_fetch_add(&job->done, 1, __ATOMIC_SEQ_CST);
	(void) __atomic_fetch_add(&job->numbers, number, __ATOMIC_SEQ_CST);
	if (job->prepared != 1 || thread >= THREADS || number >= job->nmorsels ||
		job->finished != 0)
		job->wrong = true;
	(void) __atomic_fetch_sub(&job->inside, 1, __ATOMIC_SEQ_CST);
	return number != job->stop_at;
}

/* Goes on to as many morsels as before, while there are stages. */
static uint64_t
noting_more(WaPoolJob *arg)
{
	NotingJob *job = (NotingJob *) arg;

	if (__atomic_load_n(&job->inside, __ATOMIC_SEQ_CST) != 0 ||
		job->done % job->nmorsels != 0)
		job->wrong = true;
	return job->stages_left-- > 0 ? job->nmorsels : 0;
}

static void
noting_finish(WaPoolJob *arg, bool cancelled)
{
	NotingJob *job = (NotingJob *) arg;

	if (__atomic_load_n(&job->inside, __ATOMIC_SEQ_CST) != 0)
		job->wrong = true;
	job->finished++;
	job->was_cancelled = cancelled;
	if (job->order != NULL)
		job->place = __atomic_fetch_add(job->order, 1, __ATOMIC_SEQ_CST);
}

/* Makes a job of so many morsels. */
static void
make_job(NotingJob *job, uint64_t nmorsels)
{
	memset(job, 0, sizeof(*job));
	job->job.prepare = noting_prepare;
	job->job.morsel = noting_morsel;
	job->job.more = noting_more;
	job->job.finish = noting_finish;
	job->nmorsels = nmorsels;
	job->stop_at = UINT64_MAX;
}

static bool
test_jobs(void)
{
	static NotingJob jobs[200];

	for (int i = 0; i < 200; i++)
	{
		make_job(&jobs[i], pick(50));
		wa_pool_submit(&pool, &jobs[i].job);
	}
	EXPECT(wait_for(200));
	for (int i = 0; i < 200; i++)
	{
		const uint64_t n = jobs[i].nmorsels;

		EXPECT(jobs[i].prepared == 1 && jobs[i].finished == 1);
		EXPECT(jobs[i].done == n && !jobs[i].wrong);
		EXPECT(n == 0 || jobs[i].numbers == n * (n - 1) / 2);
		EXPECT(!jobs[i].was_cancelled);
	}
	return true;
}

/* Jobs of several stages: no morsel of one is done before those of the last. */
static bool
test_stages(void)
{
	static NotingJob jobs[200];

	for (int i = 0; i < 200; i++)
	{
		make_job(&jobs[i], pick(50));
		jobs[i].stages_left = (int) pick(4);
		jobs[i].delay_us = (useconds_t) pick(20);
		jobs[i].expected = jobs[i].nmorsels * (jobs[i].stages_left + 1ULL);
		wa_pool_submit(&pool, &jobs[i].job);
	}
	EXPECT(wait_for(200));
	for (int i = 0; i < 200; i++)
	{
		EXPECT(jobs[i].prepared == 1 && jobs[i].finished == 1);
		EXPECT(jobs[i].done == jobs[i].expected && !jobs[i].wrong);
		EXPECT(jobs[i].nmorsels == 0 || jobs[i].stages_left == -1);
	}
	return true;
}

/* A small job is not stuck behind a large one. */
static bool
test_turns(void)
{
	static NotingJob large;
	static NotingJob small;
	int64_t order = 0;

	make_job(&large, 400);
	make_job(&small, 10);
	large.delay_us = small.delay_us = 500;
	large.order = small.order = &order;
	wa_pool_submit(&pool, &large.job);
	(void) usleep(2000);
	wa_pool_submit(&pool, &small.job);
	EXPECT(wait_for(2));
	EXPECT(small.place == 0 && large.place == 1);
	return true;
}

static bool
test_stopping(void)
{
	static NotingJob job;

	make_job(&job, 100000);
	job.stages_left = 3;
	job.stop_at = 20;
	job.delay_us = 50;
	wa_pool_submit(&pool, &job.job);
	EXPECT(wait_for(1));
	EXPECT(job.finished == 1 && !job.wrong && job.done < 1000);
	return true;
}

static bool
test_cancelling(void)
{
	static NotingJob jobs[100];
	int collected = 0;

	for (int round = 0; round < 20; round++)
	{
		collected = 0;
		for (int i = 0; i < 100; i++)
		{
			make_job(&jobs[i], 1 + pick(1000));
			jobs[i].delay_us = (useconds_t) pick(50);
			jobs[i].stages_left = (int) pick(3);
			wa_pool_submit(&pool, &jobs[i].job);
		}
		(void) usleep((useconds_t) pick(2000));
		for (int i = 99; i >= 0; i--)
			if (!wa_pool_cancel(&pool, &jobs[i].job))
				collected++;
			else
				EXPECT(jobs[i].prepared == 0);
		EXPECT(wait_for(collected));
		for (int i = 0; i < 100; i++)
			EXPECT(!jobs[i].wrong && jobs[i].finished == jobs[i].prepared);
	}
	EXPECT(pool.turn == NULL);
	return true;
}

/* What a run is tried with. */
static WaStore store;
static WaParcel parcel;
static uint8_t *extent_memory;

/* Where the parts of a RUN lie in the parcel. */
#define QUERY_AT   ((uint64_t) 65536)
#define SOURCES_AT ((uint64_t) 98304)
#define USED_AT    ((uint64_t) 131072)
#define GROUPS_AT  ((uint64_t) 196608)

/* Blocks that the relation of a RUN has. */
#define BLOCKS (20 * WA_EXTENT_BLOCKS + 30)

/* Loads the extents 0 to EXTENTS - 1 with attributes 3 and 10. */
static bool
load_extents(void)
{
	for (uint32_t i = 0; i < EXTENTS; i++)
		EXPECT(wa_test_load(&store, extent_memory, 0, i, 7, 1000 + i, 5,
							0x204) == WA_OK);
	return true;
}

/* Writes what a RUN needs to the parcel. */
static void
prepare_parcel(const WaTestQuery *query)
{
	memcpy(parcel.memory + QUERY_AT, query, sizeof(*query));
	memset(parcel.memory + USED_AT, 0xff, GROUPS_AT - USED_AT);
}

/* Makes a message for what is in the parcel, by a snapshot for which much is settled. */
static void
make_message(WaRunMessage *message, uint64_t attributes)
{
	memset(message, 0, sizeof(*message));
	message->position = 7;
	message->snapshot = pick(3) == 0 ? wa_test_snapshot
									 : wa_test_random_snapshot(&random_state);
	message->query = QUERY_AT;
	message->query_bytes = sizeof(WaTestQuery);
	message->sources = SOURCES_AT;
	message->used = USED_AT;
	message->groups = GROUPS_AT;
	message->groups_room = 1000;
	wa_test_write_only_source(parcel.memory, message, 0, BLOCKS, attributes);
	wa_message_begin(&message->header, WA_MSG_RUN,
					 (uint32_t) (offsetof(WaRunMessage, columns) +
								 message->ncolumns * sizeof(WaColumnName)),
					 1);
}

/* What a run has to come to. */
typedef struct Expected
{
	uint64_t blocks;
	uint64_t extents;
	uint64_t rows;
	uint64_t sum;
} Expected;

/* Adds a block of the extent whose head is in extent_memory. */
static void
expect_block(Expected *expected, uint64_t seed, uint32_t block)
{
	const WaExtentHead *head =
		(const WaExtentHead *) (const void *) extent_memory;
	const uint32_t end = head->row_end[block];
	uint32_t row = block == 0 ? 0 : head->row_end[block - 1];
	int64_t value;

	expected->blocks++;
	expected->rows += end - row;
	for (; row < end; row++)
		if (wa_test_integer(head->relation, seed, 3, row, &value))
			expected->sum += (uint64_t) value;
}

/* Works out what a run over the first blocks has to come to. */
static bool
expect(const WaRunMessage *message, Expected *expected)
{
	const uint64_t(*used)[WA_EXTENT_WORDS] =
		(const void *) (parcel.memory + USED_AT);
	const uint32_t extents = wa_extents_of(BLOCKS);

	memset(expected, 0, sizeof(*expected));
	EXPECT(used[extents][0] == UINT64_MAX);
	for (uint32_t i = 0; i < extents; i++)
	{
		const WaExtentHead *head =
			(const WaExtentHead *) (const void *) extent_memory;
		const uint64_t before = expected->blocks;

		wa_test_write_extent(extent_memory, wa_test_relation(0), i, 7, 1000 + i,
							 5, 4);
		for (uint32_t b = 0; b < WA_EXTENT_BLOCKS; b++)
		{
			const bool usable = i < EXTENTS && b < head->nblocks &&
								head->block_lsn[b] != 0 &&
								i * WA_EXTENT_BLOCKS + b < BLOCKS &&
								wa_test_is_settled(head, b, &message->snapshot);

			EXPECT((used[i][b / 64] >> b % 64 & 1) == usable);
			if (usable)
				expect_block(expected, 1000 + i, b);
		}
		expected->extents += expected->blocks > before;
	}
	return true;
}

/*
 * Jobs of one morsel each, submitted one after the other while threads look for jobs,
 * wait or are about to: each gets a thread.
 */
static bool
test_meeting(void)
{
	NotingJob jobs[THREADS];

	for (int i = 0; i < 100; i++)
	{
		__atomic_store_n(&together, 0, __ATOMIC_SEQ_CST);
		for (int j = 0; j < THREADS; j++)
		{
			make_job(&jobs[j], 1);
			jobs[j].job.morsel = meet;
			wa_pool_submit(&pool, &jobs[j].job);
		}
		EXPECT(wait_for(THREADS));
		EXPECT(together == THREADS);
		(void) usleep((useconds_t) pick(600));
	}
	return true;
}

/* Notes the status that a run is answered with. */
static void
note_answer(void *owner, const WaRunEnd *outcome)
{
	*(WaStatus *) owner = outcome->status;
}

static const WaRunReplies replies = {.answer = note_answer};

/* Gives a message the checksum of what is in the parcel. */
static void
seal_data(WaRunMessage *message)
{
	message->header.bulk =
		wa_run_checksum(message, parcel.memory + message->query,
						parcel.memory + message->sources, NULL);
}

/* Submits a run of what is in the parcel, waits for it, and expects an answer. */
static WaRun *
do_run(WaRunMessage *message)
{
	WaStatus status = WA_DEVICE_LOST;
	WaRun *run;

	seal_data(message);
	run =
		wa_run_make(&store, &parcel, message, pool.nthreads, &replies, &status);
	if (run == NULL || !wa_run_is_sound(message, &parcel) ||
		wa_run_is_answered(run))
		return NULL;
	wa_pool_submit(&pool, wa_run_job(run));
	return wait_for(1) && wa_run_is_answered(run) &&
				   status == wa_run_outcome(run)->status
			   ? run
			   : NULL;
}

/* Runs whose states are merged, by parts if there are some. */
static bool
try_runs(uint32_t nparts)
{
	WaTestQuery query = {
		.magic = WA_TEST_QUERY_MAGIC, .groups_bytes = 200, .nparts = nparts};
	WaRunMessage message;
	Expected expected;

	for (int i = 0; i < 30; i++)
	{
		WaRun *run;
		const WaRunEnd *outcome;
		WaTestGroups groups;

		prepare_parcel(&query);
		make_message(&message, i % 3 == 0 ? 4 : i % 3 == 1 ? 0x204 : 0);
		run = do_run(&message);
		EXPECT(run != NULL);
		outcome = wa_run_outcome(run);
		EXPECT(outcome->status == WA_OK);
		EXPECT(expect(&message, &expected));
		memcpy(&groups, parcel.memory + GROUPS_AT, sizeof(groups));
		EXPECT(outcome->answer.in_parcel == 1);
		EXPECT(outcome->groups_fd < 0);
		EXPECT(outcome->answer.groups_bytes == 200);
		EXPECT(outcome->answer.blocks == expected.blocks);
		EXPECT(outcome->answer.rows == expected.rows);
		EXPECT(outcome->answer.kept_rows == expected.rows / 2);
		EXPECT(outcome->answer.device_ns > 0);
		EXPECT(groups.rows == expected.rows);
		EXPECT(groups.extents == expected.extents);
		EXPECT(groups.states >= 1 && groups.states <= THREADS);
		EXPECT((uint64_t) groups.sum == (i % 3 == 2 ? 0 : expected.sum));
		EXPECT(parcel.memory[GROUPS_AT + 199] == 0x5a);
		wa_run_free(run);
	}
	EXPECT(wa_test_runner_live() == 0);
	return true;
}

static bool
test_runs(void)
{
	return try_runs(0);
}

/* One part, as many as there are states, and more. */
static bool
test_parts(void)
{
	return try_runs(1) && try_runs(THREADS) && try_runs(17);
}

/* What has no room in the parcel comes in a file. */
static bool
test_large_groups(void)
{
	const int seals =
		F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	WaTestQuery query = {.magic = WA_TEST_QUERY_MAGIC, .groups_bytes = 123457};
	WaRunMessage message;
	const WaRunEnd *outcome;
	struct stat status;
	uint8_t *memory;
	WaRun *run;

	prepare_parcel(&query);
	make_message(&message, 4);
	run = do_run(&message);
	EXPECT(run != NULL);
	outcome = wa_run_outcome(run);
	EXPECT(outcome->status == WA_OK && outcome->answer.in_parcel == 0);
	EXPECT(fcntl(outcome->groups_fd, F_GET_SEALS) == seals);
	EXPECT(fstat(outcome->groups_fd, &status) == 0);
	EXPECT(status.st_size == 123457);
	memory = mmap(NULL, 123457, PROT_READ, MAP_SHARED, outcome->groups_fd, 0);
	EXPECT((void *) memory != MAP_FAILED);
	EXPECT(memory[123456] == 0x5a);
	(void) munmap(memory, 123457);
	wa_run_free(run);
	return true;
}

/*
 * A file can be sealed whoever holds pages of it, as the kernel does while it moves them,
 * and cannot be changed from then on.
 */
static bool
test_held_pages(void)
{
	const uint64_t bytes = 40000;
	struct iovec part;
	void *memory;
	int fd = wa_memory_file_make("warpagg groups", bytes, &memory);
	int pipe_ends[2];
	char byte = 1;

	EXPECT(fd >= 0);
	memset(memory, 0x5a, bytes);
	part = (struct iovec){.iov_base = memory, .iov_len = bytes};
	EXPECT(pipe(pipe_ends) == 0);
	EXPECT(vmsplice(pipe_ends[1], &part, 1, 0) == (ssize_t) bytes);
	fd = wa_memory_file_freeze(fd, memory, bytes);
	EXPECT(fd >= 0);
	EXPECT(pwrite(fd, &byte, 1, 0) == -1);
	EXPECT(ftruncate(fd, 1) == -1);
	EXPECT(mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) ==
		   MAP_FAILED);
	memory = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
	EXPECT(memory != MAP_FAILED);
	EXPECT(mprotect(memory, bytes, PROT_READ | PROT_WRITE) == -1);
	EXPECT(((const uint8_t *) memory)[bytes - 1] == 0x5a);
	(void) munmap(memory, bytes);
	(void) close(pipe_ends[0]);
	(void) close(pipe_ends[1]);
	(void) close(fd);
	return true;
}

/* Whatever fails, the run says so and nothing is left. */
static bool
test_failures(void)
{
	WaTestQuery query = {.magic = WA_TEST_QUERY_MAGIC, .groups_bytes = 200};
	WaRunMessage message;
	WaRun *run;

	make_message(&message, 0x200);
	for (query.failure = WA_TEST_FAIL_BEGIN;
		 query.failure <= WA_TEST_FAIL_MERGE_PART; query.failure++)
	{
		query.nparts = query.failure > WA_TEST_FAIL_FINISH ? 5 : 0;
		query.fail_extent = (uint32_t) pick(3);
		query.delay_us = 1000; /* so that several threads take part */
		prepare_parcel(&query);
		run = do_run(&message);
		EXPECT(run != NULL);
		EXPECT(wa_run_outcome(run)->status == WA_UNSUPPORTED);
		EXPECT(strcmp(wa_run_outcome(run)->error, "so be it") == 0);
		wa_run_free(run);
		EXPECT(wa_test_runner_live() == 0);
	}
	query.magic = 0;
	prepare_parcel(&query);
	run = do_run(&message);
	EXPECT(run != NULL && wa_run_outcome(run)->status == WA_BAD_REQUEST);
	wa_run_free(run);
	return true;
}

/* A column, or a relation, of which there is nothing: no query, no groups. */
static bool
test_nothing(void)
{
	WaTestQuery query = {.magic = WA_TEST_QUERY_MAGIC, .groups_bytes = 200};
	WaRunMessage message;
	WaRun *run;

	for (int i = 0; i < 4; i++)
	{
		prepare_parcel(&query);
		make_message(&message, i == 0 ? 1 : 4);
		if (i == 1)
			wa_test_write_only_source(parcel.memory, &message, 1, BLOCKS, 4);
		if (i == 2)
			message.position = 8;
		if (i == 3)
			wa_test_write_only_source(parcel.memory, &message, 0, 0, 4);
		run = do_run(&message);
		EXPECT(run != NULL && wa_run_outcome(run)->status == WA_OK);
		EXPECT(wa_run_outcome(run)->answer.blocks == 0);
		EXPECT(wa_run_outcome(run)->answer.rows == 0);
		EXPECT(wa_run_outcome(run)->answer.groups_bytes == 0);
		EXPECT(parcel.memory[USED_AT + 9] == 0xff);
		wa_run_free(run);
	}
	return true;
}

/* Statistics of use, as LIST shows them. */
static bool
test_statistics(void)
{
	WaTestQuery query = {.magic = WA_TEST_QUERY_MAGIC, .groups_bytes = 200};
	WaResidentColumn before[4];
	WaResidentColumn after[4];
	WaRunMessage message;
	WaRun *run;

	EXPECT(wa_store_list(&store, 0, before, 4) == 2);
	prepare_parcel(&query);
	make_message(&message, 4);
	run = do_run(&message);
	EXPECT(wa_store_list(&store, 0, after, 4) == 2);
	for (int i = 0; i < 2; i++)
	{
		const bool used = after[i].name.attribute == 3;

		EXPECT(after[i].queries == before[i].queries + used);
		EXPECT(after[i].blocks_asked ==
			   before[i].blocks_asked + (used ? BLOCKS : 0));
		EXPECT(after[i].blocks_used ==
			   before[i].blocks_used +
				   (used ? wa_run_outcome(run)->answer.blocks : 0));
		EXPECT(after[i].last_use_us >= before[i].last_use_us);
	}
	wa_run_free(run);
	return true;
}

/* Makes covers anew until it is told to end. */
static void *
renewing_thread(void *arg)
{
	const bool *enough = arg;

	while (!__atomic_load_n(enough, __ATOMIC_RELAXED))
		wa_cover_renew(&store, NULL);
	return NULL;
}

/*
 * Runs that are cancelled, while extents are loaded and evicted, and covers made anew.
 */
static bool
test_disturbed_runs(void)
{
	bool enough = false;
	pthread_t renewing;

	WaTestQuery query = {.magic = WA_TEST_QUERY_MAGIC,
						 .groups_bytes = 200,
						 .delay_us = 20,
						 .nparts = 9};
	WaRun *runs[20]; /* each writes to a place of its own */
	WaRunMessage message;

	prepare_parcel(&query);
	make_message(&message, 0x204);
	seal_data(&message);
	EXPECT(pthread_create(&renewing, NULL, renewing_thread, &enough) == 0);
	for (int round = 0; round < 30; round++)
	{
		int collected = 0;

		for (uint64_t i = 0; i < 20; i++)
		{
			message.used = USED_AT + i * 4096;
			message.groups = 2 * USED_AT + i * 1024;
			runs[i] = wa_run_make(&store, &parcel, &message, pool.nthreads,
								  NULL, NULL);
			wa_pool_submit(&pool, wa_run_job(runs[i]));
		}
		for (int i = 0; i < 5; i++)
			(void) wa_test_load(&store, extent_memory, 0,
								(uint32_t) pick(EXTENTS), 7, 1000 + pick(60), 5,
								0x204);
		if (round % 3 == 0)
			wa_store_set_limit(&store, pick(2000000));
		for (int i = 0; i < 20; i++)
			collected +=
				!(pick(2) == 0 && wa_pool_cancel(&pool, wa_run_job(runs[i])));
		EXPECT(wait_for(collected));
		for (int i = 0; i < 20; i++)
			wa_run_free(runs[i]);
		EXPECT(wa_test_runner_live() == 0);
		wa_store_set_limit(&store, PLENTY);
	}
	__atomic_store_n(&enough, true, __ATOMIC_RELAXED);
	EXPECT(pthread_join(renewing, NULL) == 0);
	wa_store_set_limit(&store, 0);
	EXPECT(wa_memory_used(&store.memory) == 0);
	return true;
}

static const struct
{
	const char *name;
	bool (*run)(void);
} tests[] = {
	{"jobs of the pool", test_jobs},
	{"jobs of several stages", test_stages},
	{"jobs take turns", test_turns},
	{"jobs that stop early", test_stopping},
	{"cancelled jobs", test_cancelling},
	{"jobs at the same time", test_meeting},
	{"loading extents for runs", load_extents},
	{"runs", test_runs},
	{"runs merged by parts", test_parts},
	{"runs with large groups", test_large_groups},
	{"files whose pages are held", test_held_pages},
	{"runs that fail", test_failures},
	{"runs over nothing", test_nothing},
	{"statistics of use", test_statistics},
	{"disturbed runs", test_disturbed_runs},
};

int
main(void)
{
	event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	wa_finished_init(&finished, event_fd);
	wa_store_init(&store, PLENTY, 1);
	wa_test_know(&store, 7);
	parcel.bytes = (uint64_t) 1 << 20;
	parcel.memory = aligned_alloc(64, parcel.bytes);
	extent_memory = aligned_alloc(64, WA_TEST_EXTENT_BYTES);
	check(wa_pool_start(&pool, &finished, "test", THREADS, LOOK_NS), "start");
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		check(tests[i].run(), tests[i].name);
	free(parcel.memory);
	free(extent_memory);
	return finish_checks();
}
