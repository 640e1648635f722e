/*
 * autoload_worker.c
 *		The background worker that loads what is asked for; see autoload.h.
 *
 * It loads a slice at a time, each in a transaction of its own, so that it holds
 * neither the lock of a table nor a snapshot for long, and at low priority.  What
 * it is asked for while it works it does next.  Between slices, and when there is nothing
 * more, it has read again what has changed of what queries use (refresh.h), unless
 * warpagg.autoload is off for it; when they use nothing it ends.
 *
 * What it loads stays in the queue until that is done, or cannot be.  If the device
 * process is away it is waited for, for a while; a load in whose middle it ended, or
 * whose table somebody had locked, is tried again.
 *
 * It gives way as a worker of autovacuum does, and is marked as one (give_way): who
 * wants the database for himself, or waits for a lock that it has, ends it.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include "access/relation.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/bufmgr.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "tcop/tcopprot.h"
#include "utils/backend_status.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#include "resident/load.h"
#include "resident/loader.h"
#include "resident/pins.h"
#include "resident/queue.h"
#include "resident/refresh.h"
#include "resident/relation.h"
#include "resident/request_file.h"
#include "resident/sweep.h"
#include "settings.h"

/* Added to the process's nice value. */
#define LOWER_PRIORITY 5

/* A transaction lasts about so long. */
#define SLICE_MS 1000

/* Pause before something is tried again. */
#define RETRY_MS 1000

PGDLLEXPORT void wa_autoload_main(Datum argument);

/*
 * Takes the lock that only one worker of a database can have; *fd is its file, or
 * -1 at first.
 */
static bool
become_the_only_one(int *fd)
{
	char path[MAXPGPATH];

	if (*fd < 0)
	{
		wa_request_path(MyDatabaseId, "worker", path);
		*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	}
	if (*fd < 0 || flock(*fd, LOCK_EX | LOCK_NB) != 0)
		return false;
	/* It has our pid, for who counts loads; it is no harm if it is not there. */
	if (ftruncate(*fd, 0) == 0 && lseek(*fd, 0, SEEK_SET) == 0)
		(void) dprintf(*fd, "%d", MyProcPid);
	return true;
}

/* Tells whether the queue is empty. */
static bool
is_all_done(void)
{
	bool is_empty;

	wa_loader_begin();
	is_empty = wa_queue_is_empty();
	wa_loader_end();
	return is_empty;
}

/*
 * Gives the lock back; whoever has a request from now on starts a worker.  Tells
 * whether there is one of a moment ago, for which nobody did.
 */
static bool
has_missed_a_request(int fd)
{
	(void) flock(fd, LOCK_UN);
	return !is_all_done();
}

/*
 * Prepares to load columns of a relation, from column *next on, which is moved on: so
 * many as a task takes.  Returns false, and why in *outcome, if there is nothing to do.
 */
static bool
prepare(WaLoadTask *task, const WaQueued *queued, int *next, WaOutcome *outcome)
{
	WaColumnName columns[WA_MAX_RESIDENT_COLUMNS];
	Relation relation = wa_loader_open(queued->relation, outcome);
	int ncolumns = 0;

	if (relation == NULL)
	{
		*next = queued->ncolumns;
		return false;
	}
	for (; *next < queued->ncolumns && ncolumns < WA_MAX_RESIDENT_COLUMNS;
		 (*next)++)
		if (queued->columns[*next] <= RelationGetNumberOfAttributes(relation) &&
			wa_resident_column(relation, queued->columns[*next],
							   &columns[ncolumns]))
			ncolumns++;
	if (ncolumns > 0)
		wa_load_prepare(task, relation, queued->asked, ncolumns, columns);
	relation_close(relation, AccessShareLock);
	return ncolumns > 0;
}

/* Tells whether a slice may go on. */
static bool
goes_on(WaLoadTask *task, Relation relation)
{
	return !TimestampDifferenceExceeds(task->reported_us, GetCurrentTimestamp(),
									   SLICE_MS);
}

/* Tells whether a relation still has columns as they were. */
static bool
has_columns(Relation relation, int ncolumns, const WaColumnName *columns)
{
	for (int i = 0; i < ncolumns; i++)
		if (!wa_resident_has_column(relation, &columns[i]))
			return false;
	return true;
}

/* Tells whether a relation still has what is to be loaded, and is of the same family. */
static bool
is_unchanged(Relation relation, const WaLoadTask *task)
{
	WaFamilyPlan family;

	wa_family_plan(relation, &family);
	return wa_resident_has_storage(relation, &task->storage) &&
		   memcmp(&family, &task->family, sizeof(family)) == 0 &&
		   RelationGetNumberOfBlocks(relation) >= task->nblocks &&
		   has_columns(relation, task->nall, task->all) &&
		   has_columns(relation, task->nrest, task->rest);
}

/*
 * Loads a slice; returns false, and why in *outcome, if that was all, or nothing can be
 * done.
 */
static bool
load_slice(WaLoadTask *task, Oid relid, WaOutcome *outcome)
{
	Relation relation = wa_loader_open(relid, outcome);
	bool is_current;

	if (relation == NULL)
		return false;
	is_current = is_unchanged(relation, task);
	if (!is_current)
		*outcome = WA_OUTCOME_AGAIN;
	task->reported_us = GetCurrentTimestamp();
	if (is_current)
		wa_load_run(task, relation, goes_on);
	relation_close(relation, AccessShareLock);
	return is_current && !wa_load_is_done(task);
}

/* Notes that columns of a relation have been loaded, if it is there. */
static void
note_load(const WaQueued *queued, bool are_complete)
{
	WaOutcome outcome;
	Relation relation;

	wa_loader_begin();
	relation = wa_loader_open(queued->relation, &outcome);
	if (relation != NULL)
	{
		wa_pins_note_load(relation, queued->ncolumns, queued->columns,
						  are_complete);
		relation_close(relation, AccessShareLock);
	}
	wa_loader_end();
}

/* Loads columns of one relation; what is resident of others is not neglected for it. */
static WaOutcome
load_relation(const WaQueued *queued, WaRefresh *refresh)
{
	WaOutcome outcome = WA_OUTCOME_DONE;
	WaLoadTask task;
	bool are_complete = true;
	bool has_more;
	int next = 0;

	while (next < queued->ncolumns && outcome == WA_OUTCOME_DONE)
	{
		wa_loader_begin();
		has_more = prepare(&task, queued, &next, &outcome);
		wa_loader_end();
		while (has_more)
		{
			CHECK_FOR_INTERRUPTS();
			/* A slice that had a large parcel has closed the connection. */
			wa_loader_require();
			wa_loader_begin();
			has_more = load_slice(&task, queued->relation, &outcome);
			wa_loader_end();
			if (pg_atomic_read_u32(&task.is_full) != 0)
				are_complete = false;
			if (has_more)
				(void) wa_refresh_round(refresh);
		}
	}
	if (outcome == WA_OUTCOME_DONE)
		note_load(queued, are_complete);
	return outcome;
}

/* Waits before something is tried again. */
static void
wait_to_retry(void)
{
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 RETRY_MS, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

/* Returns what becomes of a load that was cancelled: who waits for its lock lets it go on. */
static WaOutcome
outcome_of_cancel(Oid relid)
{
	WaOutcome outcome;
	Relation relation;

	wa_loader_begin();
	relation = wa_loader_open(relid, &outcome);
	if (relation != NULL)
		relation_close(relation, AccessShareLock);
	wa_loader_end();
	return outcome;
}

/*
 * Loads columns of one relation; after an error, as that somebody has cancelled it, the
 * other relations are loaded all the same.
 */
static WaOutcome
try_relation(const WaQueued *queued, WaRefresh *refresh)
{
	volatile WaOutcome outcome = WA_OUTCOME_DONE;
	volatile int code = 0;

	PG_TRY();
	{
		if (queued->tries > 1)
			wait_to_retry();
		outcome = load_relation(queued, refresh);
	}
	PG_CATCH();
	{
		code = wa_loader_recover();
	}
	PG_END_TRY();
	if (code == ERRCODE_QUERY_CANCELED)
		outcome = outcome_of_cancel(queued->relation);
	/* The device process has failed. */
	if (code == ERRCODE_EXTERNAL_ROUTINE_EXCEPTION)
		outcome = WA_OUTCOME_AGAIN;
	return outcome;
}

/*
 * Waits until the device process is ready; returns false if it does not get so.  Who
 * cancels meant a load.
 */
static bool
wait_for_device(void)
{
	int code;

	do
		code = wa_loader_try(NULL, NULL);
	while (code == ERRCODE_QUERY_CANCELED);
	return code == 0;
}

/* Takes something from the queue; returns false if it cannot. */
static bool
take(WaQueued *queued)
{
	bool found;

	wa_loader_begin();
	found = wa_queue_take(queued);
	wa_loader_end();
	return found;
}

/* Does with the queue what the outcome of a load asks for. */
static void
settle(const WaQueued *queued, WaOutcome outcome)
{
	wa_loader_begin();
	if (outcome == WA_OUTCOME_AGAIN)
		wa_queue_postpone(queued);
	else
		wa_queue_done(queued);
	if (outcome == WA_OUTCOME_GONE)
		wa_pins_forget(queued->relation, 0, NULL);
	wa_loader_end();
}

/* Says what the worker does. */
static void
report(const char *activity)
{
	static const char *reported = NULL;

	if (activity != reported)
		pgstat_report_activity(STATE_RUNNING, activity);
	reported = activity;
}

/*
 * Loads what was taken from the queue.  What queries would gain from is left to the
 * rounds if it has only changed.
 */
static WaOutcome
load_taken(const WaQueued *queued, WaRefresh *refresh, bool *has_swept)
{
	WaOutcome outcome;

	if (!queued->asked && wa_autoload && !wa_refresh_lacks(refresh, queued))
		return WA_OUTCOME_DONE;
	report("loading resident columns");
	/* An error is no reason not to load. */
	if (!*has_swept)
		(void) wa_loader_try(wa_resident_sweep, NULL);
	*has_swept = true;
	outcome = try_relation(queued, refresh);
	if (!queued->asked && outcome == WA_OUTCOME_DONE)
		wa_refresh_note_load(refresh, queued);
	return outcome;
}

/*
 * Loads what is in the queue, relation by relation.  Returns false if the device process
 * is away, or the queue cannot be changed: then the rest is for the next loader.
 */
static bool
load_all(WaQueued *queued, WaRefresh *refresh)
{
	bool has_swept = false;

	while (!is_all_done())
	{
		if (!wait_for_device())
			return false;
		if (!take(queued))
			return is_all_done();
		settle(queued, load_taken(queued, refresh, &has_swept));
	}
	return true;
}

/* Works as long as there is something to do; returns false if it cannot. */
static bool
work(WaQueued *queued, WaRefresh *refresh)
{
	/* What a loader that is no more has taken waits again. */
	wa_loader_begin();
	wa_queue_reset();
	wa_loader_end();
	while (load_all(queued, refresh))
	{
		report("following resident columns");
		if (!wa_refresh_round(refresh))
			return true;
		wa_refresh_wait(refresh);
	}
	return false;
}

/*
 * Marks the process as one of autovacuum.  By that DROP DATABASE, ALTER DATABASE and
 * CREATE DATABASE know whom to send SIGTERM rather than to wait for five seconds and
 * fail (CountOtherDBBackends), and who has waited for a lock for deadlock_timeout, whom
 * to cancel (ProcSleep).  PostgreSQL looks at the mark for nothing else.  What was to be
 * loaded stays in the queue.
 */
static void
give_way(void)
{
	LWLockAcquire(ProcArrayLock, LW_EXCLUSIVE);
	MyProc->statusFlags |= PROC_IS_AUTOVACUUM;
	ProcGlobal->statusFlags[MyProc->pgxactoff] = MyProc->statusFlags;
	LWLockRelease(ProcArrayLock);
}

/* Sets up the process. */
static void
set_up(Oid database)
{
	pqsignal(SIGTERM, die);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnectionByOid(database, InvalidOid, 0);
	give_way();
	/* What it loads is for others: its own isolation does not matter. */
	SetConfigOption("default_transaction_isolation", "read committed",
					PGC_SUSET, PGC_S_OVERRIDE);
	(void) setpriority(PRIO_PROCESS, 0,
					   getpriority(PRIO_PROCESS, 0) + LOWER_PRIORITY);
}

/* The worker's main function; the postmaster calls it by name. */
void
wa_autoload_main(Datum argument)
{
	WaQueued *queued;
	WaRefresh *refresh;
	int lock_fd = -1;

	set_up(DatumGetObjectId(argument));
	queued = MemoryContextAlloc(TopMemoryContext, sizeof(*queued));
	refresh = wa_refresh_begin();
	while (become_the_only_one(&lock_fd))
		if (!work(queued, refresh) || !has_missed_a_request(lock_fd))
			break;
	proc_exit(0);
}
