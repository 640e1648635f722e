/*
 * autoload.c
 *		Asking for columns to be loaded in the background; see autoload.h.
 *
 * The worker holds the lock of a file for life: whoever gets it, and gives it back, knows
 * that there is no worker, and registers one.  Should two be registered all the same, the
 * one that does not get the lock ends.
 */
#include "postgres.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include "catalog/dependency.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "storage/fd.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "utils/acl.h"
#include "utils/catcache.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "client/connection.h"
#include "compat.h"
#include "core/resident.h"
#include "resident/autoload.h"
#include "resident/pins.h"
#include "resident/request_file.h"
#include "settings.h"

/* A session suggests to load a column no more often than this. */
#define SUGGEST_INTERVAL_MS 1000

/* Columns that a session remembers to have suggested. */
#define REMEMBERED (4 * WA_MAX_RESIDENT_COLUMNS)

typedef struct Suggestion
{
	Oid relation;
	AttrNumber column;
	TimestampTz time;
} Suggestion;

/* Reads the pid of a worker from its file; 0: there is none. */
static int
read_pid(int fd)
{
	char text[16] = "";

	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	return atoi(text);
}

/* Wakes the worker that has a pid, if there is such a process of this database. */
static void
wake(int pid)
{
	PGPROC *process = pid > 0 ? BackendPidGetProc(pid) : NULL;

	if (process != NULL && process->databaseId == MyDatabaseId)
		SetLatch(&process->procLatch);
}

/* Tells whether no worker is there; wakes it if one is. */
static bool
worker_is_missing(void)
{
	char path[MAXPGPATH];
	bool missing;
	int fd;

	wa_request_path(MyDatabaseId, "worker", path);
	fd = OpenTransientFile(path, O_RDWR | O_CREAT);
	if (fd < 0)
		return false;
	missing = flock(fd, LOCK_EX | LOCK_NB) == 0;
	if (!missing)
		wake(read_pid(fd));
	CloseTransientFile(fd);
	return missing;
}

/* Sees to it that there is a worker for this database, if there can be, and awake. */
static void
have_worker(void)
{
	BackgroundWorker worker = {0};

	if (!worker_is_missing())
		return;
	worker.bgw_flags =
		BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker.bgw_start_time = BgWorkerStart_ConsistentState;
	worker.bgw_restart_time = BGW_NEVER_RESTART;
	worker.bgw_main_arg = ObjectIdGetDatum(MyDatabaseId);
	strlcpy(worker.bgw_name, "warpagg loader", BGW_MAXLEN);
	strlcpy(worker.bgw_type, "warpagg loader", BGW_MAXLEN);
	strlcpy(worker.bgw_library_name, "warpagg", BGW_MAXLEN);
	strlcpy(worker.bgw_function_name, "wa_autoload_main", BGW_MAXLEN);
	if (!RegisterDynamicBackgroundWorker(&worker, NULL))
		ereport(DEBUG1, (errmsg("no background worker slot is free for the "
								"%s",
								worker.bgw_name)));
}

WaQueueResult
wa_autoload_request(Oid relation, int ncolumns, const AttrNumber *columns)
{
	WaQueueResult result = wa_queue_add(relation, ncolumns, columns, true);

	if (result == WA_QUEUE_ADDED)
		have_worker();
	return result;
}

/* Tells whether a column has been suggested lately; remembers it if not. */
static bool
was_column_suggested(Oid relation, AttrNumber column)
{
	static Suggestion suggestions[REMEMBERED];
	TimestampTz now = GetCurrentTimestamp();
	Suggestion *place = &suggestions[0];

	for (int i = 0; i < REMEMBERED; i++)
	{
		Suggestion *suggestion = &suggestions[i];

		if (suggestion->relation == relation && suggestion->column == column)
		{
			place = suggestion;
			break;
		}
		if (suggestion->time < place->time)
			place = suggestion;
	}
	if (place->relation == relation && place->column == column &&
		!TimestampDifferenceExceeds(place->time, now, SUGGEST_INTERVAL_MS))
		return true;
	*place = (Suggestion){relation, column, now};
	return false;
}

/* Tells whether all columns of a relation have been suggested lately. */
static bool
were_suggested(Oid relation, int ncolumns, const AttrNumber *columns)
{
	bool suggested = true;

	for (int i = 0; i < ncolumns; i++)
		suggested &= was_column_suggested(relation, columns[i]);
	return suggested;
}

/* Tells whether a function is the extension's warpagg_load(regclass, text[]). */
static bool
is_load_function(Form_pg_proc function, Oid extension)
{
	return function->pronargs == 2 &&
		   function->proargtypes.values[0] == REGCLASSOID &&
		   function->proargtypes.values[1] == TEXTARRAYOID &&
		   getExtensionOfObject(ProcedureRelationId, function->oid) ==
			   extension;
}

/*
 * Tells whether the user may load: may call warpagg_load.  Where the library is loaded
 * without the extension there is nothing that could be granted, and all may.
 */
static bool
may_load(void)
{
	Oid extension = get_extension_oid("warpagg", true);
	CatCList *functions;
	bool may = false;

	if (!OidIsValid(extension))
		return true;
	functions =
		SearchSysCacheList1(PROCNAMEARGSNSP, CStringGetDatum("warpagg_load"));
	for (int i = 0; i < functions->n_members; i++)
	{
		Form_pg_proc function =
			(Form_pg_proc) GETSTRUCT(&functions->members[i]->tuple);

		if (is_load_function(function, extension))
			may = proc_aclcheck_compat(function->oid, GetUserId(),
									   ACL_EXECUTE) == ACLCHECK_OK;
	}
	ReleaseSysCacheList(functions);
	return may;
}

void
wa_autoload_suggest(Oid relation, int ncolumns, const AttrNumber *columns,
					bool are_resident)
{
	if (!wa_autoload || were_suggested(relation, ncolumns, columns))
		return;
	if (wa_autoload_share > 0 && may_load())
	{
		if (wa_queue_add(relation, ncolumns, columns, false) == WA_QUEUE_ADDED)
			have_worker();
	}
	else if (are_resident)
		have_worker();
}

void
wa_autoload_resume(void)
{
	static uint64 seen_generation = 0;
	const uint64 generation = wa_connection_state()->generation;

	if (generation == seen_generation)
		return;
	seen_generation = generation;
	wa_pins_resume();
	if (!wa_queue_is_empty())
		have_worker();
}

/* Tells whether the loader of a database is alive: its file has its pid. */
static bool
is_loading(Oid database)
{
	char path[MAXPGPATH];
	int pid;
	int fd;

	wa_request_path(database, "worker", path);
	fd = OpenTransientFile(path, O_RDONLY);
	if (fd < 0)
		return false;
	pid = read_pid(fd);
	CloseTransientFile(fd);
	return pid > 0 && kill(pid, 0) == 0;
}

void
wa_autoload_queue(int64 *running, int64 *queued)
{
	DIR *directory = AllocateDir(WA_REQUEST_FOLDER);
	struct dirent *entry;

	*running = *queued = 0;
	while (directory != NULL &&
		   (entry = ReadDirExtended(directory, WA_REQUEST_FOLDER, LOG)) != NULL)
	{
		Oid database = wa_request_database(entry->d_name, "wanted");
		int64 taken;
		int64 waiting;

		if (!OidIsValid(database))
			continue;
		wa_queue_count(database, &taken, &waiting);
		if (is_loading(database))
			*running += taken;
		else
			*queued += taken;
		*queued += waiting;
	}
	if (directory != NULL)
		FreeDir(directory);
}
