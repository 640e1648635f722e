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

/*
 * Tells whether the launch file, which is locked, was stamped so short a time
 * ago that a supervisor is still to be expected from that.  A stamp from
 * before the server's start does not count.
 */
static bool
launched_lately(int fd)
{
	struct stat status;
	pg_time_t stamped;

	if (fstat(fd, &status) != 0 || status.st_size == 0)
		return false;
	stamped = (pg_time_t) status.st_mtime;
	return stamped >= timestamptz_to_time_t(PgStartTime) &&
		   stamped > (pg_time_t) time(NULL) - LAUNCH_INTERVAL_S;
}

/* Registers a supervisor and stamps the launch file, which is locked. */
static void
register_and_stamp(int fd)
{
	BackgroundWorker worker;
	ssize_t written;

	describe_worker(&worker);
	if (!RegisterDynamicBackgroundWorker(&worker, NULL))
	{
		ereport(DEBUG1, (errmsg("no background worker slot is free for the %s",
								WA_SUPERVISOR_NAME)));
		return;
	}
	written = pwrite(fd, "1\n", 2, 0);
	if (written != 2)
		ereport(DEBUG1,
				(errmsg("could not write file \"%s\": %m", WA_LAUNCH_PATH)));
}

void
wa_supervisor_launch(void)
{
	static pg_time_t last_try = 0;
	pg_time_t now = (pg_time_t) time(NULL);
	int fd;

	if (preloaded)
		return;
	if (last_try != 0 && now < last_try + LAUNCH_INTERVAL_S)
		return;
	last_try = now;

	fd = OpenTransientFile(WA_LAUNCH_PATH, O_RDWR | O_CREAT);
	if (fd < 0)
	{
		ereport(DEBUG1,
				(errmsg("could not open file \"%s\": %m", WA_LAUNCH_PATH)));
		return;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && !launched_lately(fd))
		register_and_stamp(fd);
	CloseTransientFile(fd);
}
