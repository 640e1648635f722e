/*
 * pool.h
 *		Threads that work together on one job, or on several in turns.
 *
 * A job is cut into morsels.  A thread that is free takes a morsel of the job
 * whose turn it is, so that a small job does not wait for the end of a large
 * one.  What cannot be cut is a job whose preparation does all of it.  A job belongs
 * to the pool from wa_pool_submit until it is collected from the queue of what is
 * finished, or wa_pool_cancel takes it back.
 */
#ifndef WA_DAEMON_POOL_H
#define WA_DAEMON_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/finished.h"

#define WA_MAX_POOL_THREADS 256

/*
 * Its maker fills in finished.owner and the functions, which are called without
 * a lock; WaPool.lock guards the rest.
 */
typedef struct WaPoolJob
{
	WaFinished finished;

	/* Called first, by one thread; returns the number of morsels; 0: there are none. */
	uint64_t (*prepare)(struct WaPoolJob *job);

	/*
	 * Does a morsel; threads, each of which has a number of its own, do so at
	 * the same time.  Returns false if no further ones are needed, of any kind.
	 */
	bool (*morsel)(struct WaPoolJob *job, unsigned thread, uint64_t number);

	/*
	 * Called by one thread when all morsels are done: returns the number of
	 * further ones, with numbers from 0 on again; 0: that was all.  May be NULL.
	 */
	uint64_t (*more)(struct WaPoolJob *job);

	/* Called last, by one thread.  May be NULL. */
	void (*finish)(struct WaPoolJob *job, bool cancelled);

	struct WaPoolJob *next; /* in the ring of jobs with something to be taken */
	struct WaPoolJob *previous;
	bool queued;    /* no thread has seen it yet */
	bool in_ring;   /* next and previous are set */
	bool cancelled; /* nobody wants it any more */
	bool stopped;   /* no further morsels are needed */
	uint64_t nmorsels;
	uint64_t next_morsel;
	unsigned working; /* threads that are at it */
} WaPoolJob;

/* A thread of the pool that waits. */
typedef struct WaPoolSleeper
{
	pthread_cond_t wakeup;
	bool is_woken;
	struct WaPoolSleeper *next; /* that has waited for longer */
} WaPoolSleeper;

/*
 * lock guards turn, looking and sleepers; calls is changed atomically; the other
 * fields are constant.
 */
typedef struct WaPool
{
	pthread_mutex_t lock;
	WaFinishedQueue *finished;
	unsigned nthreads;
	int64_t look_ns; /* for which a thread looks for work; 0: none does */
	uint64_t calls;  /* of threads, so far */
	bool looking;    /* a thread does so, and has not been called */
	WaPoolJob *turn; /* the job in the ring that is next; NULL: none */
	WaPoolSleeper *sleepers; /* woken in this order */
} WaPool;

/*
 * Starts up to so many threads of a name, one of which looks for work for look_ns before
 * it waits: to wake a thread takes longer than small queries do.  Returns false if there
 * is not even one.
 */
bool wa_pool_start(WaPool *pool, WaFinishedQueue *finished, const char *name,
				   unsigned nthreads, int64_t look_ns);

/* Has the threads do a job. */
void wa_pool_submit(WaPool *pool, WaPoolJob *job);

/*
 * Ends interest in a job.  Returns true if no thread has seen it and it is the
 * caller's again; else it will be posted as finished, soon.
 */
bool wa_pool_cancel(WaPool *pool, WaPoolJob *job);

#endif /* WA_DAEMON_POOL_H */
