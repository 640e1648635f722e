/*
 * finished.h
 *		What other threads have finished, for the main thread to collect.
 *
 * lock guards first and last; event_fd is constant.
 */
#ifndef WA_DAEMON_FINISHED_H
#define WA_DAEMON_FINISHED_H

#include <pthread.h>

/* Part of whatever can be finished; its maker sets owner. */
typedef struct WaFinished
{
	void *owner; /* whatever the maker wants to find again */
	struct WaFinished *next;
} WaFinished;

typedef struct WaFinishedQueue
{
	pthread_mutex_t lock;
	int event_fd;
	WaFinished *first;
	WaFinished *last;
} WaFinishedQueue;

/* Prepares a queue, which writes to the eventfd when something is posted. */
void wa_finished_init(WaFinishedQueue *queue, int event_fd);

/* Says that something is finished: it is the main thread's from now on. */
void wa_finished_post(WaFinishedQueue *queue, WaFinished *finished);

/* Returns what was posted, in that order, linked by next. */
WaFinished *wa_finished_collect(WaFinishedQueue *queue);

#endif /* WA_DAEMON_FINISHED_H */
