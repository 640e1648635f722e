/*
 * store_use.c
 *		What of a relation a query may use: see store.h.
 */
#include <string.h>
#include <time.h>

#include "daemon/store_evict.h"

/* Extents that are looked at without giving the lock up. */
#define LOOKS_PER_LOCK 256

/* Returns microseconds of CLOCK_REALTIME. */
static int64_t
now_us(void)
{
	struct timespec now;

	(void) clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

bool
wa_store_has(WaStore *store, const WaRelation *name, const WaColumnName *names,
			 uint32_t ncolumns)
{
	const WaStoredRelation *relation;
	bool found;

	(void) pthread_mutex_lock(&store->lock);
	relation = wa_map_find_relation(store, name);
	found = relation != NULL && relation->nextents > 0;
	for (uint32_t i = 0; found && i < ncolumns; i++)
	{
		const int64_t place = wa_map_find_record(relation, &names[i]);

		found = place >= 0 && relation->records[place].extents > 0;
	}
	(void) pthread_mutex_unlock(&store->lock);
	return found;
}

bool
wa_store_use_begin(WaStore *store, const WaRelation *relation,
				   const WaColumnName *names, uint32_t ncolumns, WaUse *use)
{
	const int64_t time_us = now_us();
	bool pinned;

	use->next_number = 0;
	use->blocks = 0;
	(void) pthread_mutex_lock(&store->lock);
	pinned = wa_map_pin(store, relation, names, ncolumns, false, &use->pins);
	for (uint32_t i = 0; pinned && i < ncolumns; i++)
	{
		WaColumnRecord *record =
			&use->pins.relation->records[use->pins.place[i]];

		record->queries++;
		record->blocks_asked += use->nblocks;
		record->last_use_us = time_us;
	}
	if (pinned)
		wa_evict_note_use(&use->pins);
	(void) pthread_mutex_unlock(&store->lock);
	return pinned;
}

/*
 * Finds the blocks of an extent that are cached, fresh and the relation's, if
 * the page of the map is the one that is known.  Returns how many they are.
 */
static uint32_t
find_usable(const WaUse *use, const WaExtent *extent, uint64_t *usable)
{
	const uint32_t map = extent->number / WA_EXTENTS_PER_MAP;
	const uint32_t first = wa_extent_first_block(extent->number);
	const WaMapPage *page;
	uint32_t blocks = 0;

	if (map >= use->nmaps || use->maps[map].lsn != extent->map_lsn)
		return 0;
	page = &use->maps[map];
	for (uint32_t i = 0; i < WA_EXTENT_WORDS; i++)
	{
		const uint64_t begin = (uint64_t) first + (uint64_t) i * 64;

		usable[i] =
			extent->cached[i] &
			wa_map_page_word(page, extent->number % WA_EXTENTS_PER_MAP, i);
		if (begin >= use->nblocks)
			usable[i] = 0;
		else if (use->nblocks - begin < 64)
			usable[i] &= ((uint64_t) 1 << (use->nblocks - begin)) - 1;
		blocks += (uint32_t) __builtin_popcountll(usable[i]);
	}
	return blocks;
}

/* Takes those blocks out that a column lacks; returns how many are left. */
static uint32_t
leave_odd(const WaColumn *column, uint64_t *usable)
{
	uint32_t blocks = 0;

	for (uint32_t i = 0; i < WA_EXTENT_WORDS; i++)
	{
		usable[i] &= ~column->odd[i];
		blocks += (uint32_t) __builtin_popcountll(usable[i]);
	}
	return blocks;
}

/*
 * Takes references of an extent if it has all the columns, and blocks of use; leaves
 * these in *blocks.
 */
static bool
take_columns(const WaPins *pins, const WaExtent *extent, WaUsedExtent *used,
			 uint32_t *blocks)
{
	for (uint32_t i = 0; i<pins->ncolumns && * blocks> 0; i++)
	{
		used->columns[i] = wa_map_column(extent, pins->place[i]);
		if (used->columns[i] == NULL)
			return false;
		if (used->columns[i]->has_odd)
			*blocks = leave_odd(used->columns[i], used->usable);
	}
	if (*blocks == 0)
		return false;
	for (uint32_t i = 0; i < pins->ncolumns; i++)
		wa_column_retain(used->columns[i]);
	wa_shape_retain(extent->shape);
	used->shape = extent->shape;
	used->all_rows =
		extent->cached_rows == extent->shape->nrows &&
		memcmp(used->usable, extent->cached, sizeof(used->usable)) == 0;
	used->number = extent->number;
	used->device = extent->device;
	return true;
}

/*
 * Looks at the next extents, a limited number, and takes up to `room` of them;
 * the caller has the lock.  Returns how many; *at_end tells whether there are no
 * more.
 */
static uint32_t
take_extents(WaStore *store, WaUse *use, WaUsedExtent *used, uint32_t room,
			 bool *at_end)
{
	const WaStoredRelation *relation = use->pins.relation;
	uint32_t i = wa_map_search(relation, use->next_number);
	const uint32_t end = relation->nextents - i < LOOKS_PER_LOCK
							 ? relation->nextents
							 : i + LOOKS_PER_LOCK;
	uint32_t found = 0;

	for (; i < end && found < room; i++)
	{
		WaExtent *extent = relation->extents[i];
		uint32_t blocks = find_usable(use, extent, used[found].usable);

		use->next_number = extent->number + 1;
		if (!take_columns(&use->pins, extent, &used[found], &blocks))
			continue;
		use->blocks += blocks;
		wa_map_touch(store, extent);
		found++;
	}
	*at_end = i == relation->nextents;
	return found;
}

uint32_t
wa_store_use_next(WaStore *store, WaUse *use, WaUsedExtent *used, uint32_t room)
{
	uint32_t found;
	bool at_end;

	do
	{
		(void) pthread_mutex_lock(&store->lock);
		found = take_extents(store, use, used, room, &at_end);
		(void) pthread_mutex_unlock(&store->lock);
	} while (found == 0 && !at_end);
	return found;
}

void
wa_store_unuse(WaUsedExtent *used, uint32_t ncolumns)
{
	for (uint32_t i = 0; i < ncolumns; i++)
		wa_column_release(used->columns[i]);
	wa_shape_release(used->shape);
}

WaDictionary *
wa_store_use_dictionary(WaStore *store, const WaUse *use, uint32_t column)
{
	WaDictionary *dictionary;

	(void) pthread_mutex_lock(&store->lock);
	dictionary =
		use->pins.relation->records[use->pins.place[column]].dictionary;
	(void) pthread_mutex_unlock(&store->lock);
	return dictionary;
}

void
wa_store_use_end(WaStore *store, WaUse *use)
{
	WaGarbage garbage = {0};

	(void) pthread_mutex_lock(&store->lock);
	for (uint32_t i = 0; i < use->pins.ncolumns; i++)
		use->pins.relation->records[use->pins.place[i]].blocks_used +=
			use->blocks;
	wa_map_unpin(store, &use->pins, &garbage);
	(void) pthread_mutex_unlock(&store->lock);
	wa_garbage_release(&garbage);
	wa_store_trim(store);
}
