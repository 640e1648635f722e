/*
 * parallel.c
 *		The leader of parallel workers; see parallel.h.
 *
 * All processes take chunks of blocks from a shared counter.  A worker that has
 * found no more sends its groups, and the leader, which reads the table too and
 * only then listens, merges them with its own.  A worker that has spilled rows
 * spills its groups, too; then the leader's are not complete, and spilled as
 * well (scan/spill/spill.h).
 */
#include "postgres.h"

#include <sys/statvfs.h>

#include "access/parallel.h"
#include "access/xact.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/dsm_impl.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "storage/shm_mq.h"
#include "tcop/tcopprot.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/wait_event.h"

#include "scan/parallel/parallel.h"
#include "scan/parallel/parallel_task.h"
#include "scan/plan/parallel_cost.h"
#include "scan/rows/batch_loop.h"
#include "scan/rows/key_bound.h"
#include "scan/rows/merge.h"
#include "scan/tables/join_image.h"

/* What the leader knows of one reading. */
typedef struct Leader
{
	WaScanState *state;
	ParallelContext *context;
	WaTask *task;
	void *parts[WA_TASK_PARTS];
	shm_mq_handle **queues; /* NULL: the worker has sent everything */
	Size joins_bytes;       /* of the tables of joins; 0: there are none */
} Leader;

int
wa_parallel_wanted(const WaScanState *state, uint64 left, bool is_covered)
{
	const int most = (int) Min((uint64) state->query.nworkers, left);

	/*
	 * Workers have no workers, nor has what a function runs while there are some; what has
	 * a Gather elsewhere in its own plan may.
	 */
	if (IsParallelWorker() ||
		(IsInParallelMode() && !state->sources.estate->es_use_parallel_mode))
		return 0;
	if (!is_covered)
		return most;
	return wa_parallel_workers_for((double) left,
								   (double) left * state->query.block_cost,
								   state->query.planned_groups, most);
}

/* Returns the bytes of the words of all blocks to leave out. */
static Size
covered_bytes(const WaScanSources *sources)
{
	Size bytes = 0;

	for (int i = 0; i < sources->count; i++)
		if (sources->list[i]->covered != NULL)
			bytes += wa_heap_covered_bytes(sources->list[i]->heap);
	return bytes;
}

/* Tells whether the server's memory files have room for as much, twice. */
static bool
have_files_room(Size bytes)
{
	struct statvfs files;
	const char *path = dynamic_shared_memory_type == DSM_IMPL_POSIX
						   ? "/dev/shm"
						   : PG_DYNSHMEM_DIR;

	return dynamic_shared_memory_type == DSM_IMPL_SYSV ||
		   statvfs(path, &files) != 0 ||
		   (double) files.f_bavail * (double) files.f_frsize >=
			   2 * (double) bytes;
}

/*
 * Finds out how much memory the tables of joins take for workers.  Returns false if that is
 * more than a parallel hash join may have, or than there is, which would be an error.
 */
static bool
find_joins_room(Leader *leader, int nworkers)
{
	const WaJoinTables *joined = leader->state->query.interpreter->joined;

	if (joined == NULL)
		return true;
	leader->joins_bytes = wa_join_image_bytes(joined);
	return (double) leader->joins_bytes <=
			   Max((double) get_hash_memory_limit() * (nworkers + 1),
				   (double) wa_join_memory()) &&
		   have_files_room(leader->joins_bytes);
}

/* Makes the shared memory and its parts; returns false if there is none. */
static bool
make_memory(Leader *leader, const char *query, const char *text)
{
	ParallelContext *context = leader->context;
	const WaScanSources *sources = &leader->state->sources;
	Size nworkers = (Size) context->nworkers;
	const Size bytes[WA_TASK_PARTS] = {
		[WA_TASK_HEAD] =
			offsetof(WaTask, reports) + nworkers * sizeof(WaTaskReport),
		[WA_TASK_SOURCES] = (Size) sources->count * sizeof(WaTaskSource),
		[WA_TASK_QUERY] = strlen(query) + 1,
		[WA_TASK_SNAPSHOT] =
			EstimateSnapshotSpace(sources->estate->es_snapshot),
		[WA_TASK_TEXT] = strlen(text) + 1,
		[WA_TASK_QUEUES] = nworkers * WA_TASK_QUEUE_BYTES,
		[WA_TASK_BUFFER_USAGE] = nworkers * sizeof(BufferUsage),
		[WA_TASK_WAL_USAGE] = nworkers * sizeof(WalUsage),
		[WA_TASK_COVERED] = covered_bytes(sources),
		[WA_TASK_JOINS] = leader->joins_bytes,
	};

	for (int i = 0; i < WA_TASK_PARTS; i++)
		shm_toc_estimate_chunk(&context->estimator, bytes[i]);
	shm_toc_estimate_keys(&context->estimator, WA_TASK_PARTS);
	InitializeParallelDSM(context);
	if (context->seg == NULL)
		return false;
	for (int i = 0; i < WA_TASK_PARTS; i++)
	{
		leader->parts[i] = shm_toc_allocate(context->toc, bytes[i]);
		if (i != WA_TASK_JOINS)
			memset(leader->parts[i], 0, bytes[i]);
		shm_toc_insert(context->toc, i, leader->parts[i]);
	}
	strcpy(leader->parts[WA_TASK_QUERY], query);
	strcpy(leader->parts[WA_TASK_TEXT], text);
	return true;
}

/* Fills in the sources that are left to be read. */
static void
write_sources(const Leader *leader)
{
	const WaScanSources *sources = &leader->state->sources;
	WaTaskSource *written = (WaTaskSource *) leader->parts[WA_TASK_SOURCES];
	char *covered = (char *) leader->parts[WA_TASK_COVERED];
	Size end = 0;

	leader->task->nsources = sources->count - sources->current;
	for (int i = sources->current; i < sources->count; i++, written++)
	{
		const WaScanSource *source = sources->list[i];

		written->relation = RelationGetRelid(source->relation);
		written->covered = WA_TASK_NOT_COVERED;
		if (source->covered != NULL)
		{
			const Size bytes = wa_heap_covered_bytes(source->heap);

			memcpy(covered + end, source->covered, bytes);
			written->covered = end;
			end += bytes;
		}
		wa_heap_share(source->heap, &written->blocks,
					  leader->context->nworkers + 1);
	}
}

/* Fills in what workers have to know. */
static void
write_task(Leader *leader)
{
	WaScanState *state = leader->state;
	WaTask *task = (WaTask *) leader->parts[WA_TASK_HEAD];

	leader->task = task;
	task->table = state->sources.table;
	task->is_timed = state->clock.is_on;
	task->wanted = wa_wanted_keys(state);
	wa_spill_share(&state->store, &task->spill, leader->context->nworkers + 1);
	write_sources(leader);
	if (leader->joins_bytes > 0)
		wa_join_image_write(state->query.interpreter->joined,
							leader->parts[WA_TASK_JOINS]);
	SerializeSnapshot(state->sources.estate->es_snapshot,
					  leader->parts[WA_TASK_SNAPSHOT]);
}

/* Launches the workers, each with its queue. */
static void
launch(Leader *leader)
{
	ParallelContext *context = leader->context;
	char *memory = (char *) leader->parts[WA_TASK_QUEUES];
	shm_mq **queues = palloc(sizeof(shm_mq *) * context->nworkers);

	for (int i = 0; i < context->nworkers; i++)
	{
		queues[i] = shm_mq_create(memory + (Size) i * WA_TASK_QUEUE_BYTES,
								  WA_TASK_QUEUE_BYTES);
		shm_mq_set_receiver(queues[i], MyProc);
	}
	LaunchParallelWorkers(context);
	leader->queues = palloc(sizeof(shm_mq_handle *) * context->nworkers);
	for (int i = 0; i < context->nworkers_launched; i++)
		leader->queues[i] = shm_mq_attach(queues[i], context->seg,
										  context->worker[i].bgwhandle);
	leader->state->nlaunched = context->nworkers_launched;
}

/* Merges a message of a worker; memory: a context to be reset. */
static void
merge_message(WaScanState *state, const void *data, Size bytes,
			  MemoryContext memory)
{
	MemoryContext old = MemoryContextSwitchTo(memory);

	wa_scan_merge_groups(&state->store, data, bytes);
	MemoryContextSwitchTo(old);
	MemoryContextReset(memory);
	wa_spill_check(&state->store);
}

/*
 * Receives a message from a worker, if there is one, and merges it.  Returns
 * false if there was none.
 */
static bool
receive(Leader *leader, int worker, int *nopen, MemoryContext memory)
{
	shm_mq_handle *queue = leader->queues[worker];
	Size bytes;
	void *data;

	if (queue == NULL)
		return false;
	switch (shm_mq_receive(queue, &bytes, &data, true))
	{
		case SHM_MQ_SUCCESS:
			merge_message(leader->state, data, bytes, memory);
			return true;
		case SHM_MQ_DETACHED:
			shm_mq_detach(queue);
			leader->queues[worker] = NULL;
			(*nopen)--;
			return true;
		default:
			return false;
	}
}

/* Merges the groups of all workers as they come. */
static void
receive_all(Leader *leader)
{
	int nopen = leader->context->nworkers_launched;
	MemoryContext memory = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg message", ALLOCSET_DEFAULT_SIZES);

	while (nopen > 0)
	{
		bool is_idle = true;

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < leader->context->nworkers_launched; i++)
			if (receive(leader, i, &nopen, memory))
				is_idle = false;
		if (!is_idle)
			continue;
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH, 0,
						 WAIT_EVENT_EXECUTE_GATHER);
		ResetLatch(MyLatch);
	}
	MemoryContextDelete(memory);
}

/*
 * Adds what the workers, which have ended, have done.  Returns whether one has
 * spilled something.
 */
static bool
account(const Leader *leader)
{
	WaScanState *state = leader->state;
	bool have_spilled = false;

	for (int i = 0; i < leader->context->nworkers_launched; i++)
	{
		const WaTaskReport *report = &leader->task->reports[i];

		InstrAccumParallelQuery(
			(BufferUsage *) leader->parts[WA_TASK_BUFFER_USAGE] + i,
			(WalUsage *) leader->parts[WA_TASK_WAL_USAGE] + i);
		if (!report->is_complete)
			elog(ERROR, "a parallel worker of warpagg has sent no groups");
		wa_instrument_add(&state->now, &report->counts, true);
		wa_key_bound_tighten(state, report->last);
		have_spilled |= report->has_spilled;
		/* The leader reads and deletes the files. */
		state->store.spilled.disk_bytes += report->counts.disk_bytes;
	}
	return have_spilled;
}

/* Leads the workers from launch to end. */
static void
lead(Leader *leader)
{
	WaScanState *state = leader->state;
	int nprocesses = 1;

	write_task(leader);
	launch(leader);
	wa_scan_read(state);
	receive_all(leader);
	WaitForParallelWorkersToFinish(leader->context);
	if (account(leader))
	{
		wa_spill_groups(&state->store);
		nprocesses += leader->context->nworkers_launched;
	}
	wa_spill_finish(&state->store, nprocesses);
	wa_task_end_workers(leader->context, leader->task);
}

void
wa_parallel_read(WaScanState *state)
{
	const int nworkers =
		wa_parallel_wanted(state, wa_sources_blocks_left(&state->sources),
						   state->sources.is_covered);
	MemoryContext memory;
	MemoryContext old;
	Leader leader = {.state = state};
	const char *query;

	state->nlaunched = 0;
	if (nworkers == 0 || !find_joins_room(&leader, nworkers))
		return;
	memory = AllocSetContextCreate(CurrentMemoryContext, "warpagg leader",
								   ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(memory);
	query = wa_task_write_query(&state->query, state->css.ss.ps.ps_ExprContext);
	EnterParallelMode();
	leader.context =
		CreateParallelContext("$libdir/warpagg", "wa_scan_worker", nworkers);
	if (make_memory(&leader, query,
					debug_query_string == NULL ? "" : debug_query_string))
		lead(&leader);
	DestroyParallelContext(leader.context);
	ExitParallelMode();
	MemoryContextSwitchTo(old);
	MemoryContextDelete(memory);
}
