/*
 * opening.c
 *		Opening devices and their lanes; see opening.h.
 */
#include <stdio.h>
#include <string.h>

#include "daemon/base/log.h"
#include "daemon/reduce/opening.h"

void
wa_opening_init(WaOpening *opening, WaScheduler *scheduler, WaStaging *staging)
{
	memset(opening, 0, sizeof(*opening));
	(void) pthread_mutex_init(&opening->lock, NULL);
	opening->scheduler = scheduler;
	opening->staging = staging;
	opening->state = WA_DAEMON_READY;
}

void
wa_opening_add_store(WaOpening *opening, WaStore *store)
{
#ifdef WA_WITH_CUDA
	opening->mirror = wa_mirror_make(store);
#endif
	store->mirror = opening->mirror;
}

/*
 * Opens lanes until there are as many as the device is worth, or one fails.
 * Returns how many there are; if that is 0, error tells why.
 */
static unsigned
open_lanes(const WaDeviceDriver *driver, const WaDeviceInfo *info,
		   WaCudaLane *lanes[WA_MAX_LANES], char *error, size_t error_bytes)
{
	const unsigned wanted = info->multiprocessors < WA_MAX_LANES
								? info->multiprocessors
								: WA_MAX_LANES;
	unsigned opened = driver->lane_open == NULL ? wanted : 0;

	while (opened < wanted &&
		   driver->lane_open((int) info->ordinal, WA_STAGING_SLOT_BYTES,
							 &lanes[opened], error, error_bytes) == WA_OK)
		opened++;
	return opened;
}

/* Opens one device and puts it to use; error tells why if that fails. */
static bool
open_device(WaOpening *opening, const WaDeviceDriver *driver, int ordinal,
			WaDeviceInfo *info, char *error, size_t error_bytes)
{
	WaCudaLane *lanes[WA_MAX_LANES] = {NULL};
	unsigned nlanes;

	memset(info, 0, sizeof(*info));
	if (driver->open(ordinal, info, error, error_bytes) != WA_OK)
		return false;
	info->kind = (uint32_t) driver->kind;
	info->ordinal = (uint32_t) ordinal;
	nlanes = open_lanes(driver, info, lanes, error, error_bytes);
	if (nlanes == 0 || wa_scheduler_add(opening->scheduler, driver, info, lanes,
										nlanes, error, error_bytes) != WA_OK)
		return false;
	wa_log_write(WA_LOG_LOG, "using %s %d: %.*s, %llu MB, %u lanes",
				 driver->kind == WA_DEVICE_GPU ? "GPU" : "CPU", ordinal,
				 (int) sizeof(info->name), info->name,
				 (unsigned long long) info->memory_bytes >> 20, nlanes);
	return true;
}

bool
wa_opening_open_cpus(WaOpening *opening, unsigned cpu_devices)
{
	char error[WA_MAX_ERROR_BYTES] = "";
	WaDeviceInfo info;
	unsigned opened = 0;

	while (opened < cpu_devices &&
		   open_device(opening, &wa_device_cpu, (int) opened, &info, error,
					   sizeof(error)))
		opened++;
	if (opened < cpu_devices)
		wa_log_write(WA_LOG_WARNING, "could not open CPU %u: %s", opened,
					 error);
	return opened > 0;
}

#ifdef WA_WITH_CUDA
/* Makes the staging pool and pins it; without either, work goes on. */
static void
pin_staging(WaOpening *opening)
{
	char error[WA_MAX_ERROR_BYTES] = "";

	if (wa_staging_make(opening->staging, error, sizeof(error)) != WA_OK)
		return;
	if (wa_cuda_pin(opening->staging->header, opening->staging->file_bytes,
					error, sizeof(error)) != WA_OK)
		wa_log_write(WA_LOG_WARNING, "could not pin staging memory: %s", error);
}

/* Opens every GPU there is; returns how many, with an error if there is one. */
static unsigned
open_gpus(WaOpening *opening, char *error, size_t error_bytes)
{
	int found = wa_cuda_device_count(error, error_bytes);
	WaDeviceInfo info;
	unsigned opened = 0;

	if (found <= 0)
	{
		wa_log_write(WA_LOG_LOG, "no GPU is in use: %s", error);
		return 0;
	}
	error[0] = '\0';
	for (int ordinal = 0; ordinal < found; ordinal++)
	{
		if (!open_device(opening, &wa_device_cuda, ordinal, &info, error,
						 error_bytes))
		{
			wa_log_write(WA_LOG_WARNING, "could not open GPU %d: %s", ordinal,
						 error);
			continue;
		}
		opened++;
		if (opening->mirror != NULL)
			wa_mirror_add_device(opening->mirror, (unsigned) ordinal,
								 info.free_bytes);
	}
	return opened;
}

/* The thread that opens GPUs. */
static void *
opening_main(void *arg)
{
	WaOpening *opening = arg;
	char error[WA_MAX_ERROR_BYTES] = "";

	if (open_gpus(opening, error, sizeof(error)) > 0)
		pin_staging(opening);
	if (opening->mirror != NULL)
		wa_mirror_start(opening->mirror);
	(void) pthread_mutex_lock(&opening->lock);
	opening->state = WA_DAEMON_READY;
	memcpy(opening->gpu_error, error, sizeof(error));
	(void) pthread_mutex_unlock(&opening->lock);
	return NULL;
}

/* Starts the thread that opens GPUs; the caller holds the lock. */
static void
start_thread(WaOpening *opening)
{
	pthread_t thread;

	opening->state = WA_DAEMON_STARTING;
	if (pthread_create(&thread, NULL, opening_main, opening) == 0)
	{
		(void) pthread_setname_np(thread, "gpu opening");
		(void) pthread_detach(thread);
		return;
	}
	opening->state = WA_DAEMON_READY;
	(void) snprintf(opening->gpu_error, sizeof(opening->gpu_error),
					"could not start a thread to open GPUs");
	wa_log_write(WA_LOG_WARNING, "%s", opening->gpu_error);
}
#endif

/* Starts opening GPUs, if there may be any; the caller holds the lock. */
static void
start_gpus(WaOpening *opening)
{
	opening->gpus_started = true;
#ifdef WA_WITH_CUDA
	start_thread(opening);
#else
	(void) snprintf(opening->gpu_error, sizeof(opening->gpu_error),
					"warpaggd was built without CUDA");
#endif
}

void
wa_opening_allow_gpus(WaOpening *opening, bool allowed)
{
	(void) pthread_mutex_lock(&opening->lock);
	opening->gpus_allowed = allowed;
	if (allowed && !opening->gpus_started)
		start_gpus(opening);
	(void) pthread_mutex_unlock(&opening->lock);
	wa_scheduler_allow_gpus(opening->scheduler, allowed);
}

WaDaemonState
wa_opening_state(WaOpening *opening, char gpu_error[WA_MAX_ERROR_BYTES])
{
	WaDaemonState state = WA_DAEMON_READY;

	memset(gpu_error, 0, WA_MAX_ERROR_BYTES);
	(void) pthread_mutex_lock(&opening->lock);
	if (opening->gpus_allowed)
	{
		state = opening->state;
		memcpy(gpu_error, opening->gpu_error, WA_MAX_ERROR_BYTES);
	}
	else
		(void) snprintf(gpu_error, WA_MAX_ERROR_BYTES,
						"GPUs are switched off by warpagg.device");
	(void) pthread_mutex_unlock(&opening->lock);
	return state;
}
