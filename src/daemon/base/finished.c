/*
 * finished.c
 *		Handing over what is finished; see finished.h.
 */
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "daemon/base/finished.h"

void
wa_finished_init(WaFinishedQueue *queue, int event_fd)
{
	(void) pthread_mutex_init(&queue->lock, NULL);
	queue->event_fd = event_fd;
	queue->first = NULL;
	queue->last = NULL;
}

void
wa_finished_post(WaFinishedQueue *queue, WaFinished *finished)
{
	const uint64_t one = 1;
	ssize_t written;

	finished->next = NULL;
	(void) pthread_mutex_lock(&queue->lock);
	if (queue->first == NULL)
		queue->first = finished;
	else
		queue->last->next = finished;
	queue->last = finished;
	(void) pthread_mutex_unlock(&queue->lock);
	written = write(queue->event_fd, &one, sizeof(one));
	(void) written; /* it can only fail when the reader is due anyway */
}

WaFinished *
wa_finished_collect(WaFinishedQueue *queue)
{
	WaFinished *finished;

	(void) pthread_mutex_lock(&queue->lock);
	finished = queue->first;
	queue->first = NULL;
	queue->last = NULL;
	(void) pthread_mutex_unlock(&queue->lock);
	return finished;
}
