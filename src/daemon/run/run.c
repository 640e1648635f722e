/*
 * run.c
 *		What the threads of the pool do for a RUN; see run.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/checksum.h"
#include "daemon/base/clock.h"
#include "daemon/base/memory_file.h"
#include "daemon/run/named_sources.h"
#include "daemon/run/run.h"
#include "daemon/run/run_budget.h"
#include "daemon/run/run_left_out.h"
#include "daemon/run/run_rest.h"
#include "daemon/run/run_sources.h"
#include "daemon/run/run_states.h"

#define QUERY_ALIGNMENT 64

/*
 * lock guards status and error of the outcome while morsels are done; states
 * (run_states.h), and what is left out of an extent (run_left_out.h), are their threads'
 * then.  All the rest is one thread's after the other's.
 */
struct WaRun
{
	WaPoolJob job; /* first: a job is one of these */
	pthread_mutex_t lock;
	WaStore *store;
	const WaParcel *parcel;
	WaRunMessage message;
	int64_t since_ns;
	unsigned threads;
	WaBudget budget;     /* its own rules: query/base/budget.h */
	uint8_t *query;      /* a copy */
	uint64_t query_room; /* bytes of it */
	uint64_t file_bytes; /* of the answer, if it has a file */
	WaRunSources sources;
	WaRunRest rest_rows;
	uint64_t *rest; /* extents that no device has taken */
	uint64_t nrest;
	uint64_t share;  /* of them that a morsel has */
	bool has_shares; /* of devices */
	WaRunRequest request;
	bool begun; /* by the runner */
	WaRunStates states;
	WaRunLeftOut left_out;
	WaRunEnd outcome;
	const WaRunReplies *replies; /* or NULL */
	bool announced;              /* the blocks of the cover are */
	bool answered;               /* changed atomically */
};

bool
wa_run_is_sound(const WaRunMessage *message, const WaParcel *parcel)
{
	return wa_named_sources_lie_right(parcel, message->sources,
									  message->nsources, message->columns,
									  message->ncolumns) &&
		   (message->has_rest == 0 || message->nsources == 1) &&
		   wa_snapshot_is_sound(&message->snapshot) &&
		   wa_parcel_holds(parcel, message->query, message->query_bytes) &&
		   wa_parcel_holds(parcel, message->used, 0) &&
		   wa_parcel_holds(parcel, message->cover, 0) &&
		   wa_parcel_holds(parcel, message->groups, message->groups_room);
}

/* Notes why the run fails, unless it has failed already. */
static void
fail(WaRun *run, WaStatus status, const char *error)
{
	(void) pthread_mutex_lock(&run->lock);
	if (run->outcome.status == WA_OK)
	{
		run->outcome.status = status;
		(void) snprintf(run->outcome.error, sizeof(run->outcome.error), "%s",
						error);
	}
	(void) pthread_mutex_unlock(&run->lock);
}

/* Rounds bytes up so that something aligned may follow them, which there are then. */
static size_t
round_up(uint64_t bytes)
{
	return (bytes / QUERY_ALIGNMENT + 1) * QUERY_ALIGNMENT;
}

/* Copies the sources out of the parcel, to a place behind the query. */
static void
copy_sources(WaRun *run, uint8_t *place)
{
	const WaRunMessage *message = &run->message;

	run->sources.named = (WaNamedSources){.nsources = message->nsources,
										  .ncolumns = message->ncolumns,
										  .columns = message->columns};
	wa_named_sources_copy(&run->sources.named, run->parcel, message->sources,
						  place);
}

/*
 * Copies the query, and its sources, out of the parcel; false if there is no memory.
 */
static bool
copy_query(WaRun *run)
{
	const WaRunMessage *message = &run->message;
	const size_t query_bytes = round_up(message->query_bytes);
	const size_t bytes =
		query_bytes +
		round_up(wa_run_sources_bytes(message->nsources, message->ncolumns));
	const uint64_t room = bytes + wa_run_sources_room(message->nsources);

	if (!wa_budget_take(&run->budget, room, 0))
		return false;
	run->query_room = room;
	run->query = aligned_alloc(QUERY_ALIGNMENT, bytes);
	if (run->query == NULL || !wa_run_states_init(&run->states, run->threads))
		return false;
	memcpy(run->query, run->parcel->memory + message->query,
		   message->query_bytes);
	copy_sources(run, run->query + query_bytes);
	return wa_run_rest_copy(&run->rest_rows, &run->sources, run->parcel,
							&run->budget);
}

/* Tells whether query and sources are what they were when the message was sent. */
static bool
is_intact(const WaRun *run)
{
	return wa_run_checksum(&run->message, run->query,
						   run->sources.named.sources,
						   run->rest_rows.blocks) == run->message.header.bulk;
}

/* Checks the sources, and finds the extents that may be used. */
static void
collect(WaRun *run)
{
	WaStatus status = wa_run_sources_check(&run->sources, run->parcel);

	if (status == WA_BAD_REQUEST)
		fail(run, status, "the query is over relations that cannot be");
	else if (status != WA_OK || !wa_run_sources_collect(&run->sources) ||
			 !wa_run_rest_leave_out(&run->rest_rows, &run->sources))
		fail(run, WA_OUT_OF_MEMORY, "not enough memory for a query");
}

/* Describes the run to the runner, which begins it. */
static bool
begin(WaRun *run)
{
	char error[WA_MAX_ERROR_BYTES] = "";
	WaStatus status;

	run->request = (WaRunRequest){
		.query = run->query,
		.query_bytes = run->message.query_bytes,
		.ncolumns = run->message.ncolumns,
		.columns = run->message.columns,
		.dictionaries = run->sources.dictionaries,
		.bounds = run->sources.bounds,
		.nextents = run->sources.count,
		.extents = run->sources.list,
		.rows = run->sources.rows,
		.rest_blocks = run->rest_rows.blocks,
		.is_complete = run->sources.blocks == run->sources.nblocks,
		.threads = run->threads,
		.budget = &run->budget,
		.mirror = run->store->mirror,
		.placements = run->sources.placements,
		.gpus = run->store->gpus,
		.tables = run->store->tables,
	};
	status = wa_query_runner.begin(&run->request, &run->states.run, error);
	run->begun = status == WA_OK && run->states.run != NULL;
	if (status != WA_OK)
		fail(run, status, error);
	return run->begun;
}

/* Writes which blocks are covered to a place in the parcel; returns the checksum. */
static uint32_t
write_blocks(const WaRun *run, uint64_t offset)
{
	uint64_t *words =
		(uint64_t *) (void *) wa_parcel_place(run->parcel, offset);

	wa_run_sources_write_blocks(&run->sources, run->left_out.bits, words);
	return wa_checksum(0, words, run->sources.words_bytes);
}

/* Announces which blocks are going to be computed, if that is of use. */
static void
announce(WaRun *run)
{
	const WaRunMessage *message = &run->message;
	const uint64_t blocks = run->sources.blocks;

	if (message->announces == 0 || run->replies == NULL || blocks == 0 ||
		blocks == run->sources.nblocks)
		return;
	run->announced = run->replies->announce(run->job.finished.owner, blocks,
											write_blocks(run, message->cover));
}

/* Makes a thread's state, if it has none yet; tells whether it has one then. */
static bool
have_state(WaRun *run, unsigned thread)
{
	char error[WA_MAX_ERROR_BYTES] = "";
	const WaStatus status = wa_run_states_have(&run->states, thread, error);

	if (status != WA_OK)
		fail(run, status, error);
	return status == WA_OK;
}

/*
 * Notes blocks of an extent that the runner has left out; false, and the run has
 * failed, if there is no memory.
 */
static bool
leave_out(WaRun *run, uint64_t place, const uint64_t *left_out)
{
	if (wa_run_left_out_add(&run->left_out, run->sources.list[place], place,
							run->sources.count, left_out))
		return true;
	fail(run, WA_OUT_OF_MEMORY, "not enough memory for a query");
	return false;
}

/* Notes what devices have done, and which extents are left. */
static bool
note_shares(WaRun *run, const WaDeviceShare *shares)
{
	const bool backward = wa_query_runner.is_backward(run->states.run);
	bool noted = true;

	for (uint64_t n = 0; n < run->sources.count; n++)
	{
		const uint64_t i = backward ? run->sources.count - 1 - n : n;

		if (!shares[i].taken)
		{
			run->rest[run->nrest++] = i;
			continue;
		}
		run->has_shares = true;
		if (shares[i].left_out != NULL && noted)
			noted = leave_out(run, i, shares[i].left_out);
		free(shares[i].left_out);
	}
	return noted;
}

/* Has devices take what they have; false if the run has failed. */
static bool
use_devices(WaRun *run)
{
	const uint64_t count = run->sources.count;
	WaDeviceShare *shares = calloc(count, sizeof(*shares));
	char error[WA_MAX_ERROR_BYTES] = "not enough memory for a query";
	WaStatus status = WA_OUT_OF_MEMORY;
	bool noted = false;

	run->rest = malloc(count * sizeof(*run->rest));
	if (run->rest != NULL && shares != NULL)
	{
		status = wa_query_runner.use_devices == NULL
					 ? WA_OK
					 : wa_query_runner.use_devices(
						   run->states.run, run->states.states, &run->request,
						   shares, error);
		noted = note_shares(run, shares) && status == WA_OK;
	}
	if (status != WA_OK)
		fail(run, status, error);
	free(shares);
	return noted;
}

/* Notes whether the answer covers all blocks, once all extents are processed. */
static void
settle_completeness(WaRun *run)
{
	if (run->left_out.blocks > 0)
		run->request.is_complete = false;
}

/* The pool's more: goes on to the next stage. */
static uint64_t
run_more(WaPoolJob *job)
{
	WaRun *run = (WaRun *) job;
	char error[WA_MAX_ERROR_BYTES] = "";
	uint64_t nmorsels;
	WaStatus status;

	settle_completeness(run);
	status = wa_run_states_next(&run->states, &nmorsels, error);
	if (status != WA_OK)
		fail(run, status, error);
	return nmorsels;
}

/* The pool's prepare. */
static uint64_t
prepare_run(WaPoolJob *job)
{
	WaRun *run = (WaRun *) job;

	if (!copy_query(run))
		fail(run, WA_OUT_OF_MEMORY, "not enough memory for a query");
	else if (!is_intact(run))
		fail(run, WA_BAD_REQUEST, "the query was damaged on its way");
	else
		collect(run);
	if (run->outcome.status != WA_OK || run->sources.count == 0 || !begin(run))
		return 0;
	announce(run);
	if (!use_devices(run))
		return 0;
	if (run->nrest == 0)
		return run_more(job);
	/* To count rows takes less time than to share that between threads. */
	run->share = run->message.ncolumns == 0 ? run->nrest : 1;
	return (run->nrest + run->share - 1) / run->share;
}

/* Has the runner process an extent. */
static bool
run_extent(WaRun *run, unsigned thread, uint64_t place)
{
	uint64_t left_out[WA_EXTENT_WORDS] = {0};
	char error[WA_MAX_ERROR_BYTES] = "";
	const WaStatus status =
		wa_query_runner.process(run->states.run, run->states.states[thread],
								run->sources.list[place], left_out, error);

	if (status == WA_OK)
		return leave_out(run, place, left_out);
	fail(run, status, error);
	return false;
}

/* Has the runner process a share of the rest. */
static bool
run_share(WaRun *run, unsigned thread, uint64_t number)
{
	const uint64_t begin = number * run->share;

	if (!have_state(run, thread))
		return false;
	for (uint64_t i = begin; i < begin + run->share && i < run->nrest; i++)
		if (!run_extent(run, thread, run->rest[i]))
			return false;
	return true;
}

/* The pool's morsel: extents of the rest, and then what merging consists of. */
static bool
run_morsel(WaPoolJob *job, unsigned thread, uint64_t number)
{
	WaRun *run = (WaRun *) job;
	char error[WA_MAX_ERROR_BYTES] = "";
	WaStatus status;

	if (run->states.stage == WA_STAGE_EXTENTS)
		return run_share(run, thread, number);
	status = wa_run_states_do(&run->states, number, error);
	if (status != WA_OK)
		fail(run, status, error);
	return status == WA_OK;
}

/* Writes the groups to a file of their own, which nobody can change any more. */
static bool
write_file(WaRun *run, uint64_t bytes)
{
	void *memory;
	int fd;

	if (!wa_budget_take(&run->budget, bytes, bytes))
		return false;
	run->file_bytes = bytes;
	fd = wa_memory_file_make("warpagg groups", bytes, &memory);
	if (fd < 0)
		return false;
	wa_query_runner.write_groups(run->states.run, run->states.states[0],
								 memory);
	run->outcome.bulk = wa_checksum(run->outcome.bulk, memory, bytes);
	run->outcome.groups_fd = wa_memory_file_freeze(fd, memory, bytes);
	return run->outcome.groups_fd >= 0;
}

/* Writes the groups to where there is room for them. */
static bool
write_groups(WaRun *run, uint64_t bytes)
{
	uint8_t *place = wa_parcel_place(run->parcel, run->message.groups);

	if (bytes > run->message.groups_room)
		return write_file(run, bytes);
	wa_query_runner.write_groups(run->states.run, run->states.states[0], place);
	run->outcome.bulk = wa_checksum(run->outcome.bulk, place, bytes);
	return true;
}

/* Writes which blocks the answer covers, unless that are all, or has been announced. */
static void
write_used(WaRun *run)
{
	if (run->outcome.answer.blocks != run->sources.nblocks &&
		(!run->announced || run->left_out.blocks > 0))
		run->outcome.bulk = write_blocks(run, run->message.used);
}

/* Merges, and makes the answer: an empty one if there was nothing to run over. */
static void
answer(WaRun *run)
{
	WaAnswerMessage *answer = &run->outcome.answer;
	char error[WA_MAX_ERROR_BYTES] = "";
	WaRunResult result = {0};
	WaStatus status;

	answer->in_parcel = 1;
	answer->rows = run->sources.rows;
	if (!run->begun)
		return;
	settle_completeness(run);
	status = wa_run_states_merge(&run->states, error);
	if (status == WA_OK)
		status = wa_query_runner.finish(run->states.run, run->states.states[0],
										&result, error);
	if (status != WA_OK)
	{
		fail(run, status, error);
		return;
	}
	if (result.groups_bytes == 0)
		return;
	answer->blocks = run->sources.blocks - run->left_out.blocks;
	answer->left_blocks = run->left_out.blocks;
	write_used(run);
	if (!write_groups(run, result.groups_bytes))
	{
		fail(run, WA_OUT_OF_MEMORY, "not enough memory for groups");
		return;
	}
	answer->in_parcel = run->outcome.groups_fd < 0;
	answer->kind = run->has_shares ? WA_DEVICE_GPU : wa_query_runner.kind;
	answer->groups_bytes = result.groups_bytes;
	answer->rows = run->sources.rows - run->left_out.rows;
	answer->kept_rows = result.kept_rows;
	answer->is_rolled = result.is_rolled;
	answer->device_ns = (uint64_t) (wa_clock_ns() - run->since_ns);
}

/* Frees all that was made for a run but the outcome. */
static void
clean(WaRun *run)
{
	wa_run_states_free(&run->states);
	if (run->begun)
		wa_query_runner.end(run->states.run);
	wa_run_sources_end(&run->sources);
	wa_run_rest_free(&run->rest_rows, &run->budget);
	wa_run_left_out_end(&run->left_out);
	free(run->rest);
	free(run->query);
	wa_budget_give(&run->budget, run->query_room, 0);
	run->begun = false;
	run->rest = NULL;
	run->query = NULL;
	run->query_room = 0;
	if (run->outcome.status == WA_OUT_OF_MEMORY)
		wa_memory_trim();
}

/* The pool's finish. */
static void
finish_run(WaPoolJob *job, bool cancelled)
{
	WaRun *run = (WaRun *) job;

	if (run->outcome.status == WA_OK && !cancelled)
		answer(run);
	if (run->replies != NULL && !cancelled)
	{
		__atomic_store_n(&run->answered, true, __ATOMIC_RELEASE);
		run->replies->answer(job->finished.owner, &run->outcome);
	}
	clean(run);
}

WaRun *
wa_run_make(WaStore *store, const WaParcel *parcel, const WaRunMessage *message,
			unsigned threads, const WaRunReplies *replies, void *owner)
{
	WaRun *run = calloc(1, sizeof(*run));

	if (run == NULL)
		return NULL;
	(void) pthread_mutex_init(&run->lock, NULL);
	wa_run_left_out_init(&run->left_out);
	run->job.finished.owner = owner;
	run->job.prepare = prepare_run;
	run->job.morsel = run_morsel;
	run->job.more = run_more;
	run->job.finish = finish_run;
	run->store = store;
	run->parcel = parcel;
	memcpy(&run->message, message, message->header.length);
	run->sources.store = store;
	run->sources.message = &run->message;
	run->since_ns = wa_clock_ns();
	run->threads = threads;
	run->budget = wa_run_budget_make(&store->memory, message->memory, threads);
	run->replies = replies;
	run->outcome.groups_fd = -1;
	return run;
}

WaPoolJob *
wa_run_job(WaRun *run)
{
	return &run->job;
}

bool
wa_run_is_answered(const WaRun *run)
{
	return __atomic_load_n(&run->answered, __ATOMIC_ACQUIRE);
}

const WaRunEnd *
wa_run_outcome(const WaRun *run)
{
	return &run->outcome;
}

void
wa_run_free(WaRun *run)
{
	if (run == NULL)
		return;
	if (run->outcome.groups_fd >= 0)
		(void) close(run->outcome.groups_fd);
	wa_budget_give(&run->budget, run->file_bytes, run->file_bytes);
	(void) pthread_mutex_destroy(&run->left_out.lock);
	(void) pthread_mutex_destroy(&run->lock);
	free(run);
}
