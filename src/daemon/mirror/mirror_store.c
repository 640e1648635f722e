/*
 * mirror_store.c
 *		What the mirror's threads look for in the store's map.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/mirror/mirror_internal.h"
#include "daemon/store/cover_kept.h"
#include "daemon/store/store_family.h"

/* Extents, or parts, that are looked at without giving the store's lock up. */
#define LOOKS_PER_LOCK 256

/*
 * Tells whether a column might get a copy: of one that was copied before it was in the
 * store the others may have moved on to a wider flat column meanwhile.
 */
static bool
lacks_copy(const WaColumn *column)
{
	return column != NULL && !column->copy.unfit &&
		   (column->copy.flat == NULL || column->copy.flat->record == NULL);
}

bool
wa_mirror_pick(WaMirrorDevice *device, const WaMirrorKey *key,
			   WaMirrorPick *pick)
{
	WaStore *store = device->mirror->store;
	const WaStoredRelation *relation;
	const WaExtent *extent = NULL;

	pick->key = *key;
	pick->rows = 0;
	pick->ncolumns = 0;
	device->evicts = WA_KEEP_NOTHING;
	(void) pthread_mutex_lock(&store->lock);
	relation = wa_map_find_relation(store, &key->relation);
	if (relation != NULL)
		extent = wa_map_find_extent(relation, key->number);
	if (extent != NULL && extent->device == device->ordinal)
		for (uint32_t i = 0;
			 i < extent->room && pick->ncolumns < WA_MAX_RESIDENT_COLUMNS; i++)
			if (lacks_copy(extent->columns[i]))
			{
				pick->columns[pick->ncolumns++] = extent->columns[i];
				if (relation->is_pinned || relation->records[i].asked)
					device->evicts = WA_KEEP_ASKED;
			}
	for (uint32_t i = 0; i < pick->ncolumns; i++)
		wa_column_retain(pick->columns[i]);
	if (pick->ncolumns > 0)
	{
		pick->layout = extent->layout;
		wa_layout_retain(pick->layout);
	}
	(void) pthread_mutex_unlock(&store->lock);
	return pick->ncolumns > 0;
}

void
wa_mirror_unpick(WaMirrorDevice *device, WaMirrorPick *pick)
{
	for (uint32_t i = 0; i < pick->ncolumns; i++)
		wa_column_release(pick->columns[i]);
	wa_layout_release(pick->layout);
	wa_store_trim(device->mirror->store);
}

/* Adds a column, and a reference to it, to a list. */
static bool
add_to_list(WaColumnList *list, WaColumn *column)
{
	if (list->count == list->room)
	{
		const uint32_t room = 2 * list->room + LOOKS_PER_LOCK;
		WaColumn **columns = realloc(list->columns, room * sizeof(WaColumn *));

		if (columns == NULL)
			return false;
		list->columns = columns;
		list->room = room;
	}
	wa_column_retain(column);
	list->columns[list->count++] = column;
	return true;
}

/*
 * Adds the column of an extent on a device, or NULL, that has its copy in a flat column,
 * if it has one.
 */
static bool
collect_extent(const WaMirrorDevice *device, const WaExtent *extent,
			   const WaMirrorFlat *flat, WaColumnList *list)
{
	if (extent == NULL || extent->device != device->ordinal)
		return true;
	for (uint32_t i = 0; i < extent->room; i++)
		if (extent->columns[i] != NULL && extent->columns[i]->copy.flat == flat)
			return add_to_list(list, extent->columns[i]);
	return true;
}

/* Where to go on: at a part of a relation, or of one that was there earlier. */
typedef struct Place
{
	uint64_t order;  /* of the relation in its family */
	uint32_t number; /* of the part */
	uint32_t looks;  /* that may be taken without giving the lock up */
	bool is_end;
} Place;

/*
 * Does so with all extents of a relation's parts, from a place on, which is moved; the
 * caller has the store's lock.
 */
static bool
collect_some(const WaMirrorDevice *device, const WaStoredRelation *relation,
			 const WaMirrorFlat *flat, Place *place, WaColumnList *list)
{
	uint32_t i = wa_map_search_part(relation, place->number);

	for (; place->looks > 0 && i < relation->nparts; place->looks--, i++)
		if (!collect_extent(device, relation->parts[i].extent, flat, list) ||
			!collect_extent(device, relation->parts[i].overlay, flat, list))
			return false;
	place->is_end = i == relation->nparts;
	place->number = place->is_end ? 0 : relation->parts[i].number;
	return true;
}

/*
 * Returns the relation of a space that a place is in, or that follows it, which may be
 * there no more; or NULL.  The caller has the store's lock.
 */
static const WaStoredRelation *
find_relation(const WaStore *store, const WaMirrorSpace *space, Place *place)
{
	const WaStoredFamily *family;
	const WaStoredRelation *relation;

	if (space->family.root == 0)
		return wa_map_find_relation(store, &space->relation);
	family = wa_family_find(store, &space->family);
	relation = family == NULL ? NULL : family->latest;
	while (relation != NULL && relation->order > place->order)
		relation = relation->earlier;
	if (relation != NULL && relation->order < place->order)
		*place = (Place){.order = relation->order, .looks = place->looks};
	return relation;
}

/* Does so with a limited number of parts of a space; the caller has the store's lock. */
static bool
collect_of_space(const WaMirrorDevice *device, const WaMirrorSpace *space,
				 const WaMirrorFlat *flat, Place *place, WaColumnList *list)
{
	const WaStoredRelation *relation =
		find_relation(device->mirror->store, space, place);

	place->looks = LOOKS_PER_LOCK;
	for (; relation != NULL && place->looks > 0; relation = relation->earlier)
	{
		place->order = relation->order;
		if (!collect_some(device, relation, flat, place, list))
			return false;
		if (!place->is_end)
			return true;
		/* Looking whether a relation has anything counts, too. */
		place->looks -= place->looks > 0;
	}
	place->is_end = relation == NULL;
	if (relation != NULL)
		place->order = relation->order;
	return true;
}

bool
wa_mirror_collect(WaMirrorDevice *device, const WaMirrorSpace *space,
				  const WaMirrorFlat *flat, WaColumnList *list)
{
	WaStore *store = device->mirror->store;
	Place place = {.order = UINT64_MAX};
	bool complete;

	do
	{
		(void) pthread_mutex_lock(&store->lock);
		complete = collect_of_space(device, space, flat, &place, list);
		(void) pthread_mutex_unlock(&store->lock);
	} while (!place.is_end && complete);
	return complete;
}

void
wa_column_list_release(WaColumnList *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		wa_column_release(list->columns[i]);
	free(list->columns);
}

/* Gives up the copies of an extent; returns the bytes that they had. */
static uint64_t
drop_extent(WaMirrorDevice *device, const WaExtent *extent)
{
	uint64_t bytes = 0;

	(void) pthread_rwlock_wrlock(&device->mirror->lock);
	for (uint32_t i = 0; i < extent->room; i++)
		if (extent->columns[i] != NULL)
		{
			bytes += extent->columns[i]->copy.bytes;
			wa_mirror_drop_column(extent->columns[i]);
		}
	wa_mirror_drop_layout(extent->layout);
	(void) pthread_rwlock_unlock(&device->mirror->lock);
	return bytes;
}

/*
 * Tells whether columns of an extent have copies that stay, by the rule of
 * store_evict.h.
 */
static bool
is_kept(const WaMirrorDevice *device, const WaExtent *extent, int64_t now_ns)
{
	for (uint32_t i = 0; i < extent->room; i++)
		if (extent->columns[i] != NULL && extent->columns[i]->copy.bytes > 0 &&
			wa_evict_keep(device->mirror->store, extent->relation, i, now_ns) >
				device->evicts)
			return true;
	return false;
}

/*
 * Tells whether an extent's copies may go.  Who uses them has a reference to the
 * layout, and nobody gets one while the caller has the store's lock.
 */
static bool
may_drop(const WaMirrorDevice *device, const WaExtent *extent, int64_t now_ns)
{
	if (extent->device != device->ordinal || extent->layout->run == NULL ||
		(device->loading != NULL &&
		 memcmp(&extent->relation->name, device->loading, sizeof(WaRelation)) ==
			 0) ||
		extent->layout->run->space == device->widening ||
		is_kept(device, extent, now_ns))
		return false;
	wa_kept_drop(extent->relation);
	return !wa_layout_is_in_use(extent->layout);
}

bool
wa_mirror_evict(WaMirrorDevice *device, uint64_t bytes)
{
	WaStore *store = device->mirror->store;
	const int64_t now_ns = wa_clock_ns();
	uint64_t dropped = 0;

	(void) pthread_mutex_lock(&store->lock);
	wa_map_order_by_use(store);
	for (WaExtent *extent = store->oldest; extent != NULL && dropped < bytes;
		 extent = extent->newer)
		if (may_drop(device, extent, now_ns))
			dropped += drop_extent(device, extent);
	(void) pthread_mutex_unlock(&store->lock);
	return dropped > 0;
}

/* Tells whether an extent has rows, and a column that might get a copy. */
static bool
is_incomplete(const WaExtent *extent)
{
	for (uint32_t i = 0; extent->layout->nrows > 0 && i < extent->room; i++)
		if (lacks_copy(extent->columns[i]))
			return true;
	return false;
}

/* Finds such extents, those used last first; returns how many. */
static uint32_t
find_incomplete(const WaMirrorDevice *device, WaMirrorKey keys[LOOKS_PER_LOCK])
{
	WaStore *store = device->mirror->store;
	uint32_t count = 0;

	(void) pthread_mutex_lock(&store->lock);
	wa_map_order_by_use(store);
	for (const WaExtent *extent = store->newest;
		 extent != NULL && count < LOOKS_PER_LOCK; extent = extent->older)
		if (extent->device == device->ordinal && is_incomplete(extent))
			keys[count++] =
				(WaMirrorKey){extent->relation->name, extent->number};
	(void) pthread_mutex_unlock(&store->lock);
	return count;
}

bool
wa_mirror_sweep(WaMirrorDevice *device)
{
	WaMirrorKey keys[LOOKS_PER_LOCK];
	uint32_t count;

	while ((count = find_incomplete(device, keys)) > 0)
		for (uint32_t i = 0; i < count; i++)
		{
			wa_mirror_serve(device);
			if (!wa_mirror_load(device, &keys[i]))
				return false;
		}
	return true;
}
