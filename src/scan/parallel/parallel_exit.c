/*
 * parallel_exit.c
 *		The end of parallel workers; see parallel_task.h.
 *
 * DestroyParallelContext waits until the server has seen the workers' processes
 * end.  By then the kernel has taken their page tables apart, which takes 0.15 us
 * for each 4 kB of shared buffers that they have read: 18 ms after half of 900 MB.
 * Nobody needs that.  What matters to the transaction is that a worker has let
 * go of everything in shared memory; it has when it is no longer among the
 * server's processes.
 *
 * Taking away a handle of PostgreSQL's is safe, as far as 15 goes, for these reasons.
 * RegisterDynamicBackgroundWorker allocates the handle for its caller, who frees it; it
 * is but the number of a slot.  WaitForParallelWorkersToExit (access/transam/parallel.c)
 * does as much with each handle, pfree and NULL, once it has waited, and like
 * WaitForParallelWorkersToFinish passes over workers that have none; DestroyParallelContext
 * looks at a handle only while there is an error queue.  We leave alone workers that have
 * one, which have not said that they are through, and nobody launches workers again in a
 * context that we have been at.
 *
 * What the wait is for has come to pass by then.  A worker detaches its error queue after
 * it has ended its transaction, and with that given up locks, snapshots, files and pins.
 * Then shmem_exit has it report its statistics, detach from dynamic shared memory, and
 * only after that leave the array of processes, which is what we wait for.  What is left
 * is to leave our lock group, which ProcKill allows before and after the leader, and the
 * slot of the worker, which the postmaster frees: see leave_room.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "storage/procarray.h"

#include "scan/parallel/parallel_task.h"

/* Blocks that a worker must have read for its end to take long. */
#define LONG_END_BLOCKS 4096

/* Microseconds after which it is looked at again whether a worker has left. */
#define LOOK_US 50

/*
 * Tells whether there is room for as many workers again, for the next query not
 * to find that those that have left take its own workers' places.
 */
static bool
leave_room(int nworkers)
{
	return 2 * nworkers <= Min(max_parallel_workers, max_worker_processes);
}

/* Waits until a worker that has finished has left shared memory. */
static void
wait_until_left(BackgroundWorkerHandle *worker)
{
	pid_t pid;

	while (GetBackgroundWorkerPid(worker, &pid) == BGWH_STARTED &&
		   BackendPidGetProc(pid) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		pg_usleep(LOOK_US);
	}
}

void
wa_task_end_workers(ParallelContext *context, const WaTask *task)
{
	if (!leave_room(context->nworkers_launched))
		return;
	for (int i = 0; i < context->nworkers_launched; i++)
	{
		ParallelWorkerInfo *worker = &context->worker[i];

		if (worker->bgwhandle == NULL || worker->error_mqh != NULL ||
			task->reports[i].counts.read.blocks < LONG_END_BLOCKS)
			continue;
		wait_until_left(worker->bgwhandle);
		/* DestroyParallelContext leaves out workers without a handle. */
		pfree(worker->bgwhandle);
		worker->bgwhandle = NULL;
	}
}
