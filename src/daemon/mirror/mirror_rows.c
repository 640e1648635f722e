/*
 * mirror_rows.c
 *		Taking and giving runs of rows; see mirror_rows.h.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/mirror/mirror_rows.h"

bool
wa_row_space_init(WaRowSpace *space, uint64_t rows)
{
	space->nruns = 0;
	space->ngaps = 1;
	space->room = 8;
	space->gaps = malloc(space->room * sizeof(WaRowGap));
	if (space->gaps == NULL)
		return false;
	space->gaps[0] = (WaRowGap){0, rows};
	return true;
}

void
wa_row_space_end(WaRowSpace *space)
{
	free(space->gaps);
	space->gaps = NULL;
}

/* Makes sure that there is room for all gaps that giving back can make. */
static bool
have_room(WaRowSpace *space)
{
	const uint32_t room = 2 * space->room;
	WaRowGap *gaps;

	/* So many runs, and the one to come, have a gap more between them at most. */
	if (space->nruns + 2 <= space->room)
		return true;
	gaps = realloc(space->gaps, room * sizeof(WaRowGap));
	if (gaps == NULL)
		return false;
	space->gaps = gaps;
	space->room = room;
	return true;
}

/* Removes a gap. */
static void
remove_gap(WaRowSpace *space, uint32_t i)
{
	space->ngaps--;
	memmove(&space->gaps[i], &space->gaps[i + 1],
			(space->ngaps - i) * sizeof(WaRowGap));
}

bool
wa_row_space_take(WaRowSpace *space, uint64_t rows, uint64_t *first)
{
	uint32_t i = 0;

	if (!have_room(space))
		return false;
	while (i < space->ngaps && space->gaps[i].end - space->gaps[i].begin < rows)
		i++;
	if (i == space->ngaps)
		return false;
	*first = space->gaps[i].begin;
	space->gaps[i].begin += rows;
	if (space->gaps[i].begin == space->gaps[i].end)
		remove_gap(space, i);
	space->nruns++;
	return true;
}

/* Returns which gap is the first one behind a row. */
static uint32_t
gap_behind(const WaRowSpace *space, uint64_t row)
{
	uint32_t low = 0;
	uint32_t high = space->ngaps;

	while (low < high)
	{
		const uint32_t middle = low + (high - low) / 2;

		if (space->gaps[middle].begin <= row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void
wa_row_space_give(WaRowSpace *space, uint64_t first, uint64_t rows)
{
	const uint32_t i = gap_behind(space, first);
	const bool joins_before = i > 0 && space->gaps[i - 1].end == first;
	const bool joins_behind =
		i < space->ngaps && space->gaps[i].begin == first + rows;

	space->nruns--;
	if (joins_before && joins_behind)
	{
		space->gaps[i - 1].end = space->gaps[i].end;
		remove_gap(space, i);
	}
	else if (joins_before)
		space->gaps[i - 1].end += rows;
	else if (joins_behind)
		space->gaps[i].begin = first;
	else
	{
		memmove(&space->gaps[i + 1], &space->gaps[i],
				(space->ngaps - i) * sizeof(WaRowGap));
		space->gaps[i] = (WaRowGap){first, first + rows};
		space->ngaps++;
	}
}
