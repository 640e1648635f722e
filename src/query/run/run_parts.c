/*
 * run_parts.c
 *		Merging groups part by part; see run_parts.h.
 *
 * The part of a group is told by the low bits of a hash of its keys: tables of
 * groups look at the high ones, so in the table of a part they are spread.
 */
#include "query/run/run_parts.h"
#include "query/run/run_internal.h"

/* Of fewer groups it takes longer to begin with parts than to merge them. */
#define MIN_GROUPS 65536

/* Groups that a part should have: their table stays in the cache. */
#define PART_GROUPS 32768

/* Fewer parts would leave threads without work, ... */
#define MIN_PARTS 16

/* ... and more have too few groups of each run. */
#define MAX_PARTS 1024

uint32_t
wa_run_parts_choose(WaQueryRun *const *runs, unsigned nruns)
{
	uint64_t ngroups = 0;
	uint32_t nparts = MIN_PARTS;

	for (unsigned i = 0; i < nruns; i++)
		ngroups += wa_query_run_groups(runs[i]);
	if (nruns < 2 || ngroups < MIN_GROUPS)
		return 0;
	while (nparts < MAX_PARTS && (uint64_t) nparts * PART_GROUPS < ngroups)
		nparts *= 2;
	return nparts;
}

/* Stores the parts of all groups, and counts the groups of each. */
static bool
find_parts(WaQueryRun *run, uint32_t nparts, uint16_t *parts, uint32_t *counts)
{
	const uint32_t ngroups = wa_query_run_groups(run);
	uint64_t hashes[WA_VECTOR_ROWS];

	for (uint32_t first = 0; first < ngroups; first += WA_VECTOR_ROWS)
	{
		const size_t some =
			ngroups - first < WA_VECTOR_ROWS ? ngroups - first : WA_VECTOR_ROWS;

		if (!wa_query_groups_hash(run->groups, first, some, hashes))
			return false;
		for (size_t i = 0; i < some; i++)
		{
			parts[first + i] = (uint16_t) (hashes[i] & (nparts - 1));
			counts[parts[first + i]]++;
		}
	}
	return true;
}

/* Sorts the groups by their parts, of which there are so many groups each. */
static void
sort_groups(WaQueryRun *run, uint32_t nparts, const uint16_t *parts,
			const uint32_t *counts)
{
	const uint32_t ngroups = wa_query_run_groups(run);
	uint32_t begin = 0;

	for (uint32_t part = 0; part < nparts; part++)
	{
		run->part_ends[part] = begin;
		begin += counts[part];
	}
	for (uint32_t group = 0; group < ngroups; group++)
		run->sorted[run->part_ends[parts[group]]++] = group;
}

bool
wa_run_parts_sort(WaQueryRun *run, uint32_t nparts)
{
	const size_t ngroups = wa_query_run_groups(run) + (size_t) 1;
	uint16_t *parts = wa_arena_alloc(run->arena, ngroups * sizeof(uint16_t));
	uint32_t *counts =
		wa_arena_alloc_zero(run->arena, nparts * sizeof(uint32_t));
	bool found;

	run->sorted = wa_arena_alloc(run->arena, ngroups * sizeof(uint32_t));
	run->part_ends = wa_arena_alloc(run->arena, nparts * sizeof(uint32_t));
	found = !run->arena->failed && find_parts(run, nparts, parts, counts);
	if (found)
		sort_groups(run, nparts, parts, counts);
	wa_arena_free(run->arena, counts);
	wa_arena_free(run->arena, parts);
	return found;
}

/* Has the sums of all parts have the same scales, so that they can be joined. */
static void
set_scales(WaQueryRun *into, WaQueryRun *const *runs, unsigned nruns)
{
	for (uint32_t i = 0; i < into->query->ncolumns; i++)
	{
		int scale = 0;

		for (unsigned j = 0; j < nruns; j++)
			if (wa_records_scale(runs[j]->tables[i]) > scale)
				scale = wa_records_scale(runs[j]->tables[i]);
		wa_records_set_scale(into->tables[i], scale);
	}
}

WaRunOutcome
wa_run_parts_merge(WaQueryRun *into, WaQueryRun *const *runs, unsigned nruns,
				   uint32_t part)
{
	WaRunOutcome outcome = WA_RUN_TAKEN;

	set_scales(into, runs, nruns);
	for (unsigned i = 0; i < nruns && outcome == WA_RUN_TAKEN; i++)
	{
		const uint32_t begin = part == 0 ? 0 : runs[i]->part_ends[part - 1];

		outcome =
			wa_run_merge_groups(into, runs[i], runs[i]->sorted + begin,
								(size_t) (runs[i]->part_ends[part] - begin));
	}
	return outcome;
}

size_t
wa_run_parts_words(const WaQueryRun *any, const WaWriter *messages,
				   uint32_t nparts)
{
	return wa_partial_joined_words(&any->shape, messages, nparts);
}

void
wa_run_parts_join(const WaQueryRun *any, const WaWriter *messages,
				  uint32_t nparts, uint64_t *place)
{
	wa_partial_join(&any->shape, messages, nparts, place);
}
