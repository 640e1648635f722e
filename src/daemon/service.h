/*
 * service.h
 *		The parts of the process that serve every connection.
 */
#ifndef WA_DAEMON_SERVICE_H
#define WA_DAEMON_SERVICE_H

#include "daemon/counters_file.h"
#include "daemon/opening.h"
#include "daemon/scheduler.h"
#include "daemon/staging.h"

/* Each part has its own lock, or is constant. */
typedef struct WaService
{
	WaCountersFile counters;
	WaStaging staging;
	WaScheduler scheduler;
	WaOpening opening;
} WaService;

#endif /* WA_DAEMON_SERVICE_H */
