/*
 * autoload.c
 *		Asking for columns to be loaded in the background; see autoload.h.
 *
 * Requests are appended to a file, by one write each.  The worker holds the lock
 * of another file for life: whoever gets it, and gives it back, knows that there
 * is no worker, and registers one.  Should two be registered all the same, the one
 * that does not get the lock ends.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "storage/fd.h"
#include "utils/timestamp.h"

#include "core/resident.h"
#include "resident/autoload.h"
#include "resident/autoload_file.h"
#include "settings.h"

/* A session suggests to load a column no more often than this. */
#define SUGGEST_INTERVAL_MS 60000

/* Columns that a session remembers to have suggested. */
#define REMEMBERED (4 * WA_MAX_RESIDENT_COLUMNS)

typedef struct Suggestion
{
	Oid relation;
	AttrNumber column;
	TimestampTz time;
} Suggestion;

/* Tells whether no worker is there. */
static bool
worker_is_missing(void)
{
	char path[MAXPGPATH];
	bool missing;
	int fd;

	wa_autoload_path(MyDatabaseId, "worker", path);
	fd = OpenTransientFile(path, O_RDWR | O_CREAT);
	if (fd < 0)
		return false;
	missing = flock(fd, LOCK_EX | LOCK_NB) == 0;
	CloseTransientFile(fd);
	return missing;
}

/* Has the postmaster start a worker for this database, if it can. */
static void
start_worker(void)
{
	BackgroundWorker worker = {0};

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

/* Appends a request to the file; returns false if that fails. */
static bool
append(Oid relation, int ncolumns, const AttrNumber *columns)
{
	const size_t bytes = (size_t) ncolumns * sizeof(WaAutoloadRecord);
	WaAutoloadRecord *records = palloc(bytes);
	char path[MAXPGPATH];
	bool written;
	int fd;

	for (int i = 0; i < ncolumns; i++)
		records[i] =
			(WaAutoloadRecord){.relation = relation, .attribute = columns[i]};
	wa_autoload_path(MyDatabaseId, "wanted", path);
	fd = OpenTransientFile(path, O_WRONLY | O_CREAT | O_APPEND);
	written = fd >= 0 && write(fd, records, bytes) == (ssize_t) bytes;
	if (!written)
		ereport(DEBUG1, (errmsg("could not write file \"%s\": %m", path)));
	if (fd >= 0)
		CloseTransientFile(fd);
	pfree(records);
	return written;
}

void
wa_autoload_request(Oid relation, int ncolumns, const AttrNumber *columns)
{
	if (append(relation, ncolumns, columns) && worker_is_missing())
		start_worker();
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

void
wa_autoload_suggest(Oid relation, int ncolumns, const AttrNumber *columns)
{
	if (wa_autoload && !were_suggested(relation, ncolumns, columns))
		wa_autoload_request(relation, ncolumns, columns);
}
