/*
 * run_merge.c
 *		Bringing together what runs of a query have, and writing it; see run.h.
 */
#include "query/run_internal.h"

/* Merges the records of a group with those that it has already. */
static WaRunOutcome
merge_group(WaQueryRun *run, uint32_t group, const WaRecord *records)
{
	for (uint32_t i = 0; i < run->query->ncolumns; i++)
	{
		WaRunOutcome outcome;

		if (!wa_records_grow(run->tables[i], wa_query_run_groups(run)))
			return WA_RUN_NO_MEMORY;
		if (records[i].words[0] == 0)
			continue;
		if (!wa_records_merge(run->tables[i], group, &records[i]))
			return WA_RUN_OVERFLOWED;
		outcome = wa_query_run_outcome(run, run->tables[i]);
		if (outcome != WA_RUN_TAKEN)
			return outcome;
	}
	return WA_RUN_TAKEN;
}

WaRunOutcome
wa_query_run_add(WaQueryRun *run, const WaQueryValue *keys,
				 const WaRecord *records)
{
	uint32_t group = 0;

	if (run->groups != NULL &&
		!wa_query_groups_find_values(run->groups, keys, &group))
		return WA_RUN_NO_MEMORY;
	return merge_group(run, group, records);
}

void
wa_query_run_count(WaQueryRun *run, uint64_t rows)
{
	run->rows += rows;
}

WaRunOutcome
wa_query_merge(WaQueryRun *into, WaQueryRun *from)
{
	const WaQuery *query = into->query;
	const uint32_t ngroups = wa_query_run_groups(from);
	WaQueryValue *keys = wa_arena_alloc(
		into->arena, (query->nkeys + (size_t) 1) * sizeof(WaQueryValue));
	WaRecord *records = wa_arena_alloc(
		into->arena, (query->ncolumns + (size_t) 1) * sizeof(WaRecord));
	WaRunOutcome outcome = WA_RUN_TAKEN;

	if (into->arena->failed)
		return WA_RUN_NO_MEMORY;
	for (uint32_t i = 0; i < ngroups && outcome == WA_RUN_TAKEN; i++)
	{
		for (uint32_t key = 0; key < query->nkeys; key++)
			wa_query_groups_key(from->groups, i, (int) key, &keys[key]);
		for (uint32_t column = 0; column < query->ncolumns; column++)
			wa_records_get(from->tables[column], i, &records[column]);
		outcome = wa_query_run_add(into, keys, records);
	}
	wa_arena_free(into->arena, records);
	wa_arena_free(into->arena, keys);
	wa_query_run_count(into, from->rows);
	return outcome;
}

/* Writes one group. */
static void
write_group(WaQueryRun *run, uint32_t group, WaWriter *writer)
{
	for (int i = 0; i < run->shape.nkeys; i++)
	{
		WaQueryValue value;

		wa_query_groups_key(run->groups, group, i, &value);
		wa_partial_put_key(writer, &run->shape.keys[i], &value);
	}
	for (int i = 0; i < run->shape.ncolumns; i++)
	{
		WaRecord record;

		wa_records_get(run->tables[i], group, &record);
		wa_partial_put_record(writer, &run->shape.columns[i], &record);
	}
}

void
wa_query_run_write(WaQueryRun *run, uint32_t *next, size_t max_words,
				   WaWriter *writer)
{
	const uint32_t first = *next;
	const uint32_t ngroups = wa_query_run_groups(run);

	for (int i = 0; i < run->shape.ncolumns; i++)
		run->columns[i].scale = wa_records_scale(run->tables[i]);
	wa_partial_begin(writer, &run->shape);
	while (*next < ngroups && writer->nwords < max_words &&
		   !writer->arena->failed)
		write_group(run, (*next)++, writer);
	wa_partial_end(writer, *next - first);
}
