/*
 * answer_file.c
 *		Making and sealing memory files; see answer_file.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/run/answer_file.h"

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
wa_answer_file_make(uint64_t bytes, void **memory)
{
	const int fd =
		memfd_create("warpagg groups", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -1;
	*memory = MAP_FAILED;
	if (allocate(fd, bytes))
		*memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (*memory != MAP_FAILED)
		return fd;
	(void) close(fd);
	return -1;
}

int
wa_answer_file_seal(int fd, void *memory, uint64_t bytes)
{
	/*
	 * No mapping is left that the kernel would have to look for, as it does for
	 * F_SEAL_WRITE: which fails if it finds a page that is in somebody's hands, as those
	 * are that it moves itself.
	 */
	const int seals =
		F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

	(void) munmap(memory, bytes);
	if (fcntl(fd, F_ADD_SEALS, seals) == 0)
		return fd;
	(void) close(fd);
	return -1;
}
