/*
 * run_rest.c
 *		The blocks of a RUN whose rows come with its query; see run_rest.h.
 */
#include <stdlib.h>
#include <string.h>

#include "core/replies.h"
#include "daemon/run/run_rest.h"

/* An extent without some of its rows; the ranges that are left lie behind it. */
typedef struct Copy
{
	WaCoverExtent extent; /* first */
	WaRowRange ranges[WA_COVER_MAX_RANGES];
} Copy;

bool
wa_run_rest_copy(WaRunRest *rest, const WaRunSources *sources,
				 const WaParcel *parcel, WaBudget *budget)
{
	const WaRunMessage *message = sources->message;
	uint64_t bytes;

	if (message->has_rest == 0)
		return true;
	bytes = wa_run_words_bytes(sources->named.sources, 1);
	if (!wa_parcel_holds(parcel, message->cover, bytes) ||
		!wa_budget_take(budget, bytes, 0))
		return false;
	rest->bytes = bytes;
	rest->blocks = malloc(bytes + 1);
	if (rest->blocks != NULL)
		memcpy(rest->blocks, wa_parcel_place(parcel, message->cover), bytes);
	return rest->blocks != NULL;
}

/* Tells whether the extents have all blocks but these; false in *done: no memory. */
static bool
has_others(const WaRunRest *rest, const WaRunSources *sources, bool *done)
{
	const uint64_t nwords = sources->words_bytes / sizeof(uint64_t);
	uint64_t *words = malloc(sources->words_bytes + 1);
	uint64_t blocks = 0;
	bool are_sound;

	*done = words != NULL;
	if (words == NULL)
		return false;
	wa_run_sources_write_blocks(sources, NULL, words);
	for (uint64_t i = 0; i < nwords; i++)
		words[i] |= rest->blocks[i];
	are_sound = wa_used_count(words, (uint32_t) sources->nblocks, &blocks);
	free(words);
	return are_sound && blocks == sources->nblocks;
}

/* Takes blocks out of those of an extent that are usable; tells whether one was among them. */
static bool
take_out(const uint64_t *blocks, WaCoverExtent *extent)
{
	bool has_any = false;

	for (int i = 0; i < WA_EXTENT_WORDS; i++)
	{
		has_any |= (extent->usable[i] & blocks[i]) != 0;
		extent->usable[i] &= ~blocks[i];
	}
	return has_any;
}

/* Returns how many rows an extent has in its ranges. */
static uint64_t
count_rows(const WaRunExtent *extent)
{
	uint64_t rows = 0;

	for (uint32_t i = 0; i < extent->nranges; i++)
		rows += extent->ranges[i].end - extent->ranges[i].begin;
	return rows;
}

/* Returns an extent without the rows of blocks, or the same; NULL: no memory. */
static const WaRunExtent *
leave_out(WaRunRest *rest, const WaRunExtent *extent)
{
	const size_t first =
		(size_t) wa_extent_number(extent->number) * WA_EXTENT_WORDS;
	WaCoverExtent others = *wa_cover_extent_of(extent);
	Copy *copy;

	if (!take_out(&rest->blocks[first], &others))
		return extent;
	copy = malloc(sizeof(*copy));
	if (copy == NULL)
		return NULL;
	copy->extent = others;
	copy->extent.extent.ranges = copy->ranges;
	copy->extent.extent.nranges = wa_cover_ranges(
		others.usable, extent->row_end, extent->nblocks, copy->ranges);
	rest->copies[rest->ncopies++] = &copy->extent;
	return &copy->extent.extent;
}

bool
wa_run_rest_leave_out(WaRunRest *rest, WaRunSources *sources)
{
	bool done;

	if (rest->blocks == NULL || sources->count == 0)
		return true;
	if (!has_others(rest, sources, &done))
	{
		sources->count = 0;
		return done;
	}
	rest->list = malloc(sources->count * sizeof(*rest->list));
	rest->copies = malloc(sources->count * sizeof(*rest->copies));
	if (rest->list == NULL || rest->copies == NULL)
		return false;
	for (uint64_t i = 0; i < sources->count; i++)
	{
		rest->list[i] = leave_out(rest, sources->list[i]);
		if (rest->list[i] == NULL)
			return false;
		sources->rows -=
			count_rows(sources->list[i]) - count_rows(rest->list[i]);
	}
	sources->list = rest->list;
	sources->blocks = sources->nblocks;
	return true;
}

void
wa_run_rest_free(WaRunRest *rest, WaBudget *budget)
{
	for (uint64_t i = 0; i < rest->ncopies; i++)
		free(rest->copies[i]);
	free(rest->copies);
	free(rest->list);
	free(rest->blocks);
	wa_budget_give(budget, rest->bytes, 0);
	*rest = (WaRunRest){0};
}
