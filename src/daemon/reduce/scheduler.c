/*
 * scheduler.c
 *		Which device a job goes to, and what becomes of it; see scheduler.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/reduce/scheduler.h"

void
wa_scheduler_init(WaScheduler *scheduler, WaCounters *counters, int event_fd)
{
	pthread_condattr_t monotonic;

	memset(scheduler, 0, sizeof(*scheduler));
	(void) pthread_mutex_init(&scheduler->lock, NULL);
	(void) pthread_condattr_init(&monotonic);
	(void) pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	(void) pthread_cond_init(&scheduler->cancelled, &monotonic);
	(void) pthread_condattr_destroy(&monotonic);
	scheduler->counters = counters;
	scheduler->event_fd = event_fd;
}

/* Starts the workers of a device; returns how many could be started. */
static unsigned
start_workers(WaDevice *device)
{
	unsigned started = 0;

	while (started < device->nworkers)
	{
		WaWorker *worker = &device->worker[started];
		char name[16]; /* what Linux has room for */
		pthread_t thread;

		if (pthread_create(&thread, NULL, wa_worker_main, worker) != 0)
			break;
		(void) snprintf(name, sizeof(name), "%s%u worker %u",
						device->info.kind == WA_DEVICE_GPU ? "gpu" : "cpu",
						device->info.ordinal % 100, started % 10);
		(void) pthread_setname_np(thread, name);
		(void) pthread_detach(thread);
		started++;
	}
	return started;
}

/* Makes the record of a device; returns NULL if there is no memory. */
static WaDevice *
make_device(WaScheduler *scheduler, const WaDeviceDriver *driver,
			const WaDeviceInfo *info, void *const *lanes, unsigned nlanes)
{
	WaDevice *device = calloc(1, sizeof(*device));

	if (device == NULL)
		return NULL;
	device->driver = driver;
	device->info = *info;
	device->nworkers = nlanes;
	(void) pthread_cond_init(&device->submitted, NULL);
	for (unsigned i = 0; i < nlanes; i++)
	{
		device->worker[i].scheduler = scheduler;
		device->worker[i].device = device;
		device->worker[i].lane = lanes[i];
	}
	return device;
}

WaStatus
wa_scheduler_add(WaScheduler *scheduler, const WaDeviceDriver *driver,
				 const WaDeviceInfo *info, void *const *lanes, unsigned nlanes,
				 char *error, size_t error_bytes)
{
	WaDevice *device = make_device(scheduler, driver, info, lanes, nlanes);
	unsigned started = 0;

	(void) pthread_mutex_lock(&scheduler->lock);
	if (device != NULL && scheduler->ndevices < WA_MAX_DEVICES)
		started = start_workers(device);
	if (started > 0)
	{
		/* The workers are still waiting for the lock. */
		device->nworkers = started;
		scheduler->devices[scheduler->ndevices++] = device;
	}
	(void) pthread_mutex_unlock(&scheduler->lock);

	for (unsigned i = started; i < nlanes; i++)
		driver->lane_close(lanes[i]);
	if (started > 0)
		return WA_OK;
	free(device);
	(void) snprintf(error, error_bytes, "could not start a worker thread");
	return WA_OUT_OF_MEMORY;
}

/* Tells whether a worker has been inside the device for too long. */
static bool
device_hangs(const WaDevice *device, int64_t now_ns)
{
	for (unsigned i = 0; i < device->nworkers; i++)
	{
		int64_t since_ns = device->worker[i].since_ns;

		if (since_ns != 0 && now_ns - since_ns > WA_HANG_MS * WA_NS_PER_MS)
			return true;
	}
	return false;
}

/* Returns the number of GPUs that jobs may go to; the caller has the lock. */
static uint32_t
count_gpus(const WaScheduler *scheduler)
{
	uint32_t gpus = 0;

	if (!scheduler->gpus_allowed)
		return 0;
	for (unsigned i = 0; i < scheduler->ndevices; i++)
		gpus += scheduler->devices[i]->info.kind == WA_DEVICE_GPU;
	return gpus;
}

/*
 * Returns the usable device of the kind with the fewest jobs, taking turns
 * between those that have equally many, or NULL.
 */
static WaDevice *
choose_device(WaScheduler *scheduler, WaDeviceKind kind)
{
	int64_t now_ns = wa_clock_ns();
	WaDevice *best = NULL;

	for (unsigned i = 0; i < scheduler->ndevices; i++)
	{
		unsigned turn = (scheduler->next_device + i) % scheduler->ndevices;
		WaDevice *device = scheduler->devices[turn];

		if (device->info.kind == (uint32_t) kind && !device->lost &&
			(best == NULL || device->pending < best->pending) &&
			!device_hangs(device, now_ns))
			best = device;
	}
	scheduler->next_device++;
	return best;
}

/* Appends the job to the device's queue. */
static void
enqueue(WaDevice *device, WaJob *job)
{
	job->device = device;
	job->queued = true;
	job->cancelled = false;
	job->next = NULL;
	if (device->first == NULL)
		device->first = job;
	else
		device->last->next = job;
	device->last = job;
	device->pending++;
	(void) pthread_cond_signal(&device->submitted);
}

WaStatus
wa_scheduler_submit(WaScheduler *scheduler, WaJob *job, WaWantedDevice want,
					char *error, size_t error_bytes)
{
	WaStatus status = WA_OK;
	WaDeviceKind kind = WA_DEVICE_CPU;
	WaDevice *device;

	(void) pthread_mutex_lock(&scheduler->lock);
	if (want != WA_WANT_CPU && count_gpus(scheduler) > 0)
		kind = WA_DEVICE_GPU;
	device = choose_device(scheduler, kind);
	if (want == WA_WANT_GPU && kind != WA_DEVICE_GPU)
	{
		status = WA_UNSUPPORTED;
		(void) snprintf(error, error_bytes, "no GPU is in use");
	}
	else if (device == NULL)
	{
		status = WA_DEVICE_LOST;
		(void) snprintf(error, error_bytes, "device does not answer");
	}
	else
		enqueue(device, job);
	(void) pthread_mutex_unlock(&scheduler->lock);
	return status;
}

/* Takes a queued job out of its queue. */
static void
dequeue(WaJob *job)
{
	WaDevice *device = job->device;
	WaJob *before = NULL;

	for (WaJob *other = device->first; other != job; other = other->next)
		before = other;
	if (before == NULL)
		device->first = job->next;
	else
		before->next = job->next;
	if (device->last == job)
		device->last = before;
	device->pending--;
	job->queued = false;
}

bool
wa_scheduler_cancel(WaScheduler *scheduler, WaJob *job)
{
	bool was_queued;

	(void) pthread_mutex_lock(&scheduler->lock);
	was_queued = job->queued;
	if (was_queued)
		dequeue(job);
	else
	{
		job->cancelled = true;
		(void) pthread_cond_broadcast(&scheduler->cancelled);
	}
	(void) pthread_mutex_unlock(&scheduler->lock);
	return was_queued;
}

WaJob *
wa_scheduler_collect(WaScheduler *scheduler)
{
	WaJob *done;
	WaJob *in_order = NULL;

	(void) pthread_mutex_lock(&scheduler->lock);
	done = scheduler->done;
	scheduler->done = NULL;
	(void) pthread_mutex_unlock(&scheduler->lock);
	while (done != NULL)
	{
		WaJob *job = done;

		done = job->next;
		job->next = in_order;
		in_order = job;
	}
	return in_order;
}

bool
wa_scheduler_job_advances(WaScheduler *scheduler, const WaJob *job)
{
	bool advances;

	(void) pthread_mutex_lock(&scheduler->lock);
	advances = !job->device->lost && !device_hangs(job->device, wa_clock_ns());
	(void) pthread_mutex_unlock(&scheduler->lock);
	return advances;
}

bool
wa_scheduler_hangs(WaScheduler *scheduler)
{
	int64_t now_ns = wa_clock_ns();
	bool hangs = false;

	(void) pthread_mutex_lock(&scheduler->lock);
	for (unsigned i = 0; i < scheduler->ndevices; i++)
		hangs |= device_hangs(scheduler->devices[i], now_ns);
	(void) pthread_mutex_unlock(&scheduler->lock);
	return hangs;
}

void
wa_scheduler_allow_gpus(WaScheduler *scheduler, bool allowed)
{
	(void) pthread_mutex_lock(&scheduler->lock);
	scheduler->gpus_allowed = allowed;
	(void) pthread_mutex_unlock(&scheduler->lock);
}

uint32_t
wa_scheduler_gpus(WaScheduler *scheduler)
{
	uint32_t gpus;

	(void) pthread_mutex_lock(&scheduler->lock);
	gpus = count_gpus(scheduler);
	(void) pthread_mutex_unlock(&scheduler->lock);
	return gpus;
}

uint32_t
wa_scheduler_describe(WaScheduler *scheduler, WaDeviceInfo info[WA_MAX_DEVICES])
{
	uint32_t devices;

	(void) pthread_mutex_lock(&scheduler->lock);
	devices = scheduler->ndevices;
	for (uint32_t i = 0; i < devices; i++)
		info[i] = scheduler->devices[i]->info;
	(void) pthread_mutex_unlock(&scheduler->lock);
	return devices;
}
