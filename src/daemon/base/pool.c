/*
 * pool.c
 *		Threads taking morsels in turns; see pool.h.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/base/clock.h"
#include "daemon/base/pool.h"

/* A thread of the pool, when it starts. */
typedef struct PoolThread
{
	WaPool *pool;
	unsigned number;
} PoolThread;

/* Puts a job into the ring, to come last; the caller has the lock. */
static void
enter_ring(WaPool *pool, WaPoolJob *job)
{
	job->in_ring = true;
	if (pool->turn == NULL)
	{
		job->next = job;
		job->previous = job;
		pool->turn = job;
	}
	else
	{
		job->next = pool->turn;
		job->previous = pool->turn->previous;
		job->previous->next = job;
		job->next->previous = job;
	}
}

/* Takes a job out of the ring, if it is there; the caller has the lock. */
static void
leave_ring(WaPool *pool, WaPoolJob *job)
{
	if (!job->in_ring)
		return;
	job->in_ring = false;
	if (pool->turn == job)
		pool->turn = job->next == job ? NULL : job->next;
	job->previous->next = job->next;
	job->next->previous = job->previous;
}

/*
 * Looks for work for a while, unless another thread does.  The caller has the lock,
 * which is given up meanwhile.
 */
static void
look_for_work(WaPool *pool)
{
	const uint64_t calls = __atomic_load_n(&pool->calls, __ATOMIC_RELAXED);
	const int64_t until_ns = wa_clock_ns() + pool->look_ns;

	if (pool->looking || pool->look_ns == 0)
		return;
	pool->looking = true;
	(void) pthread_mutex_unlock(&pool->lock);
	while (__atomic_load_n(&pool->calls, __ATOMIC_RELAXED) == calls &&
		   wa_clock_ns() < until_ns)
		(void) sched_yield();
	(void) pthread_mutex_lock(&pool->lock);
	pool->looking = false;
}

/*
 * Waits until there is something in the ring; the caller has the lock, which is
 * given up meanwhile.
 */
static void
wait_for_job(WaPool *pool, WaPoolSleeper *sleeper)
{
	if (pool->turn == NULL)
		look_for_work(pool);
	while (pool->turn == NULL)
	{
		sleeper->is_woken = false;
		sleeper->next = pool->sleepers;
		pool->sleepers = sleeper;
		while (!sleeper->is_woken)
			(void) pthread_cond_wait(&sleeper->wakeup, &pool->lock);
	}
}

/*
 * Calls a thread that has nothing to do, if there is one: that which looks for work,
 * or else the one that has waited for the shortest time, as what it needs is likely to
 * be in memory and caches.  The caller has the lock.
 */
static void
call_one(WaPool *pool)
{
	WaPoolSleeper *sleeper = pool->sleepers;

	(void) __atomic_add_fetch(&pool->calls, 1, __ATOMIC_RELAXED);
	if (pool->looking)
		pool->looking = false;
	else if (sleeper != NULL)
	{
		pool->sleepers = sleeper->next;
		sleeper->is_woken = true;
		(void) pthread_cond_signal(&sleeper->wakeup);
	}
}

/*
 * Has a job, at which no other thread is, say how many morsels there are.  The
 * caller has the lock, which is given up meanwhile.
 */
static void
ask_for_morsels(WaPool *pool, WaPoolJob *job,
				uint64_t (*ask)(struct WaPoolJob *job))
{
	uint64_t nmorsels;

	(void) pthread_mutex_unlock(&pool->lock);
	nmorsels = ask(job);
	(void) pthread_mutex_lock(&pool->lock);
	job->nmorsels = nmorsels;
	job->next_morsel = 0;
	if (nmorsels == 0 || job->cancelled)
		return;
	enter_ring(pool, job);
	/* The thread itself takes one. */
	for (uint64_t i = 1; i < nmorsels && i < pool->nthreads; i++)
		call_one(pool);
}

/* Has a job prepared, whose first thread this is; locking is the same. */
static void
prepare_job(WaPool *pool, WaPoolJob *job)
{
	job->queued = false;
	leave_ring(pool, job);
	ask_for_morsels(pool, job, job->prepare);
}

/* Has a job go on, all of whose morsels are done; locking is the same. */
static void
continue_job(WaPool *pool, WaPoolJob *job)
{
	if (job->more != NULL && job->nmorsels > 0 && !job->stopped &&
		!job->cancelled)
		ask_for_morsels(pool, job, job->more);
}

/* Does a morsel of a prepared job in the ring; locking is the same. */
static void
do_morsel(WaPool *pool, WaPoolJob *job, unsigned thread)
{
	const uint64_t number = job->next_morsel;
	bool goes_on;

	job->next_morsel++;
	if (job->next_morsel == job->nmorsels)
		leave_ring(pool, job);
	(void) pthread_mutex_unlock(&pool->lock);
	goes_on = job->morsel(job, thread, number);
	(void) pthread_mutex_lock(&pool->lock);
	if (goes_on)
		return;
	job->stopped = true;
	leave_ring(pool, job);
}

/* The main function of a thread. */
static void *
pool_main(void *arg)
{
	const PoolThread thread = *(PoolThread *) arg;
	WaPool *pool = thread.pool;
	WaPoolSleeper sleeper;

	free(arg);
	(void) pthread_cond_init(&sleeper.wakeup, NULL);
	(void) pthread_mutex_lock(&pool->lock);
	for (;;)
	{
		WaPoolJob *job;
		bool cancelled;

		wait_for_job(pool, &sleeper);
		job = pool->turn;
		pool->turn = job->next;
		job->working++;
		if (job->cancelled)
			leave_ring(pool, job);
		else if (job->queued)
			prepare_job(pool, job);
		else
			do_morsel(pool, job, thread.number);
		if (!job->in_ring && job->working == 1)
			continue_job(pool, job);
		job->working--;
		if (job->in_ring || job->working > 0)
			continue;
		cancelled = job->cancelled;
		(void) pthread_mutex_unlock(&pool->lock);
		if (job->finish != NULL)
			job->finish(job, cancelled);
		wa_finished_post(pool->finished, &job->finished);
		(void) pthread_mutex_lock(&pool->lock);
	}
	return NULL;
}

/* Starts a thread; tells whether that could be done. */
static bool
start_thread(WaPool *pool, const char *pool_name, unsigned number)
{
	PoolThread *start = malloc(sizeof(*start));
	pthread_t thread;
	char name[16]; /* what Linux has room for */

	if (start == NULL)
		return false;
	start->pool = pool;
	start->number = number;
	if (pthread_create(&thread, NULL, pool_main, start) != 0)
	{
		free(start);
		return false;
	}
	(void) snprintf(name, sizeof(name), "%s %u", pool_name, number);
	(void) pthread_setname_np(thread, name);
	(void) pthread_detach(thread);
	return true;
}

bool
wa_pool_start(WaPool *pool, WaFinishedQueue *finished, const char *name,
			  unsigned nthreads, int64_t look_ns)
{
	unsigned started = 0;

	(void) pthread_mutex_init(&pool->lock, NULL);
	pool->finished = finished;
	pool->look_ns = look_ns;
	pool->calls = 0;
	pool->looking = false;
	pool->turn = NULL;
	pool->sleepers = NULL;
	while (started < nthreads && start_thread(pool, name, started))
		started++;
	pool->nthreads = started;
	return started > 0;
}

void
wa_pool_submit(WaPool *pool, WaPoolJob *job)
{
	job->queued = true;
	job->cancelled = false;
	job->stopped = false;
	job->nmorsels = 0;
	job->next_morsel = 0;
	job->working = 0;
	(void) pthread_mutex_lock(&pool->lock);
	enter_ring(pool, job);
	call_one(pool);
	(void) pthread_mutex_unlock(&pool->lock);
}

bool
wa_pool_cancel(WaPool *pool, WaPoolJob *job)
{
	bool was_queued;

	(void) pthread_mutex_lock(&pool->lock);
	was_queued = job->queued;
	job->cancelled = true;
	if (was_queued)
		leave_ring(pool, job);
	(void) pthread_mutex_unlock(&pool->lock);
	return was_queued;
}
