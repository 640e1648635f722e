/*
 * service.h
 *		The parts of the process that serve every connection.
 */
#ifndef WA_DAEMON_SERVICE_H
#define WA_DAEMON_SERVICE_H

#include "daemon/counters_file.h"
#include "daemon/finished.h"
#include "daemon/gpus.h"
#include "daemon/opening.h"
#include "daemon/pool.h"
#include "daemon/runner.h"
#include "daemon/scheduler.h"
#include "daemon/staging.h"
#include "daemon/store.h"
#include "daemon/tasks.h"

/*
 * Each part has its own lock, or is constant; parcels_bytes is the main
 * thread's.
 */
typedef struct WaService
{
	WaCountersFile counters;
	WaStaging staging;
	WaScheduler scheduler;
	WaOpening opening;
	WaFinishedQueue finished;
	WaTasks tasks;
	WaPool pool;
	const WaRunner *runner; /* NULL: there is none */
	WaGpus gpus;
	WaStore store;
	uint64_t memory_limit;  /* of the store, if the supervisor says nothing */
	uint64_t parcels_bytes; /* of all connections */
} WaService;

#endif /* WA_DAEMON_SERVICE_H */
