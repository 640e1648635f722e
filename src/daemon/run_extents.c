/*
 * run_extents.c
 *		Collecting the extents of a run; see run_extents.h.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/run_extents.h"

/* Extents that are taken under the store's lock at a time. */
#define SLICE 16

/* Ranges are separated by blocks that are not used. */
#define MAX_RANGES (WA_EXTENT_BLOCKS / 2)

/*
 * Writes the rows of the usable blocks as ranges; returns how many.  Blocks that
 * follow each other, or have none but empty ones between them, share one.
 */
static uint32_t
make_ranges(const WaUsedExtent *used, WaRowRange *ranges)
{
	const WaShape *shape = used->shape;
	uint32_t count = 0;
	uint32_t begin = 0;

	if (used->all_rows && shape->nrows > 0)
	{
		ranges[0] = (WaRowRange){0, shape->nrows};
		return 1;
	}
	for (uint32_t i = 0; i < shape->nblocks; i++)
	{
		const uint32_t end = shape->row_end[i];

		if (end > begin && (used->usable[i / 64] >> i % 64 & 1) != 0)
		{
			if (count > 0 && ranges[count - 1].end == begin)
				ranges[count - 1].end = end;
			else
				ranges[count++] = (WaRowRange){begin, end};
		}
		begin = end;
	}
	return count;
}

/* Makes the record of a used extent, whose references it takes over; or NULL. */
static WaHeldExtent *
hold(const WaUsedExtent *used, uint32_t ncolumns)
{
	WaRowRange ranges[MAX_RANGES];
	const uint32_t nranges = make_ranges(used, ranges);
	const size_t columns_bytes = ncolumns * sizeof(WaColumn *);
	WaHeldExtent *held =
		malloc(sizeof(*held) + columns_bytes + nranges * sizeof(WaRowRange));
	WaRowRange *place;

	if (held == NULL)
		return NULL;
	place = (WaRowRange *) (void *) &held->columns[ncolumns];
	memcpy(held->columns, used->columns, columns_bytes);
	memcpy(place, ranges, nranges * sizeof(*ranges));
	memcpy(held->usable, used->usable, sizeof(held->usable));
	held->shape = used->shape;
	held->extent = (WaRunExtent){
		.number = used->number,
		.device = used->device,
		.nblocks = used->shape->nblocks,
		.nrows = used->shape->nrows,
		.row_end = used->shape->row_end,
		.nranges = nranges,
		.ranges = place,
		.columns = (const WaColumn *const *) held->columns,
	};
	return held;
}

/* Makes sure that there is room for a slice more. */
static bool
have_room(WaRunExtents *extents)
{
	const uint64_t room = 2 * extents->room + SLICE;
	WaHeldExtent **held;

	if (extents->count + SLICE <= extents->room)
		return true;
	held = realloc(extents->held, room * sizeof(WaHeldExtent *));
	if (held == NULL)
		return false;
	extents->held = held;
	extents->room = room;
	return true;
}

/* Adds a used extent, whose references are taken over in any case. */
static bool
add_extent(WaRunExtents *extents, WaUsedExtent *used)
{
	WaHeldExtent *held = hold(used, extents->ncolumns);

	if (held == NULL)
	{
		wa_store_unuse(used, extents->ncolumns);
		return false;
	}
	for (uint32_t i = 0; i < held->extent.nranges; i++)
		extents->rows +=
			held->extent.ranges[i].end - held->extent.ranges[i].begin;
	extents->held[extents->count++] = held;
	return true;
}

bool
wa_run_extents_collect(WaRunExtents *extents, WaStore *store, WaUse *use)
{
	WaUsedExtent used[SLICE];
	bool complete = true;
	uint32_t found;

	do
	{
		if (!have_room(extents))
			return false;
		found = wa_store_use_next(store, use, used, SLICE);
		for (uint32_t i = 0; i < found; i++)
			complete = add_extent(extents, &used[i]) && complete;
	} while (complete && found > 0);
	return complete;
}

void
wa_run_extents_release(WaRunExtents *extents)
{
	for (uint64_t i = 0; i < extents->count; i++)
	{
		WaHeldExtent *held = extents->held[i];

		for (uint32_t c = 0; c < extents->ncolumns; c++)
			wa_column_release(held->columns[c]);
		wa_shape_release(held->shape);
		free(held);
	}
	free(extents->held);
	extents->held = NULL;
	extents->count = 0;
}
