/*
 * cover_part.c
 *		What a query may use of a few extents; see cover_part.h.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/store/cover_part.h"
#include "daemon/store/store_find.h"

#define CACHE_LINE 64

/* The ranges of its extents, one's behind the other's. */
typedef struct Ranges
{
	uint32_t nranges[2]; /* of each */
	uint32_t count;
	WaRowRange ranges[2 * WA_COVER_MAX_RANGES];
} Ranges;

/* Returns the first block from one on whose bit is set, or clear; or the end. */
static uint32_t
next_block(const uint64_t *usable, uint32_t block, bool is_set)
{
	while (block < WA_EXTENT_BLOCKS)
	{
		const uint64_t word = is_set ? usable[block / 64] : ~usable[block / 64];
		const uint64_t bits = word >> block % 64;

		if (bits != 0)
			return block + (uint32_t) __builtin_ctzll(bits);
		block = (block / 64 + 1) * 64;
	}
	return WA_EXTENT_BLOCKS;
}

uint32_t
wa_cover_ranges(const uint64_t *usable, const uint32_t *row_end,
				uint32_t nblocks, WaRowRange *ranges)
{
	uint32_t count = 0;
	uint32_t block = 0;

	while ((block = next_block(usable, block, true)) < nblocks)
	{
		const uint32_t begin = wa_first_row(row_end, block);
		uint32_t end;

		block = next_block(usable, block, false);
		end = row_end[block - 1];
		if (count > 0 && ranges[count - 1].end == begin)
			ranges[count - 1].end = end;
		else if (end > begin)
			ranges[count++] = (WaRowRange){begin, end};
	}
	return count;
}

/* Finds the ranges of an extent; returns how many. */
static uint32_t
find_ranges(const WaUsedExtent *used, WaRowRange *ranges)
{
	const WaLayout *layout = used->layout;

	if (used->all_rows && layout->nrows > 0)
	{
		ranges[0] = (WaRowRange){0, layout->nrows};
		return 1;
	}
	return wa_cover_ranges(used->usable, layout->row_end, layout->nblocks,
						   ranges);
}

/* Fetches into the cache what find_ranges will look at. */
static void
fetch_row_ends(const WaUsedExtent *used)
{
	uint32_t block = 0;

	if (used->all_rows)
		return;
	while ((block = next_block(used->usable, block, true)) < WA_EXTENT_BLOCKS)
	{
		__builtin_prefetch(&used->layout->row_end[block == 0 ? 0 : block - 1]);
		block = next_block(used->usable, block, false);
		__builtin_prefetch(&used->layout->row_end[block - 1]);
	}
}

/* Finds the ranges of all extents that were found. */
static void
find_all_ranges(const WaUsedPart *found, Ranges *ranges)
{
	ranges->count = 0;
	for (uint32_t i = 0; i < found->count; i++)
	{
		ranges->nranges[i] =
			find_ranges(&found->extents[i], &ranges->ranges[ranges->count]);
		ranges->count += ranges->nranges[i];
	}
}

/* Gives up what was found. */
static void
give_up(WaUsedPart *found, uint32_t ncolumns)
{
	for (uint32_t i = 0; i < found->count; i++)
		wa_store_unuse(&found->extents[i], ncolumns);
}

/* Fills an extent in, whose columns and ranges lie where it says. */
static void
fill_extent(WaCoverExtent *extent, const WaUsedExtent *used, uint32_t ncolumns,
			WaColumn **columns, const WaRowRange *ranges, uint32_t nranges)
{
	memcpy(columns, used->columns, ncolumns * sizeof(WaColumn *));
	memcpy(extent->usable, used->usable, sizeof(extent->usable));
	extent->layout = used->layout;
	extent->extent = (WaRunExtent){
		.number = used->number,
		.device = used->device,
		.nblocks = used->layout->nblocks,
		.nrows = used->layout->nrows,
		.row_end = used->layout->row_end,
		.columns = (const WaColumn *const *) columns,
		.ranges = ranges,
		.nranges = nranges,
	};
}

/* Returns the columns of a part with so many extents, which lie behind these. */
static WaColumn **
columns_of(WaCoverPart *part, uint32_t count)
{
	return (WaColumn **) (void *) &part->extents[count];
}

/* Fills all extents of a part in; returns how many rows are usable. */
static uint32_t
fill(WaCoverPart *part, const WaUsedPart *found, const Ranges *made)
{
	uint32_t rows = 0;
	WaColumn **columns = columns_of(part, found->count);
	WaRowRange *ranges =
		(WaRowRange *) (void *) &columns[found->count * part->ncolumns];

	memcpy(ranges, made->ranges, made->count * sizeof(*ranges));
	for (uint32_t i = 0; i < found->count; i++)
	{
		fill_extent(&part->extents[i], &found->extents[i], part->ncolumns,
					&columns[i * part->ncolumns], ranges, made->nranges[i]);
		for (uint32_t j = 0; j < made->nranges[i]; j++)
			rows += ranges[j].end - ranges[j].begin;
		ranges += made->nranges[i];
	}
	return rows;
}

/* Makes the part of a place of what was found; false if there is no memory. */
static bool
make(WaStore *store, const WaUse *use, const WaUsedPart *found,
	 WaCoverPlace *place)
{
	const uint32_t ncolumns = use->pins.ncolumns;
	WaCoverPart *part;
	Ranges ranges;

	find_all_ranges(found, &ranges);
	part = malloc(sizeof(*part) +
				  found->count *
					  (sizeof(WaCoverExtent) + ncolumns * sizeof(WaColumn *)) +
				  ranges.count * sizeof(WaRowRange));
	if (part == NULL)
		return false;
	*part = (WaCoverPart){
		.references = 1, .ncolumns = ncolumns, .count = found->count};
	*place = (WaCoverPlace){
		.part = part,
		.id = ++store->ids,
		.stamp = use->pins.relation->stamp,
		.deciders = found->deciders,
		.number = place->number,
		.end_block = wa_cover_part_end(place->number, use->nblocks),
		.rows = fill(part, found, &ranges),
		.blocks = (uint16_t) found->blocks,
		.count = (uint8_t) found->count,
		.has_left = found->has_left,
	};
	return true;
}

/* Fetches what lies at an address, lines of it, into the cache. */
static void
fetch(const void *address, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += CACHE_LINE)
		__builtin_prefetch((const char *) address + i);
}

/*
 * Fetches what will be looked at of extents, which lie anywhere in memory, step by step:
 * for all of them at once takes hardly longer than for one.
 */
static void
fetch_extents(const WaUse *use, WaExtent *const *extents, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		fetch(extents[i], sizeof(*extents[i]));
	for (uint32_t i = 0; i < count; i++)
	{
		fetch(extents[i]->layout, offsetof(WaLayout, first_xid));
		fetch(extents[i]->columns, extents[i]->room * sizeof(WaColumn *));
	}
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t j = 0; j < use->pins.ncolumns; j++)
		{
			const WaColumn *column =
				wa_map_column(extents[i], use->pins.place[j]);

			if (column != NULL)
				__builtin_prefetch(column, 1);
		}
}

/* Finds what there is of parts, of which some are gone. */
static void
find_all(const WaStore *store, const WaUse *use, WaExtentPart *const *parts,
		 uint32_t count, WaUsedPart *found)
{
	static const WaExtentPart gone;
	WaExtent *extents[2 * WA_PARTS_AT_ONCE];
	uint32_t nextents = 0;

	for (uint32_t i = 0; i < count; i++)
	{
		if (parts[i] != NULL && parts[i]->extent != NULL)
			extents[nextents++] = parts[i]->extent;
		if (parts[i] != NULL && parts[i]->overlay != NULL)
			extents[nextents++] = parts[i]->overlay;
	}
	fetch_extents(use, extents, nextents);
	for (uint32_t i = 0; i < count; i++)
	{
		wa_store_use_part(store, use, parts[i] == NULL ? &gone : parts[i],
						  &found[i]);
		for (uint32_t j = 0; j < found[i].count; j++)
			fetch_row_ends(&found[i].extents[j]);
	}
}

bool
wa_cover_parts_make(WaStore *store, const WaUse *use,
					WaCoverPlace *const *places, uint32_t count)
{
	WaExtentPart *parts[WA_PARTS_AT_ONCE];
	WaUsedPart found[WA_PARTS_AT_ONCE];
	uint32_t made = 0;

	for (uint32_t i = 0; i < count; i++)
		parts[i] = wa_map_find_part(use->pins.relation, places[i]->number);
	find_all(store, use, parts, count, found);
	while (made < count && make(store, use, &found[made], places[made]))
		made++;
	for (uint32_t i = made; i < count; i++)
		give_up(&found[i], use->pins.ncolumns);
	return made == count;
}

void
wa_cover_part_retain(WaCoverPart *part)
{
	(void) __atomic_fetch_add(&part->references, 1, __ATOMIC_RELAXED);
}

void
wa_cover_part_release(WaCoverPart *part)
{
	if (part == NULL ||
		__atomic_fetch_sub(&part->references, 1, __ATOMIC_ACQ_REL) != 1)
		return;
	for (uint32_t i = 0; i < part->count * part->ncolumns; i++)
		wa_column_release(columns_of(part, part->count)[i]);
	for (uint32_t i = 0; i < part->count; i++)
		wa_layout_release(part->extents[i].layout);
	free(part);
}
