/*
 * store_map.c
 *		The store's map of relations, columns and extents; see store_map.h.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/store/cover_kept.h"
#include "daemon/store/cover_list.h"
#include "daemon/store/store_family.h"
#include "daemon/store/store_map.h"
#include "daemon/store/store_sums.h"

/* From so many bytes of garbage on the allocator is asked to let go of it. */
#define TRIM_BYTES ((uint64_t) 32 << 20)

void
wa_garbage_release(WaGarbage *garbage)
{
	WaColumn *column;
	WaDictionary *dictionary;
	WaCoverPart *part;
	WaCover *cover;

	while ((cover = garbage->covers) != NULL)
	{
		garbage->covers = cover->next;
		wa_cover_release(cover);
	}
	while ((part = garbage->parts) != NULL)
	{
		garbage->parts = part->next;
		wa_cover_part_release(part);
	}
	while ((column = garbage->columns) != NULL)
	{
		garbage->columns = column->next;
		wa_column_release(column);
	}
	while ((dictionary = garbage->dictionaries) != NULL)
	{
		garbage->dictionaries = dictionary->next;
		wa_dictionary_release(dictionary);
	}
	if (garbage->bytes >= TRIM_BYTES)
		wa_memory_trim();
	garbage->bytes = 0;
}

/* Returns the relation of a LOAD, made if need be, or NULL if there is no memory. */
static WaStoredRelation *
make_relation(WaStore *store, const WaExtentHead *load)
{
	const WaRelation *name = &load->relation;
	WaStoredRelation *relation = wa_map_find_relation(store, name);
	WaStoredRelation **bucket = wa_map_bucket(store, name);

	if (relation != NULL)
		return relation;
	relation = calloc(1, sizeof(*relation));
	if (relation == NULL || !wa_family_join(store, relation, &load->family))
	{
		free(relation);
		return NULL;
	}
	relation->name = *name;
	relation->next = *bucket;
	*bucket = relation;
	return relation;
}

/* Returns the place of a record that is free, made if need be, or -1. */
static int64_t
free_record(WaStoredRelation *relation)
{
	for (uint32_t i = 0; i < relation->nrecords; i++)
		if (!relation->records[i].exists)
			return i;
	if (relation->nrecords == relation->records_room)
	{
		const uint32_t room = 2 * relation->records_room + 8;
		WaColumnRecord *records =
			realloc(relation->records, room * sizeof(*records));

		if (records == NULL)
			return -1;
		relation->records = records;
		relation->records_room = room;
	}
	return relation->nrecords++;
}

/*
 * Returns the place of the record of a LOAD's column, made if need be; -1: there is no
 * memory.
 */
static int64_t
make_record(WaStoredRelation *relation, const WaExtentColumn *column)
{
	int64_t place = wa_map_find_record(relation, &column->name);
	WaColumnRecord *record;

	if (place >= 0)
		return place;
	place = free_record(relation);
	if (place < 0)
		return -1;
	record = &relation->records[place];
	memset(record, 0, sizeof(*record));
	record->name = column->name;
	record->family_attribute = (int16_t) column->family_attribute;
	record->all = wa_sums_nothing;
	record->exists = wa_family_share(relation, record);
	return record->exists ? place : -1;
}

/* Removes a record that no extent and no pin needs. */
static void
clean_record(WaStoredRelation *relation, uint32_t place, WaGarbage *garbage)
{
	WaColumnRecord *record = &relation->records[place];

	if (record->extents > 0 || record->pins > 0)
		return;
	wa_family_unshare(relation, record, garbage);
	memset(record, 0, sizeof(*record));
}

/* Has no name lead to a relation any more. */
static void
unlink_relation(const WaStore *store, WaStoredRelation *relation)
{
	WaStoredRelation **link = wa_map_bucket(store, &relation->name);

	while (*link != relation)
		link = &(*link)->next;
	*link = relation->next;
	relation->is_forgotten = true;
}

/* Removes a relation likewise. */
static void
clean_relation(WaStore *store, WaStoredRelation *relation)
{
	if (relation->nextents > 0 || relation->pins > 0)
		return;
	if (!relation->is_forgotten)
		unlink_relation(store, relation);
	wa_family_leave(store, relation);
	wa_kept_end(relation);
	wa_cover_lists_drop(store);
	free(relation->parts);
	free(relation->records);
	free(relation);
}

bool
wa_map_pin(WaStore *store, const WaRelation *name, const WaColumnName *columns,
		   uint32_t ncolumns, const WaExtentHead *load, WaPins *pins)
{
	WaStoredRelation *relation = load != NULL
									 ? make_relation(store, load)
									 : wa_map_find_relation(store, name);
	WaGarbage garbage = {0};

	if (relation == NULL)
		return false;
	relation->pins++;
	pins->relation = relation;
	for (pins->ncolumns = 0; pins->ncolumns < ncolumns; pins->ncolumns++)
	{
		const uint32_t i = pins->ncolumns;
		const int64_t place = load != NULL
								  ? make_record(relation, &load->columns[i])
								  : wa_map_find_record(relation, &columns[i]);

		if (place < 0)
		{
			/* Records made just now have no dictionary: there is no garbage. */
			wa_map_unpin(store, pins, &garbage);
			return false;
		}
		relation->records[place].pins++;
		pins->place[pins->ncolumns] = (uint32_t) place;
	}
	return true;
}

void
wa_map_unpin(WaStore *store, const WaPins *pins, WaGarbage *garbage)
{
	WaStoredRelation *relation = pins->relation;

	for (uint32_t i = 0; i < pins->ncolumns; i++)
	{
		relation->records[pins->place[i]].pins--;
		clean_record(relation, pins->place[i], garbage);
	}
	relation->pins--;
	clean_relation(store, relation);
}

/* Makes room for more parts. */
static bool
grow_parts(WaStoredRelation *relation)
{
	const uint32_t room = 2 * relation->parts_room + 8;
	WaExtentPart *parts;

	if (!wa_kept_make_room(relation, room))
		return false;
	parts = realloc(relation->parts, room * sizeof(*parts));
	if (parts == NULL)
		return false;
	relation->parts = parts;
	relation->parts_room = room;
	return true;
}

/* Returns the part of an extent that is to come, made if need be, or NULL. */
static WaExtentPart *
make_part(WaStoredRelation *relation, uint32_t number)
{
	WaExtentPart *part = wa_map_find_part(relation, number);
	uint32_t place;

	if (part != NULL)
		return part;
	if (relation->nparts == relation->parts_room && !grow_parts(relation))
		return NULL;
	place = wa_map_search_part(relation, wa_extent_number(number));
	part = &relation->parts[place];
	memmove(part + 1, part, (relation->nparts - place) * sizeof(*part));
	*part = (WaExtentPart){.number = wa_extent_number(number)};
	wa_kept_insert(relation, place);
	relation->nparts++;
	return part;
}

/* Takes an extent from its part, which goes with the last; nothing of it is kept then. */
static void
leave_part(WaStoredRelation *relation, uint32_t number)
{
	WaExtentPart *part = wa_map_find_part(relation, number);

	*wa_map_place_in_part(part, number) = NULL;
	if (part->extent != NULL || part->overlay != NULL)
		return;
	wa_kept_remove(relation, (uint32_t) (part - relation->parts));
	relation->nparts--;
	memmove(part, part + 1,
			(size_t) (&relation->parts[relation->nparts] - part) *
				sizeof(*part));
}

void
wa_map_note_change(WaExtent *extent)
{
	WaStoredRelation *relation = extent->relation;

	wa_map_find_part(relation, extent->number)->stamp = ++relation->stamp;
}

/* Gives an extent another edition or, if it is an overlay, that which it is of. */
static void
renew_edition(WaStore *store, WaExtent *extent)
{
	WaExtent *base =
		wa_map_find_extent(extent->relation, wa_extent_number(extent->number));

	if (base != NULL)
		base->edition = ++store->editions;
}

/* Links an extent as the one that was used last. */
static void
link_newest(WaStore *store, WaExtent *extent)
{
	extent->newer = NULL;
	extent->older = store->newest;
	if (store->newest != NULL)
		store->newest->newer = extent;
	else
		store->oldest = extent;
	store->newest = extent;
}

/* Takes an extent out of the list by use. */
static void
unlink_by_use(WaStore *store, WaExtent *extent)
{
	if (extent->newer != NULL)
		extent->newer->older = extent->older;
	else
		store->newest = extent->older;
	if (extent->older != NULL)
		extent->older->newer = extent->newer;
	else
		store->oldest = extent->newer;
}

void
wa_map_touch(WaStore *store, WaExtent *extent)
{
	unlink_by_use(store, extent);
	link_newest(store, extent);
}

/* Returns the relation whose use by queries is to be shown next, or NULL. */
static WaStoredRelation *
first_used(const WaStore *store)
{
	WaStoredRelation *first = NULL;

	for (int i = 0; i < WA_STORE_BUCKETS; i++)
		for (WaStoredRelation *relation = store->buckets[i]; relation != NULL;
			 relation = relation->next)
			if (relation->used_ns != 0 &&
				(first == NULL || relation->used_ns < first->used_ns))
				first = relation;
	return first;
}

void
wa_map_order_by_use(WaStore *store)
{
	WaStoredRelation *relation;

	while ((relation = first_used(store)) != NULL)
	{
		for (uint32_t i = 0; i < 2 * relation->nparts; i++)
			if (wa_map_extent_at(relation, i) != NULL)
				wa_map_touch(store, wa_map_extent_at(relation, i));
		relation->used_ns = 0;
	}
}

WaExtent *
wa_map_add_extent(WaStore *store, WaStoredRelation *relation, uint32_t number,
				  WaLayout *layout)
{
	WaExtent *extent = calloc(1, sizeof(*extent));
	WaExtentPart *part;

	if (extent == NULL || (part = make_part(relation, number)) == NULL)
	{
		free(extent);
		return NULL;
	}
	*wa_map_place_in_part(part, number) = extent;
	extent->relation = relation;
	extent->number = number;
	extent->device = wa_map_device_of(store, relation, number);
	extent->layout = layout;
	relation->nextents++;
	renew_edition(store, extent);
	wa_map_note_change(extent);
	link_newest(store, extent);
	return extent;
}

WaLayout *
wa_map_set_layout(WaStore *store, WaExtent *extent, WaLayout *layout)
{
	static const uint64_t none[WA_EXTENT_WORDS];
	WaLayout *old = extent->layout;

	/* Without cached blocks the sums do not depend on the layout. */
	wa_map_set_cached(extent, none);
	extent->layout = layout;
	renew_edition(store, extent);
	return old;
}

bool
wa_map_make_room(WaExtent *extent)
{
	const uint32_t room = extent->relation->nrecords;
	WaColumn **columns;

	if (extent->room >= room)
		return true;
	columns = realloc(extent->columns, room * sizeof(WaColumn *));
	if (columns == NULL)
		return false;
	memset(&columns[extent->room], 0,
		   (room - extent->room) * sizeof(WaColumn *));
	extent->columns = columns;
	extent->room = room;
	return true;
}

/* Counts an extent in, or out, of those that have a column. */
static void
count_extent(const WaExtent *extent, WaColumnRecord *record, int sign)
{
	record->extents += (uint32_t) sign;
	if (extent->number >= WA_OVERLAY)
		record->overlays += (uint32_t) sign;
	/* Who has the record pinned may have a column that has just gone. */
	if (record->extents == 0 && record->pins == 0)
		record->all = wa_sums_nothing;
}

void
wa_map_set_column(WaExtent *extent, uint32_t place, WaColumn *column,
				  WaGarbage *garbage)
{
	WaColumn *old = wa_map_column(extent, place);
	WaColumnRecord *record = &extent->relation->records[place];

	wa_map_note_change(extent);
	wa_sums_add_column(extent, place, -1);
	if (place < extent->room)
		extent->columns[place] = column;
	if (column != NULL)
		count_extent(extent, record, 1);
	wa_sums_add_column(extent, place, 1);
	if (old == NULL)
		return;
	wa_kept_give_up(extent, garbage);
	old->next = garbage->columns;
	garbage->columns = old;
	garbage->bytes += old->bytes;
	count_extent(extent, record, -1);
	clean_record(extent->relation, place, garbage);
}

void
wa_map_remove_extent(WaStore *store, WaExtent *extent, WaGarbage *garbage)
{
	WaStoredRelation *relation = extent->relation;

	for (uint32_t i = 0; i < extent->room; i++)
		wa_map_set_column(extent, i, NULL, garbage);
	renew_edition(store, extent);
	wa_map_note_change(extent);
	wa_kept_give_up(extent, garbage);
	leave_part(relation, extent->number);
	unlink_by_use(store, extent);
	relation->nextents--;
	garbage->bytes += sizeof(WaLayout);
	wa_layout_release(extent->layout);
	free(extent->columns);
	free(extent);
	clean_relation(store, relation);
}

void
wa_map_forget(WaStore *store, WaStoredRelation *relation, WaGarbage *garbage)
{
	/* So that it does not go with its last extent. */
	relation->pins++;
	for (uint32_t i = 2 * relation->nparts; i-- > 0;)
		if (wa_map_extent_at(relation, i) != NULL)
			wa_map_remove_extent(store, wa_map_extent_at(relation, i), garbage);
	unlink_relation(store, relation);
	relation->pins--;
	clean_relation(store, relation);
}

void
wa_map_set_cached(WaExtent *extent, const uint64_t *cached)
{
	const WaLayout *layout = extent->layout;

	wa_map_note_change(extent);
	wa_sums_add(extent, -1);
	memset(extent->cached, 0, sizeof(extent->cached));
	extent->cached_blocks = 0;
	extent->cached_rows = 0;
	for (uint32_t i = 0; i < layout->nblocks; i++)
	{
		const uint64_t bit = (uint64_t) 1 << i % 64;

		if ((cached[i / 64] & bit) == 0 || layout->block_lsn[i] == 0)
			continue;
		extent->cached[i / 64] |= bit;
		extent->cached_blocks++;
		extent->cached_rows += wa_rows_of_block(layout->row_end, i);
	}
	wa_sums_add(extent, 1);
	for (int i = 0; i < WA_EXTENT_WORDS; i++)
		extent->fresh[i] &= extent->cached[i];
}
