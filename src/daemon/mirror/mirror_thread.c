/*
 * mirror_thread.c
 *		The mirror's threads, one for each GPU, and what they wait for.
 */
#include <stdio.h>
#include <stdlib.h>

#include "daemon/base/log.h"
#include "daemon/mirror/mirror_internal.h"

/* Of a GPU's free memory, copies take so many percent. */
#define MEMORY_PERCENT 75

/* What a thread is to do next. */
typedef enum Work
{
	WORK_AHEAD,
	WORK_TIDY,
	WORK_LOAD,
	WORK_SWEEP
} Work;

/* Tells whether there is something to do; the caller has the device's lock. */
static bool
has_work(const WaMirrorDevice *device)
{
	return device->ahead != NULL || device->count > 0 || device->sweeping ||
		   device->untidy;
}

/* Waits until there is something to do; takes it from the device. */
static Work
wait_for_work(WaMirrorDevice *device, WaMirrorKey *key)
{
	Work work = WORK_SWEEP;

	(void) pthread_mutex_lock(&device->lock);
	device->working = false;
	while (!has_work(device))
		(void) pthread_cond_wait(&device->wakeup, &device->lock);
	device->working = true;
	if (device->ahead != NULL)
		work = WORK_AHEAD;
	else if (device->untidy)
	{
		work = WORK_TIDY;
		device->untidy = false;
	}
	else if (device->count > 0)
	{
		work = WORK_LOAD;
		*key = device->queue[device->first];
		device->first = (device->first + 1) % WA_MIRROR_QUEUE;
		device->count--;
	}
	else
		device->sweeping = false;
	(void) pthread_mutex_unlock(&device->lock);
	return work;
}

/* Does a piece of work; notes if extents were left out. */
static void
do_work(WaMirrorDevice *device, Work work, const WaMirrorKey *key)
{
	bool complete = true;

	if (work == WORK_AHEAD)
		wa_mirror_serve(device);
	else if (work == WORK_TIDY)
		wa_flat_tidy(device);
	else if (work == WORK_LOAD)
	{
		device->may_evict = true;
		complete = wa_mirror_load(device, key);
		device->may_evict = false;
	}
	else
		complete = wa_mirror_sweep(device);
	if (complete)
		return;
	(void) pthread_mutex_lock(&device->lock);
	device->incomplete = true;
	(void) pthread_mutex_unlock(&device->lock);
}

/* The thread of a device. */
static void *
mirror_main(void *arg)
{
	WaMirrorDevice *device = arg;
	char error[WA_MAX_ERROR_BYTES] = "";
	WaMirrorKey key;

	if (wa_cuda_memory_open((int) device->ordinal, &device->memory, error,
							sizeof(error)) != WA_OK)
	{
		device->memory = NULL;
		wa_log_write(WA_LOG_WARNING, "GPU %u keeps no resident columns: %s",
					 device->ordinal, error);
	}
	for (;;)
	{
		const Work work = wait_for_work(device, &key);

		if (device->memory != NULL || work == WORK_AHEAD)
			do_work(device, work, &key);
	}
	return NULL;
}

WaMirrorDevice *
wa_mirror_device(WaMirror *mirror, unsigned ordinal)
{
	if (!__atomic_load_n(&mirror->started, __ATOMIC_ACQUIRE))
		return NULL;
	for (unsigned i = 0; i < mirror->ndevices; i++)
		if (mirror->devices[i]->ordinal == ordinal)
			return mirror->devices[i];
	return NULL;
}

/* See WaCopier. */
static void
note_loaded(WaMirror *mirror, const WaRelation *relation, uint32_t number,
			unsigned ordinal)
{
	WaMirrorDevice *device = wa_mirror_device(mirror, ordinal);

	if (device == NULL)
		return;
	(void) pthread_mutex_lock(&device->lock);
	if (device->count < WA_MIRROR_QUEUE)
	{
		device->queue[(device->first + device->count) % WA_MIRROR_QUEUE] =
			(WaMirrorKey){*relation, number};
		device->count++;
	}
	else
		device->sweeping = true;
	(void) pthread_cond_signal(&device->wakeup);
	(void) pthread_mutex_unlock(&device->lock);
}

static const WaCopier copier = {.loaded = note_loaded,
								.ahead = wa_mirror_ahead};

WaMirror *
wa_mirror_make(WaStore *store)
{
	WaMirror *mirror = calloc(1, sizeof(*mirror));

	if (mirror == NULL)
		return NULL;
	mirror->store = store;
	store->copier = &copier;
	(void) pthread_rwlock_init(&mirror->lock, NULL);
	return mirror;
}

void
wa_mirror_add_device(WaMirror *mirror, unsigned ordinal, uint64_t free_bytes)
{
	WaMirrorDevice *device = calloc(1, sizeof(*device));
	pthread_condattr_t monotonic;

	if (device == NULL || mirror->ndevices == WA_MAX_DEVICES)
	{
		free(device);
		return;
	}
	device->mirror = mirror;
	device->ordinal = ordinal;
	device->limit = free_bytes / 100 * MEMORY_PERCENT;
	device->sweeping = true;
	(void) pthread_mutex_init(&device->lock, NULL);
	(void) pthread_cond_init(&device->wakeup, NULL);
	(void) pthread_condattr_init(&monotonic);
	(void) pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	(void) pthread_cond_init(&device->done, &monotonic);
	(void) pthread_condattr_destroy(&monotonic);
	mirror->devices[mirror->ndevices++] = device;
}

/* Starts the thread of a device. */
static void
start_thread(WaMirrorDevice *device)
{
	char name[16];
	pthread_t thread;

	device->has_thread = true;
	device->working = true;
	if (pthread_create(&thread, NULL, mirror_main, device) != 0)
	{
		device->has_thread = false;
		wa_log_write(WA_LOG_WARNING,
					 "could not start the thread that copies to GPU %u",
					 device->ordinal);
		return;
	}
	(void) snprintf(name, sizeof(name), "mirror %u", device->ordinal);
	(void) pthread_setname_np(thread, name);
	(void) pthread_detach(thread);
}

void
wa_mirror_start(WaMirror *mirror)
{
	uint32_t ordinals[WA_MAX_DEVICES];

	if (mirror->ndevices == 0)
		return;
	for (unsigned i = 0; i < mirror->ndevices; i++)
		ordinals[i] = mirror->devices[i]->ordinal;
	wa_store_set_devices(mirror->store, ordinals, mirror->ndevices);
	__atomic_store_n(&mirror->started, true, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < mirror->ndevices; i++)
		start_thread(mirror->devices[i]);
}

void
wa_mirror_wake(WaMirrorDevice *device, bool has_room)
{
	(void) pthread_mutex_lock(&device->lock);
	device->untidy = true;
	if (has_room && device->incomplete)
	{
		device->incomplete = false;
		device->sweeping = true;
	}
	(void) pthread_cond_signal(&device->wakeup);
	(void) pthread_mutex_unlock(&device->lock);
}
