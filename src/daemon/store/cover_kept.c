/*
 * cover_kept.c
 *		Keeping covers and their parts; see cover_kept.h.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/store/cover_kept.h"
#include "daemon/store/store_find.h"

/* Parts lie anywhere in memory: so many more are fetched. */
#define PARTS_AHEAD 16

/* Returns the place of what is kept of such columns, or -1. */
static int
find_place(const WaStoredRelation *relation, uint32_t ncolumns,
		   const WaColumnName *names)
{
	for (int i = 0; i < WA_STORE_COVERS; i++)
	{
		const WaKeptCover *kept = &relation->kept[i];

		if (kept->names != NULL && kept->ncolumns == ncolumns &&
			memcmp(kept->names, names, ncolumns * sizeof(*names)) == 0)
			return i;
	}
	return -1;
}

/* Collects a cover as garbage; NULL is nothing. */
static void
collect_cover(WaCover *cover, WaGarbage *garbage)
{
	if (cover == NULL)
		return;
	cover->next = garbage->covers;
	garbage->covers = cover;
}

/* Collects a part as garbage; NULL is nothing. */
static void
collect_part(WaCoverPart *part, WaGarbage *garbage)
{
	if (part == NULL)
		return;
	part->next = garbage->parts;
	garbage->parts = part;
}

/* Empties a place. */
static void
empty_place(WaStoredRelation *relation, int place, WaGarbage *garbage)
{
	WaKeptCover *kept = &relation->kept[place];

	if (kept->names == NULL)
		return;
	collect_cover(kept->cover, garbage);
	for (uint32_t i = 0; i < relation->nparts; i++)
		collect_part(kept->parts[i].part, garbage);
	wa_placement_cache_release(kept->placements);
	free(kept->parts);
	free(kept->names);
	*kept = (WaKeptCover){0};
}

/* Returns the place of what is used least, or one that is free. */
static int
least_used(const WaStoredRelation *relation)
{
	int place = 0;

	for (int i = 0; i < WA_STORE_COVERS; i++)
	{
		if (relation->kept[i].names == NULL)
			return i;
		if (relation->kept[i].used_ns < relation->kept[place].used_ns)
			place = i;
	}
	return place;
}

/* Makes a place for what is kept of a cover's columns; -1: there is no memory. */
static int
make_place(WaStoredRelation *relation, const WaCoverMaking *making)
{
	const uint32_t ncolumns = making->use->pins.ncolumns;
	const size_t bytes = ncolumns * sizeof(*making->names);
	const int place = least_used(relation);
	WaCoverPlace *parts = calloc(relation->parts_room + 1, sizeof(*parts));
	WaColumnName *names = malloc(bytes + 1);

	if (parts == NULL || names == NULL)
	{
		free(parts);
		free(names);
		return -1;
	}
	memcpy(names, making->names, bytes);
	empty_place(relation, place, &making->use->garbage);
	relation->kept[place] =
		(WaKeptCover){.ncolumns = ncolumns,
					  .names = names,
					  .parts = parts,
					  .placements = wa_placement_cache_retain(
						  making->cover->placements.cache)};
	return place;
}

/* Tells whether two snapshots are the same. */
static bool
are_same_snapshots(const WaSnapshot *snapshot, const WaSnapshot *other)
{
	return snapshot->xmin == other->xmin && snapshot->xmax == other->xmax &&
		   snapshot->nxids == other->nxids &&
		   memcmp(snapshot->xids, other->xids,
				  snapshot->nxids * sizeof(snapshot->xids[0])) == 0;
}

/* Tells whether deciders have ended for the snapshot of a use. */
static bool
are_settled(const WaUse *use, const WaDeciders *deciders)
{
	return wa_snapshot_settles(use->snapshot, deciders->settled,
							   deciders->first_xid, deciders->last_xid);
}

/* Tells whether those of all of a cover have, by those of its parts if need be. */
static bool
is_settled(const WaUse *use, const WaCover *cover)
{
	if (are_settled(use, &cover->deciders))
		return true;
	for (uint32_t i = 0; i < cover->nplaces; i++)
		if (!are_settled(use, &cover->places[i].deciders))
			return false;
	return true;
}

/* Tells whether nothing has changed, nor gone, since a cover was made. */
static bool
is_current(const WaCover *cover, const WaStoredRelation *relation)
{
	return cover->stamp == relation->stamp && !cover->has_lost;
}

/*
 * Tells whether a cover is what a use would find: nothing has changed since it was made,
 * and the use's snapshot finds the same blocks settled.
 */
static bool
is_right_for(const WaCover *cover, const WaStore *store, const WaUse *use)
{
	if (!is_current(cover, use->pins.relation) ||
		cover->nblocks != use->nblocks || use->position > store->known.position)
		return false;
	return (!cover->has_left && is_settled(use, cover)) ||
		   are_same_snapshots(&cover->snapshot, use->snapshot);
}

/* Notes that a query uses what is kept. */
static void
note_use(WaKeptCover *kept, const WaUse *use)
{
	if (!use->is_ahead)
		kept->used_ns = wa_clock_ns();
}

WaCover *
wa_kept_take(WaStore *store, const WaUse *use, const WaColumnName *names)
{
	WaStoredRelation *relation = use->pins.relation;
	WaCover *found = NULL;
	int place;

	(void) pthread_mutex_lock(&store->lock);
	place = find_place(relation, use->pins.ncolumns, names);
	if (place >= 0 && relation->kept[place].cover != NULL &&
		is_right_for(relation->kept[place].cover, store, use))
	{
		found = relation->kept[place].cover;
		(void) __atomic_fetch_add(&found->references, 1, __ATOMIC_RELAXED);
		note_use(&relation->kept[place], use);
	}
	(void) pthread_mutex_unlock(&store->lock);
	return found;
}

/* Tells whether a part that is kept is what a use would find of an extent. */
static bool
is_right_part(const WaCoverPlace *kept, const WaExtentPart *part,
			  const WaUse *use)
{
	return kept->part != NULL && kept->stamp >= part->stamp &&
		   kept->end_block == wa_cover_part_end(part->number, use->nblocks) &&
		   are_settled(use, &kept->deciders);
}

/* Returns a cover that is kept, if nobody uses it; it is the caller's then. */
static WaCover *
take_unused(WaKeptCover *kept)
{
	WaCover *cover = kept->cover;

	/* Others get references with the store's lock only, which the caller has. */
	if (cover == NULL ||
		__atomic_load_n(&cover->references, __ATOMIC_ACQUIRE) != 1)
		return NULL;
	kept->cover = NULL;
	return cover;
}

/* Makes a cover without parts, which shares what is kept of others, or returns NULL. */
static WaCover *
make_empty(const WaStoredRelation *relation, const WaKeptCover *kept)
{
	WaCover *cover = calloc(1, sizeof(*cover));

	if (cover == NULL)
		return NULL;
	cover->references = 1;
	cover->placements.cache = kept == NULL
								  ? wa_placement_cache_make()
								  : wa_placement_cache_retain(kept->placements);
	if (cover->placements.cache != NULL &&
		wa_cover_extend(cover, relation->nparts))
		return cover;
	wa_cover_release(cover);
	return NULL;
}

/*
 * Takes the part that is kept for a place, if it is what the use would find, or notes that
 * it is missing.
 */
static void
take_part(WaCoverMaking *making, const WaKeptCover *kept, uint32_t i)
{
	const WaExtentPart *part = &making->use->pins.relation->parts[i];
	WaCoverPlace *place = &making->cover->places[i];

	if (kept != NULL && is_right_part(&kept->parts[i], part, making->use))
	{
		*place = kept->parts[i];
		wa_cover_part_retain(place->part);
		return;
	}
	*place = (WaCoverPlace){.number = part->number};
	making->missing[making->nmissing++] = i;
}

/* Takes all parts for a cover that has none yet. */
static void
take_parts(WaCoverMaking *making, const WaKeptCover *kept)
{
	const uint32_t nparts = making->cover->nplaces;

	for (uint32_t i = 0; i < nparts; i++)
	{
		if (kept != NULL && i + PARTS_AHEAD < nparts)
			__builtin_prefetch(kept->parts[i + PARTS_AHEAD].part, 1);
		take_part(making, kept, i);
	}
}

/*
 * Gives up a reference that a cover has to a part.  Only the last one is collected: the
 * part may be among others' garbage.
 */
static void
give_part_up(WaCoverPart *part, WaGarbage *garbage)
{
	if (part != NULL &&
		__atomic_load_n(&part->references, __ATOMIC_ACQUIRE) == 1)
		collect_part(part, garbage);
	else
		wa_cover_part_release(part);
}

/* Takes a place of a cover out of the sums, and its part from it. */
static void
leave_place(WaCover *cover, WaCoverPlace *place, WaGarbage *garbage)
{
	cover->count -= place->count;
	cover->rows -= place->rows;
	cover->blocks -= place->blocks;
	give_part_up(place->part, garbage);
}

/* Returns the cover before, if it may become the one of a use, which has it then. */
static WaCover *
take_before(WaKeptCover *kept, WaUse *use)
{
	const WaStoredRelation *relation = use->pins.relation;
	WaCover *cover = take_unused(kept);

	if (cover == NULL || (cover->moves == relation->moves &&
						  wa_cover_extend(cover, relation->nparts)))
		return cover;
	collect_cover(cover, &use->garbage);
	return NULL;
}

/*
 * Tells whether deciders have ended that all places of a cover have, or more; if not, has
 * the cover have no more of them than its places.
 */
static bool
are_all_settled(const WaUse *use, WaCover *cover)
{
	if (are_settled(use, &cover->deciders))
		return true;
	cover->deciders = (WaDeciders){0};
	for (uint32_t i = 0; i < cover->nplaces; i++)
		wa_deciders_add(&cover->deciders, &cover->places[i].deciders);
	return are_settled(use, &cover->deciders);
}

/*
 * Finds the places of a cover that may not be right for another use.  All others are: none
 * of their extents has changed since the cover was begun, as the stamps of parts say; they
 * have as many of the relation's blocks as before; they have left nothing out; and all
 * that decides about them has ended for the use.  Places that were added have no parts.
 */
static void
find_changed(WaCoverMaking *making, const WaKeptCover *kept)
{
	const WaUse *use = making->use;
	const WaStoredRelation *relation = use->pins.relation;
	WaCover *cover = making->cover;
	const bool all_settled = are_all_settled(use, cover);

	for (uint32_t i = 0; i < cover->nplaces; i++)
	{
		const WaCoverPlace *place = &cover->places[i];

		if (place->part != NULL && relation->parts[i].stamp <= cover->stamp &&
			(cover->nblocks == use->nblocks ||
			 place->end_block ==
				 wa_cover_part_end(place->number, use->nblocks)) &&
			!(cover->has_left && place->has_left) &&
			(all_settled || are_settled(use, &place->deciders)))
			continue;
		making->changed[making->nchanged++] = i;
		__builtin_prefetch(place, 1);
		__builtin_prefetch(&kept->parts[i]);
	}
}

/*
 * Has a cover that nobody else uses become what another use finds, but for its sums and
 * lists.
 */
static void
update(WaCoverMaking *making, const WaKeptCover *kept)
{
	WaCover *cover = making->cover;

	find_changed(making, kept);
	cover->has_left = false;
	for (uint32_t i = 0; i < making->nchanged; i++)
	{
		__builtin_prefetch(cover->places[making->changed[i]].part, 1);
		__builtin_prefetch(kept->parts[making->changed[i]].part, 1);
	}
	for (uint32_t i = 0; i < making->nchanged; i++)
	{
		const uint32_t place = making->changed[i];

		leave_place(cover, &cover->places[place], &making->use->garbage);
		take_part(making, kept, place);
	}
}

/* Finds the parts of a cover: in that before, which becomes it, or of a new one. */
static bool
find_parts(WaCoverMaking *making, WaKeptCover *kept)
{
	WaUse *use = making->use;

	if (use->position > making->store->known.position)
		making->cover = make_empty(use->pins.relation, kept);
	else if (kept != NULL && (making->cover = take_before(kept, use)) != NULL)
	{
		making->is_next = true;
		update(making, kept);
	}
	else if ((making->cover = make_empty(use->pins.relation, kept)) != NULL)
		take_parts(making, kept);
	return making->cover != NULL;
}

/* Does it with the lock. */
static bool
begin_cover(WaCoverMaking *making)
{
	const WaUse *use = making->use;
	WaStoredRelation *relation = use->pins.relation;
	const int place = find_place(relation, use->pins.ncolumns, making->names);
	const size_t room = relation->nparts + (size_t) 1;
	WaCover *cover;

	making->changed = malloc(room * sizeof(*making->changed));
	making->missing = malloc(room * sizeof(*making->missing));
	if (making->changed == NULL || making->missing == NULL ||
		!find_parts(making, place < 0 ? NULL : &relation->kept[place]))
		return false;
	cover = making->cover;
	cover->stamp = relation->stamp;
	cover->moves = relation->moves;
	cover->has_lost = false;
	cover->nblocks = use->nblocks;
	cover->snapshot = *use->snapshot;
	cover->placements.id = ++making->store->ids;
	return true;
}

bool
wa_kept_begin(WaCoverMaking *making)
{
	bool begun;

	(void) pthread_mutex_lock(&making->store->lock);
	begun = begin_cover(making);
	(void) pthread_mutex_unlock(&making->store->lock);
	return begun;
}

/* Keeps a part at a place, unless its extents have changed meanwhile. */
static void
put_part(WaStoredRelation *relation, int place, const WaCoverPlace *made,
		 WaGarbage *garbage)
{
	const WaExtentPart *of = wa_map_find_part(relation, made->number);
	WaCoverPlace *kept;

	if (of == NULL || made->stamp < of->stamp || made->has_left)
		return;
	kept = &relation->kept[place].parts[of - relation->parts];
	collect_part(kept->part, garbage);
	wa_cover_part_retain(made->part);
	*kept = *made;
}

/* Keeps the cover, if it has something, and the parts that were missing, at a place. */
static void
put_at(WaStoredRelation *relation, int place, const WaCoverMaking *making)
{
	WaKeptCover *kept = &relation->kept[place];
	WaCover *cover = making->cover;
	WaGarbage *garbage = &making->use->garbage;

	for (uint32_t i = 0; i < making->nmissing; i++)
		put_part(relation, place, &cover->places[making->missing[i]], garbage);
	/* If something has been lost meanwhile, it would keep that. */
	if (cover->count > 0 && cover->stamp >= relation->lost)
	{
		collect_cover(kept->cover, garbage);
		(void) __atomic_fetch_add(&cover->references, 1, __ATOMIC_RELAXED);
		kept->cover = cover;
	}
	kept->nblocks = making->use->nblocks;
	note_use(kept, making->use);
}

bool
wa_kept_put(const WaCoverMaking *making)
{
	WaStoredRelation *relation = making->use->pins.relation;
	int place;

	(void) pthread_mutex_lock(&making->store->lock);
	place = find_place(relation, making->use->pins.ncolumns, making->names);
	if (place < 0 && making->cover->count > 0)
		place = make_place(relation, making);
	if (place >= 0)
		put_at(relation, place, making);
	(void) pthread_mutex_unlock(&making->store->lock);
	return place >= 0 || making->cover->count == 0;
}

bool
wa_kept_is_current(const WaStoredRelation *relation, int place)
{
	const WaCover *cover = relation->kept[place].cover;

	return cover != NULL && is_current(cover, relation);
}

/*
 * Has a cover that is kept give up the part at a place of the relation.  If nobody uses
 * the cover it stays, without the part, for the next one: which takes another part for the
 * place, as a change of it has been noted (find_changed).
 */
static void
leave_part_out(WaKeptCover *kept, const WaStoredRelation *relation,
			   uint32_t place, WaGarbage *garbage)
{
	WaCover *cover = take_unused(kept);

	if (cover == NULL || cover->moves != relation->moves)
	{
		collect_cover(cover == NULL ? kept->cover : cover, garbage);
		kept->cover = NULL;
		return;
	}
	kept->cover = cover;
	if (place >= cover->nplaces)
		return;
	cover->has_lost = true;
	give_part_up(cover->places[place].part, garbage);
	cover->places[place].part = NULL;
}

void
wa_kept_give_up(const WaExtent *extent, WaGarbage *garbage)
{
	WaStoredRelation *relation = extent->relation;
	const WaExtentPart *part = wa_map_find_part(relation, extent->number);
	const uint32_t place = (uint32_t) (part - relation->parts);

	relation->lost = relation->stamp;
	for (int i = 0; i < WA_STORE_COVERS; i++)
	{
		WaKeptCover *kept = &relation->kept[i];

		if (kept->names == NULL)
			continue;
		leave_part_out(kept, relation, place, garbage);
		collect_part(kept->parts[place].part, garbage);
		kept->parts[place] = (WaCoverPlace){0};
	}
}

/* Gives up the parts at a place that no query uses. */
static void
drop_parts(const WaStoredRelation *relation, WaKeptCover *kept)
{
	for (uint32_t i = 0; i < relation->nparts; i++)
	{
		WaCoverPart *part = kept->parts[i].part;

		if (part == NULL ||
			__atomic_load_n(&part->references, __ATOMIC_ACQUIRE) != 1)
			continue;
		kept->parts[i] = (WaCoverPlace){0};
		wa_cover_part_release(part);
	}
}

void
wa_kept_drop(WaStoredRelation *relation)
{
	for (int i = 0; i < WA_STORE_COVERS; i++)
	{
		WaKeptCover *kept = &relation->kept[i];

		if (kept->names == NULL)
			continue;
		wa_cover_release(take_unused(kept));
		drop_parts(relation, kept);
	}
}
