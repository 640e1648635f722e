/*
 * autoload_queue.c
 *		How much is to be loaded in the background, in all databases.
 */
#include "postgres.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pgstat.h"
#include "storage/fd.h"

#include "resident/autoload.h"
#include "resident/autoload_file.h"

#define WORKER_PREFIX "warpagg.worker."
#define WANTED_PREFIX "warpagg.wanted."

/* Tells whether a name begins with a prefix. */
static bool
begins_with(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* Tells whether a loader holds the lock of its file. */
static bool
is_held(const char *path)
{
	bool held;
	int fd = OpenTransientFile(path, O_RDWR);

	if (fd < 0)
		return false;
	held = flock(fd, LOCK_SH | LOCK_NB) != 0;
	CloseTransientFile(fd);
	return held;
}

/* Returns how many records a file has. */
static int64
count_records(const char *path)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return 0;
	return (int64) (status.st_size / sizeof(WaAutoloadRecord));
}

void
wa_autoload_queue(int64 *running, int64 *queued)
{
	DIR *directory = AllocateDir(PG_STAT_TMP_DIR);
	struct dirent *entry;

	*running = 0;
	*queued = 0;
	while ((entry = ReadDirExtended(directory, PG_STAT_TMP_DIR, DEBUG1)) !=
		   NULL)
	{
		char path[MAXPGPATH];

		snprintf(path, sizeof(path), "%s/%s", PG_STAT_TMP_DIR, entry->d_name);
		if (begins_with(entry->d_name, WORKER_PREFIX) && is_held(path))
			(*running)++;
		else if (begins_with(entry->d_name, WANTED_PREFIX))
			*queued += count_records(path);
	}
	if (directory != NULL)
		FreeDir(directory);
}
