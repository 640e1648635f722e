/*
 * machine.c
 *		Asking Linux for processors and memory; see machine.h.
 */
#include <sched.h>
#include <unistd.h>

#include "daemon/base/cgroup.h"
#include "daemon/base/machine.h"

/* Returns the processors that we may run on, whatever time we may have there. */
static unsigned
usable_processors(void)
{
	cpu_set_t set;
	long online;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		return (unsigned) CPU_COUNT(&set);
	online = sysconf(_SC_NPROCESSORS_ONLN);
	return online > 0 ? (unsigned) online : 1;
}

unsigned
wa_machine_processors(void)
{
	const unsigned processors = usable_processors();
	const uint64_t limit = wa_cgroup_limits("").processors;

	return limit < processors ? (unsigned) limit : processors;
}

uint64_t
wa_machine_memory(void)
{
	const uint64_t bytes =
		(uint64_t) sysconf(_SC_PHYS_PAGES) * (uint64_t) sysconf(_SC_PAGESIZE);
	const uint64_t limit = wa_cgroup_limits("").memory_bytes;

	return limit < bytes ? limit : bytes;
}
