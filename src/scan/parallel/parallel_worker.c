/*
 * parallel_worker.c
 *		A parallel worker of a node of the scan tier; see parallel.h.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/table.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/proc.h"
#include "storage/shm_mq.h"
#include "tcop/tcopprot.h"
#include "utils/backend_status.h"
#include "utils/snapmgr.h"

#include "scan/base/context_arena.h"
#include "scan/parallel/parallel_task.h"
#include "scan/rows/batch_loop.h"
#include "scan/rows/key_bound.h"
#include "scan/rows/prepare.h"
#include "scan/spill/group_message.h"
#include "scan/spill/group_store.h"
#include "scan/state/scan_state.h"
#include "scan/tables/join_image.h"

/* The name by which the leader has the server call it. */
PGDLLEXPORT void wa_scan_worker(dsm_segment *segment, shm_toc *toc);

/* Returns the queue to the leader. */
static shm_mq_handle *
attach_queue(dsm_segment *segment, shm_toc *toc)
{
	char *queues = shm_toc_lookup(toc, WA_TASK_QUEUES, false);
	shm_mq *queue =
		(shm_mq *) (queues + (Size) ParallelWorkerNumber * WA_TASK_QUEUE_BYTES);

	shm_mq_set_sender(queue, MyProc);
	return shm_mq_attach(queue, segment, NULL);
}

/* Makes the state of the node, in the estate's memory, which is the current. */
static WaScanState *
make_state(EState *estate, Relation table, WaTask *task, shm_toc *toc)
{
	WaScanState *state = palloc0(sizeof(WaScanState));
	WaJoinTables *joined;

	state->css.ss.ps.state = estate;
	state->css.ss.ps.ps_ExprContext = CreateExprContext(estate);
	wa_task_read_query(&state->query,
					   shm_toc_lookup(toc, WA_TASK_QUERY, false));
	wa_scan_prepare(state, estate, table);
	joined = state->query.interpreter->joined;
	if (joined != NULL)
		wa_join_image_read(joined, shm_toc_lookup(toc, WA_TASK_JOINS, false));
	wa_spill_join(&state->store, &task->spill, ParallelWorkerNumber + 1);
	state->clock.is_on = task->is_timed;
	return state;
}

/*
 * Sends all groups to the leader, as messages for wa_scan_merge_groups.  Returns
 * false if nobody wants them any more.
 */
static bool
send_groups(WaScanStore *store, shm_mq_handle *queue)
{
	const WaPartialShape *shape = wa_scan_shape(store);
	const uint32 ngroups = wa_scan_groups(store);
	uint32 next = 0;
	WaWriter writer;
	WaArena arena;

	wa_context_arena_init(&arena, CurrentMemoryContext);
	wa_writer_init(&writer, &arena);
	while (next < ngroups)
	{
		CHECK_FOR_INTERRUPTS();
		wa_scan_write_groups(store, shape, NULL, &next, ngroups, &writer);
		if (shm_mq_send(queue, writer.nwords * sizeof(uint64), writer.words,
						false, next == ngroups) != SHM_MQ_SUCCESS)
			return false;
	}
	return true;
}

/* Reads a share of a source. */
static void
read_source(WaScanState *state, WaTaskSource *shared, const char *covered)
{
	WaScanSources *sources = &state->sources;
	WaScanSource source = {0};
	WaScanSource *known = &source;

	/* It takes long to open a table for the first time. */
	if (wa_heap_share_is_taken(&shared->blocks))
		return;
	source.relation = table_open(shared->relation, AccessShareLock);
	wa_source_map(&source, sources->descriptor);
	wa_sources_set(sources, &known, 1);
	wa_sources_begin(sources);
	wa_heap_join(source.heap, &shared->blocks);
	if (shared->covered != WA_TASK_NOT_COVERED)
		wa_heap_leave_out(source.heap,
						  (const uint64 *) (covered + shared->covered));
	source.heap->may_mark = shared->covered == WA_TASK_NOT_COVERED;
	wa_scan_read(state);
	state->now.read.blocks += source.heap->counts.blocks;
	state->now.read.rows += source.heap->counts.rows;
	wa_sources_end(sources);
	wa_sources_set(sources, NULL, 0);
	table_close(source.relation, NoLock);
}

/* Reads a share of the sources, and sends the groups or spills them. */
static void
work(WaScanState *state, WaTask *task, shm_toc *toc, shm_mq_handle *queue)
{
	WaTaskReport *report = &task->reports[ParallelWorkerNumber];
	WaTaskSource *sources = shm_toc_lookup(toc, WA_TASK_SOURCES, false);
	const char *covered = shm_toc_lookup(toc, WA_TASK_COVERED, false);

	wa_scan_begin_share(state, &task->wanted);
	for (int i = 0; i < task->nsources; i++)
		read_source(state, &sources[i], covered);
	report->has_spilled = wa_spill_has_spilled(&state->store);
	if (report->has_spilled)
		wa_spill_groups(&state->store);
	report->is_complete =
		report->has_spilled || send_groups(&state->store, queue);
	wa_spill_finish(&state->store, 1);
	report->last = wa_key_bound_last(state);
	report->counts = wa_instrument_of(state);
}

void
wa_scan_worker(dsm_segment *segment, shm_toc *toc)
{
	WaTask *task = shm_toc_lookup(toc, WA_TASK_HEAD, false);
	BufferUsage *buffer_usage =
		shm_toc_lookup(toc, WA_TASK_BUFFER_USAGE, false);
	WalUsage *wal_usage = shm_toc_lookup(toc, WA_TASK_WAL_USAGE, false);
	shm_mq_handle *queue = attach_queue(segment, toc);
	EState *estate = CreateExecutorState();
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);
	Relation table;

	debug_query_string = shm_toc_lookup(toc, WA_TASK_TEXT, false);
	pgstat_report_activity(STATE_RUNNING, debug_query_string);
	estate->es_snapshot = RegisterSnapshot(
		RestoreSnapshot(shm_toc_lookup(toc, WA_TASK_SNAPSHOT, false)));
	table = table_open(task->table, AccessShareLock);
	InstrStartParallelQuery();
	work(make_state(estate, table, task, toc), task, toc, queue);
	InstrEndParallelQuery(&buffer_usage[ParallelWorkerNumber],
						  &wal_usage[ParallelWorkerNumber]);
	MemoryContextSwitchTo(old);
	ExecResetTupleTable(estate->es_tupleTable, false);
	table_close(table, AccessShareLock);
	UnregisterSnapshot(estate->es_snapshot);
	FreeExecutorState(estate);
	shm_mq_detach(queue);
}
