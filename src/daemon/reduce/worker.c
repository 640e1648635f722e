/*
 * worker.c
 *		What the threads of a device do for a job; see scheduler.h.
 */
#include <stdio.h>
#include <time.h>

#include "core/protocol.h"
#include "daemon/base/clock.h"
#include "daemon/reduce/scheduler.h"

/* How often a thread that waits looks whether its job is wanted still. */
#define LOOK_NS (10 * WA_NS_PER_MS)

/* Tells whether nobody wants a job any more. */
static bool
is_cancelled(const WaJob *job)
{
	return __atomic_load_n(&job->cancelled, __ATOMIC_RELAXED);
}

/* Waits the delay that a test asked for, or less if the job is cancelled. */
static void
wait_delay(const WaJob *job)
{
	const struct timespec look = {.tv_nsec = LOOK_NS};
	const int64_t until_ns = wa_clock_ns() + job->delay_ms * WA_NS_PER_MS;

	while (!is_cancelled(job) && wa_clock_ns() < until_ns)
		(void) nanosleep(&look, NULL);
}

/* Adds a reduction that was done to the counters. */
static void
count_reduction(WaCounters *counters, WaDeviceKind kind, const WaJob *job,
				int64_t rows, int64_t device_ns)
{
	const WaBatch *batch = &job->batch;
	const size_t bytes = batch->nrows * wa_type_width(batch->type);

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

/* Writes a text to a job's error, and returns the status. */
static WaStatus
fail(WaJob *job, WaStatus status, const char *text)
{
	(void) snprintf(job->error, sizeof(job->error), "%s", text);
	return status;
}

/* Reduces the job's batch on a lane.  No lock is held. */
static WaStatus
reduce(WaJob *job, WaCudaLane *lane)
{
	const WaDeviceDriver *driver = job->device->driver;
	int64_t start_ns = wa_clock_ns();
	WaExactPart exact;
	WaPartial partial;
	WaStatus status;

	if (wa_batch_checksum(&job->batch) != job->checksum)
		return fail(job, WA_BAD_REQUEST, "the batch was damaged on its way");
	wa_partial_init(&partial, wa_partial_needs_exact(job->batch.type, job->ops)
								  ? &exact
								  : NULL);
	status = driver->reduce(lane, job->ops, &job->batch, &partial, job->error,
							sizeof(job->error));
	if (status != WA_OK)
		return status;
	job->partial_bytes =
		wa_partial_encode(&partial, job->batch.type, job->ops, job->partial);
	count_reduction(job->counters, driver->kind, job, partial.rows,
					wa_clock_ns() - start_ns);
	return WA_OK;
}

/* The pool's prepare: a job is one morsel, for which its thread has a lane. */
static uint64_t
prepare_job(WaPoolJob *job)
{
	(void) job;
	return 1;
}

/* The pool's morsel. */
static bool
do_job(WaPoolJob *arg, unsigned thread, uint64_t number)
{
	WaJob *job = (WaJob *) arg;
	WaDevice *device = job->device;
	int place;

	(void) number;
	wait_delay(job);
	if (is_cancelled(job))
		return true;
	if (__atomic_load_n(&device->lost, __ATOMIC_RELAXED))
	{
		job->status = fail(job, WA_DEVICE_LOST, "device does not answer");
		return true;
	}
	place = wa_watch_enter(&device->watch, wa_clock_ns());
	job->status = reduce(job, device->lanes[thread]);
	wa_watch_leave(&device->watch, place);
	return true;
}

/* The pool's finish. */
static void
finish_job(WaPoolJob *arg, bool cancelled)
{
	const WaJob *job = (const WaJob *) arg;

	(void) cancelled;
	if (job->status == WA_DEVICE_LOST)
		__atomic_store_n(&job->device->lost, true, __ATOMIC_RELAXED);
	(void) __atomic_fetch_sub(&job->device->pending, 1, __ATOMIC_RELAXED);
}

void
wa_job_init(WaJob *job, WaDevice *device, WaCounters *counters)
{
	job->job.prepare = prepare_job;
	job->job.morsel = do_job;
	job->job.finish = finish_job;
	job->status = WA_OK;
	job->error[0] = '\0';
	job->counters = counters;
	job->device = device;
	job->cancelled = false;
}
