/*
 * mirror_ahead.c
 *		Copying columns to a GPU before queries can find them.
 *
 * Who is about to put other columns in the place of those of an extent has them copied
 * first, so that queries do not find the extent without its copies in between.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/mirror/mirror_internal.h"

/*
 * A run is made as long as the one before, so that one fits where another was, unless
 * one part in so many of it, and a run's least, were of no use.
 */
#define SPARE_PART 8

/* The device's lock guards next and is_done. */
struct WaMirrorAhead
{
	struct WaMirrorAhead *next;
	bool is_done;
	uint32_t references; /* atomic: the asker's and the thread's */
	WaKeep evicts;
	WaMirrorPick pick;
};

/* Gives up a reference. */
static void
release(WaMirrorDevice *device, WaMirrorAhead *ahead)
{
	if (__atomic_fetch_sub(&ahead->references, 1, __ATOMIC_ACQ_REL) != 1)
		return;
	wa_mirror_unpick(device, &ahead->pick);
	free(ahead);
}

/* Returns how many rows the run of a layout should have, as far as it has a say. */
static uint32_t
choose_rows(WaMirror *mirror, const WaLayout *old, uint32_t nrows)
{
	uint32_t rows = 0;

	(void) pthread_rwlock_rdlock(&mirror->lock);
	if (old->run != NULL)
		rows = old->run->rows;
	(void) pthread_rwlock_unlock(&mirror->lock);
	return rows > nrows && rows - nrows > rows / SPARE_PART + WA_MIRROR_RUN_ROWS
			   ? 0
			   : rows;
}

/* Makes a wish with references to the columns that are to be copied, or NULL. */
static WaMirrorAhead *
make(WaMirror *mirror, const WaNews *news)
{
	WaMirrorAhead *ahead = calloc(1, sizeof(*ahead));
	WaMirrorPick *pick;

	if (ahead == NULL)
		return NULL;
	pick = &ahead->pick;
	ahead->references = 2;
	ahead->evicts = news->is_asked ? WA_KEEP_ASKED : WA_KEEP_NOTHING;
	pick->key = (WaMirrorKey){*news->relation, news->number};
	pick->layout = news->layout;
	pick->rows = choose_rows(mirror, news->old_layout, news->layout->nrows);
	for (uint32_t i = 0;
		 i < news->ncolumns && pick->ncolumns < WA_MAX_RESIDENT_COLUMNS; i++)
		if (news->columns[i] != NULL && news->old_columns[i] != NULL &&
			__atomic_load_n(&news->old_columns[i]->copy.bytes,
							__ATOMIC_RELAXED) > 0)
			pick->columns[pick->ncolumns++] = news->columns[i];
	if (pick->ncolumns == 0 || pick->layout->nrows == 0)
	{
		free(ahead);
		return NULL;
	}
	for (uint32_t i = 0; i < pick->ncolumns; i++)
		wa_column_retain(pick->columns[i]);
	wa_layout_retain(pick->layout);
	return ahead;
}

/* Queues a wish, and waits until it has been fulfilled, or until a time. */
static void
wait_for(WaMirrorDevice *device, WaMirrorAhead *ahead, int64_t until_ns)
{
	const struct timespec until = {.tv_sec = until_ns / WA_NS_PER_S,
								   .tv_nsec = until_ns % WA_NS_PER_S};
	WaMirrorAhead **link = &device->ahead;
	int error = 0;

	(void) pthread_mutex_lock(&device->lock);
	while (*link != NULL)
		link = &(*link)->next;
	*link = ahead;
	(void) pthread_cond_signal(&device->wakeup);
	while (!ahead->is_done && error == 0)
		error = pthread_cond_timedwait(&device->done, &device->lock, &until);
	(void) pthread_mutex_unlock(&device->lock);
}

void
wa_mirror_ahead(WaMirror *mirror, const WaNews *news, int64_t wait_ns)
{
	const int64_t until_ns = wa_clock_ns() + wait_ns;
	WaMirrorDevice *device = wa_mirror_device(mirror, news->device);
	WaMirrorAhead *ahead;

	if (device == NULL || !device->has_thread)
		return;
	ahead = make(mirror, news);
	if (ahead == NULL)
		return;
	wait_for(device, ahead, until_ns);
	release(device, ahead);
}

/* Returns the wish that is the oldest, or NULL. */
static WaMirrorAhead *
take_first(WaMirrorDevice *device)
{
	WaMirrorAhead *ahead;

	(void) pthread_mutex_lock(&device->lock);
	ahead = device->ahead;
	if (ahead != NULL)
		device->ahead = ahead->next;
	(void) pthread_mutex_unlock(&device->lock);
	return ahead;
}

void
wa_mirror_serve(WaMirrorDevice *device)
{
	const bool may_evict = device->may_evict;
	WaMirrorAhead *ahead;

	while ((ahead = take_first(device)) != NULL)
	{
		if (device->memory != NULL)
		{
			device->may_evict = true;
			device->evicts = ahead->evicts;
			/* What is left out is found once it is in the store. */
			(void) wa_mirror_load_pick(device, &ahead->pick);
			device->may_evict = may_evict;
		}
		(void) pthread_mutex_lock(&device->lock);
		ahead->is_done = true;
		(void) pthread_cond_broadcast(&device->done);
		(void) pthread_mutex_unlock(&device->lock);
		release(device, ahead);
	}
}
