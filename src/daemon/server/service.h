/*
 * service.h
 *		The parts of the process that serve every connection.
 */
#ifndef WA_DAEMON_SERVICE_H
#define WA_DAEMON_SERVICE_H

#include "daemon/base/clock.h"
#include "daemon/base/finished.h"
#include "daemon/base/pool.h"
#include "daemon/base/watch.h"
#include "daemon/gpu/gpus.h"
#include "daemon/reduce/opening.h"
#include "daemon/reduce/scheduler.h"
#include "daemon/reduce/staging.h"
#include "daemon/run/kept_tables.h"
#include "daemon/server/counters_file.h"
#include "daemon/store/cover_renew.h"
#include "daemon/store/store.h"
#include "daemon/store/store_follow.h"

/*
 * Each part has its own rules, or is constant.
 */
typedef struct WaService
{
	WaCountersFile counters;
	WaStaging staging;
	WaScheduler scheduler;
	WaOpening opening;
	WaFinishedQueue finished;
	WaPool tasks; /* what would keep the main thread for too long */
	WaPool pool;  /* queries */
	WaGpus gpus;
	WaWatch watch; /* of queries and copies at GPUs */
	WaStore store;
	WaKeptTables tables; /* of queries */
	WaCoverRenewer covers;
	uint64_t memory_limit; /* of the store, if the supervisor says nothing */
} WaService;

/*
 * Does what a sound FOLLOW says, lets all know how far WAL has been followed, and makes
 * the reply.
 */
static inline void
wa_service_follow(WaService *service, const WaFollowMessage *follow,
				  WaFollowedMessage *followed)
{
	wa_message_begin(&followed->header, WA_MSG_FOLLOWED, sizeof(*followed),
					 follow->header.request);
	followed->position = wa_store_follow(&service->store, follow);
	__atomic_store_n(&service->counters.counters->followed, followed->position,
					 __ATOMIC_RELEASE);
}

/* Tells whether a device hangs at this moment. */
static inline bool
wa_service_hangs(WaService *service)
{
	return wa_scheduler_hangs(&service->scheduler) ||
		   wa_watch_exceeds(&service->watch, wa_clock_ns(), WA_GPU_HANG_MS);
}

#endif /* WA_DAEMON_SERVICE_H */
