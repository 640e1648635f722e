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
#include "daemon/run/run_budget.h"
#include "daemon/run/run_internal.h"

#define QUERY_ALIGNMENT 64

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
		wa_run_fail(run, status, "the query is over relations that cannot be");
	else if (status != WA_OK || !wa_run_sources_collect(&run->sources) ||
			 !wa_run_rest_leave_out(&run->rest_rows, &run->sources))
		wa_run_fail(run, WA_OUT_OF_MEMORY, "not enough memory for a query");
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
	run->can_slice = run->begun && wa_query_runner.can_slice != NULL &&
					 wa_query_runner.can_slice(run->states.run);
	if (status != WA_OK)
		wa_run_fail(run, status, error);
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

/* The pool's prepare. */
static uint64_t
prepare_run(WaPoolJob *job)
{
	WaRun *run = (WaRun *) job;

	if (!copy_query(run))
		wa_run_fail(run, WA_OUT_OF_MEMORY, "not enough memory for a query");
	else if (!is_intact(run))
		wa_run_fail(run, WA_BAD_REQUEST, "the query was damaged on its way");
	else
		collect(run);
	if (run->outcome.status != WA_OK || run->sources.count == 0 || !begin(run))
		return 0;
	announce(run);
	if (!wa_run_use_devices(run))
		return 0;
	return run->nrest == 0 || run->ran_out ? wa_run_more(job)
										   : wa_run_begin_extents(run);
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

/* Makes the answer: an empty one if there was nothing to run over. */
static void
answer(WaRun *run)
{
	WaAnswerMessage *answer = &run->outcome.answer;
	const WaRunResult *result = &run->result;

	answer->in_parcel = 1;
	answer->rows = run->sources.rows;
	if (!run->begun || result->groups_bytes == 0)
		return;
	answer->blocks = run->sources.blocks - run->left_out.blocks;
	answer->left_blocks = run->left_out.blocks;
	write_used(run);
	if (!write_groups(run, result->groups_bytes))
	{
		wa_run_fail(run, WA_OUT_OF_MEMORY, "not enough memory for groups");
		return;
	}
	answer->in_parcel = run->outcome.groups_fd < 0;
	answer->kind = run->has_shares ? WA_DEVICE_GPU : wa_query_runner.kind;
	answer->groups_bytes = result->groups_bytes;
	answer->rows = run->sources.rows - run->left_out.rows;
	answer->kept_rows = result->kept_rows;
	answer->is_rolled = result->is_rolled;
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
	wa_run_slices_free(run->slices);
	run->slices = NULL;
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
	run->job.morsel = wa_run_morsel;
	run->job.more = wa_run_more;
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
