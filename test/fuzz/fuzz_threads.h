/*
 * fuzz_threads.h
 *		The threads of warpaggd as functions: they do one thing when they are called.
 *
 * So an input says what has been done when, and does the same each time.  Each
 * returns false if there is nothing to do.
 */
#ifndef WA_TEST_FUZZ_THREADS_H
#define WA_TEST_FUZZ_THREADS_H

#include "daemon/server/service.h"

/* Prepares a job of the pool, does a morsel of it, or finishes it. */
bool fuzz_step_pool(WaPool *pool);

/* Does so with a reduction of the scheduler's first device. */
bool fuzz_step_jobs(WaScheduler *scheduler);

#endif /* WA_TEST_FUZZ_THREADS_H */
