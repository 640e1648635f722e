/*
 * scheduler.h
 *		The devices in use, and which of them reduces a batch.
 *
 * The main thread submits jobs.  A device has a pool of threads (pool.h), one for each
 * of its lanes, which carries them out and posts them as finished.  A job belongs to the
 * scheduler from wa_scheduler_submit until it is collected, or wa_scheduler_cancel takes
 * it back.
 *
 * WaScheduler.lock guards every field below that is not said to be constant or
 * atomic.  It is never held while a device works, so nobody waits for it for long.
 */
#ifndef WA_DAEMON_SCHEDULER_H
#define WA_DAEMON_SCHEDULER_H

#include <pthread.h>

#include "core/must_check.h"
#include "core/protocol.h"
#include "daemon/base/pool.h"
#include "daemon/base/watch.h"
#include "daemon/reduce/device.h"

/* A device that has been at one job for longer than this hangs. */
#define WA_HANG_MS 3000

/*
 * A reduction to be done.  Its maker fills in the first part, and the owner of what is
 * finished; a thread fills in the second before that.
 */
typedef struct WaJob
{
	WaPoolJob job; /* first: a job of the device's pool */
	WaBatch batch;
	WaOpSet ops;
	uint32_t delay_ms; /* to be waited before reducing, for tests */
	uint32_t checksum; /* of the batch when it was sent */

	WaStatus status;
	char error[WA_MAX_ERROR_BYTES];
	size_t partial_bytes;
	uint8_t partial[WA_PARTIAL_MAX_BYTES]; /* encoded */

	/* the scheduler's own */
	WaCounters *counters;
	struct WaDevice *device;
	bool cancelled; /* atomic */
} WaJob;

typedef struct WaDevice
{
	const WaDeviceDriver *driver; /* constant, like info and lanes */
	WaDeviceInfo info;
	WaCudaLane *lanes[WA_MAX_LANES]; /* of the pool's threads */
	WaPool pool;                     /* its own rules */
	WaWatch watch;                   /* of its threads, inside the device */
	uint32_t pending; /* atomic: jobs queued or being worked on */
	bool lost;        /* atomic: takes no more jobs */
} WaDevice;

typedef struct WaScheduler
{
	pthread_mutex_t lock;
	WaCounters *counters;      /* constant; added to atomically */
	WaFinishedQueue *finished; /* constant: where jobs are collected */
	bool gpus_allowed;
	unsigned ndevices;
	unsigned next_device; /* where the search for the next job's begins */
	WaDevice *devices[WA_MAX_DEVICES];
} WaScheduler;

/*
 * Prepares a scheduler without devices, whose threads add to the counters and post to
 * the queue of what is finished.
 */
void wa_scheduler_init(WaScheduler *scheduler, WaCounters *counters,
					   WaFinishedQueue *finished);

/*
 * Puts a device with its nlanes (1 to WA_MAX_LANES) open lanes to use and
 * starts its threads.  Returns WA_OUT_OF_MEMORY with a text in error if not
 * even one could be started or there are WA_MAX_DEVICES devices; the lanes
 * without a thread are closed.
 */
WA_MUST_CHECK WaStatus wa_scheduler_add(WaScheduler *scheduler,
										const WaDeviceDriver *driver,
										const WaDeviceInfo *info,
										WaCudaLane *const *lanes,
										unsigned nlanes, char *error,
										size_t error_bytes);

/*
 * Queues the job at the device, of those that the asker wants, that has the
 * fewest.  Returns WA_UNSUPPORTED if there is no such device, WA_DEVICE_LOST
 * if all of them hang or are lost, with a text in error; then the job is still
 * the caller's.
 */
WA_MUST_CHECK WaStatus wa_scheduler_submit(WaScheduler *scheduler, WaJob *job,
										   WaWantedDevice want, char *error,
										   size_t error_bytes);

/*
 * Ends interest in a job.  Returns true if it was still queued and is the
 * caller's again; else it is to be collected as usual, soon.
 */
bool wa_scheduler_cancel(WaJob *job);

/* Tells whether the job, which is not collected yet, is in good hands. */
bool wa_scheduler_job_advances(const WaJob *job);

/* Tells whether any device hangs at this moment. */
bool wa_scheduler_hangs(WaScheduler *scheduler);

/* From now on new jobs may (or may not) go to GPUs. */
void wa_scheduler_allow_gpus(WaScheduler *scheduler, bool allowed);

/* Returns the number of GPUs that new jobs may go to. */
uint32_t wa_scheduler_gpus(WaScheduler *scheduler);

/* Describes the devices in info, and returns how many there are. */
uint32_t wa_scheduler_describe(WaScheduler *scheduler,
							   WaDeviceInfo info[WA_MAX_DEVICES]);

/* worker.c: what a device's pool does for a job, but for its owner; to be submitted. */
void wa_job_init(WaJob *job, WaDevice *device, WaCounters *counters);

#endif /* WA_DAEMON_SCHEDULER_H */
