/*
 * tasks.c
 *		The threads that do tasks; see tasks.h.
 */
#include <stddef.h>

#include "daemon/run/tasks.h"

/* The main function of a thread. */
static void *
tasks_main(void *arg)
{
	WaTasks *tasks = arg;

	for (;;)
	{
		WaTask *task;

		(void) pthread_mutex_lock(&tasks->lock);
		while (tasks->first == NULL)
			(void) pthread_cond_wait(&tasks->submitted, &tasks->lock);
		task = tasks->first;
		tasks->first = task->next;
		task->queued = false;
		(void) pthread_mutex_unlock(&tasks->lock);
		task->work(task);
		wa_finished_post(tasks->finished, &task->finished);
	}
	return NULL;
}

bool
wa_tasks_start(WaTasks *tasks, WaFinishedQueue *finished, unsigned nthreads)
{
	unsigned started = 0;

	(void) pthread_mutex_init(&tasks->lock, NULL);
	(void) pthread_cond_init(&tasks->submitted, NULL);
	tasks->finished = finished;
	tasks->first = NULL;
	tasks->last = NULL;
	while (started < nthreads)
	{
		pthread_t thread;

		if (pthread_create(&thread, NULL, tasks_main, tasks) != 0)
			break;
		(void) pthread_setname_np(thread, "task worker");
		(void) pthread_detach(thread);
		started++;
	}
	return started > 0;
}

void
wa_tasks_submit(WaTasks *tasks, WaTask *task)
{
	task->next = NULL;
	task->queued = true;
	(void) pthread_mutex_lock(&tasks->lock);
	if (tasks->first == NULL)
		tasks->first = task;
	else
		tasks->last->next = task;
	tasks->last = task;
	(void) pthread_cond_signal(&tasks->submitted);
	(void) pthread_mutex_unlock(&tasks->lock);
}

bool
wa_tasks_cancel(WaTasks *tasks, WaTask *task)
{
	WaTask **link = &tasks->first;
	WaTask *before = NULL;
	bool was_queued;

	(void) pthread_mutex_lock(&tasks->lock);
	was_queued = task->queued;
	if (was_queued)
	{
		while (*link != task)
		{
			before = *link;
			link = &before->next;
		}
		*link = task->next;
		if (tasks->last == task)
			tasks->last = before;
		task->queued = false;
	}
	(void) pthread_mutex_unlock(&tasks->lock);
	return was_queued;
}
