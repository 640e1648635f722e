/*
 * cover.c
 *		What of a relation a query may use: making it of parts; see cover.h.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/cover.h"
#include "daemon/cover_kept.h"

/* Parts lie anywhere in memory: so many more are fetched. */
#define PARTS_AHEAD 16

/* Makes an empty cover, or returns NULL. */
static WaCover *
begin_cover(const WaUse *use, const WaColumnName *names)
{
	const size_t bytes = use->pins.ncolumns * sizeof(*names);
	WaCover *cover = calloc(1, sizeof(*cover));

	if (cover == NULL)
		return NULL;
	cover->references = 1;
	wa_placements_init(&cover->placements);
	cover->names = malloc(bytes + 1);
	if (cover->names == NULL)
	{
		wa_cover_release(cover);
		return NULL;
	}
	memcpy(cover->names, names, bytes);
	cover->ncolumns = use->pins.ncolumns;
	cover->nblocks = use->nblocks;
	cover->snapshot = *use->snapshot;
	return cover;
}

/* Makes some of the parts that are not there yet, from a place on; returns the next one. */
static bool
make_some(WaCover *cover, const WaStore *store, WaUse *use, uint32_t *next)
{
	WaCoverPlace *places[WA_PARTS_AT_ONCE];
	uint32_t count = 0;

	for (; *next < cover->nplaces && count < WA_PARTS_AT_ONCE; (*next)++)
		if (cover->places[*next].part == NULL)
			places[count++] = &cover->places[*next];
	return wa_cover_parts_make(store, use, places, count);
}

/* Makes the parts that are not there yet. */
static bool
make_parts(WaCover *cover, WaStore *store, WaUse *use)
{
	bool made = true;

	for (uint32_t next = 0; next < cover->nplaces && made;)
	{
		(void) pthread_mutex_lock(&store->lock);
		made = make_some(cover, store, use, &next);
		(void) pthread_mutex_unlock(&store->lock);
	}
	return made;
}

/* Sums up the parts, and lists their extents. */
static bool
finish_cover(WaCover *cover)
{
	uint64_t next = 0;

	for (uint32_t i = 0; i < cover->nplaces; i++)
	{
		const WaCoverPart *part = cover->places[i].part;

		cover->count += part->count;
		cover->rows += part->rows;
		cover->blocks += part->blocks;
		cover->has_left |= part->has_left;
		wa_deciders_add(&cover->deciders, &part->deciders);
	}
	cover->list = malloc((cover->count + 1) * sizeof(WaRunExtent *));
	if (cover->list == NULL)
		return false;
	for (uint32_t i = 0; i < cover->nplaces; i++)
	{
		const WaCoverPart *part = cover->places[i].part;

		for (uint32_t j = 0; j < part->count; j++)
			cover->list[next++] = &part->extents[j].extent;
	}
	return true;
}

/* Makes a cover and keeps it. */
static WaCover *
make_cover(WaStore *store, WaUse *use, const WaColumnName *names)
{
	WaCover *cover = begin_cover(use, names);

	if (cover == NULL)
		return NULL;
	if (wa_kept_find_parts(store, use, cover) &&
		make_parts(cover, store, use) && finish_cover(cover))
	{
		wa_kept_put(store, use, cover);
		return cover;
	}
	wa_cover_release(cover);
	return NULL;
}

WaCover *
wa_cover_take(WaStore *store, WaUse *use, const WaColumnName *names)
{
	WaCover *cover = wa_kept_take(store, use, names);

	if (cover == NULL)
		cover = make_cover(store, use, names);
	use->blocks = cover == NULL ? 0 : cover->blocks;
	return cover;
}

void
wa_cover_release(WaCover *cover)
{
	if (cover == NULL ||
		__atomic_fetch_sub(&cover->references, 1, __ATOMIC_ACQ_REL) != 1)
		return;
	for (uint32_t i = 0; i < cover->nplaces; i++)
	{
		if (i + PARTS_AHEAD < cover->nplaces)
			__builtin_prefetch(cover->places[i + PARTS_AHEAD].part, 1);
		wa_cover_part_release(cover->places[i].part);
	}
	wa_placements_end(&cover->placements);
	free(cover->names);
	free(cover->places);
	free(cover->list);
	free(cover);
}
