/*
 * placement_cache.h
 *		Where extents of the last requests for some columns are on devices, for the
 *		next request: what has not changed is found in it.
 */
#ifndef WA_DAEMON_PLACEMENT_CACHE_H
#define WA_DAEMON_PLACEMENT_CACHE_H

#include <stdint.h>

/*
 * Tells extents of requests for columns of the same names apart: extents with the same id
 * are the same one, with the same columns, which has been there, and referred to them,
 * since it was first in a request.
 */
typedef struct WaExtentId
{
	uint64_t id;
	uint64_t order; /* ascends in a request */
} WaExtentId;

/* What is known of one device: the first member of what its maker has of that. */
typedef struct WaKeptPlacement
{
	uint32_t references; /* atomic */
	void (*free)(struct WaKeptPlacement *placement);
} WaKeptPlacement;

/* Gives up a reference; NULL is nothing. */
void wa_kept_placement_release(WaKeptPlacement *placement);

typedef struct WaPlacementCache WaPlacementCache;

/* Makes an empty one, with one reference, or returns NULL. */
WaPlacementCache *wa_placement_cache_make(void);

/* Takes another reference, and returns it. */
WaPlacementCache *wa_placement_cache_retain(WaPlacementCache *cache);

/* Gives up a reference; NULL is nothing. */
void wa_placement_cache_release(WaPlacementCache *cache);

/* Returns a reference to what was kept last of the device with an ordinal, or NULL. */
WaKeptPlacement *wa_placement_cache_find(WaPlacementCache *cache,
										 unsigned ordinal);

/* Keeps something, to which it takes a reference, instead of what was kept before. */
void wa_placement_cache_keep(WaPlacementCache *cache, unsigned ordinal,
							 WaKeptPlacement *placement);

/* What a request has to look in, and to keep there. */
typedef struct WaPlacements
{
	WaPlacementCache *cache;
	uint64_t id;           /* of the request's extents, all of them */
	const WaExtentId *ids; /* of each */
} WaPlacements;

#endif /* WA_DAEMON_PLACEMENT_CACHE_H */
