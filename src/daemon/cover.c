/*
 * cover.c
 *		What of a relation a query may use: making it of parts; see cover.h.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/cover.h"
#include "daemon/cover_kept.h"

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

/* Makes the parts that are not there yet. */
static bool
make_parts(WaCover *cover, WaStore *store, WaUse *use)
{
	for (uint32_t i = 0; i < cover->nplaces; i++)
	{
		WaCoverPlace *place = &cover->places[i];

		if (place->part == NULL)
			place->part =
				wa_cover_part_make(store, use, place->number, cover->stamp);
		if (place->part == NULL)
			return false;
	}
	return true;
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
		wa_cover_part_release(cover->places[i].part);
	wa_placements_end(&cover->placements);
	free(cover->names);
	free(cover->places);
	free(cover->list);
	free(cover);
}
