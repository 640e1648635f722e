/*
 * memory_file.c
 *		Making and sealing memory files; see memory_file.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/base/memory_file.h"

/* Closes a file, and keeps errno; returns -1. */
static int
give_up(int fd)
{
	const int saved_errno = errno;

	(void) close(fd);
	errno = saved_errno;
	return -1;
}

/* Has the file have all its memory, which may run out. */
static bool
allocate(int fd, uint64_t bytes)
{
	int result;

	do
		result = fallocate(fd, 0, 0, (off_t) bytes);
	while (result != 0 && errno == EINTR);
	return result == 0;
}

int
wa_memory_file_make(const char *name, uint64_t bytes, void **memory)
{
	const int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -1;
	*memory = MAP_FAILED;
	if (allocate(fd, bytes))
		*memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return *memory != MAP_FAILED ? fd : give_up(fd);
}

/* Seals a file against being resized, and more. */
static bool
add_seals(int fd, int more)
{
	return fcntl(fd, F_ADD_SEALS,
				 F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | more) == 0;
}

int
wa_memory_file_seal(int fd, void *memory, uint64_t bytes)
{
	if (add_seals(fd, 0))
		return fd;
	fd = give_up(fd);
	(void) munmap(memory, bytes);
	return fd;
}

int
wa_memory_file_freeze(int fd, void *memory, uint64_t bytes)
{
	/*
	 * No mapping is left that the kernel would have to look for, as it does for
	 * F_SEAL_WRITE: which fails if it finds a page that is in somebody's hands, as those
	 * are that it moves itself.
	 */
	(void) munmap(memory, bytes);
	return add_seals(fd, F_SEAL_FUTURE_WRITE) ? fd : give_up(fd);
}
