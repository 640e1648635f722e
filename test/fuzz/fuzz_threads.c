/*
 * fuzz_threads.c
 *		What the threads do; see fuzz_threads.h.
 *
 * The pool is another one, with the contract of daemon/base/pool.h.
 */
#include "test/fuzz/fuzz_threads.h"

/* Threads that a run thinks there are. */
#define NTHREADS 3

bool
wa_pool_start(WaPool *pool, WaFinishedQueue *finished, const char *name,
			  unsigned nthreads, int64_t look_ns)
{
	(void) name;
	(void) nthreads;
	(void) pthread_mutex_init(&pool->lock, NULL);
	pool->finished = finished;
	pool->look_ns = look_ns;
	pool->turn = NULL;
	pool->nthreads = NTHREADS;
	return true;
}

void
wa_pool_submit(WaPool *pool, WaPoolJob *job)
{
	WaPoolJob **link = &pool->turn;

	job->next = NULL;
	job->queued = true;
	job->cancelled = false;
	job->stopped = false;
	job->nmorsels = 0;
	job->next_morsel = 0;
	while (*link != NULL)
		link = &(*link)->next;
	*link = job;
}

bool
wa_pool_cancel(WaPool *pool, WaPoolJob *job)
{
	WaPoolJob **link = &pool->turn;

	job->cancelled = true;
	if (!job->queued)
		return false;
	while (*link != job)
		link = &(*link)->next;
	*link = job->next;
	return true;
}

/* Asks a job for morsels, and begins with them. */
static void
ask_for_morsels(WaPoolJob *job, uint64_t (*ask)(struct WaPoolJob *job))
{
	job->nmorsels = ask(job);
	job->next_morsel = 0;
}

/* Tells whether no morsel of a job is to be done, for now. */
static bool
is_at_end(const WaPoolJob *job)
{
	return job->cancelled || job->stopped || job->next_morsel == job->nmorsels;
}

bool
fuzz_step_pool(WaPool *pool)
{
	WaPoolJob *job = pool->turn;

	if (job == NULL)
		return false;
	if (job->queued)
	{
		job->queued = false;
		ask_for_morsels(job, job->prepare);
	}
	else if (!is_at_end(job))
	{
		const uint64_t number = job->next_morsel++;

		if (!job->morsel(job, (unsigned) (number % NTHREADS), number))
			job->stopped = true;
	}
	if (is_at_end(job) && job->more != NULL && job->nmorsels > 0 &&
		!job->stopped && !job->cancelled)
		ask_for_morsels(job, job->more);
	if (!is_at_end(job))
		return true;
	pool->turn = job->next;
	if (job->finish != NULL)
		job->finish(job, job->cancelled);
	wa_finished_post(pool->finished, &job->finished);
	return true;
}

bool
fuzz_step_jobs(WaScheduler *scheduler)
{
	WaPool *pool = &scheduler->devices[0]->pool;

	/* Nobody waits for time to pass. */
	if (pool->turn != NULL)
		((WaJob *) pool->turn)->delay_ms = 0;
	return fuzz_step_pool(pool);
}
