/*
 * autoload_worker.c
 *		The background worker that loads what is asked for; see autoload.h.
 *
 * It loads a slice at a time, each in a transaction of its own, so that it holds
 * neither the lock of a table nor a snapshot for long, and at low priority.  What
 * it is asked for while it works it does next; it ends when there is nothing more.
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
#include "access/xact.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "storage/bufmgr.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "storage/lmgr.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "tcop/tcopprot.h"
#include "utils/backend_status.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "client/client.h"
#include "resident/autoload_file.h"
#include "resident/load.h"
#include "resident/relation.h"
#include "resident/sweep.h"

/* Added to the process's nice value. */
#define LOWER_PRIORITY 10

/* A transaction lasts about so long. */
#define SLICE_MS 1000

/* Requests that are read at once; the rest are for another time. */
#define MAX_RECORDS 4096

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
		wa_autoload_path(MyDatabaseId, "worker", path);
		*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	}
	return *fd >= 0 && flock(*fd, LOCK_EX | LOCK_NB) == 0;
}

/*
 * Gives the lock back; whoever has a request from now on starts a worker.  Tells
 * whether there is one of a moment ago, for which nobody did.
 */
static bool
has_missed_a_request(int fd)
{
	char wanted[MAXPGPATH];

	(void) flock(fd, LOCK_UN);
	wa_autoload_path(MyDatabaseId, "wanted", wanted);
	return access(wanted, F_OK) == 0;
}

/* Takes requests, room for MAX_RECORDS; returns how many. */
static int
take_requests(WaAutoloadRecord *records)
{
	char wanted[MAXPGPATH];
	char taken[MAXPGPATH];
	ssize_t bytes;
	int fd;

	wa_autoload_path(MyDatabaseId, "wanted", wanted);
	wa_autoload_path(MyDatabaseId, "taken", taken);
	if (rename(wanted, taken) != 0)
		return 0;
	fd = OpenTransientFile(taken, O_RDONLY);
	if (fd < 0)
		return 0;
	bytes = read(fd, records, MAX_RECORDS * sizeof(*records));
	CloseTransientFile(fd);
	(void) unlink(taken);
	return bytes > 0 ? (int) (bytes / (ssize_t) sizeof(*records)) : 0;
}

static int
compare_records(const void *a, const void *b)
{
	const WaAutoloadRecord *left = a;
	const WaAutoloadRecord *right = b;

	if (left->relation != right->relation)
		return left->relation < right->relation ? -1 : 1;
	return left->attribute - right->attribute;
}

/* Begins a transaction. */
static void
begin(void)
{
	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	PushActiveSnapshot(GetTransactionSnapshot());
}

/* Ends it. */
static void
end(void)
{
	PopActiveSnapshot();
	CommitTransactionCommand();
}

/*
 * Opens a relation, unless somebody is about to change it, it is gone, or it
 * cannot be resident.
 */
static Relation
open_relation(Oid relid)
{
	Relation relation;

	if (!ConditionalLockRelationOid(relid, AccessShareLock))
		return NULL;
	relation = try_relation_open(relid, NoLock);
	if (relation == NULL)
		UnlockRelationOid(relid, AccessShareLock);
	else if (wa_resident_refusal(relation) != NULL)
	{
		relation_close(relation, AccessShareLock);
		relation = NULL;
	}
	return relation;
}

/*
 * Prepares to load columns of a relation, from record *next on, which is moved on: so
 * many as a task takes.  Returns false if there is nothing to do.
 */
static bool
prepare(WaLoadTask *task, const WaAutoloadRecord *records, int nrecords,
		int *next)
{
	WaColumnName columns[WA_MAX_RESIDENT_COLUMNS];
	Relation relation = open_relation(records[0].relation);
	int ncolumns = 0;

	if (relation == NULL)
	{
		*next = nrecords;
		return false;
	}
	for (; *next < nrecords && ncolumns < WA_MAX_RESIDENT_COLUMNS; (*next)++)
	{
		AttrNumber attribute = records[*next].attribute;

		if (*next > 0 && attribute == records[*next - 1].attribute)
			continue;
		if (attribute > 0 &&
			attribute <= RelationGetNumberOfAttributes(relation) &&
			wa_resident_column(relation, attribute, &columns[ncolumns]))
			ncolumns++;
	}
	if (ncolumns > 0)
		wa_load_prepare(task, relation, false, ncolumns, columns);
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
	{
		WaColumnName name;

		if (!wa_resident_column(relation, columns[i].attribute, &name) ||
			memcmp(&name, &columns[i], sizeof(name)) != 0)
			return false;
	}
	return true;
}

/* Tells whether a relation still has what is to be loaded. */
static bool
is_unchanged(Relation relation, const WaLoadTask *task)
{
	WaRelation storage = wa_resident_storage(relation);

	return memcmp(&storage, &task->storage, sizeof(storage)) == 0 &&
		   RelationGetNumberOfBlocks(relation) >= task->nblocks &&
		   has_columns(relation, task->nall, task->all) &&
		   has_columns(relation, task->nrest, task->rest);
}

/* Loads a slice; returns false if that was all, or nothing can be done. */
static bool
load_slice(WaLoadTask *task, Oid relid)
{
	Relation relation = open_relation(relid);
	bool is_current;

	if (relation == NULL)
		return false;
	is_current = is_unchanged(relation, task);
	task->reported_us = GetCurrentTimestamp();
	if (is_current)
		wa_load_run(task, relation, goes_on);
	relation_close(relation, AccessShareLock);
	return is_current && !wa_load_is_done(task);
}

/* Loads columns of one relation. */
static void
load_relation(const WaAutoloadRecord *records, int nrecords)
{
	Oid relid = records[0].relation;
	WaLoadTask task;
	bool has_more;
	int next = 0;

	while (next < nrecords)
	{
		begin();
		has_more = prepare(&task, records, nrecords, &next);
		end();
		while (has_more)
		{
			CHECK_FOR_INTERRUPTS();
			begin();
			has_more = load_slice(&task, relid);
			end();
		}
	}
}

/*
 * The same; after an error, as that somebody who waits for a lock has cancelled it, the
 * other relations are loaded all the same.
 */
static void
try_relation(const WaAutoloadRecord *records, int nrecords)
{
	PG_TRY();
	{
		load_relation(records, nrecords);
	}
	PG_CATCH();
	{
		HOLD_INTERRUPTS();
		EmitErrorReport();
		AbortOutOfAnyTransaction();
		FlushErrorState();
		RESUME_INTERRUPTS();
	}
	PG_END_TRY();
}

/* Loads what is asked for, relation by relation. */
static void
load_all(WaAutoloadRecord *records, int nrecords)
{
	int first = 0;

	qsort(records, (size_t) nrecords, sizeof(*records), compare_records);
	begin();
	wa_client_require();
	wa_resident_sweep();
	end();
	for (int i = 1; i <= nrecords; i++)
	{
		if (i < nrecords && records[i].relation == records[first].relation)
			continue;
		try_relation(&records[first], i - first);
		first = i;
	}
}

/*
 * Marks the process as one of autovacuum.  By that DROP DATABASE, ALTER DATABASE and
 * CREATE DATABASE know whom to send SIGTERM rather than to wait for five seconds and
 * fail (CountOtherDBBackends), and who has waited for a lock for deadlock_timeout, whom
 * to cancel (ProcSleep).  PostgreSQL looks at the mark for nothing else.  What was to be
 * loaded is asked for again by the next query.
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
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnectionByOid(database, InvalidOid, 0);
	give_way();
	/* What it loads is for others: its own isolation does not matter. */
	SetConfigOption("default_transaction_isolation", "read committed",
					PGC_SUSET, PGC_S_OVERRIDE);
	(void) setpriority(PRIO_PROCESS, 0,
					   getpriority(PRIO_PROCESS, 0) + LOWER_PRIORITY);
	pgstat_report_activity(STATE_RUNNING, "loading resident columns");
}

/* The worker's main function; the postmaster calls it by name. */
void
wa_autoload_main(Datum argument)
{
	WaAutoloadRecord *records;
	int lock_fd = -1;
	int nrecords;

	set_up(DatumGetObjectId(argument));
	records =
		MemoryContextAlloc(TopMemoryContext, MAX_RECORDS * sizeof(*records));
	while (become_the_only_one(&lock_fd))
	{
		while ((nrecords = take_requests(records)) > 0)
			load_all(records, nrecords);
		if (!has_missed_a_request(lock_fd))
			break;
	}
	proc_exit(0);
}
