/*
 * cgroup.h
 *		What the control groups that this process is in may use.
 *
 * A container, or a service of systemd, is one; there are two versions of them, and a
 * machine may have both.  Limits are those of the process's own group and of all
 * above it that can be seen; the smallest counts.
 */
#ifndef WA_DAEMON_CGROUP_H
#define WA_DAEMON_CGROUP_H

#include <stdint.h>

typedef struct WaCgroupLimits
{
	uint64_t memory_bytes; /* UINT64_MAX: there is no limit */
	uint64_t processors;   /* rounded up, at least 1; likewise */
} WaCgroupLimits;

/*
 * Returns the limits of this process.  root stands before all paths that are read: ""
 * but in tests.
 */
WaCgroupLimits wa_cgroup_limits(const char *root);

#endif /* WA_DAEMON_CGROUP_H */
