/*
 * test_cgroup.c
 *		Limits of control groups, from files as Linux has them, in a directory.
 */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/cgroup.h"
#include "test/unit/check.h"

#define MIB  ((uint64_t) 1 << 20)
#define NONE UINT64_MAX

static char root[] = "/tmp/test_cgroup_XXXXXX";

/* Writes a file under the root, and makes the directories that it lies in. */
static bool
write_file(const char *path, const char *text)
{
	char name[1024];
	FILE *file;

	(void) snprintf(name, sizeof(name), "%s%s", root, path);
	for (char *slash = name + strlen(root) + 1;
		 (slash = strchr(slash, '/')) != NULL; slash++)
	{
		*slash = '\0';
		EXPECT(mkdir(name, 0700) == 0 || errno == EEXIST);
		*slash = '/';
	}
	file = fopen(name, "w");
	EXPECT(file != NULL);
	EXPECT(fputs(text, file) >= 0);
	EXPECT(fclose(file) == 0);
	return true;
}

static int
remove_one(const char *path, const struct stat *status, int type,
		   struct FTW *walk)
{
	(void) status;
	(void) type;
	(void) walk;
	return remove(path);
}

/* Removes all that is under the root, and says in which groups we are. */
static bool
begin(const char *groups)
{
	(void) nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	EXPECT(mkdir(root, 0700) == 0);
	return write_file("/proc/self/cgroup", groups);
}

/* Tells whether these are the limits. */
static bool
are_limits(uint64_t memory_bytes, uint64_t processors)
{
	const WaCgroupLimits limits = wa_cgroup_limits(root);

	if (limits.memory_bytes == memory_bytes && limits.processors == processors)
		return true;
	printf("# %llu bytes, %llu processors\n",
		   (unsigned long long) limits.memory_bytes,
		   (unsigned long long) limits.processors);
	return false;
}

/* A group in another, of version 1: whichever has less counts. */
static bool
test_version_1(void)
{
	EXPECT(begin("5:cpu,cpuacct:/system.slice/db.service\n"
				 "4:memory:/system.slice/db.service\n3:cpuset:/other\n"));
	EXPECT(are_limits(NONE, NONE));
	EXPECT(write_file("/sys/fs/cgroup/memory/memory.limit_in_bytes",
					  "9223372036854771712\n"));
	EXPECT(are_limits(INT64_MAX / 4096 * 4096, NONE));
	EXPECT(write_file("/sys/fs/cgroup/memory/system.slice/db.service/"
					  "memory.limit_in_bytes",
					  "545259520\n"));
	EXPECT(write_file("/sys/fs/cgroup/cpu/system.slice/"
					  "cpu.cfs_quota_us",
					  "150000\n"));
	EXPECT(write_file("/sys/fs/cgroup/cpu/system.slice/"
					  "cpu.cfs_period_us",
					  "100000\n"));
	EXPECT(are_limits(520 * MIB, 2));
	EXPECT(write_file("/sys/fs/cgroup/memory/system.slice/"
					  "memory.limit_in_bytes",
					  "1048576\n"));
	EXPECT(write_file("/sys/fs/cgroup/cpu/system.slice/db.service/"
					  "cpu.cfs_quota_us",
					  "-1\n"));
	EXPECT(write_file("/sys/fs/cgroup/cpu/system.slice/db.service/"
					  "cpu.cfs_period_us",
					  "100000\n"));
	EXPECT(are_limits(MIB, 2));
	/* Another group's is none of ours. */
	EXPECT(write_file("/sys/fs/cgroup/memory/other/memory.limit_in_bytes",
					  "4096\n"));
	EXPECT(are_limits(MIB, 2));
	return true;
}

/* The same of version 2, in which all is in one hierarchy. */
static bool
test_version_2(void)
{
	EXPECT(begin("0::/a/b c\n"));
	EXPECT(write_file("/sys/fs/cgroup/a/memory.max", "max\n"));
	EXPECT(write_file("/sys/fs/cgroup/a/memory.high", "max\n"));
	EXPECT(write_file("/sys/fs/cgroup/a/cpu.max", "max 100000\n"));
	EXPECT(are_limits(NONE, NONE));
	EXPECT(write_file("/sys/fs/cgroup/a/memory.max", "10485760\n"));
	EXPECT(write_file("/sys/fs/cgroup/a/b c/memory.high", "5242880\n"));
	EXPECT(write_file("/sys/fs/cgroup/a/b c/memory.max", "8388608\n"));
	EXPECT(write_file("/sys/fs/cgroup/a/b c/cpu.max", "400000 100000\n"));
	EXPECT(are_limits(5 * MIB, 4));
	EXPECT(write_file("/sys/fs/cgroup/a/cpu.max", "1000 100000\n"));
	EXPECT(are_limits(5 * MIB, 1));
	return true;
}

/* Version 1 with version 2 beside it, which has none of the controllers. */
static bool
test_both(void)
{
	EXPECT(begin("4:memory:/x\n1:name=systemd:/x\n0::/x\n"));
	EXPECT(write_file("/sys/fs/cgroup/unified/x/cgroup.procs", "1\n"));
	EXPECT(write_file("/sys/fs/cgroup/memory/x/memory.limit_in_bytes",
					  "2097152\n"));
	EXPECT(are_limits(2 * MIB, NONE));
	return true;
}

/* What containers see: a part of a hierarchy, under its path or under another. */
static bool
test_parts(void)
{
	/* A container of version 1, by the path that it has outside. */
	EXPECT(begin("4:memory:/docker/abc/inner\n"));
	EXPECT(
		write_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "4194304\n"));
	EXPECT(are_limits(4 * MIB, NONE));
	/* A namespace that begins at our group, ... */
	EXPECT(begin("0::/\n"));
	EXPECT(write_file("/sys/fs/cgroup/memory.max", "7340032\n"));
	EXPECT(are_limits(7 * MIB, NONE));
	/* ... and one that it lies outside of. */
	EXPECT(begin("0::/../elsewhere\n"));
	EXPECT(write_file("/sys/fs/cgroup/memory.max", "7340032\n"));
	EXPECT(write_file("/sys/fs/elsewhere/memory.max", "4096\n"));
	EXPECT(are_limits(7 * MIB, NONE));
	return true;
}

/* Where files are missing, or unlike what Linux writes, there is no limit. */
static bool
test_nothing(void)
{
	EXPECT(begin(""));
	EXPECT(are_limits(NONE, NONE));
	EXPECT(begin("0\n1:memory\nx::y::/z\n4:memory:/\n"));
	EXPECT(are_limits(NONE, NONE));
	EXPECT(write_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "much\n"));
	EXPECT(are_limits(NONE, NONE));
	EXPECT(write_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "0\n"));
	EXPECT(are_limits(0, NONE));
	(void) nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	EXPECT(are_limits(NONE, NONE));
	return true;
}

int
main(void)
{
	if (mkdtemp(root) == NULL)
		return EXIT_FAILURE;
	check(test_version_1(), "version 1");
	check(test_version_2(), "version 2");
	check(test_both(), "both versions");
	check(test_parts(), "parts of a hierarchy");
	check(test_nothing(), "files that are missing or odd");
	return finish_checks();
}
