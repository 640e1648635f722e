/*
 * opening.h
 *		Opening devices: CPU devices at once, GPUs in a thread of their own.
 *
 * Opening a GPU takes the better part of a second, or minutes where the driver
 * is in trouble, and the process has to answer meanwhile.
 */
#ifndef WA_DAEMON_OPENING_H
#define WA_DAEMON_OPENING_H

#include "daemon/mirror/mirror.h"
#include "daemon/reduce/scheduler.h"
#include "daemon/reduce/staging.h"

/* lock guards all fields but the constant pointers. */
typedef struct WaOpening
{
	pthread_mutex_t lock;
	WaScheduler *scheduler; /* constant */
	WaStaging *staging;     /* constant */
	WaMirror *mirror;       /* constant; NULL: there is none */
	bool gpus_allowed;
	bool gpus_started; /* opened, or being opened by their thread */
	WaDaemonState state;
	char gpu_error[WA_MAX_ERROR_BYTES]; /* what went wrong with them */
} WaOpening;

/* Prepares for opening devices for the scheduler; opens none. */
void wa_opening_init(WaOpening *opening, WaScheduler *scheduler,
					 WaStaging *staging);

/*
 * Makes the mirror of the store, which GPUs keep copies of then, if this program
 * can use GPUs; before any is opened.
 */
void wa_opening_add_store(WaOpening *opening, WaStore *store);

/* Opens a number of CPU devices.  Returns false, having logged why, if none. */
bool wa_opening_open_cpus(WaOpening *opening, unsigned cpu_devices);

/*
 * Allows or forbids the use of GPUs from now on.  When they are allowed for
 * the first time their opening starts: they are put to use as they are opened,
 * and the staging pool is made and pinned for them.
 */
void wa_opening_allow_gpus(WaOpening *opening, bool allowed);

/*
 * Returns how far the opening has got, and writes why no GPU is in use, or ""
 * if there is nothing to say, to gpu_error.
 */
WaDaemonState wa_opening_state(WaOpening *opening,
							   char gpu_error[WA_MAX_ERROR_BYTES]);

#endif /* WA_DAEMON_OPENING_H */
