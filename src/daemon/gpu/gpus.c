/*
 * gpus.c
 *		The GPUs that compute queries; see gpus.h.
 */
#include <string.h>

#include "daemon/base/log.h"
#include "daemon/gpu/gpus.h"

/* Queries that a GPU computes at once: while one waits for the host others run. */
#define QUERIES_AT_ONCE 3

/*
 * The share of a GPU's memory that each of them may use: what the mirror leaves.  Tests
 * set it smaller.
 */
#ifndef MEMORY_SHARE
#define MEMORY_SHARE 16
#endif

void
wa_gpus_init(WaGpus *gpus, WaWatch *watch)
{
	memset(gpus, 0, sizeof(*gpus));
	gpus->watch = watch;
	(void) pthread_mutex_init(&gpus->lock, NULL);
}

WaCudaQueries *
wa_gpus_queries(WaGpus *gpus, unsigned ordinal)
{
	char error[WA_MAX_ERROR_BYTES] = "";
	WaCudaQueries *queries;

	(void) pthread_mutex_lock(&gpus->lock);
	if (!gpus->devices[ordinal].tried)
	{
		gpus->devices[ordinal].tried = true;
		if (wa_cuda_queries_open((int) ordinal, QUERIES_AT_ONCE, MEMORY_SHARE,
								 &gpus->devices[ordinal].queries, error,
								 sizeof(error)) != WA_OK)
			wa_log_write(WA_LOG_WARNING, "GPU %u computes no queries: %s",
						 ordinal, error);
	}
	queries = gpus->devices[ordinal].queries;
	(void) pthread_mutex_unlock(&gpus->lock);
	return queries;
}
