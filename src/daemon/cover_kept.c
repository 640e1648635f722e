/*
 * cover_kept.c
 *		Keeping covers and their parts; see cover_kept.h.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/clock.h"
#include "daemon/cover_kept.h"

/* Parts lie anywhere in memory: so many more are fetched. */
#define PARTS_AHEAD 16

/* Parts are made anew for columns that queries have used within this time. */
#define RENEWED_NS (10 * WA_NS_PER_S)

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

	collect_cover(kept->cover, garbage);
	for (uint32_t i = 0; i < relation->nparts; i++)
	{
		collect_part(relation->parts[i].kept[place], garbage);
		relation->parts[i].kept[place] = NULL;
	}
	free(kept->names);
	*kept = (WaKeptCover){0};
}

/* Makes a place for what is kept of a cover's columns: a free one, or that used least. */
static int
make_place(WaStoredRelation *relation, WaCover *cover, WaGarbage *garbage)
{
	int place = 0;

	for (int i = 0; i < WA_STORE_COVERS; i++)
	{
		if (relation->kept[i].names == NULL)
		{
			place = i;
			break;
		}
		if (relation->kept[i].used_ns < relation->kept[place].used_ns)
			place = i;
	}
	empty_place(relation, place, garbage);
	relation->kept[place] =
		(WaKeptCover){.ncolumns = cover->ncolumns, .names = cover->names};
	cover->names = NULL;
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

/* Tells whether those of all of a cover have, by its parts if need be. */
static bool
is_settled(const WaUse *use, const WaCover *cover)
{
	if (are_settled(use, &cover->deciders))
		return true;
	for (uint32_t i = 0; i < cover->nplaces; i++)
		if (!are_settled(use, &cover->places[i].part->deciders))
			return false;
	return true;
}

/*
 * Tells whether a cover is what a use would find: nothing has changed since it was made,
 * and the use's snapshot finds the same blocks settled.
 */
static bool
is_right_for(const WaCover *cover, const WaStore *store, const WaUse *use)
{
	if (cover->stamp != use->pins.relation->stamp ||
		cover->nblocks != use->nblocks || use->position > store->known.position)
		return false;
	return (!cover->has_left && is_settled(use, cover)) ||
		   are_same_snapshots(&cover->snapshot, use->snapshot);
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
		relation->kept[place].used_ns = wa_clock_ns();
	}
	(void) pthread_mutex_unlock(&store->lock);
	return found;
}

/* Returns the part that is kept at a place, if it is what a use would find, or NULL. */
static WaCoverPart *
find_part(const WaExtentPart *part, int place, const WaUse *use)
{
	WaCoverPart *kept = place < 0 ? NULL : part->kept[place];

	if (kept == NULL || kept->stamp < part->stamp ||
		kept->end_block != wa_cover_part_end(part->number, use->nblocks) ||
		!are_settled(use, &kept->deciders))
		return NULL;
	wa_cover_part_retain(kept);
	return kept;
}

/* Does it with the lock. */
static bool
find_parts(const WaStore *store, const WaUse *use, WaCover *cover)
{
	const WaStoredRelation *relation = use->pins.relation;
	const int place = find_place(relation, cover->ncolumns, cover->names);

	cover->stamp = relation->stamp;
	cover->places =
		malloc((relation->nparts + (size_t) 1) * sizeof(*cover->places));
	if (cover->places == NULL)
		return false;
	if (use->position > store->known.position)
		return true;
	for (uint32_t i = 0; i < relation->nparts; i++)
	{
		const WaExtentPart *part = &relation->parts[i];

		if (place >= 0 && i + PARTS_AHEAD < relation->nparts)
			__builtin_prefetch(part[PARTS_AHEAD].kept[place], 1);
		cover->places[cover->nplaces++] =
			(WaCoverPlace){part->number, find_part(part, place, use)};
	}
	return true;
}

bool
wa_kept_find_parts(WaStore *store, const WaUse *use, WaCover *cover)
{
	bool found;

	(void) pthread_mutex_lock(&store->lock);
	found = find_parts(store, use, cover);
	(void) pthread_mutex_unlock(&store->lock);
	return found;
}

/* Keeps a part at a place, unless its extents have changed meanwhile. */
static void
put_part(WaStoredRelation *relation, int place, WaCoverPart *part,
		 WaGarbage *garbage)
{
	WaExtentPart *own = wa_map_find_part(relation, part->number);

	if (own == NULL || part->stamp < own->stamp || part->has_left ||
		own->kept[place] == part)
		return;
	collect_part(own->kept[place], garbage);
	wa_cover_part_retain(part);
	own->kept[place] = part;
}

void
wa_kept_put(WaStore *store, WaUse *use, WaCover *cover)
{
	WaStoredRelation *relation = use->pins.relation;
	int place;

	(void) pthread_mutex_lock(&store->lock);
	place = find_place(relation, cover->ncolumns, cover->names);
	if (place < 0 && cover->count > 0)
		place = make_place(relation, cover, &use->garbage);
	if (place >= 0)
	{
		WaKeptCover *kept = &relation->kept[place];

		for (uint32_t i = 0; i < cover->nplaces; i++)
			put_part(relation, place, cover->places[i].part, &use->garbage);
		if (cover->count > 0 && cover->stamp == relation->stamp)
		{
			collect_cover(kept->cover, &use->garbage);
			(void) __atomic_fetch_add(&cover->references, 1, __ATOMIC_RELAXED);
			kept->cover = cover;
		}
		kept->nblocks = use->nblocks;
		kept->used_ns = wa_clock_ns();
	}
	(void) pthread_mutex_unlock(&store->lock);
}

/* Makes a part anew at a place; which transactions have ended is for its users to see. */
static void
renew_part(const WaStore *store, WaStoredRelation *relation, int place,
		   uint32_t number, WaGarbage *garbage)
{
	static const WaSnapshot all_ended = {.xmin = UINT64_MAX,
										 .xmax = UINT64_MAX};
	const WaKeptCover *kept = &relation->kept[place];
	WaUse use = {.snapshot = &all_ended, .nblocks = kept->nblocks};
	WaCoverPlace made = {.number = number};
	WaCoverPlace *const list[] = {&made};

	use.pins.relation = relation;
	use.pins.ncolumns = kept->ncolumns;
	for (uint32_t i = 0; i < kept->ncolumns; i++)
	{
		const int64_t record = wa_map_find_record(relation, &kept->names[i]);

		if (record < 0)
			return;
		use.pins.place[i] = (uint32_t) record;
	}
	if (!wa_cover_parts_make(store, &use, list, 1))
		return;
	put_part(relation, place, made.part, garbage);
	wa_cover_part_release(made.part);
}

void
wa_kept_renew(WaStore *store, const WaRelation *name, uint32_t number)
{
	const int64_t lately_ns = wa_clock_ns() - RENEWED_NS;
	WaGarbage garbage = {0};
	WaStoredRelation *relation;

	(void) pthread_mutex_lock(&store->lock);
	relation = wa_map_find_relation(store, name);
	for (int i = 0; relation != NULL && i < WA_STORE_COVERS; i++)
		if (relation->kept[i].names != NULL &&
			relation->kept[i].used_ns > lately_ns)
			renew_part(store, relation, i, number, &garbage);
	(void) pthread_mutex_unlock(&store->lock);
	wa_garbage_release(&garbage);
}

void
wa_kept_give_up(const WaExtent *extent, WaGarbage *garbage)
{
	WaStoredRelation *relation = extent->relation;
	WaExtentPart *part = wa_map_find_part(relation, extent->number);

	for (int i = 0; i < WA_STORE_COVERS; i++)
	{
		collect_cover(relation->kept[i].cover, garbage);
		relation->kept[i].cover = NULL;
		collect_part(part->kept[i], garbage);
		part->kept[i] = NULL;
	}
}

/* Gives up the parts at a place that no query uses. */
static void
drop_parts(WaStoredRelation *relation, int place)
{
	for (uint32_t i = 0; i < relation->nparts; i++)
	{
		WaCoverPart *part = relation->parts[i].kept[place];

		if (part == NULL ||
			__atomic_load_n(&part->references, __ATOMIC_ACQUIRE) != 1)
			continue;
		relation->parts[i].kept[place] = NULL;
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
		if (kept->cover != NULL &&
			__atomic_load_n(&kept->cover->references, __ATOMIC_ACQUIRE) == 1)
		{
			wa_cover_release(kept->cover);
			kept->cover = NULL;
		}
		drop_parts(relation, i);
	}
}

void
wa_kept_end(WaStoredRelation *relation)
{
	for (int i = 0; i < WA_STORE_COVERS; i++)
		free(relation->kept[i].names);
}
