/*
 * machine.c
 *		Asking Linux for processors and memory; see machine.h.
 */
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "daemon/machine.h"

/* Where Linux says how much a cgroup may use: version 2, and 1. */
static const char *const cgroup_limits[] = {
	"/sys/fs/cgroup/memory.max",
	"/sys/fs/cgroup/memory/memory.limit_in_bytes",
};

unsigned
wa_machine_processors(void)
{
	cpu_set_t set;
	long online;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		return (unsigned) CPU_COUNT(&set);
	online = sysconf(_SC_NPROCESSORS_ONLN);
	return online > 0 ? (unsigned) online : 1;
}

/* Returns the number that a file begins with, or UINT64_MAX. */
static uint64_t
read_limit(const char *path)
{
	FILE *file = fopen(path, "re");
	unsigned long long number;
	bool found;

	if (file == NULL)
		return UINT64_MAX;
	found = fscanf(file, "%20llu", &number) == 1;
	(void) fclose(file);
	return found ? number : UINT64_MAX;
}

uint64_t
wa_machine_memory(void)
{
	uint64_t bytes =
		(uint64_t) sysconf(_SC_PHYS_PAGES) * (uint64_t) sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < sizeof(cgroup_limits) / sizeof(cgroup_limits[0]);
		 i++)
	{
		const uint64_t limit = read_limit(cgroup_limits[i]);

		if (limit < bytes)
			bytes = limit;
	}
	return bytes;
}
