/*
 * load_parallel.c
 *		Loading by several processes; see load.h.
 *
 * The leader loads too.  Workers have nothing to send: all that they find out is
 * added up in the task.
 */
#include "postgres.h"

#include <sched.h>

#include "access/parallel.h"
#include "access/table.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "tcop/tcopprot.h"
#include "utils/backend_status.h"
#include "utils/rel.h"

#include "client/client.h"
#include "resident/load.h"
#include "settings.h"

/* So many extents are worth the start of a worker. */
#define EXTENTS_PER_WORKER 8

/* What lies in the shared memory, by its key there. */
typedef enum LoadPart
{
	LOAD_TASK,     /* WaLoadTask */
	LOAD_RELATION, /* Oid */
	LOAD_TEXT,     /* the client's query, for pg_stat_activity */
} LoadPart;

/* The name by which the leader has the server call it. */
PGDLLEXPORT void wa_load_worker(dsm_segment *segment, shm_toc *toc);

/* Returns how many workers a load may have. */
static uint32
most_workers(void)
{
	cpu_set_t processors;

	if (wa_load_workers >= 0)
		return (uint32) wa_load_workers;
	if (sched_getaffinity(0, sizeof(processors), &processors) != 0)
		return 0;
	return (uint32) CPU_COUNT(&processors) - 1;
}

/* Returns how many workers to ask for. */
static int
wanted_workers(const WaLoadTask *task)
{
	/* Workers have no workers; and a function may run while there are some. */
	if (IsParallelWorker() || IsInParallelMode())
		return 0;
	return (int) Min(most_workers(), task->nextents / EXTENTS_PER_WORKER);
}

/* Puts a part into the shared memory. */
static void *
add_part(ParallelContext *context, LoadPart part, const void *from, Size bytes)
{
	void *memory = shm_toc_allocate(context->toc, bytes);

	memcpy(memory, from, bytes);
	shm_toc_insert(context->toc, part, memory);
	return memory;
}

/* Makes the shared memory; returns the task in it, or NULL if there is none. */
static WaLoadTask *
make_memory(ParallelContext *context, const WaLoadTask *task, Relation relation)
{
	const char *text = debug_query_string == NULL ? "" : debug_query_string;
	Oid relid = RelationGetRelid(relation);

	shm_toc_estimate_chunk(&context->estimator, sizeof(*task));
	shm_toc_estimate_chunk(&context->estimator, sizeof(relid));
	shm_toc_estimate_chunk(&context->estimator, strlen(text) + 1);
	shm_toc_estimate_keys(&context->estimator, 3);
	InitializeParallelDSM(context);
	if (context->seg == NULL)
		return NULL;
	(void) add_part(context, LOAD_RELATION, &relid, sizeof(relid));
	(void) add_part(context, LOAD_TEXT, text, strlen(text) + 1);
	return add_part(context, LOAD_TASK, task, sizeof(*task));
}

void
wa_load_share(WaLoadTask *task, Relation relation, WaLoadReport report)
{
	int nworkers = wanted_workers(task);
	ParallelContext *context;
	WaLoadTask *shared = NULL;

	if (nworkers == 0)
	{
		wa_load_run(task, relation, report);
		return;
	}
	EnterParallelMode();
	context =
		CreateParallelContext("$libdir/warpagg", "wa_load_worker", nworkers);
	shared = make_memory(context, task, relation);
	if (shared == NULL)
		wa_load_run(task, relation, report);
	else
	{
		LaunchParallelWorkers(context);
		wa_load_run(shared, relation, report);
		WaitForParallelWorkersToFinish(context);
		memcpy(task, shared, sizeof(*task));
	}
	DestroyParallelContext(context);
	ExitParallelMode();
}

void
wa_load_worker(dsm_segment *segment, shm_toc *toc)
{
	WaLoadTask *task = shm_toc_lookup(toc, LOAD_TASK, false);
	const Oid *relid = shm_toc_lookup(toc, LOAD_RELATION, false);
	Relation relation;

	debug_query_string = shm_toc_lookup(toc, LOAD_TEXT, false);
	pgstat_report_activity(STATE_RUNNING, debug_query_string);
	relation = table_open(*relid, AccessShareLock);
	wa_client_require();
	wa_load_run(task, relation, NULL);
	table_close(relation, AccessShareLock);
}
