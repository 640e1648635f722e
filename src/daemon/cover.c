/*
 * cover.c
 *		What of a relation a query may use: making and keeping it; see cover.h.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/clock.h"
#include "daemon/cover.h"
#include "daemon/store_map.h"

/* Extents that are taken under the store's lock at a time. */
#define SLICE 16

/* Ranges of an extent are separated by blocks that are not used. */
#define MAX_RANGES (WA_EXTENT_BLOCKS / 2)

/* Extents of a cover that is used again are marked as used after this long. */
#define TOUCH_NS INT64_C(1000000000)

/* Copies pages of the map, as far as they are set. */
static void
copy_maps(WaMapPage *to, const WaMapPage *from, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
	{
		to[i].lsn = from[i].lsn;
		to[i].is_whole = from[i].is_whole;
		if (to[i].is_whole == 0)
			memcpy(to[i].visible, from[i].visible, sizeof(to[i].visible));
	}
}

/* Tells whether pages of the map are the same. */
static bool
are_same_maps(const WaMapPage *maps, const WaMapPage *others, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (maps[i].lsn != others[i].lsn ||
			maps[i].is_whole != others[i].is_whole ||
			(maps[i].is_whole == 0 && memcmp(maps[i].visible, others[i].visible,
											 sizeof(maps[i].visible)) != 0))
			return false;
	return true;
}

/* Makes an empty cover, whose maps are those of the use from now on, or NULL. */
static WaCover *
begin_cover(WaUse *use, const WaColumnName *names, const WaMapPage *maps)
{
	const uint32_t ncolumns = use->pins.ncolumns;
	const size_t maps_bytes = use->nmaps * sizeof(*maps);
	WaCover *cover = calloc(1, sizeof(*cover));

	if (cover == NULL)
		return NULL;
	cover->references = 1;
	wa_placements_init(&cover->placements);
	cover->names = malloc((ncolumns + (size_t) 1) * sizeof(*names));
	cover->maps = malloc(maps_bytes + 1);
	if (cover->names == NULL || cover->maps == NULL)
	{
		wa_cover_release(cover);
		return NULL;
	}
	cover->ncolumns = ncolumns;
	cover->nblocks = use->nblocks;
	cover->nmaps = use->nmaps;
	memcpy(cover->names, names, ncolumns * sizeof(*names));
	copy_maps(cover->maps, maps, use->nmaps);
	use->maps = cover->maps;
	return cover;
}

/* Makes sure that there is room for a slice more of extents and their columns. */
static bool
have_extents_room(WaCover *cover)
{
	const uint64_t room = 2 * cover->room + SLICE;
	WaCoverExtent *extents;
	WaColumn **columns;

	if (cover->count + SLICE <= cover->room)
		return true;
	columns = realloc(cover->columns,
					  room * (cover->ncolumns + (size_t) 1) * sizeof(*columns));
	if (columns == NULL)
		return false;
	cover->columns = columns;
	extents = realloc(cover->extents, room * sizeof(*extents));
	if (extents == NULL)
		return false;
	cover->extents = extents;
	cover->room = room;
	return true;
}

/* Makes sure that there is room for the ranges of an extent. */
static bool
have_ranges_room(WaCover *cover)
{
	const uint64_t room = 2 * cover->ranges_room + MAX_RANGES;
	WaRowRange *ranges;

	if (cover->nranges + MAX_RANGES <= cover->ranges_room)
		return true;
	ranges = realloc(cover->ranges, room * sizeof(*ranges));
	if (ranges == NULL)
		return false;
	cover->ranges = ranges;
	cover->ranges_room = room;
	return true;
}

/*
 * Adds the rows of the usable blocks as ranges.  Blocks that follow each other, or
 * have none but empty ones between them, share one.
 */
static uint32_t
add_ranges(WaCover *cover, const WaUsedExtent *used)
{
	const WaShape *shape = used->shape;
	WaRowRange *ranges = &cover->ranges[cover->nranges];
	uint32_t count = 0;
	uint32_t begin = 0;

	if (used->all_rows && shape->nrows > 0)
	{
		ranges[0] = (WaRowRange){0, shape->nrows};
		return 1;
	}
	for (uint32_t i = 0; i < shape->nblocks; i++)
	{
		const uint32_t end = shape->row_end[i];

		if (end > begin && (used->usable[i / 64] >> i % 64 & 1) != 0)
		{
			if (count > 0 && ranges[count - 1].end == begin)
				ranges[count - 1].end = end;
			else
				ranges[count++] = (WaRowRange){begin, end};
		}
		begin = end;
	}
	return count;
}

/* Adds a used extent, whose references the cover takes over in any case. */
static bool
add_extent(WaCover *cover, const WaUsedExtent *used)
{
	WaCoverExtent *extent = &cover->extents[cover->count];

	memset(extent, 0, sizeof(*extent));
	memcpy(&cover->columns[cover->count * cover->ncolumns], used->columns,
		   cover->ncolumns * sizeof(WaColumn *));
	memcpy(extent->usable, used->usable, sizeof(extent->usable));
	extent->shape = used->shape;
	cover->count++;
	if (!have_ranges_room(cover))
		return false;
	extent->extent = (WaRunExtent){
		.number = used->number,
		.device = used->device,
		.nblocks = used->shape->nblocks,
		.nrows = used->shape->nrows,
		.row_end = used->shape->row_end,
		.nranges = add_ranges(cover, used),
	};
	cover->nranges += extent->extent.nranges;
	return true;
}

/* Has all extents point to what is theirs, once the arrays stay where they are. */
static bool
finish_cover(WaCover *cover)
{
	const WaRowRange *ranges = cover->ranges;

	cover->list = malloc((cover->count + 1) * sizeof(WaRunExtent *));
	if (cover->list == NULL)
		return false;
	for (uint64_t i = 0; i < cover->count; i++)
	{
		WaRunExtent *extent = &cover->extents[i].extent;

		extent->ranges = ranges;
		extent->columns =
			(const WaColumn *const *) &cover->columns[i * cover->ncolumns];
		cover->list[i] = extent;
		ranges += extent->nranges;
	}
	for (uint64_t i = 0; i < cover->nranges; i++)
		cover->rows += cover->ranges[i].end - cover->ranges[i].begin;
	return true;
}

/* Collects all extents that a use finds. */
static bool
collect(WaCover *cover, WaStore *store, WaUse *use)
{
	WaUsedExtent used[SLICE];
	bool complete = true;
	uint32_t found;

	do
	{
		if (!have_extents_room(cover))
			return false;
		found = wa_store_use_next(store, use, used, SLICE);
		for (uint32_t i = 0; i < found; i++)
			complete = add_extent(cover, &used[i]) && complete;
	} while (complete && found > 0);
	cover->blocks = use->blocks;
	return complete && finish_cover(cover);
}

/* Tells whether a cover is of the use's columns. */
static bool
has_columns(const WaCover *cover, uint32_t ncolumns, const WaColumnName *names)
{
	return cover->ncolumns == ncolumns &&
		   memcmp(cover->names, names, ncolumns * sizeof(*names)) == 0;
}

/* Returns the place of the relation's cover of such columns, or -1. */
static int
find_place(const WaStoredRelation *relation, uint32_t ncolumns,
		   const WaColumnName *names)
{
	for (int i = 0; i < WA_STORE_COVERS; i++)
		if (relation->covers[i] != NULL &&
			has_columns(relation->covers[i], ncolumns, names))
			return i;
	return -1;
}

/* Returns the place that a cover may take: a free one, or of that used least. */
static int
choose_place(const WaStoredRelation *relation)
{
	int place = 0;

	for (int i = 0; i < WA_STORE_COVERS; i++)
	{
		if (relation->covers[i] == NULL)
			return i;
		if (relation->covers[i]->used_ns < relation->covers[place]->used_ns)
			place = i;
	}
	return place;
}

/* Marks a kept cover, and after a while its extents, as used. */
static void
mark_used(WaStore *store, const WaStoredRelation *relation, WaCover *cover)
{
	const int64_t now = wa_clock_ns();
	uint32_t place = 0;

	cover->used_ns = now;
	if (now - cover->touched_ns < TOUCH_NS)
		return;
	cover->touched_ns = now;
	for (uint64_t i = 0; i < cover->count; i++)
	{
		while (relation->extents[place]->number != cover->list[i]->number)
			place++;
		wa_map_touch(store, relation->extents[place]);
	}
}

/* Returns a reference to the cover that is kept for such queries, or NULL. */
static WaCover *
find_kept(WaStore *store, const WaUse *use, const WaColumnName *names)
{
	const WaStoredRelation *relation = use->pins.relation;
	WaCover *found = NULL;
	int place;

	(void) pthread_mutex_lock(&store->lock);
	place = find_place(relation, use->pins.ncolumns, names);
	if (place >= 0 && relation->covers[place]->changes == relation->changes &&
		relation->covers[place]->nblocks == use->nblocks &&
		relation->covers[place]->nmaps == use->nmaps)
	{
		found = relation->covers[place];
		(void) __atomic_fetch_add(&found->references, 1, __ATOMIC_RELAXED);
		mark_used(store, relation, found);
	}
	(void) pthread_mutex_unlock(&store->lock);
	return found;
}

/* Keeps a cover, unless it is empty or the relation has changed meanwhile. */
static void
keep(WaStore *store, const WaUse *use, WaCover *cover)
{
	WaStoredRelation *relation = use->pins.relation;
	WaCover *old = NULL;

	(void) pthread_mutex_lock(&store->lock);
	if (cover->count > 0 && cover->changes == relation->changes)
	{
		int place = find_place(relation, cover->ncolumns, cover->names);

		if (place < 0)
			place = choose_place(relation);
		old = relation->covers[place];
		relation->covers[place] = cover;
		cover->used_ns = wa_clock_ns();
		cover->touched_ns = cover->used_ns;
		(void) __atomic_fetch_add(&cover->references, 1, __ATOMIC_RELAXED);
	}
	(void) pthread_mutex_unlock(&store->lock);
	wa_cover_release(old);
}

/* Makes a cover and keeps it. */
static WaCover *
make_cover(WaStore *store, WaUse *use, const WaColumnName *names,
		   const WaMapPage *maps)
{
	WaCover *cover = begin_cover(use, names, maps);

	if (cover == NULL)
		return NULL;
	(void) pthread_mutex_lock(&store->lock);
	cover->changes = use->pins.relation->changes;
	(void) pthread_mutex_unlock(&store->lock);
	if (collect(cover, store, use))
	{
		keep(store, use, cover);
		return cover;
	}
	wa_cover_release(cover);
	return NULL;
}

WaCover *
wa_cover_take(WaStore *store, WaUse *use, const WaColumnName *names,
			  const WaMapPage *maps)
{
	WaCover *cover = find_kept(store, use, names);

	if (cover != NULL && !are_same_maps(cover->maps, maps, use->nmaps))
	{
		wa_cover_release(cover);
		cover = NULL;
	}
	if (cover == NULL)
		return make_cover(store, use, names, maps);
	use->blocks = cover->blocks;
	return cover;
}

void
wa_cover_release(WaCover *cover)
{
	if (cover == NULL ||
		__atomic_fetch_sub(&cover->references, 1, __ATOMIC_ACQ_REL) != 1)
		return;
	for (uint64_t i = 0; i < cover->count * cover->ncolumns; i++)
		wa_column_release(cover->columns[i]);
	for (uint64_t i = 0; i < cover->count; i++)
		wa_shape_release(cover->extents[i].shape);
	wa_placements_end(&cover->placements);
	free(cover->ranges);
	free(cover->columns);
	free(cover->list);
	free(cover->extents);
	free(cover->maps);
	free(cover->names);
	free(cover);
}
