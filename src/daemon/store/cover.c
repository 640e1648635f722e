/*
 * cover.c
 *		The memory of covers; see cover.h.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/store/cover.h"

/* Parts lie anywhere in memory: so many more are fetched. */
#define PARTS_AHEAD 16

/* A cover has room for this part more of places than it has. */
#define ROOM_PART 8

/* Makes room for so many bytes where an array is; false: no memory. */
static bool
resize(void *array, size_t bytes)
{
	void **place = array;
	void *resized = realloc(*place, bytes);

	if (resized == NULL)
		return false;
	*place = resized;
	return true;
}

/* Makes room for so many places. */
static bool
make_room(WaCover *cover, size_t room)
{
	const size_t extents = 2 * room;

	if (!resize(&cover->places, room * sizeof(*cover->places)) ||
		!resize(&cover->list, extents * sizeof(*cover->list)) ||
		!resize(&cover->ids, extents * sizeof(*cover->ids)) ||
		!resize(&cover->starts, (room + 1) * sizeof(*cover->starts)) ||
		!resize(&cover->usable, room * sizeof(*cover->usable)))
		return false;
	cover->room = (uint32_t) room;
	cover->placements.ids = cover->ids;
	return true;
}

bool
wa_cover_extend(WaCover *cover, uint32_t nplaces)
{
	if (nplaces >= cover->room &&
		!make_room(cover, nplaces + nplaces / ROOM_PART + 1))
		return false;
	if (cover->nplaces == 0)
		cover->starts[0] = 0;
	for (; cover->nplaces < nplaces; cover->nplaces++)
	{
		const uint32_t i = cover->nplaces;

		cover->places[i] = (WaCoverPlace){0};
		cover->starts[i + 1] = cover->starts[i];
		memset(cover->usable[i], 0, sizeof(cover->usable[i]));
	}
	return true;
}

void
wa_cover_write_blocks(const WaCover *cover, uint64_t *words)
{
	const uint32_t end = wa_extents_of(cover->nblocks);
	uint32_t next = 0; /* extent */

	for (uint32_t i = 0; i < cover->nplaces && cover->places[i].number < end;
		 i++)
	{
		const uint32_t number = cover->places[i].number;
		uint64_t *to = &words[(size_t) number * WA_EXTENT_WORDS];

		memset(&words[(size_t) next * WA_EXTENT_WORDS], 0,
			   (number - next) * sizeof(cover->usable[i]));
		memcpy(to, cover->usable[i], sizeof(cover->usable[i]));
		next = number + 1;
	}
	memset(&words[(size_t) next * WA_EXTENT_WORDS], 0,
		   (end - next) * sizeof(cover->usable[0]));
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
	wa_placement_cache_release(cover->placements.cache);
	free(cover->places);
	free(cover->list);
	free(cover->ids);
	free(cover->starts);
	free(cover->usable);
	free(cover);
}
