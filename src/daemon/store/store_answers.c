/*
 * store_answers.c
 *		What the store tells of its columns; confirming and forgetting them.
 */
#include <string.h>

#include "core/checksum.h"
#include "daemon/store/store.h"
#include "daemon/store/store_family.h"
#include "daemon/store/store_follow.h"
#include "daemon/store/store_sums.h"

/* Extents that are looked at without giving the lock up. */
#define LOOKS_PER_LOCK 256

/*
 * Finds the places of some columns' records, -1 for those that have none, in a
 * relation that may be NULL.
 */
static void
find_places(const WaStoredRelation *relation, const WaColumnName *names,
			uint32_t ncolumns, int64_t *places)
{
	for (uint32_t i = 0; i < ncolumns; i++)
		places[i] =
			relation == NULL ? -1 : wa_map_find_record(relation, &names[i]);
}

/* Returns the column of an extent at a place, -1: there is none; or NULL. */
static const WaColumn *
column_at(const WaExtent *extent, int64_t place)
{
	return place < 0 ? NULL : wa_map_column(extent, (uint32_t) place);
}

/* Returns how many cached blocks an extent has with all columns at places. */
static uint64_t
count_blocks(const WaExtent *extent, const int64_t *places, uint32_t ncolumns)
{
	uint64_t odd[WA_EXTENT_WORDS] = {0};
	bool has_odd = false;
	uint64_t rows;

	for (uint32_t i = 0; i < ncolumns; i++)
	{
		const WaColumn *column = column_at(extent, places[i]);

		if (column == NULL)
			return 0;
		has_odd |= column->has_odd;
		for (uint32_t j = 0; j < WA_EXTENT_WORDS; j++)
			odd[j] |= column->odd[j];
	}
	return extent->cached_blocks -
		   (has_odd ? wa_sums_count_odd(extent, odd, &rows) : 0);
}

/*
 * Returns the number of cached blocks of extents that have all the columns; the
 * caller has the lock.
 */
static uint64_t
count_complete(WaStoredRelation *relation, const int64_t *places,
			   uint32_t ncolumns)
{
	uint64_t blocks = 0;
	bool all = ncolumns > 0;

	for (uint32_t i = 0; i < ncolumns; i++)
	{
		if (places[i] < 0)
			return 0;
		all = all &&
			  relation->records[places[i]].extents == relation->nextents &&
			  relation->records[places[i]].all.odd_blocks == 0;
	}
	if (all)
		return relation->records[places[0]].all.blocks;
	for (uint32_t i = 0; i < 2 * relation->nparts; i++)
		if (wa_map_extent_at(relation, i) != NULL)
			blocks +=
				count_blocks(wa_map_extent_at(relation, i), places, ncolumns);
	return blocks;
}

uint64_t
wa_store_residency(WaStore *store, const WaRelation *name,
				   const WaColumnName *names, uint32_t ncolumns,
				   WaResidency *residency)
{
	int64_t places[WA_MAX_QUERY_COLUMNS] = {0};
	WaStoredRelation *relation;
	uint64_t complete_blocks = 0;

	(void) pthread_mutex_lock(&store->lock);
	relation = wa_map_find_relation(store, name);
	find_places(relation, names, ncolumns, places);
	for (uint32_t i = 0; i < ncolumns; i++)
	{
		const WaDictionary *dictionary;

		residency[i] =
			(WaResidency){.smallest = INT64_MAX, .largest = INT64_MIN};
		if (places[i] < 0)
			continue;
		residency[i] = relation->records[places[i]].all;
		residency[i].bytes = wa_family_bytes(&relation->records[places[i]]);
		dictionary = relation->records[places[i]].shared->dictionary;
		if (dictionary == NULL)
			continue;
		residency[i].dictionary = dictionary->number;
		residency[i].texts = wa_dictionary_added(dictionary);
	}
	if (relation != NULL)
		complete_blocks = count_complete(relation, places, ncolumns);
	(void) pthread_mutex_unlock(&store->lock);
	return complete_blocks;
}

/* Returns how many columns an extent has. */
static uint64_t
count_columns(const WaExtent *extent)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < extent->room; i++)
		count += extent->columns[i] != NULL ? 1 : 0;
	return count;
}

/* Adds the blocks that an extent's overlay has. */
static void
describe_overlay(const WaExtent *overlay, WaExtentState *state)
{
	for (uint32_t i = 0; i < WA_EXTENT_WORDS; i++)
	{
		state->cached[i] |= overlay->cached[i];
		state->fresh[i] |= overlay->fresh[i];
	}
	for (uint32_t i = 0; i < WA_EXTENT_BLOCKS; i++)
		if (overlay->layout->block_lsn[i] > state->block_lsn[i])
			state->block_lsn[i] = overlay->layout->block_lsn[i];
}

/*
 * Tells what there is of an extent of a relation, which may be NULL, and its overlay; the
 * caller has the lock.
 */
static void
describe_extent(const WaStoredRelation *relation, uint32_t number,
				const WaColumnName *names, uint32_t ncolumns,
				WaExtentState *state)
{
	const WaExtent *extent =
		relation == NULL ? NULL : wa_map_find_extent(relation, number);
	const WaExtent *overlay =
		relation == NULL ? NULL : wa_map_find_overlay(relation, number);
	int64_t places[WA_MAX_RESIDENT_COLUMNS] = {0};

	memset(state, 0, sizeof(*state));
	state->number = number;
	if (extent == NULL)
		return;
	find_places(relation, names, ncolumns, places);
	state->exists = 1;
	state->edition = extent->edition;
	state->ncolumns = count_columns(extent);
	memcpy(state->cached, extent->cached, sizeof(state->cached));
	memcpy(state->fresh, extent->fresh, sizeof(state->fresh));
	memcpy(state->block_lsn, extent->layout->block_lsn,
		   sizeof(state->block_lsn));
	if (overlay != NULL)
		describe_overlay(overlay, state);
	for (uint32_t i = 0; i < ncolumns; i++)
		if (column_at(extent, places[i]) != NULL)
			state->columns |= (uint64_t) 1 << i;
}

/*
 * Tells whether all blocks of an extent are fresh, there or in its overlay, of a relation
 * of so many.
 */
static bool
is_all_fresh(const WaStoredRelation *relation, uint32_t number,
			 uint32_t nblocks)
{
	const WaExtent *extent = wa_map_find_extent(relation, number);
	const WaExtent *overlay = wa_map_find_overlay(relation, number);
	const uint32_t blocks = wa_extent_nblocks(number, nblocks);

	for (uint32_t i = 0; i < WA_EXTENT_WORDS; i++)
	{
		const uint64_t all = wa_extent_word(blocks, i);
		const uint64_t fresh =
			extent == NULL
				? 0
				: extent->fresh[i] | (overlay == NULL ? 0 : overlay->fresh[i]);

		if ((fresh & all) != all)
			return false;
	}
	return true;
}

/*
 * Looks for the next extent that EXTENTS asks for, from *number on, which is left at the
 * one behind those that were looked at.  Returns whether there is one, described in
 * *state; if not, and *number is not `end`, the caller is to go on.
 */
static bool
find_wanted(WaStore *store, const WaExtentsMessage *extents, uint32_t *number,
			uint32_t end, WaExtentState *state)
{
	const WaStoredRelation *relation;
	bool found = false;

	(void) pthread_mutex_lock(&store->lock);
	relation = wa_map_find_relation(store, &extents->relation);
	for (uint32_t i = 0; i < LOOKS_PER_LOCK && *number < end && !found; i++)
	{
		found = extents->all != 0 || relation == NULL ||
				!is_all_fresh(relation, *number, extents->nblocks);
		if (found)
			describe_extent(relation, *number, extents->columns,
							extents->ncolumns, state);
		(*number)++;
	}
	(void) pthread_mutex_unlock(&store->lock);
	return found;
}

uint32_t
wa_store_extents(WaStore *store, const WaExtentsMessage *extents,
				 uint8_t *place, uint32_t *bulk)
{
	const uint32_t end = wa_extents_of(extents->nblocks);
	uint32_t number = extents->first;
	uint32_t count = 0;

	while (number < end && count < extents->room)
	{
		WaExtentState state;

		if (!find_wanted(store, extents, &number, end, &state))
			continue;
		memcpy(place + (size_t) count * sizeof(state), &state, sizeof(state));
		*bulk = wa_checksum(*bulk, &state, sizeof(state));
		count++;
	}
	return count;
}

void
wa_store_confirm(WaStore *store, const WaConfirmMessage *confirm)
{
	const WaStoredRelation *relation;
	WaExtent *extent = NULL;
	WaExtent *overlay = NULL;

	(void) pthread_mutex_lock(&store->lock);
	relation = wa_map_find_relation(store, &confirm->relation);
	if (relation != NULL)
	{
		extent = wa_map_find_extent(relation, confirm->extent);
		overlay = wa_map_find_overlay(relation, confirm->extent);
	}
	if (extent != NULL && extent->edition == confirm->edition)
	{
		wa_follow_refresh(store, extent, confirm->position, confirm->same);
		if (overlay != NULL)
			wa_follow_refresh(store, overlay, confirm->position, confirm->same);
	}
	(void) pthread_mutex_unlock(&store->lock);
}

/* Removes the columns of an attribute from an extent; it too if none is left. */
static void
unload_columns(WaStore *store, WaExtent *extent, int32_t attribute,
			   WaGarbage *garbage)
{
	const WaStoredRelation *relation = extent->relation;
	bool has_removed = false;
	bool has_others = false;

	for (uint32_t i = 0; i < extent->room; i++)
	{
		if (extent->columns[i] == NULL)
			continue;
		if (relation->records[i].name.attribute == attribute)
		{
			wa_map_set_column(extent, i, NULL, garbage);
			has_removed = true;
		}
		else
			has_others = true;
	}
	if (has_removed && !has_others)
		wa_map_remove_extent(store, extent, garbage);
}

void
wa_store_unload(WaStore *store, const WaRelation *name, int32_t attribute)
{
	WaGarbage garbage = {0};
	WaPins pins;

	(void) pthread_mutex_lock(&store->lock);
	if (wa_map_pin(store, name, NULL, 0, NULL, &pins))
	{
		WaStoredRelation *relation = pins.relation;

		relation->is_pinned = relation->is_pinned && attribute != 0;
		for (uint32_t i = 2 * relation->nparts; i-- > 0;)
		{
			WaExtent *extent = wa_map_extent_at(relation, i);

			if (extent != NULL && attribute == 0)
				wa_map_remove_extent(store, extent, &garbage);
			else if (extent != NULL)
				unload_columns(store, extent, attribute, &garbage);
		}
		wa_map_unpin(store, &pins, &garbage);
	}
	(void) pthread_mutex_unlock(&store->lock);
	wa_garbage_release(&garbage);
}

/* Returns the bytes of copies on GPUs of the column at a place. */
static uint64_t
add_copies(const WaStoredRelation *relation, uint32_t place)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < 2 * relation->nparts; i++)
	{
		const WaExtent *extent = wa_map_extent_at(relation, i);
		const WaColumn *column =
			extent == NULL ? NULL : wa_map_column(extent, place);

		if (column != NULL)
			bytes += __atomic_load_n(&column->copy.bytes, __ATOMIC_RELAXED);
	}
	return bytes;
}

/* Describes the column of a record; the caller has the lock. */
static void
describe_column(const WaStoredRelation *relation, uint32_t place,
				WaResidentColumn *column)
{
	const WaColumnRecord *record = &relation->records[place];

	memset(column, 0, sizeof(*column));
	column->relation = relation->name;
	column->name = record->name;
	column->extents = record->extents - record->overlays;
	column->blocks = record->all.blocks;
	column->rows = record->all.rows;
	column->bytes = wa_family_bytes(record);
	column->device_bytes = add_copies(relation, place);
	column->queries = record->queries;
	column->blocks_used = record->blocks_used;
	column->blocks_asked = record->blocks_asked;
	column->last_use_us = record->last_use_us;
	column->is_asked = record->asked;
	column->is_pinned = relation->is_pinned;
	if (relation->family != NULL)
		column->family = relation->family->name;
	column->family_attribute = record->family_attribute;
}

/* Describes a relation's columns after `count` others; returns how many. */
static uint32_t
list_relation(const WaStoredRelation *relation, WaResidentColumn *list,
			  uint32_t count, uint32_t room)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < relation->nrecords; i++)
	{
		if (relation->records[i].extents == 0)
			continue;
		if (count + found < room)
			describe_column(relation, i, &list[count + found]);
		found++;
	}
	return found;
}

uint32_t
wa_store_list(WaStore *store, uint32_t database, WaResidentColumn *list,
			  uint32_t room)
{
	uint32_t count = 0;

	(void) pthread_mutex_lock(&store->lock);
	for (int i = 0; i < WA_STORE_BUCKETS; i++)
		for (WaStoredRelation *relation = store->buckets[i]; relation != NULL;
			 relation = relation->next)
			if (database == 0 || relation->name.database == database)
				count += list_relation(relation, list, count, room);
	(void) pthread_mutex_unlock(&store->lock);
	return count;
}
