/*
 * cover_part.c
 *		What a query may use of a few extents; see cover_part.h.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/cover_part.h"
#include "daemon/store_map.h"

/* Ranges of an extent are separated by blocks that are not used. */
#define MAX_RANGES (WA_EXTENT_BLOCKS / 2)

/* What is found of a part. */
typedef struct Found
{
	uint32_t count;
	WaUsedExtent used[2];
	uint32_t nranges[2]; /* of each */
	uint32_t all_ranges;
	WaRowRange ranges[2 * MAX_RANGES];
} Found;

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

/*
 * Finds the ranges of rows of the usable blocks.  Blocks that follow each other, or
 * have none but empty ones between them, share one.  Returns how many.
 */
static uint32_t
find_ranges(const WaUsedExtent *used, WaRowRange *ranges)
{
	const WaShape *shape = used->shape;
	uint32_t count = 0;
	uint32_t block = 0;

	if (used->all_rows && shape->nrows > 0)
	{
		ranges[0] = (WaRowRange){0, shape->nrows};
		return 1;
	}
	while ((block = next_block(used->usable, block, true)) < shape->nblocks)
	{
		const uint32_t begin = wa_first_row(shape->row_end, block);
		uint32_t end;

		block = next_block(used->usable, block, false);
		end = shape->row_end[block - 1];
		if (count > 0 && ranges[count - 1].end == begin)
			ranges[count - 1].end = end;
		else if (end > begin)
			ranges[count++] = (WaRowRange){begin, end};
	}
	return count;
}

/* Has a use look at a part. */
static void
find(const WaStore *store, WaUse *use, const WaExtentPart *part, Found *found)
{
	use->blocks = 0;
	use->deciders = (WaDeciders){0};
	use->has_left = false;
	found->count = wa_store_use_part(store, use, part, found->used);
	found->all_ranges = 0;
	for (uint32_t i = 0; i < found->count; i++)
	{
		found->nranges[i] =
			find_ranges(&found->used[i], &found->ranges[found->all_ranges]);
		found->all_ranges += found->nranges[i];
	}
}

/* Fills an extent in, whose columns and ranges lie where it says. */
static void
fill_extent(WaCoverExtent *extent, const WaUsedExtent *used, uint32_t ncolumns,
			WaColumn **columns, const WaRowRange *ranges, uint32_t nranges)
{
	memcpy(columns, used->columns, ncolumns * sizeof(WaColumn *));
	memcpy(extent->usable, used->usable, sizeof(extent->usable));
	extent->shape = used->shape;
	extent->mark = 0;
	extent->extent = (WaRunExtent){
		.number = used->number,
		.device = used->device,
		.nblocks = used->shape->nblocks,
		.nrows = used->shape->nrows,
		.row_end = used->shape->row_end,
		.columns = (const WaColumn *const *) columns,
		.ranges = ranges,
		.nranges = nranges,
		.mark = &extent->mark,
	};
}

/* Returns the columns of a part with so many extents, which lie behind these. */
static WaColumn **
columns_of(WaCoverPart *part, uint32_t count)
{
	return (WaColumn **) (void *) &part->extents[count];
}

/* Fills all extents of a part in. */
static void
fill(WaCoverPart *part, const Found *found)
{
	WaColumn **columns = columns_of(part, found->count);
	WaRowRange *ranges =
		(WaRowRange *) (void *) &columns[found->count * part->ncolumns];

	memcpy(ranges, found->ranges, found->all_ranges * sizeof(*ranges));
	for (uint32_t i = 0; i < found->count; i++)
	{
		fill_extent(&part->extents[i], &found->used[i], part->ncolumns,
					&columns[i * part->ncolumns], ranges, found->nranges[i]);
		for (uint32_t j = 0; j < found->nranges[i]; j++)
			part->rows += ranges[j].end - ranges[j].begin;
		ranges += found->nranges[i];
	}
}

/* Returns so many bytes, or more, of lines of their own, or NULL. */
static void *
alloc_lines(size_t bytes)
{
	return aligned_alloc(WA_CACHE_LINE, (bytes + WA_CACHE_LINE - 1) /
											WA_CACHE_LINE * WA_CACHE_LINE);
}

/* Makes a part, or returns NULL. */
static WaCoverPart *
make(const WaStore *store, WaUse *use, const WaExtentPart *from)
{
	const uint32_t ncolumns = use->pins.ncolumns;
	WaCoverPart *part;
	Found found;

	find(store, use, from, &found);
	part = alloc_lines(
		sizeof(*part) +
		found.count * (sizeof(WaCoverExtent) + ncolumns * sizeof(WaColumn *)) +
		found.all_ranges * sizeof(WaRowRange));
	if (part == NULL)
	{
		for (uint32_t i = 0; i < found.count; i++)
			wa_store_unuse(&found.used[i], ncolumns);
		return NULL;
	}
	*part = (WaCoverPart){
		.references = 1,
		.end_block = wa_cover_part_end(from->number, use->nblocks),
		.stamp = use->pins.relation->stamp,
		.deciders = use->deciders,
		.blocks = (uint16_t) use->blocks,
		.count = (uint8_t) found.count,
		.has_left = use->has_left,
		.ncolumns = ncolumns,
		.number = from->number,
	};
	fill(part, &found);
	return part;
}

/* Fetches what lies at an address, lines of it, into the cache. */
static void
fetch(const void *address, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += WA_CACHE_LINE)
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
		fetch(extents[i]->shape, offsetof(WaShape, first_xid));
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

bool
wa_cover_parts_make(const WaStore *store, WaUse *use,
					WaCoverPlace *const *places, uint32_t count)
{
	static const WaExtentPart gone;
	WaExtentPart *parts[WA_PARTS_AT_ONCE];
	WaExtent *extents[2 * WA_PARTS_AT_ONCE];
	uint32_t nextents = 0;

	for (uint32_t i = 0; i < count; i++)
	{
		parts[i] = wa_map_find_part(use->pins.relation, places[i]->number);
		if (parts[i] != NULL && parts[i]->extent != NULL)
			extents[nextents++] = parts[i]->extent;
		if (parts[i] != NULL && parts[i]->overlay != NULL)
			extents[nextents++] = parts[i]->overlay;
	}
	fetch_extents(use, extents, nextents);
	for (uint32_t i = 0; i < count; i++)
	{
		places[i]->part = make(store, use, parts[i] == NULL ? &gone : parts[i]);
		if (places[i]->part == NULL)
			return false;
	}
	return true;
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
		wa_shape_release(part->extents[i].shape);
	free(part);
}
