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
#include "daemon/base/memory_file.h"
#include "daemon/server/counters_file.h"

/* Maps what is at the descriptor, if that is a file of counters. */
static bool
take_over(WaCountersFile *file, int fd)
{
	struct stat status;
	int seals = fcntl(fd, F_GET_SEALS);
	WaCounters *counters;

	/* Without the seal a truncation could kill us with SIGBUS. */
	if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(fd, &status) != 0 ||
		status.st_size < (off_t) sizeof(*counters))
		return false;
	counters = mmap(NULL, sizeof(*counters), PROT_READ | PROT_WRITE, MAP_SHARED,
					fd, 0);
	if (counters == MAP_FAILED)
		return false;
	*file = (WaCountersFile){fd, (uint64_t) status.st_size, counters};
	if (counters->magic == WA_COUNTERS_MAGIC &&
		counters->size_bytes == sizeof(*counters))
		return true;
	(void) munmap(counters, sizeof(*counters));
	return false;
}

/* Makes counters that start at zero. */
static bool
make_own(WaCountersFile *file)
{
	void *memory;

	file->file_bytes = sizeof(WaCounters);
	file->fd =
		wa_memory_file_make("warpagg counters", file->file_bytes, &memory);
	if (file->fd >= 0)
		file->fd = wa_memory_file_seal(file->fd, memory, file->file_bytes);
	if (file->fd < 0)
	{
		wa_log_write(WA_LOG_WARNING, "could not make counters: %m");
		return false;
	}
	file->counters = memory;
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
