/*
 * cover_take.c
 *		Making covers of parts; see cover_take.h.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/store/cover_kept.h"
#include "daemon/store/cover_take.h"

/* Makes the parts that are not there yet. */
static bool
make_parts(const WaCoverMaking *making)
{
	WaStore *store = making->store;
	bool made = true;

	for (uint32_t next = 0; next < making->nmissing && made;)
	{
		WaCoverPlace *places[WA_PARTS_AT_ONCE];
		uint32_t count = 0;

		while (next < making->nmissing && count < WA_PARTS_AT_ONCE)
			places[count++] = &making->cover->places[making->missing[next++]];
		(void) pthread_mutex_lock(&store->lock);
		made = wa_cover_parts_make(store, making->use, places, count);
		(void) pthread_mutex_unlock(&store->lock);
	}
	return made;
}

/* Adds the part of a place to the sums. */
static void
add_place(WaCover *cover, const WaCoverPlace *place)
{
	cover->count += place->count;
	cover->rows += place->rows;
	cover->blocks += place->blocks;
	cover->has_left |= place->has_left;
	wa_deciders_add(&cover->deciders, &place->deciders);
}

/* Notes which blocks of a place are usable, in one of its extents. */
static void
note_usable(WaCover *cover, uint32_t i)
{
	const WaCoverPlace *place = &cover->places[i];
	uint64_t *usable = cover->usable[i];

	memset(usable, 0, sizeof(cover->usable[i]));
	for (uint32_t j = 0; j < place->count; j++)
		for (int k = 0; k < WA_EXTENT_WORDS; k++)
			usable[k] |= place->part->extents[j].usable[k];
}

/*
 * Lists the extents of a place, where there are others', or none, in the list; of parts
 * only addresses are looked at.
 */
static void
list_place(WaCover *cover, uint32_t i)
{
	const WaCoverPlace *place = &cover->places[i];
	const uint32_t begin = cover->starts[i];
	const uint32_t end = begin + place->count;
	const uint32_t old_end = cover->starts[i + 1];
	const uint32_t behind = cover->starts[cover->nplaces] - old_end;

	if (end != old_end)
	{
		memmove(&cover->list[end], &cover->list[old_end],
				behind * sizeof(*cover->list));
		memmove(&cover->ids[end], &cover->ids[old_end],
				behind * sizeof(*cover->ids));
		for (uint32_t j = i + 1; j <= cover->nplaces; j++)
			cover->starts[j] += end - old_end;
	}
	for (uint32_t j = 0; j < place->count; j++)
	{
		cover->list[begin + j] = &place->part->extents[j].extent;
		cover->ids[begin + j] =
			(WaExtentId){2 * place->id + j, 2 * place->number + j};
	}
}

/* Sums up the parts of a new cover, and lists their extents. */
static void
finish_new(WaCover *cover)
{
	for (uint32_t i = 0; i < cover->nplaces; i++)
	{
		add_place(cover, &cover->places[i]);
		cover->starts[i + 1] = cover->starts[i] + cover->places[i].count;
	}
	for (uint32_t i = 0; i < cover->nplaces; i++)
	{
		list_place(cover, i);
		note_usable(cover, i);
	}
}

/* Does so with the places that have changed of one that was another one. */
static void
finish_next(const WaCoverMaking *making)
{
	WaCover *cover = making->cover;

	for (uint32_t i = 0; i < making->nchanged; i++)
	{
		const WaCoverPlace *place = &cover->places[making->changed[i]];

		for (uint32_t j = 0; j < place->count; j++)
			__builtin_prefetch(place->part->extents[j].usable);
	}
	for (uint32_t i = 0; i < making->nchanged; i++)
	{
		add_place(cover, &cover->places[making->changed[i]]);
		list_place(cover, making->changed[i]);
		note_usable(cover, making->changed[i]);
	}
}

/* Sums up the parts, and lists their extents. */
static void
finish_cover(const WaCoverMaking *making)
{
	if (making->is_next)
		finish_next(making);
	else
		finish_new(making->cover);
}

/* Makes a cover and keeps it. */
static WaCover *
make_cover(WaStore *store, WaUse *use, const WaColumnName *names)
{
	WaCoverMaking making = {.store = store, .use = use, .names = names};

	bool is_made = wa_kept_begin(&making) && make_parts(&making);

	if (is_made)
	{
		finish_cover(&making);
		is_made = wa_kept_put(&making);
	}
	if (!is_made)
	{
		wa_cover_release(making.cover);
		making.cover = NULL;
	}
	free(making.changed);
	free(making.missing);
	return making.cover;
}

WaCover *
wa_cover_take(WaStore *store, WaUse *use, const WaColumnName *names)
{
	WaCover *cover;

	(void) __atomic_fetch_add(&store->takers, 1, __ATOMIC_RELAXED);
	cover = wa_kept_take(store, use, names);
	if (cover == NULL)
		cover = make_cover(store, use, names);
	(void) __atomic_fetch_sub(&store->takers, 1, __ATOMIC_RELAXED);
	use->blocks = cover == NULL ? 0 : cover->blocks;
	return cover;
}
