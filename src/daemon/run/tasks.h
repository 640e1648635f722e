/*
 * tasks.h
 *		A few threads for what would keep the main thread for too long.
 *
 * A task belongs to the threads from wa_tasks_submit until it is collected from
 * the queue of what is finished, or wa_tasks_cancel takes it back.
 */
#ifndef WA_DAEMON_TASKS_H
#define WA_DAEMON_TASKS_H

#include <stdbool.h>

#include "daemon/run/finished.h"

#define WA_MAX_TASK_THREADS 16

/* Its maker fills in finished.owner and work; the rest is guarded by the lock. */
typedef struct WaTask
{
	WaFinished finished;
	void (*work)(struct WaTask *task); /* called by a thread, without a lock */
	struct WaTask *next;
	bool queued; /* no thread has taken it yet */
} WaTask;

/* lock guards first and last; finished is constant, and has its own lock. */
typedef struct WaTasks
{
	pthread_mutex_t lock;
	pthread_cond_t submitted;
	WaFinishedQueue *finished;
	WaTask *first;
	WaTask *last;
} WaTasks;

/* Starts up to so many threads.  Returns false if there is not even one. */
bool wa_tasks_start(WaTasks *tasks, WaFinishedQueue *finished,
					unsigned nthreads);

/* Queues a task. */
void wa_tasks_submit(WaTasks *tasks, WaTask *task);

/*
 * Takes a task back.  Returns true if it was still queued and is the caller's
 * again; else it will be posted as finished, soon.
 */
bool wa_tasks_cancel(WaTasks *tasks, WaTask *task);

#endif /* WA_DAEMON_TASKS_H */
