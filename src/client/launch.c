/*
 * launch.c
 *		Registering the supervisor: when the server starts, or at first use.
 *
 * Many sessions may find at once that there is no device process.  The file
 * WA_LAUNCH_PATH keeps them from registering a supervisor each: whoever gets
 * its lock registers one, unless its time stamp says that somebody has done so
 * in the last ten seconds.  Should two supervisors start all the same, the
 * lock of WA_LOCK_PATH decides between them (see supervisor.c).
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "storage/fd.h"
#include "utils/timestamp.h"

#include "client/supervisor.h"
#include "core/protocol.h"

/* Seconds between two registrations in a cluster, and of a restart. */
#define LAUNCH_INTERVAL_S  10
#define RESTART_INTERVAL_S 1

/* First byte of the launch file: what became of the last try. */
#define STAMP_NONE     '0'
#define STAMP_LAUNCHED '1'
#define STAMP_NO_ROOM  '2'

/* Set in the postmaster, and so in all its children, when it preloads us. */
static bool preloaded = false;

/* Describes the supervisor to the postmaster. */
static void
describe_worker(BackgroundWorker *worker)
{
	memset(worker, 0, sizeof(*worker));
	worker->bgw_flags = BGWORKER_SHMEM_ACCESS;
	worker->bgw_start_time = BgWorkerStart_ConsistentState;
	worker->bgw_restart_time = RESTART_INTERVAL_S;
	strlcpy(worker->bgw_name, WA_SUPERVISOR_NAME, BGW_MAXLEN);
	strlcpy(worker->bgw_type, WA_SUPERVISOR_NAME, BGW_MAXLEN);
	strlcpy(worker->bgw_library_name, "warpagg", BGW_MAXLEN);
	strlcpy(worker->bgw_function_name, "wa_supervisor_main", BGW_MAXLEN);
}

void
wa_supervisor_init(void)
{
	BackgroundWorker worker;

	if (!process_shared_preload_libraries_in_progress)
		return;
	preloaded = true;
	describe_worker(&worker);
	RegisterBackgroundWorker(&worker);
}

bool
wa_supervisor_is_preloaded(void)
{
	return preloaded;
}

/*
 * Tells whether a moment lies less than LAUNCH_INTERVAL_S back.  One that is still
 * to come does not count: the clock has been set.
 */
static bool
was_lately(pg_time_t moment)
{
	const pg_time_t now = (pg_time_t) time(NULL);

	return moment > now - LAUNCH_INTERVAL_S && moment <= now + 1;
}

/*
 * Reads the stamp of the launch file, which is locked: what became of the last
 * try, STAMP_NONE if there was none since the server's start, and when that was.
 */
static char
read_stamp(int fd, pg_time_t *moment)
{
	struct stat status;
	char stamp;

	if (fstat(fd, &status) != 0 || pread(fd, &stamp, 1, 0) != 1)
		return STAMP_NONE;
	*moment = (pg_time_t) status.st_mtime;
	return *moment >= timestamptz_to_time_t(PgStartTime) ? stamp : STAMP_NONE;
}

/* Stamps the launch file. */
static void
write_stamp(int fd, char stamp)
{
	const char bytes[2] = {stamp, '\n'};

	if (pwrite(fd, bytes, sizeof(bytes), 0) != sizeof(bytes))
		ereport(DEBUG1,
				(errmsg("could not write file \"%s\": %m", WA_LAUNCH_PATH)));
}

/*
 * Registers a supervisor, unless one is still to be expected from the last time,
 * and stamps the launch file, which is locked.  That there is no room for one is
 * said in the log once, until there is.
 */
static void
register_and_stamp(int fd)
{
	BackgroundWorker worker;
	pg_time_t moment = 0;
	const char last = read_stamp(fd, &moment);

	if (last == STAMP_LAUNCHED && was_lately(moment))
		return;
	describe_worker(&worker);
	if (RegisterDynamicBackgroundWorker(&worker, NULL))
		write_stamp(fd, STAMP_LAUNCHED);
	else if (last != STAMP_NO_ROOM)
	{
		write_stamp(fd, STAMP_NO_ROOM);
		ereport(LOG, (errmsg("no background worker slot is free for the %s",
							 WA_SUPERVISOR_NAME),
					  errdetail("Queries go on on the CPU."),
					  errhint("You may need to increase "
							  "max_worker_processes.")));
	}
}

void
wa_supervisor_launch(void)
{
	static pg_time_t last_try = 0;
	pg_time_t now = (pg_time_t) time(NULL);
	int fd;

	if (preloaded)
		return;
	if (last_try != 0 && was_lately(last_try))
		return;
	last_try = now;

	fd = OpenTransientFile(WA_LAUNCH_PATH, O_RDWR | O_CREAT);
	if (fd < 0)
	{
		ereport(DEBUG1,
				(errmsg("could not open file \"%s\": %m", WA_LAUNCH_PATH)));
		return;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		register_and_stamp(fd);
	CloseTransientFile(fd);
}
