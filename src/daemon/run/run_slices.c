/*
 * run_slices.c
 *		The slices of a RUN; see run_slices.h.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/run/run_slices.h"
#include "query/run/run_slice.h"

/* Rows that a slice is to have: the groups of as many stay in a cache. */
#define SLICE_ROWS 32768

/* If that comes to more slices than these, to read all hashes for each takes longer. */
#define MANY_SLICES 128

/* What a slice is divided into. */
#define DIVIDED 4

/* Hashes of a bucket. */
#define BUCKET_HASHES ((WA_NO_ROW_HASH + 1) / WA_SLICE_BUCKETS)

/* Returns how many rows an extent has. */
static uint64_t
rows_of(const WaRunExtent *extent)
{
	return extent->nblocks == 0 ? 0 : extent->row_end[extent->nblocks - 1];
}

WaRunSlices *
wa_run_slices_make(const WaRunSources *sources, WaBudget *budget)
{
	WaRunSlices *slices = calloc(1, sizeof(*slices));
	uint64_t rows = 0;

	if (slices == NULL)
		return NULL;
	for (uint64_t i = 0; i < sources->count; i++)
		rows += rows_of(sources->list[i]);
	slices->sources = sources;
	slices->budget = budget;
	slices->bytes = rows * sizeof(uint16_t) + sources->count * sizeof(uint64_t);
	if (!wa_budget_take(budget, slices->bytes, 0))
	{
		free(slices);
		return NULL;
	}
	slices->hashes = malloc(rows * sizeof(uint16_t) + 1);
	slices->offsets = malloc(sources->count * sizeof(uint64_t));
	if (slices->hashes == NULL || slices->offsets == NULL)
	{
		wa_run_slices_free(slices);
		return NULL;
	}
	rows = 0;
	for (uint64_t i = 0; i < sources->count; i++)
	{
		slices->offsets[i] = rows;
		rows += rows_of(sources->list[i]);
	}
	return slices;
}

/* Counts the hashes of the rows of an extent that have one. */
static void
count_hashes(WaRunSlices *slices, const WaRunExtent *extent,
			 const uint16_t *hashes)
{
	uint32_t counts[WA_SLICE_BUCKETS] = {0};

	for (uint32_t i = 0; i < extent->nranges; i++)
		for (uint32_t row = extent->ranges[i].begin;
			 row < extent->ranges[i].end; row++)
			if (hashes[row] != WA_NO_ROW_HASH)
				counts[hashes[row] / BUCKET_HASHES]++;
	for (uint32_t i = 0; i < WA_SLICE_BUCKETS; i++)
		if (counts[i] > 0)
			(void) __atomic_fetch_add(&slices->counts[i], counts[i],
									  __ATOMIC_RELAXED);
}

WaStatus
wa_run_slices_hash(WaRunSlices *slices, void *run, void *state, uint64_t place,
				   char *error)
{
	const WaRunExtent *extent = slices->sources->list[place];
	uint16_t *hashes = slices->hashes + slices->offsets[place];
	const WaStatus status =
		wa_query_runner.hash(run, state, extent, hashes, error);

	if (status == WA_OK)
		count_hashes(slices, extent, hashes);
	return status;
}

/* Returns how many of so many rows a slice is to have, for so many threads. */
static uint64_t
rows_of_slice(uint64_t rows, unsigned threads)
{
	const uint64_t shared = rows / threads + 1;
	uint64_t most = rows / MANY_SLICES;

	if (most < SLICE_ROWS)
		most = SLICE_ROWS;
	return shared < most ? shared : most;
}

void
wa_run_slices_choose(WaRunSlices *slices, unsigned threads)
{
	uint64_t rows = 0;
	uint64_t most;
	uint64_t some = 0;

	for (uint32_t i = 0; i < WA_SLICE_BUCKETS; i++)
		rows += slices->counts[i];
	most = rows_of_slice(rows, threads);
	slices->slices[0].begin = 0;
	for (uint32_t i = 0; i < WA_SLICE_BUCKETS; i++)
	{
		WaBucketSlice *slice = &slices->slices[slices->nslices];

		some += slices->counts[i];
		slice->end = i + 1;
		if (some < most && i + 1 < WA_SLICE_BUCKETS)
			continue;
		some = 0;
		slices->nslices++;
		slice[1].begin = i + 1;
	}
}

/* Brings the rows of a slice into a state. */
static WaStatus
take_rows(const WaRunSlices *slices, void *run, void *state,
		  const WaBucketSlice *slice, char *error)
{
	const uint32_t last = slice->end * BUCKET_HASHES - 1;
	const WaRowSlice range = {
		.first = (uint16_t) (slice->begin * BUCKET_HASHES),
		.last = (uint16_t) (last < WA_NO_ROW_HASH ? last : WA_NO_ROW_HASH - 1)};
	WaStatus status = WA_OK;

	for (uint64_t i = 0; i < slices->sources->count && status == WA_OK; i++)
		status = wa_query_runner.take_slice(
			run, state, slices->sources->list[i], &range,
			slices->hashes + slices->offsets[i], error);
	return status;
}

WaStatus
wa_run_slices_do(WaRunSlices *slices, void *run, uint64_t number, char *error)
{
	WaBucketSlice *slice = &slices->slices[number];
	uint64_t rows = 0;
	void *state;
	WaStatus status;

	for (uint32_t i = slice->begin; i < slice->end; i++)
		rows += slices->counts[i];
	status = wa_query_runner.make_slice(run, rows, &state, error);
	if (status == WA_OK)
	{
		status = take_rows(slices, run, state, slice, error);
		if (status == WA_OK)
			status = wa_query_runner.keep_slice(run, state, error);
		wa_query_runner.free_state(run, state);
	}
	slice->ran_out = status == WA_OUT_OF_MEMORY;
	return slice->ran_out ? WA_OK : status;
}

/* Appends parts of a slice; returns how many. */
static uint32_t
divide(const WaBucketSlice *slice, WaBucketSlice *parts)
{
	const uint32_t width = (slice->end - slice->begin + DIVIDED - 1) / DIVIDED;
	uint32_t count = 0;

	for (uint32_t begin = slice->begin; begin < slice->end; begin += width)
		parts[count++] = (WaBucketSlice){
			.begin = begin,
			.end = begin + width < slice->end ? begin + width : slice->end};
	return count;
}

bool
wa_run_slices_divide(WaRunSlices *slices)
{
	WaBucketSlice before[WA_SLICE_BUCKETS];
	const uint32_t nbefore = slices->nslices;

	memcpy(before, slices->slices, nbefore * sizeof(*before));
	slices->nslices = 0;
	for (uint32_t i = 0; i < nbefore; i++)
	{
		if (!before[i].ran_out)
			continue;
		if (before[i].end - before[i].begin == 1)
			return false;
		slices->nslices += divide(&before[i], slices->slices + slices->nslices);
	}
	return true;
}

void
wa_run_slices_free(WaRunSlices *slices)
{
	if (slices == NULL)
		return;
	wa_budget_give(slices->budget, slices->bytes, 0);
	free(slices->hashes);
	free(slices->offsets);
	free(slices);
}
