/*
 * worker.c
 *		The life of a worker: take a job, reduce, hand it back; see scheduler.h.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "core/protocol.h"
#include "daemon/base/clock.h"
#include "daemon/reduce/scheduler.h"

/*
 * Waits for a job in the device's queue and takes it out.  The caller holds
 * the lock.
 */
static WaJob *
wait_for_job(WaScheduler *scheduler, WaDevice *device)
{
	WaJob *job;

	while (device->first == NULL || device->lost)
		(void) pthread_cond_wait(&device->submitted, &scheduler->lock);
	job = device->first;
	device->first = job->next;
	if (device->first == NULL)
		device->last = NULL;
	job->queued = false;
	return job;
}

/*
 * Waits the delay that a test asked for, or less if the job is cancelled.  The
 * caller holds the lock, which is given up meanwhile.
 */
static void
wait_delay(WaScheduler *scheduler, const WaJob *job)
{
	int64_t until_ns = wa_clock_ns() + job->delay_ms * WA_NS_PER_MS;
	struct timespec until = {.tv_sec = until_ns / WA_NS_PER_S,
							 .tv_nsec = until_ns % WA_NS_PER_S};

	while (!job->cancelled && wa_clock_ns() < until_ns)
		(void) pthread_cond_timedwait(&scheduler->cancelled, &scheduler->lock,
									  &until);
}

/* Adds a reduction that was done to the counters. */
static void
count_reduction(WaCounters *counters, WaDeviceKind kind, const WaJob *job,
				int64_t rows, int64_t device_ns)
{
	const WaBatch *batch = &job->batch;
	size_t bytes = batch->nrows * wa_type_width(batch->type);

	if (batch->validity != NULL)
		bytes += wa_validity_bytes(batch->nrows);
	wa_counter_add(&counters->bytes, (int64_t) bytes);
	wa_counter_add(&counters->device_ns, device_ns);
	for (int op = 0; op < WA_OP_COUNT; op++)
	{
		if ((job->ops & WA_OP_BIT(op)) == 0)
			continue;
		wa_counter_add(&counters->runs[kind][op][batch->type], 1);
		wa_counter_add(&counters->rows[kind][op][batch->type], rows);
	}
}

/* Reduces the job's batch on the worker's lane.  No lock is held. */
static void
reduce(const WaWorker *worker, WaJob *job)
{
	const WaDeviceDriver *driver = worker->device->driver;
	int64_t start_ns = wa_clock_ns();
	WaExactPart exact;
	WaPartial partial;

	wa_partial_init(&partial, wa_partial_needs_exact(job->batch.type, job->ops)
								  ? &exact
								  : NULL);
	job->error[0] = '\0';
	if (wa_batch_checksum(&job->batch) != job->checksum)
	{
		job->status = WA_BAD_REQUEST;
		(void) snprintf(job->error, sizeof(job->error), "%s",
						"the batch was damaged on its way");
		return;
	}
	job->status = driver->reduce(worker->lane, job->ops, &job->batch, &partial,
								 job->error, sizeof(job->error));
	if (job->status != WA_OK)
		return;
	job->partial_bytes =
		wa_partial_encode(&partial, job->batch.type, job->ops, job->partial);
	count_reduction(worker->scheduler->counters, driver->kind, job,
					partial.rows, wa_clock_ns() - start_ns);
}

/* Puts a job where it is collected.  The caller holds the lock. */
static void
hand_back(WaScheduler *scheduler, WaJob *job)
{
	const uint64_t one = 1;
	ssize_t written;

	job->device->pending--;
	if (job->status == WA_DEVICE_LOST)
		job->device->lost = true;
	job->next = scheduler->done;
	scheduler->done = job;
	written = write(scheduler->event_fd, &one, sizeof(one));
	(void) written; /* it can only fail when the reader is due anyway */
}

void *
wa_worker_main(void *arg)
{
	WaWorker *worker = arg;
	WaScheduler *scheduler = worker->scheduler;

	(void) pthread_mutex_lock(&scheduler->lock);
	for (;;)
	{
		WaJob *job = wait_for_job(scheduler, worker->device);

		job->status = WA_OK;
		wait_delay(scheduler, job);
		if (!job->cancelled)
		{
			worker->since_ns = wa_clock_ns();
			(void) pthread_mutex_unlock(&scheduler->lock);
			reduce(worker, job);
			(void) pthread_mutex_lock(&scheduler->lock);
			worker->since_ns = 0;
		}
		hand_back(scheduler, job);
	}
	return NULL;
}
