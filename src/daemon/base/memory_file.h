/*
 * memory_file.h
 *		Memory files that we make, for others to map.
 */
#ifndef WA_DAEMON_MEMORY_FILE_H
#define WA_DAEMON_MEMORY_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/must_check.h"

/*
 * Makes a file of so many bytes, all of which it has, and maps it to *memory.  Returns
 * -1, with errno set, if that cannot be done.  One of the next two has to follow.
 */
WA_MUST_CHECK int wa_memory_file_make(const char *name, uint64_t bytes,
									  void **memory);

/*
 * Sees to it that nobody can resize the file any more.  Returns it, or -1 with errno
 * set, having closed it and taken the mapping away, if that cannot be done.
 */
WA_MUST_CHECK int wa_memory_file_seal(int fd, void *memory, uint64_t bytes);

/*
 * Likewise sees to it that nobody can change the file any more, and takes the mapping
 * away in any case.
 */
WA_MUST_CHECK int wa_memory_file_freeze(int fd, void *memory, uint64_t bytes);

#endif /* WA_DAEMON_MEMORY_FILE_H */
