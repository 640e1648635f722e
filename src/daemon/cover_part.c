/*
 * cover_part.c
 *		What a query may use of a few extents; see cover_part.h.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/cover_part.h"

/* Ranges of an extent are separated by blocks that are not used. */
#define MAX_RANGES (WA_EXTENT_BLOCKS / 2)

/* A part has so many extents and overlays. */
#define MOST_EXTENTS (2 * WA_PART_EXTENTS)

/* What is found of a part. */
typedef struct Found
{
	uint32_t count;
	WaUsedExtent used[MOST_EXTENTS];
	uint32_t nranges[MOST_EXTENTS]; /* of each */
	uint32_t all_ranges;
	WaRowRange ranges[MOST_EXTENTS * MAX_RANGES];
} Found;

uint32_t
wa_cover_part_end(uint32_t number, uint32_t nblocks)
{
	const uint64_t end =
		((uint64_t) number + 1) * WA_PART_EXTENTS * WA_EXTENT_BLOCKS;

	return end < nblocks ? (uint32_t) end : nblocks;
}

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
		const uint32_t begin = block == 0 ? 0 : shape->row_end[block - 1];
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
find(WaStore *store, WaUse *use, uint32_t number, Found *found)
{
	use->next_number = number * WA_PART_EXTENTS;
	use->end_number = use->next_number + WA_PART_EXTENTS;
	use->blocks = 0;
	use->deciders = (WaDeciders){0};
	use->has_left = false;
	found->count = wa_store_use_next(store, use, found->used, MOST_EXTENTS);
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
	extent->extent = (WaRunExtent){
		.number = used->number,
		.device = used->device,
		.nblocks = used->shape->nblocks,
		.nrows = used->shape->nrows,
		.row_end = used->shape->row_end,
		.columns = (const WaColumn *const *) columns,
		.ranges = ranges,
		.nranges = nranges,
	};
}

/* Fills all extents of a part in, whose arrays lie behind it. */
static void
fill(WaCoverPart *part, const Found *found)
{
	WaRowRange *ranges;

	part->extents = (WaCoverExtent *) (void *) (part + 1);
	part->columns = (WaColumn **) (void *) (part->extents + found->count);
	ranges = (WaRowRange *) (void *) (part->columns +
									  found->count * (size_t) part->ncolumns);
	if (found->all_ranges > 0)
		memcpy(ranges, found->ranges, found->all_ranges * sizeof(*ranges));
	for (uint32_t i = 0; i < found->count; i++)
	{
		fill_extent(&part->extents[i], &found->used[i], part->ncolumns,
					&part->columns[i * (size_t) part->ncolumns], ranges,
					found->nranges[i]);
		for (uint32_t j = 0; j < found->nranges[i]; j++)
			part->rows += ranges[j].end - ranges[j].begin;
		ranges += found->nranges[i];
	}
}

WaCoverPart *
wa_cover_part_make(WaStore *store, WaUse *use, uint32_t number, uint64_t stamp)
{
	const uint32_t ncolumns = use->pins.ncolumns;
	WaCoverPart *part;
	Found found;

	find(store, use, number, &found);
	part = malloc(sizeof(*part) + found.count * sizeof(WaCoverExtent) +
				  found.count * (size_t) ncolumns * sizeof(WaColumn *) +
				  found.all_ranges * sizeof(WaRowRange));
	if (part == NULL)
	{
		for (uint32_t i = 0; i < found.count; i++)
			wa_store_unuse(&found.used[i], ncolumns);
		return NULL;
	}
	*part = (WaCoverPart){
		.references = 1,
		.number = number,
		.ncolumns = ncolumns,
		.stamp = stamp,
		.end_block = wa_cover_part_end(number, use->nblocks),
		.has_left = use->has_left,
		.deciders = use->deciders,
		.blocks = use->blocks,
		.count = found.count,
	};
	fill(part, &found);
	return part;
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
	for (size_t i = 0; i < part->count * (size_t) part->ncolumns; i++)
		wa_column_release(part->columns[i]);
	for (uint32_t i = 0; i < part->count; i++)
		wa_shape_release(part->extents[i].shape);
	free(part);
}
