/*
 * counters_file.h
 *		The memory file of counters that clients are handed; see
 *		core/counters.h for what is in it.
 */
#ifndef WA_DAEMON_COUNTERS_FILE_H
#define WA_DAEMON_COUNTERS_FILE_H

#include "core/counters.h"
#include "core/must_check.h"

typedef struct WaCountersFile
{
	int fd;
	uint64_t file_bytes;
	WaCounters *counters; /* mapped, shared with backends and supervisor */
} WaCountersFile;

/*
 * Maps the counters that the supervisor left at the descriptor, which is
 * closed and replaced by counters of our own if it is not a sealed memory file
 * of the right size and kind.  Returns false, having logged why, if there is
 * no memory for any.  Nothing is ever freed: the file lives as long as the
 * process.
 */
WA_MUST_CHECK bool wa_counters_open(WaCountersFile *file, int inherited_fd);

#endif /* WA_DAEMON_COUNTERS_FILE_H */
