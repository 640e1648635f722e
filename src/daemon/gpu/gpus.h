/*
 * gpus.h
 *		The GPUs that compute queries.
 */
#ifndef WA_DAEMON_GPUS_H
#define WA_DAEMON_GPUS_H

#include <pthread.h>

#include "core/protocol.h"
#include "cuda/query.h"
#include "daemon/base/watch.h"

/* lock guards all else. */
typedef struct WaGpus
{
	pthread_mutex_t lock;
	WaWatch *watch; /* constant */
	struct
	{
		bool tried;
		WaCudaQueries *queries; /* NULL: it cannot */
	} devices[WA_MAX_DEVICES];
} WaGpus;

/* Prepares GPUs, queries at which are watched. */
void wa_gpus_init(WaGpus *gpus, WaWatch *watch);

/*
 * Returns what computes queries on the GPU with this ordinal, which is opened for
 * that when it is first needed; or NULL, for good.
 */
WaCudaQueries *wa_gpus_queries(WaGpus *gpus, unsigned ordinal);

#endif /* WA_DAEMON_GPUS_H */
