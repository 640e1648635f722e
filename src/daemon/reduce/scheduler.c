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
wa_scheduler_init(WaScheduler *scheduler, WaCounters *counters,
				  WaFinishedQueue *finished)
{
	memset(scheduler, 0, sizeof(*scheduler));
	(void) pthread_mutex_init(&scheduler->lock, NULL);
	scheduler->counters = counters;
	scheduler->finished = finished;
}

/*
 * Makes the record of a device, with as many threads as could be started; returns NULL
 * if there is none.
 */
static WaDevice *
make_device(WaScheduler *scheduler, const WaDeviceDriver *driver,
			const WaDeviceInfo *info, WaCudaLane *const *lanes, unsigned nlanes)
{
	WaDevice *device = calloc(1, sizeof(*device));
	char name[16]; /* what Linux has room for */

	if (device == NULL)
		return NULL;
	device->driver = driver;
	device->info = *info;
	memcpy(device->lanes, lanes, nlanes * sizeof(*lanes));
	(void) snprintf(name, sizeof(name), "%s%u worker",
					info->kind == WA_DEVICE_GPU ? "gpu" : "cpu",
					info->ordinal % 100);
	if (wa_pool_start(&device->pool, scheduler->finished, name, nlanes, 0))
		return device;
	free(device);
	return NULL;
}

WaStatus
wa_scheduler_add(WaScheduler *scheduler, const WaDeviceDriver *driver,
				 const WaDeviceInfo *info, WaCudaLane *const *lanes,
				 unsigned nlanes, char *error, size_t error_bytes)
{
	WaDevice *device = NULL;

	(void) pthread_mutex_lock(&scheduler->lock);
	if (scheduler->ndevices < WA_MAX_DEVICES)
		device = make_device(scheduler, driver, info, lanes, nlanes);
	if (device != NULL)
		scheduler->devices[scheduler->ndevices++] = device;
	(void) pthread_mutex_unlock(&scheduler->lock);

	for (unsigned i = device == NULL ? 0 : device->pool.nthreads;
		 i < nlanes && driver->lane_close != NULL; i++)
		driver->lane_close(lanes[i]);
	if (device != NULL)
		return WA_OK;
	(void) snprintf(error, error_bytes, "could not start a worker thread");
	return WA_OUT_OF_MEMORY;
}

/* Tells whether a thread has been inside the device for too long. */
static bool
device_hangs(const WaDevice *device)
{
	return wa_watch_exceeds(&device->watch, wa_clock_ns(), WA_HANG_MS);
}

/* Tells whether nothing can be had of a device any more. */
static bool
is_lost(const WaDevice *device)
{
	return __atomic_load_n(&device->lost, __ATOMIC_RELAXED);
}

/* Returns how many jobs a device has. */
static uint32_t
pending_jobs(const WaDevice *device)
{
	return __atomic_load_n(&device->pending, __ATOMIC_RELAXED);
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
	WaDevice *best = NULL;

	for (unsigned i = 0; i < scheduler->ndevices; i++)
	{
		unsigned turn = (scheduler->next_device + i) % scheduler->ndevices;
		WaDevice *device = scheduler->devices[turn];

		if (device->info.kind == (uint32_t) kind && !is_lost(device) &&
			(best == NULL || pending_jobs(device) < pending_jobs(best)) &&
			!device_hangs(device))
			best = device;
	}
	scheduler->next_device++;
	return best;
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
	{
		wa_job_init(job, device, scheduler->counters);
		(void) __atomic_fetch_add(&device->pending, 1, __ATOMIC_RELAXED);
		wa_pool_submit(&device->pool, &job->job);
	}
	(void) pthread_mutex_unlock(&scheduler->lock);
	return status;
}

bool
wa_scheduler_cancel(WaJob *job)
{
	__atomic_store_n(&job->cancelled, true, __ATOMIC_RELAXED);
	if (!wa_pool_cancel(&job->device->pool, &job->job))
		return false;
	(void) __atomic_fetch_sub(&job->device->pending, 1, __ATOMIC_RELAXED);
	return true;
}

bool
wa_scheduler_job_advances(const WaJob *job)
{
	return !is_lost(job->device) && !device_hangs(job->device);
}

bool
wa_scheduler_hangs(WaScheduler *scheduler)
{
	bool hangs = false;

	(void) pthread_mutex_lock(&scheduler->lock);
	for (unsigned i = 0; i < scheduler->ndevices; i++)
		hangs |= device_hangs(scheduler->devices[i]);
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
