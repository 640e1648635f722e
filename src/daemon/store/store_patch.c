/*
 * store_patch.c
 *		Exchanging blocks of an extent: a LOAD that is a patch.
 *
 * The columns of an extent and its layout are constant, so that others are made, from them
 * and from what the patch brings, and take their places at once.  To make all of an extent
 * anew for one block takes a hundred times as long as for the block, and so does copying
 * it to a GPU.  So a few blocks are kept by themselves, in the extent's overlay, which is
 * an extent of the map as well: with a layout and columns of its own, in which the other
 * blocks have no rows.  What the next patch brings goes there, too, until the overlay has
 * so many blocks that it is worth while to fold them into the extent, with which it goes.
 *
 * A block is cached in one of both at most: whichever of them gets it, the other one does
 * not have it any more.  So no query can find it twice, and the rest of the daemon takes
 * both for extents.
 *
 * What is made is made without the lock: if the extent or its overlay has become another
 * one meanwhile, it is made again.
 *
 * Who sends a patch has seen the extent, which may have been forgotten or evicted since,
 * or have gone as its relation came to another family.  Then nothing is patched, and that
 * is no error: it is as if the extent had gone right afterwards.
 */
#include <stdio.h>
#include <string.h>

#include "daemon/store/store_follow.h"
#include "daemon/store/store_layer.h"

/* So often an extent may change while it is patched. */
#define MAX_ATTEMPTS 20

/* An overlay has one of so many of the extent's blocks at most. */
#define OVERLAY_PART 16

/* An attempt; all layers have references. */
typedef struct Patch
{
	WaLoad *load;
	const WaLayer *brought; /* by the load; without a layout: nothing */
	uint32_t device;
	bool is_asked;
	uint32_t base_blocks; /* that the extent has cached, ... */
	uint64_t overlay_cached[WA_EXTENT_WORDS]; /* ... and those of its overlay */
	WaLayer base;    /* what there is of the extent, ... */
	WaLayer overlay; /* ... and of its overlay */
	WaLayer over;   /* the overlay with what is brought, or one of both alone */
	WaLayer folded; /* the extent with that; without a layout: not yet */
	bool is_patched; /* `over` was made by its plan */
	WaPatch over_plan;
	WaPatch folded_plan;
} Patch;

/* Tells whether somebody has asked for a column of an extent. */
static bool
is_asked(const WaExtent *extent)
{
	for (uint32_t i = 0; i < extent->room; i++)
		if (extent->columns[i] != NULL && extent->relation->records[i].asked)
			return true;
	return false;
}

/* Takes references to an extent and its overlay, or NULL; the caller has the lock. */
static bool
take_extents(Patch *patch, const WaExtent *base, const WaExtent *overlay)
{
	patch->device = base->device;
	patch->is_asked = is_asked(base);
	patch->base_blocks = base->cached_blocks;
	if (overlay != NULL)
		memcpy(patch->overlay_cached, overlay->cached,
			   sizeof(patch->overlay_cached));
	return wa_layer_take(&patch->base, base) &&
		   (overlay == NULL || wa_layer_take(&patch->overlay, overlay));
}

/* Finds them; *exists is false if there is no such extent. */
static WaStatus
take(Patch *patch, bool *exists)
{
	const WaLoad *load = patch->load;
	const WaExtent *base;
	WaStatus status = WA_OK;

	(void) pthread_mutex_lock(&load->store->lock);
	base = wa_map_find_extent(load->pins.relation, load->head->number);
	*exists = base != NULL;
	if (base != NULL && !take_extents(patch, base,
									  wa_map_find_overlay(load->pins.relation,
														  load->head->number)))
		status = WA_OUT_OF_MEMORY;
	(void) pthread_mutex_unlock(&load->store->lock);
	return status;
}

/* Tells whether the load has a block, not older than that of the extent. */
static bool
is_wanted(const Patch *patch, uint32_t block)
{
	return patch->brought->layout != NULL &&
		   wa_patch_takes(patch->base.layout, patch->brought->layout, block);
}

/* Tells whether what is brought goes into the overlay, which may have yet to be made. */
static bool
takes_overlay(const Patch *patch)
{
	uint32_t blocks = 0;

	if (patch->brought->layout == NULL ||
		!wa_layer_has_all(patch->brought, &patch->base) ||
		(patch->overlay.layout != NULL &&
		 !wa_layer_has_all(&patch->overlay, &patch->base)))
		return false;
	for (uint32_t i = 0; i < WA_EXTENT_BLOCKS; i++)
		blocks += wa_bits_get(patch->overlay_cached, i) || is_wanted(patch, i);
	return blocks * OVERLAY_PART <= patch->base_blocks;
}

/*
 * Makes what takes the place of the overlay, or is to be folded.  An overlay that lacks
 * columns is not: its blocks are missing then.
 */
static WaStatus
make_over(Patch *patch, char *error, size_t error_bytes)
{
	const WaLayer *overlay = &patch->overlay;
	const WaLayer *brought = patch->brought;
	const bool has_overlay =
		overlay->layout != NULL && wa_layer_has_all(overlay, &patch->base);

	if (brought->layout != NULL && has_overlay)
	{
		patch->is_patched = true;
		return wa_layer_patch(&patch->over, patch->load, overlay, brought,
							  &patch->over_plan, error, error_bytes);
	}
	if (brought->layout == NULL && !has_overlay)
		return WA_OK;
	return wa_layer_copy(&patch->over, has_overlay ? overlay : brought,
						 &patch->base)
			   ? WA_OK
			   : WA_OUT_OF_MEMORY;
}

/* Makes all layers. */
static WaStatus
make_all(Patch *patch, char *error, size_t error_bytes)
{
	WaStatus status = make_over(patch, error, error_bytes);

	if (status != WA_OK || takes_overlay(patch) || patch->over.layout == NULL)
		return status;
	return wa_layer_patch(&patch->folded, patch->load, &patch->base,
						  &patch->over, &patch->folded_plan, error,
						  error_bytes);
}

/* Has what has been made copied to the extent's GPU, where the extent has copies. */
static void
copy_ahead(const Patch *patch)
{
	const WaLoad *load = patch->load;
	const WaStore *store = load->store;
	const bool is_overlay = patch->folded.layout == NULL;
	const WaLayer *made = is_overlay ? &patch->over : &patch->folded;
	const WaLayer *base = &patch->base;
	const WaNews news = {
		.relation = &load->head->relation,
		.number = load->head->number | (is_overlay ? WA_OVERLAY : 0),
		.device = patch->device,
		.is_asked = load->need.is_asked,
		.old_layout = is_overlay && patch->overlay.layout != NULL
						  ? patch->overlay.layout
						  : base->layout,
		.layout = made->layout,
		.ncolumns = made->room < base->room ? made->room : base->room,
		.old_columns = base->columns,
		.columns = made->columns,
	};

	if (store->mirror != NULL && made->layout != NULL)
		store->copier->ahead(store->mirror, &news, store->copies_ns);
}

/*
 * Finds the blocks that are in `over`, as the overlay has them (kept) and as they were
 * brought; the caller has the lock.  overlay: NULL if there is none.
 */
static void
find_blocks(const Patch *patch, const WaExtent *overlay, uint64_t *kept,
			uint64_t *brought)
{
	memset(kept, 0, WA_EXTENT_WORDS * sizeof(*kept));
	memset(brought, 0, WA_EXTENT_WORDS * sizeof(*brought));
	for (uint32_t i = 0; i < WA_EXTENT_BLOCKS; i++)
		if (is_wanted(patch, i) &&
			(!patch->is_patched || wa_bits_get(patch->over_plan.taken, i)))
			wa_bits_set(brought, i);
	if (overlay != NULL &&
		(patch->is_patched || patch->brought->layout == NULL))
		for (uint32_t i = 0; i < WA_EXTENT_WORDS; i++)
			kept[i] = overlay->cached[i] & ~brought[i];
}

/*
 * Has an extent of the map have what was made, with blocks that are fresh, those that
 * stay what they are, and those that were brought.
 */
static void
exchange(const Patch *patch, WaExtent *extent, WaLayer *made,
		 const uint64_t *stays, const uint64_t *fresh, const uint64_t *brought,
		 WaGarbage *garbage)
{
	WaStore *store = patch->load->store;
	uint64_t cached[WA_EXTENT_WORDS];

	wa_layer_put(made, extent, garbage);
	if (extent->layout != made->layout)
		made->layout = wa_map_set_layout(store, extent, made->layout);
	for (uint32_t i = 0; i < WA_EXTENT_WORDS; i++)
		cached[i] = stays[i] | brought[i];
	wa_map_set_cached(extent, cached);
	for (uint32_t i = 0; i < WA_EXTENT_WORDS; i++)
		extent->fresh[i] = fresh[i] & stays[i] & extent->cached[i];
	wa_follow_refresh(store, extent, patch->load->head->position, brought);
}

/* Adds the overlay to the map; returns NULL if there is no memory. */
static WaExtent *
add_overlay(Patch *patch, WaGarbage *garbage)
{
	WaLoad *load = patch->load;
	WaExtent *overlay =
		wa_map_add_extent(load->store, load->pins.relation,
						  load->head->number | WA_OVERLAY, patch->over.layout);

	if (overlay == NULL)
		return NULL;
	wa_layout_retain(patch->over.layout);
	if (wa_map_make_room(overlay))
		return overlay;
	wa_map_remove_extent(load->store, overlay, garbage);
	return NULL;
}

/* What had ended for who has read some blocks holds for the others, too. */
static void
share_settled(WaLayout *layout, WaLayout *other)
{
	const uint64_t settled = layout->deciders.settled > other->deciders.settled
								 ? layout->deciders.settled
								 : other->deciders.settled;

	layout->deciders.settled = settled;
	other->deciders.settled = settled;
}

/* Puts what was made into the overlay; the caller has the lock. */
static bool
put_overlay(Patch *patch, WaExtent *base, WaExtent *overlay, WaGarbage *garbage)
{
	uint64_t stays[WA_EXTENT_WORDS];
	uint64_t brought[WA_EXTENT_WORDS];
	uint64_t fresh[WA_EXTENT_WORDS] = {0};
	uint64_t cached[WA_EXTENT_WORDS];

	find_blocks(patch, overlay, stays, brought);
	if (overlay != NULL)
		memcpy(fresh, overlay->fresh, sizeof(fresh));
	else
		overlay = add_overlay(patch, garbage);
	if (overlay == NULL)
		return false;
	if (patch->is_patched)
		wa_layout_patch_xids(patch->over.layout, &patch->over_plan);
	share_settled(base->layout, patch->over.layout);
	exchange(patch, overlay, &patch->over, stays, fresh, brought, garbage);
	for (uint32_t i = 0; i < WA_EXTENT_WORDS; i++)
		cached[i] = base->cached[i] & ~overlay->cached[i];
	wa_map_set_cached(base, cached);
	return true;
}

/* Puts what was made into the extent, whose overlay goes; the caller has the lock. */
static void
put_folded(Patch *patch, WaExtent *base, WaExtent *overlay, WaGarbage *garbage)
{
	const uint64_t *taken = patch->folded_plan.taken;
	uint64_t stays[WA_EXTENT_WORDS];
	uint64_t fresh[WA_EXTENT_WORDS];
	uint64_t kept[WA_EXTENT_WORDS];
	uint64_t brought[WA_EXTENT_WORDS];

	find_blocks(patch, overlay, kept, brought);
	for (uint32_t i = 0; i < WA_EXTENT_WORDS; i++)
	{
		kept[i] &= taken[i];
		brought[i] &= taken[i];
		stays[i] = (base->cached[i] & ~taken[i]) | kept[i];
		fresh[i] = base->fresh[i] & ~taken[i];
		if (overlay != NULL)
			fresh[i] |= overlay->fresh[i] & kept[i];
	}
	if (patch->is_patched)
		wa_layout_patch_xids(patch->over.layout, &patch->over_plan);
	wa_layout_patch_xids(patch->folded.layout, &patch->folded_plan);
	exchange(patch, base, &patch->folded, stays, fresh, brought, garbage);
}

/* Puts what was made into the map; the caller has the lock. */
static WaStatus
put(Patch *patch, WaExtent *base, WaExtent *overlay, WaGarbage *garbage)
{
	if (patch->over.layout != NULL && patch->folded.layout == NULL)
		return put_overlay(patch, base, overlay, garbage) ? WA_OK
														  : WA_OUT_OF_MEMORY;
	if (patch->folded.layout != NULL)
		put_folded(patch, base, overlay, garbage);
	if (overlay != NULL)
		wa_map_remove_extent(patch->load->store, overlay, garbage);
	return WA_OK;
}

/* Publishes what was made, unless the extent is not what it was any more. */
static WaStatus
publish(Patch *patch, bool *is_done)
{
	WaLoad *load = patch->load;
	WaStore *store = load->store;
	const uint32_t number = load->head->number;
	const bool is_overlay = patch->folded.layout == NULL;
	WaGarbage garbage = {0};
	WaStatus status = WA_OK;
	WaExtent *base;
	WaExtent *overlay;

	(void) pthread_mutex_lock(&store->lock);
	base = wa_map_find_extent(load->pins.relation, number);
	overlay = wa_map_find_overlay(load->pins.relation, number);
	*is_done = base != NULL && wa_layer_is_of(&patch->base, base) &&
			   wa_layer_is_of(&patch->overlay, overlay);
	if (*is_done)
		status = put(patch, base, overlay, &garbage);
	(void) pthread_mutex_unlock(&store->lock);
	wa_garbage_release(&garbage);
	if (*is_done && store->mirror != NULL)
		store->copier->loaded(store->mirror, &load->head->relation,
							  number | (is_overlay ? WA_OVERLAY : 0),
							  patch->device);
	return status;
}

/*
 * Patches the extent, unless it changes meanwhile: then *is_done is false.  If there is
 * nothing of it any more, nothing is done.
 */
static WaStatus
attempt(WaLoad *load, const WaLayer *brought, char *error, size_t error_bytes,
		bool *is_done)
{
	Patch patch = {.load = load, .brought = brought};
	bool exists;
	WaStatus status = take(&patch, &exists);

	*is_done = !exists;
	load->need.is_asked = load->head->asked != 0 || patch.is_asked;
	if (status == WA_OK && exists)
		status = make_all(&patch, error, error_bytes);
	if (status == WA_OK && exists)
	{
		copy_ahead(&patch);
		status = publish(&patch, is_done);
	}
	wa_layer_end(&patch.folded);
	wa_layer_end(&patch.over);
	wa_layer_end(&patch.overlay);
	wa_layer_end(&patch.base);
	return status;
}

/* Does it until it is done. */
static WaStatus
patch_extent(WaLoad *load, const WaLayer *brought, char *error,
			 size_t error_bytes)
{
	WaStatus status = WA_OK;
	bool is_done = false;

	for (int i = 0; i < MAX_ATTEMPTS && status == WA_OK && !is_done; i++)
		status = attempt(load, brought, error, error_bytes, &is_done);
	if (status != WA_OK || is_done)
		return status;
	(void) snprintf(error, error_bytes,
					"the extent changes again and again while it is patched");
	return WA_BAD_REQUEST;
}

WaStatus
wa_load_patch(WaLoad *load, char *error, size_t error_bytes)
{
	return patch_extent(load, &load->brought, error, error_bytes);
}

WaStatus
wa_load_fold(WaLoad *load, char *error, size_t error_bytes)
{
	const WaLayer nothing = {0};
	bool has_overlay;

	(void) pthread_mutex_lock(&load->store->lock);
	has_overlay =
		wa_map_find_overlay(load->pins.relation, load->head->number) != NULL;
	(void) pthread_mutex_unlock(&load->store->lock);
	return has_overlay ? patch_extent(load, &nothing, error, error_bytes)
					   : WA_OK;
}
