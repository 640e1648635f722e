/*
 * scheduler.h
 *		The devices in use, their queues of reductions and their workers.
 *
 * The main thread submits jobs and collects them when they are done; worker
 * threads, one per lane of a device, carry them out.  A job belongs to the
 * scheduler from wa_scheduler_submit until wa_scheduler_collect hands it back
 * or wa_scheduler_cancel takes it back.
 *
 * WaScheduler.lock guards every field below that is not said to be constant.
 * It is never held while a device works, so nobody waits for it for long.
 */
#ifndef WA_DAEMON_SCHEDULER_H
#define WA_DAEMON_SCHEDULER_H

#include <pthread.h>

#include "core/must_check.h"
#include "core/protocol.h"
#include "daemon/reduce/device.h"

/* A device that has been at one job for longer than this hangs. */
#define WA_HANG_MS 3000

struct WaDevice;
struct WaScheduler;

/*
 * A reduction to be done.  Its maker fills in the first part; a worker fills
 * in the second without a lock, between the job's leaving the queue and its
 * collection.
 */
typedef struct WaJob
{
	void *owner; /* whatever the maker wants to find again */
	WaBatch batch;
	WaOpSet ops;
	uint32_t delay_ms; /* to be waited before reducing, for tests */
	uint32_t checksum; /* of the batch when it was sent */

	WaStatus status;
	char error[WA_MAX_ERROR_BYTES];
	size_t partial_bytes;
	uint8_t partial[WA_PARTIAL_MAX_BYTES]; /* encoded */

	/* the scheduler's own */
	struct WaJob *next;
	struct WaDevice *device;
	bool queued;
	bool cancelled;
} WaJob;

/* A thread that serves one lane of a device. */
typedef struct WaWorker
{
	struct WaScheduler *scheduler; /* constant, like device and lane */
	struct WaDevice *device;
	void *lane;
	int64_t since_ns; /* when it went into the device; 0: it is not inside */
} WaWorker;

typedef struct WaDevice
{
	const WaDeviceDriver *driver; /* constant, like info */
	WaDeviceInfo info;
	unsigned nworkers;
	WaWorker worker[WA_MAX_LANES];
	WaJob *first; /* the queue */
	WaJob *last;
	unsigned pending; /* jobs queued or being worked on */
	bool lost;        /* takes no more jobs */
	pthread_cond_t submitted;
} WaDevice;

typedef struct WaScheduler
{
	pthread_mutex_t lock;
	WaCounters *counters; /* constant; added to atomically */
	int event_fd;         /* constant; workers write to it, see collect */
	bool gpus_allowed;
	unsigned ndevices;
	unsigned next_device; /* where the search for the next job's begins */
	WaDevice *devices[WA_MAX_DEVICES];
	WaJob *done;              /* jobs to be collected, the latest first */
	pthread_cond_t cancelled; /* broadcast when a job is cancelled */
} WaScheduler;

/*
 * Prepares a scheduler without devices.  Workers add to the counters and write
 * to the eventfd whenever there is a job to be collected.
 */
void wa_scheduler_init(WaScheduler *scheduler, WaCounters *counters,
					   int event_fd);

/*
 * Puts a device with its nlanes (1 to WA_MAX_LANES) open lanes to use and
 * starts its workers.  Returns WA_OUT_OF_MEMORY with a text in error if not
 * even one could be started or there are WA_MAX_DEVICES devices; the lanes
 * without a worker are closed.
 */
WA_MUST_CHECK WaStatus wa_scheduler_add(WaScheduler *scheduler,
										const WaDeviceDriver *driver,
										const WaDeviceInfo *info,
										void *const *lanes, unsigned nlanes,
										char *error, size_t error_bytes);

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
bool wa_scheduler_cancel(WaScheduler *scheduler, WaJob *job);

/*
 * Returns the jobs that are done, linked by next in the order in which they
 * were finished, and hands them back to their maker.
 */
WaJob *wa_scheduler_collect(WaScheduler *scheduler);

/* Tells whether the job, which is not collected yet, is in good hands. */
bool wa_scheduler_job_advances(WaScheduler *scheduler, const WaJob *job);

/* Tells whether any device hangs at this moment. */
bool wa_scheduler_hangs(WaScheduler *scheduler);

/* From now on new jobs may (or may not) go to GPUs. */
void wa_scheduler_allow_gpus(WaScheduler *scheduler, bool allowed);

/* Returns the number of GPUs that new jobs may go to. */
uint32_t wa_scheduler_gpus(WaScheduler *scheduler);

/* Describes the devices in info, and returns how many there are. */
uint32_t wa_scheduler_describe(WaScheduler *scheduler,
							   WaDeviceInfo info[WA_MAX_DEVICES]);

/* The main function of a worker's thread; its argument is the WaWorker. */
void *wa_worker_main(void *worker);

#endif /* WA_DAEMON_SCHEDULER_H */
