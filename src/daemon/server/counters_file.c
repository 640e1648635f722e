/*
 * counters_file.c
 *		Taking over the supervisor's counters, or making our own.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/protocol.h"
#include "daemon/base/log.h"
#include "daemon/server/counters_file.h"

/* Maps the counters of the file; tells whether that could be done. */
static bool
map_counters(WaCountersFile *file)
{
	void *memory = mmap(NULL, sizeof(WaCounters), PROT_READ | PROT_WRITE,
						MAP_SHARED, file->fd, 0);

	file->counters = memory == MAP_FAILED ? NULL : memory;
	return file->counters != NULL;
}

/* Maps what is at the descriptor, if that is a file of counters. */
static bool
take_over(WaCountersFile *file, int fd)
{
	struct stat status;
	int seals = fcntl(fd, F_GET_SEALS);

	/* Without the seal a truncation could kill us with SIGBUS. */
	if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(fd, &status) != 0 ||
		status.st_size < (off_t) sizeof(WaCounters))
		return false;
	file->fd = fd;
	file->file_bytes = (uint64_t) status.st_size;
	if (!map_counters(file))
		return false;
	if (file->counters->magic == WA_COUNTERS_MAGIC &&
		file->counters->size_bytes == sizeof(WaCounters))
		return true;
	(void) munmap(file->counters, sizeof(WaCounters));
	return false;
}

/* Makes counters that start at zero. */
static bool
make_own(WaCountersFile *file)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

	file->fd =
		memfd_create("warpagg counters", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	file->file_bytes = sizeof(WaCounters);
	if (file->fd < 0 || fallocate(file->fd, 0, 0, sizeof(WaCounters)) != 0 ||
		fcntl(file->fd, F_ADD_SEALS, seals) != 0 || !map_counters(file))
	{
		wa_log_write(WA_LOG_WARNING, "could not make counters: %m");
		return false;
	}
	file->counters->magic = WA_COUNTERS_MAGIC;
	file->counters->size_bytes = sizeof(WaCounters);
	return true;
}

bool
wa_counters_open(WaCountersFile *file, int inherited_fd)
{
	if (take_over(file, inherited_fd))
		return true;
	if (fcntl(inherited_fd, F_GETFD) >= 0)
	{
		wa_log_write(WA_LOG_WARNING,
					 "inherited counters are not usable, making own ones");
		(void) close(inherited_fd);
	}
	return make_own(file);
}
