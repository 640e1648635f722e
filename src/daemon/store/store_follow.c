/*
 * store_follow.c
 *		Following what WAL changes; see store_follow.h.
 */
#include <string.h>

#include "daemon/store/store_follow.h"

/* The change that is looked at. */
typedef struct Follow
{
	WaStore *store;
	const WaChange *change;
	WaStoredRelation *relation; /* of the change, or NULL */
} Follow;

/* Takes what a change concerns from what is fresh of an extent, or an overlay, or NULL. */
static void
change_extent(const Follow *follow, WaExtent *extent)
{
	uint64_t fresh[WA_EXTENT_WORDS];

	if (extent == NULL)
		return;
	memcpy(fresh, extent->fresh, sizeof(fresh));
	wa_change_take_out(follow->change, wa_extent_number(extent->number),
					   extent->layout, fresh);
	if (memcmp(fresh, extent->fresh, sizeof(fresh)) == 0)
		return;
	memcpy(extent->fresh, fresh, sizeof(fresh));
	wa_map_note_change(extent);
}

/* Takes one block from what is fresh. */
static void
change_block(const Follow *follow)
{
	const uint32_t number = wa_extent_of_block(follow->change->block);

	change_extent(follow, wa_map_find_extent(follow->relation, number));
	change_extent(follow, wa_map_find_overlay(follow->relation, number));
}

/* Takes blocks from one on from what is cached. */
static void
change_rest(const Follow *follow)
{
	const WaStoredRelation *relation = follow->relation;
	uint32_t i = 2 * wa_map_search_part(
						 relation, wa_extent_of_block(follow->change->block));

	for (; i < 2 * relation->nparts; i++)
	{
		WaExtent *extent = wa_map_extent_at(relation, i);
		uint64_t cached[WA_EXTENT_WORDS];

		if (extent == NULL)
			continue;
		change_extent(follow, extent);
		memcpy(cached, extent->cached, sizeof(cached));
		wa_change_take_out(follow->change, wa_extent_number(extent->number),
						   extent->layout, cached);
		if (memcmp(cached, extent->cached, sizeof(cached)) != 0)
			wa_map_set_cached(extent, cached);
	}
}

/* Nothing is fresh any more of a relation. */
static void
forget_relation(WaStoredRelation *relation)
{
	for (uint32_t i = 0; i < 2 * relation->nparts; i++)
	{
		WaExtent *extent = wa_map_extent_at(relation, i);

		if (extent == NULL)
			continue;
		memset(extent->fresh, 0, sizeof(extent->fresh));
		wa_map_note_change(extent);
	}
}

/* Nothing is fresh any more of a database, or, if that is 0, of all. */
static void
forget_database(WaStore *store, uint32_t database)
{
	for (int i = 0; i < WA_STORE_BUCKETS; i++)
		for (WaStoredRelation *relation = store->buckets[i]; relation != NULL;
			 relation = relation->next)
			if (database == 0 || relation->name.database == database)
				forget_relation(relation);
}

/* Has the relation of the change at hand, which changes often share, looked up. */
static void
begin_change(Follow *follow, const WaChange *change)
{
	const bool is_same = follow->change != NULL &&
						 memcmp(&follow->change->relation, &change->relation,
								sizeof(change->relation)) == 0;

	follow->change = change;
	if (!is_same)
		follow->relation =
			wa_map_find_relation(follow->store, &change->relation);
}

/* Does what a change says. */
static void
follow_change(Follow *follow, const WaChange *change)
{
	begin_change(follow, change);
	if (change->kind == WA_CHANGE_FILES)
		forget_database(follow->store, change->relation.database);
	else if (follow->relation == NULL)
		return;
	else if (change->kind == WA_CHANGE_REST)
		change_rest(follow);
	else
		change_block(follow);
}

uint64_t
wa_store_follow(WaStore *store, const WaFollowMessage *message)
{
	WaKnown *known = &store->known;
	Follow follow = {.store = store};
	uint64_t position;

	(void) pthread_mutex_lock(&store->lock);
	if (message->from > known->position)
	{
		forget_database(store, 0);
		wa_known_restart(known, message->from);
	}
	for (uint32_t i = 0; i < message->nchanges; i++)
	{
		const WaChange *change = &message->changes[i];

		if (change->lsn <= known->position)
			continue;
		wa_known_add(known, change);
		follow_change(&follow, change);
	}
	if (message->to > known->position)
		known->position = message->to;
	position = known->position;
	(void) pthread_mutex_unlock(&store->lock);
	return position;
}

void
wa_follow_refresh(const WaStore *store, WaExtent *extent, uint64_t position,
				  const uint64_t *blocks)
{
	uint64_t fresh[WA_EXTENT_WORDS];

	if (!wa_known_reaches(&store->known, position))
		return;
	memcpy(fresh, blocks, sizeof(fresh));
	wa_known_take_out(&store->known, position, &extent->relation->name,
					  wa_extent_number(extent->number), extent->layout, fresh);
	for (uint32_t i = 0; i < WA_EXTENT_WORDS; i++)
		extent->fresh[i] |= fresh[i] & extent->cached[i];
	wa_map_note_change(extent);
}
