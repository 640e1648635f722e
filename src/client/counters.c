/*
 * counters.c
 *		The cluster's counters, as one backend finds them; see counters.h.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/counters.h"
#include "client/staging.h"

/* What is known of them; they stay when a connection goes. */
typedef struct Known
{
	WaCounters *counters; /* mapped; NULL: not known yet */
	WaFileIdentity file;
	WaCounters own;
} Known;

static Known known = {NULL};

bool
wa_counters_adopt(int fd)
{
	struct stat status;
	WaFileIdentity identity;
	WaCounters *counters;

	if (fstat(fd, &status) != 0)
		return false;
	identity = wa_file_identity(&status);
	if (known.counters != NULL && wa_file_is_same(&identity, &known.file))
		return true;
	counters = wa_staging_map_counters(fd);
	if (counters == NULL)
		return false;
	if (known.counters != NULL)
		(void) munmap(known.counters, sizeof(WaCounters));
	known.counters = counters;
	known.file = identity;
	for (int i = 0; i < WA_FALLBACK_COUNT; i++)
	{
		wa_counter_add(&counters->fallbacks[i], known.own.fallbacks[i]);
		known.own.fallbacks[i] = 0;
	}
	return true;
}

bool
wa_counters_renew(void)
{
	bool found;
	/* What another process may have there by now is no such sealed file. */
	int fd = open(WA_COUNTERS_PATH, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return false;
	found = wa_counters_adopt(fd);
	(void) close(fd);
	return found;
}

bool
wa_counters_find(void)
{
	return known.counters != NULL || wa_counters_renew();
}

WaCounters *
wa_counters(void)
{
	return known.counters != NULL ? known.counters : &known.own;
}

uint64
wa_counters_followed(void)
{
	return wa_counters_find()
			   ? __atomic_load_n(&wa_counters()->followed, __ATOMIC_RELAXED)
			   : 0;
}
