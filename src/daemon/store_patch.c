/*
 * store_patch.c
 *		Exchanging blocks of an extent: a LOAD that is a patch.
 *
 * An extent's columns and its shape are constant, so that others are made, from them and
 * from what the patch brings, and take their places at once.  They are made without the
 * lock: if the extent has become another one meanwhile, they are made again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/column_patch.h"
#include "daemon/mirror.h"
#include "daemon/store_follow.h"
#include "daemon/store_load.h"

/* So often an extent may change while it is patched. */
#define MAX_ATTEMPTS 20

/* What is made; all elements of old and made are references, or NULL. */
typedef struct Patch
{
	WaLoad *load;
	WaPatch plan;
	WaShape *old_shape;
	uint32_t device;
	uint32_t room; /* of columns */
	WaColumn **old;
	WaColumn **made;
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

/* Takes references to what there is of the extent; the caller has the lock. */
static WaStatus
take_columns(Patch *patch, WaExtent *extent)
{
	const size_t room = extent->room;

	patch->old = calloc(room + 1, sizeof(WaColumn *));
	patch->made = calloc(room + 1, sizeof(WaColumn *));
	if (patch->old == NULL || patch->made == NULL)
		return WA_OUT_OF_MEMORY;
	patch->room = extent->room;
	for (uint32_t i = 0; i < extent->room; i++)
	{
		patch->old[i] = extent->columns[i];
		if (patch->old[i] != NULL)
			wa_column_retain(patch->old[i]);
	}
	patch->old_shape = extent->shape;
	wa_shape_retain(patch->old_shape);
	patch->device = extent->device;
	patch->load->need.is_asked =
		patch->load->head->asked != 0 || is_asked(extent);
	return WA_OK;
}

/* Finds the extent, and takes references to what there is of it. */
static WaStatus
take_extent(Patch *patch, char *error, size_t error_bytes)
{
	WaLoad *load = patch->load;
	WaStatus status = WA_BAD_REQUEST;
	WaExtent *extent;

	(void) pthread_mutex_lock(&load->store->lock);
	extent = wa_map_find_extent(load->pins.relation, load->head->number);
	if (extent != NULL)
		status = take_columns(patch, extent);
	(void) pthread_mutex_unlock(&load->store->lock);
	if (extent == NULL)
		(void) snprintf(error, error_bytes,
						"there is nothing of the extent to be patched");
	return status;
}

/* Returns which of the head's columns is that of a record, -1 if none is. */
static int64_t
find_brought(const WaLoad *load, uint32_t place)
{
	for (uint32_t i = 0; i < load->pins.ncolumns; i++)
		if (load->pins.place[i] == place)
			return i;
	return -1;
}

/* Makes the column of a record; what the patch brings of it is copied but once. */
static WaStatus
make_column(Patch *patch, uint32_t place, const uint8_t *parcel, char *error,
			size_t error_bytes)
{
	WaLoad *load = patch->load;
	const int64_t i = find_brought(load, place);
	WaStatus status = WA_OK;

	if (i >= 0 && load->columns[i] == NULL)
		status = wa_load_copy(load, (uint32_t) i, parcel, error, error_bytes);
	if (status != WA_OK)
		return status;
	/* What is copied goes as soon as the columns have it. */
	if (i >= 0)
		__atomic_store_n(&load->columns[i]->is_patched, true, __ATOMIC_RELAXED);
	patch->made[place] =
		wa_column_patch(&load->store->memory, &load->need, &patch->plan,
						patch->old[place], i < 0 ? NULL : load->columns[i]);
	return patch->made[place] == NULL ? WA_OUT_OF_MEMORY : WA_OK;
}

/* Makes the shape and all columns. */
static WaStatus
make_all(Patch *patch, const uint8_t *parcel, char *error, size_t error_bytes)
{
	WaLoad *load = patch->load;
	WaStatus status = WA_OK;

	if (!wa_patch_plan(patch->old_shape, load->head, &patch->plan))
	{
		(void) snprintf(error, error_bytes,
						"an extent cannot have so many rows");
		return WA_BAD_REQUEST;
	}
	load->shape =
		wa_shape_patch(&load->store->memory, &load->need, &patch->plan);
	if (load->shape == NULL)
		return WA_OUT_OF_MEMORY;
	for (uint32_t i = 0; i < patch->room && status == WA_OK; i++)
		if (patch->old[i] != NULL)
			status = make_column(patch, i, parcel, error, error_bytes);
	return status;
}

/* Has what has been made copied to the extent's GPU. */
static void
copy_ahead(const Patch *patch)
{
	const WaLoad *load = patch->load;
	const WaMirrorNews news = {
		.relation = &load->head->relation,
		.number = load->head->number,
		.device = patch->device,
		.is_asked = load->need.is_asked,
		.old_shape = patch->old_shape,
		.shape = load->shape,
		.ncolumns = patch->room,
		.old_columns = patch->old,
		.columns = patch->made,
	};

	if (load->store->mirror != NULL)
		wa_mirror_ahead(load->store->mirror, &news, load->store->copies_ns);
}

/* Tells whether an extent is what it was; the caller has the lock. */
static bool
is_same(const Patch *patch, const WaExtent *extent)
{
	if (extent == NULL || extent->shape != patch->old_shape)
		return false;
	for (uint32_t i = 0; i < extent->room; i++)
		if (extent->columns[i] != (i < patch->room ? patch->old[i] : NULL))
			return false;
	return true;
}

/* Puts all that was made into its places; the caller has the lock. */
static void
exchange(Patch *patch, WaExtent *extent, WaGarbage *garbage)
{
	WaLoad *load = patch->load;
	const uint64_t *taken = patch->plan.taken;
	uint64_t cached[WA_EXTENT_WORDS];
	uint64_t fresh[WA_EXTENT_WORDS];

	for (uint32_t i = 0; i < WA_EXTENT_WORDS; i++)
	{
		cached[i] = extent->cached[i] | taken[i];
		fresh[i] = extent->fresh[i] & ~taken[i];
	}
	for (uint32_t i = 0; i < patch->room; i++)
	{
		if (patch->made[i] == NULL)
			continue;
		__atomic_store_n(&patch->old[i]->is_patched, true, __ATOMIC_RELAXED);
		wa_map_set_column(extent, i, patch->made[i], garbage);
		patch->made[i] = NULL;
	}
	wa_shape_patch_xids(load->shape, &patch->plan);
	load->shape = wa_map_set_shape(load->store, extent, load->shape);
	wa_map_set_cached(extent, cached);
	memcpy(extent->fresh, fresh, sizeof(fresh));
	wa_follow_refresh(load->store, extent, load->head->position, taken);
}

/* Publishes what was made; false if the extent is not what it was any more. */
static bool
publish(Patch *patch)
{
	WaLoad *load = patch->load;
	WaStore *store = load->store;
	WaGarbage garbage = {0};
	WaExtent *extent;
	bool is_done;

	(void) pthread_mutex_lock(&store->lock);
	extent = wa_map_find_extent(load->pins.relation, load->head->number);
	is_done = is_same(patch, extent);
	if (is_done)
		exchange(patch, extent, &garbage);
	(void) pthread_mutex_unlock(&store->lock);
	wa_garbage_release(&garbage);
	if (is_done && store->mirror != NULL)
		wa_mirror_loaded(store->mirror, &load->head->relation,
						 load->head->number, patch->device);
	return is_done;
}

/* Gives back what an attempt has taken and made. */
static void
end_attempt(Patch *patch)
{
	for (uint32_t i = 0; i < patch->room; i++)
	{
		wa_column_release(patch->old[i]);
		wa_column_release(patch->made[i]);
	}
	free(patch->old);
	free(patch->made);
	wa_shape_release(patch->old_shape);
	wa_shape_release(patch->load->shape);
	patch->load->shape = NULL;
}

/* Patches the extent, unless it changes meanwhile: then *is_done is false. */
static WaStatus
attempt(WaLoad *load, const uint8_t *parcel, char *error, size_t error_bytes,
		bool *is_done)
{
	Patch patch = {.load = load};
	WaStatus status = take_extent(&patch, error, error_bytes);

	*is_done = false;
	if (status == WA_OK)
		status = make_all(&patch, parcel, error, error_bytes);
	if (status == WA_OK)
	{
		copy_ahead(&patch);
		*is_done = publish(&patch);
	}
	end_attempt(&patch);
	return status;
}

WaStatus
wa_load_patch(WaLoad *load, const uint8_t *parcel, char *error,
			  size_t error_bytes)
{
	WaStatus status = WA_OK;
	bool is_done = false;

	for (int i = 0; i < MAX_ATTEMPTS && status == WA_OK && !is_done; i++)
		status = attempt(load, parcel, error, error_bytes, &is_done);
	if (status != WA_OK || is_done)
		return status;
	(void) snprintf(error, error_bytes,
					"the extent changes again and again while it is patched");
	return WA_BAD_REQUEST;
}
