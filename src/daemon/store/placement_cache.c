/*
 * placement_cache.c
 *		Keeping where extents are on devices; see placement_cache.h.
 */
#include <pthread.h>
#include <stdlib.h>

#include "core/message.h"
#include "daemon/store/placement_cache.h"

struct WaPlacementCache
{
	uint32_t references; /* atomic */
	pthread_mutex_t lock;
	WaKeptPlacement *of[WA_MAX_DEVICES]; /* or NULL; the lock guards it */
};

void
wa_kept_placement_release(WaKeptPlacement *placement)
{
	if (placement != NULL &&
		__atomic_fetch_sub(&placement->references, 1, __ATOMIC_ACQ_REL) == 1)
		placement->free(placement);
}

WaPlacementCache *
wa_placement_cache_make(void)
{
	WaPlacementCache *cache = calloc(1, sizeof(*cache));

	if (cache == NULL)
		return NULL;
	cache->references = 1;
	(void) pthread_mutex_init(&cache->lock, NULL);
	return cache;
}

WaPlacementCache *
wa_placement_cache_retain(WaPlacementCache *cache)
{
	(void) __atomic_fetch_add(&cache->references, 1, __ATOMIC_RELAXED);
	return cache;
}

void
wa_placement_cache_release(WaPlacementCache *cache)
{
	if (cache == NULL ||
		__atomic_fetch_sub(&cache->references, 1, __ATOMIC_ACQ_REL) != 1)
		return;
	for (int i = 0; i < WA_MAX_DEVICES; i++)
		wa_kept_placement_release(cache->of[i]);
	(void) pthread_mutex_destroy(&cache->lock);
	free(cache);
}

WaKeptPlacement *
wa_placement_cache_find(WaPlacementCache *cache, unsigned ordinal)
{
	WaKeptPlacement *kept;

	(void) pthread_mutex_lock(&cache->lock);
	kept = cache->of[ordinal];
	if (kept != NULL)
		(void) __atomic_fetch_add(&kept->references, 1, __ATOMIC_RELAXED);
	(void) pthread_mutex_unlock(&cache->lock);
	return kept;
}

void
wa_placement_cache_keep(WaPlacementCache *cache, unsigned ordinal,
						WaKeptPlacement *placement)
{
	WaKeptPlacement *old;

	(void) __atomic_fetch_add(&placement->references, 1, __ATOMIC_RELAXED);
	(void) pthread_mutex_lock(&cache->lock);
	old = cache->of[ordinal];
	cache->of[ordinal] = placement;
	(void) pthread_mutex_unlock(&cache->lock);
	wa_kept_placement_release(old);
}
