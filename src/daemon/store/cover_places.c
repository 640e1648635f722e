/*
 * cover_places.c
 *		Room for what is kept of parts of a relation; see cover_kept.h.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/store/cover_kept.h"

bool
wa_kept_make_room(WaStoredRelation *relation, uint32_t room)
{
	for (int i = 0; i < WA_STORE_COVERS; i++)
	{
		WaKeptCover *kept = &relation->kept[i];
		WaCoverPlace *parts;

		if (kept->names == NULL)
			continue;
		parts = realloc(kept->parts, room * sizeof(*parts));
		if (parts == NULL)
			return false;
		kept->parts = parts;
	}
	return true;
}

void
wa_kept_insert(WaStoredRelation *relation, uint32_t place)
{
	if (place < relation->nparts)
		relation->moves++;
	for (int i = 0; i < WA_STORE_COVERS; i++)
	{
		WaCoverPlace *parts = relation->kept[i].parts;

		if (parts == NULL)
			continue;
		memmove(&parts[place + 1], &parts[place],
				(relation->nparts - place) * sizeof(*parts));
		parts[place] = (WaCoverPlace){0};
	}
}

void
wa_kept_remove(WaStoredRelation *relation, uint32_t place)
{
	relation->moves++;
	for (int i = 0; i < WA_STORE_COVERS; i++)
	{
		WaCoverPlace *parts = relation->kept[i].parts;

		if (parts != NULL)
			memmove(&parts[place], &parts[place + 1],
					(relation->nparts - place - 1) * sizeof(*parts));
	}
}

void
wa_kept_end(WaStoredRelation *relation)
{
	for (int i = 0; i < WA_STORE_COVERS; i++)
	{
		/* It has lost all its parts by now. */
		wa_cover_release(relation->kept[i].cover);
		wa_placement_cache_release(relation->kept[i].placements);
		free(relation->kept[i].parts);
		free(relation->kept[i].names);
	}
}
