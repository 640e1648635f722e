/*
 * paths.c
 *		What the supervisor keeps at known paths; see paths.h.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file_perm.h"
#include "miscadmin.h"
#include "pgstat.h"

#include "client/paths.h"

/* Where warpaggd makes a socket before it moves it to its path. */
#define NEW_SOCKET_PATH WA_SOCKET_PATH ".new"

/* Tries to lock a file that others remove at the same time. */
#define LOCK_TRIES 10

/* The file whose lock we hold; -1: none. */
static int lock_fd = -1;

/* Writes to the log that something cannot be done, unless *said tells that it has. */
static void
complain(bool *said, const char *what, const char *path)
{
	if (!*said)
		ereport(WARNING,
				(errcode_for_file_access(),
				 errmsg("could not %s \"%s\": %m", what, path),
				 errdetail("The device process of warpagg cannot be found or "
						   "started without it."),
				 errhint("It is tried again and again.")));
	*said = true;
}

/* Makes the directory of all our files, if it is not there. */
static void
make_directory(void)
{
	static bool said = false;

	if (mkdir(PG_STAT_TMP_DIR, pg_dir_create_mode) == 0)
		ereport(LOG, (errmsg("directory \"%s\" was missing and is made anew",
							 PG_STAT_TMP_DIR)));
	else if (errno != EEXIST)
	{
		complain(&said, "create directory", PG_STAT_TMP_DIR);
		return;
	}
	said = false;
}

/* Tells whether an open file is the one at the lock's path. */
static bool
is_at_lock_path(int fd)
{
	struct stat open_file;
	struct stat at_path;

	return fd >= 0 && fstat(fd, &open_file) == 0 &&
		   stat(WA_LOCK_PATH, &at_path) == 0 &&
		   open_file.st_dev == at_path.st_dev &&
		   open_file.st_ino == at_path.st_ino;
}

/*
 * Opens the file at the lock's path and takes its lock.  Returns the descriptor,
 * or -1 and in errno EWOULDBLOCK if another process has the lock.
 */
static int
open_and_lock(void)
{
	for (int i = 0; i < LOCK_TRIES; i++)
	{
		int fd = open(WA_LOCK_PATH, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		int error = 0;

		if (fd < 0)
			return -1;
		if (flock(fd, LOCK_EX | LOCK_NB) != 0)
			error = errno;
		else if (is_at_lock_path(fd))
			return fd;
		close(fd);
		errno = error;
		if (error != 0)
			return -1;
	}
	errno = ENOENT;
	return -1;
}

/* Takes the lock at the path in place of the one that we hold, if any. */
bool
wa_paths_lock(void)
{
	static bool said = false;
	int fd;

	make_directory();
	fd = open_and_lock();
	if (fd >= 0)
	{
		if (lock_fd >= 0)
			close(lock_fd);
		lock_fd = fd;
		said = false;
		return true;
	}
	if (errno != EWOULDBLOCK)
		complain(&said, "open and lock file", WA_LOCK_PATH);
	return false;
}

bool
wa_paths_keep_lock(void)
{
	if (is_at_lock_path(lock_fd))
		return true;
	if (wa_paths_lock())
	{
		ereport(LOG, (errmsg("lock file \"%s\" was missing and is made anew",
							 WA_LOCK_PATH)));
		return true;
	}
	return errno != EWOULDBLOCK;
}

void
wa_paths_keep_counters(int counters_fd)
{
	static bool published = false;
	static bool said = false;
	char wanted[64];
	char found[64];
	ssize_t length;

	(void) snprintf(wanted, sizeof(wanted), "/proc/%d/fd/%d", MyProcPid,
					counters_fd);
	length = readlink(WA_COUNTERS_PATH, found, sizeof(found));
	if (length == (ssize_t) strlen(wanted) &&
		memcmp(found, wanted, length) == 0)
		return;
	(void) unlink(WA_COUNTERS_PATH);
	if (symlink(wanted, WA_COUNTERS_PATH) != 0)
	{
		complain(&said, "create symbolic link", WA_COUNTERS_PATH);
		return;
	}
	if (published)
		ereport(LOG,
				(errmsg("symbolic link \"%s\" was missing and is made anew",
						WA_COUNTERS_PATH)));
	published = true;
	said = false;
}

bool
wa_paths_has_socket(const WaFileIdentity *socket)
{
	struct stat status;
	WaFileIdentity found;

	if (lstat(WA_SOCKET_PATH, &status) != 0)
		return false;
	found = wa_file_identity(&status);
	return wa_file_is_same(&found, socket);
}

/* Removes what is at a path, unless it is a socket. */
static void
remove_strange(const char *path)
{
	static bool said = false;
	struct stat status;

	if (lstat(path, &status) != 0 || S_ISSOCK(status.st_mode))
		return;
	if (unlink(path) != 0 && rmdir(path) != 0)
	{
		complain(&said, "remove", path);
		return;
	}
	ereport(LOG, (errmsg("\"%s\" was no socket and is removed", path)));
	said = false;
}

void
wa_paths_prepare_socket(void)
{
	make_directory();
	remove_strange(WA_SOCKET_PATH);
	remove_strange(NEW_SOCKET_PATH);
}
