/*
 * store_follow.c
 *		Following what WAL changes; see store_follow.h.
 */
#include <string.h>

#include "daemon/store/store_follow.h"

/* Takes what a change concerns from what is fresh of an extent, or an overlay, or NULL. */
static void
change_extent(const WaChange *change, WaExtent *extent)
{
	uint64_t fresh[WA_EXTENT_WORDS];

	if (extent == NULL)
		return;
	memcpy(fresh, extent->fresh, sizeof(fresh));
	wa_change_take_out(change, wa_extent_number(extent->number), extent->layout,
					   fresh);
	if (memcmp(fresh, extent->fresh, sizeof(fresh)) == 0)
		return;
	memcpy(extent->fresh, fresh, sizeof(fresh));
	wa_map_note_change(extent);
}

/* Takes one block from what is fresh of a relation. */
static void
change_block(const WaStoredRelation *relation, const WaChange *change)
{
	const uint32_t number = wa_extent_of_block(change->block);

	change_extent(change, wa_map_find_extent(relation, number));
	change_extent(change, wa_map_find_overlay(relation, number));
}

/* Takes blocks from one on from what is cached of a relation. */
static void
change_rest(const WaStoredRelation *relation, const WaChange *change)
{
	uint32_t i =
		2 * wa_map_search_part(relation, wa_extent_of_block(change->block));

	for (; i < 2 * relation->nparts; i++)
	{
		WaExtent *extent = wa_map_extent_at(relation, i);
		uint64_t cached[WA_EXTENT_WORDS];

		if (extent == NULL)
			continue;
		change_extent(change, extent);
		memcpy(cached, extent->cached, sizeof(cached));
		wa_change_take_out(change, wa_extent_number(extent->number),
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

/* Does what a change says. */
static void
follow_change(WaStore *store, const WaChange *change)
{
	const WaStoredRelation *relation;

	if (change->kind == WA_CHANGE_FILES)
	{
		forget_database(store, change->relation.database);
		return;
	}
	relation = wa_map_find_relation(store, &change->relation);
	if (relation == NULL)
		return;
	if (change->kind == WA_CHANGE_REST)
		change_rest(relation, change);
	else
		change_block(relation, change);
}

uint64_t
wa_store_follow(WaStore *store, const WaFollowMessage *message)
{
	WaKnown *known = &store->known;
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
		follow_change(store, change);
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
