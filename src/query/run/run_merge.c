/*
 * run_merge.c
 *		Bringing together what runs of a query have, and writing it; see run.h.
 */
#include "query/run/run_internal.h"

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
wa_query_run_merge_column(WaQueryRun *into, uint32_t number,
						  WaRecordTable *others, const uint32_t *theirs,
						  size_t ntheirs)
{
	WaRecordTable *table = into->tables[number];

	if (!wa_records_grow(table, wa_query_run_groups(into)))
		return WA_RUN_NO_MEMORY;
	if (!wa_records_merge_theirs(table, into->numbers, others, theirs, ntheirs))
		return WA_RUN_OVERFLOWED;
	return wa_query_run_outcome(into, table);
}

/* Merges groups of another run, at most WA_VECTOR_ROWS. */
static WaRunOutcome
merge_some(WaQueryRun *into, WaQueryRun *from, const uint32_t *theirs,
		   size_t ntheirs)
{
	if (into->groups == NULL)
		into->numbers[0] = 0; /* without keys there is one group */
	else if (!wa_query_groups_find_theirs(into->groups, from->groups, theirs,
										  ntheirs, into->numbers))
		return WA_RUN_NO_MEMORY;
	for (uint32_t i = 0; i < into->query->ncolumns - into->numbered->nlisted;
		 i++)
	{
		const WaRunOutcome outcome = wa_query_run_merge_column(
			into, i, from->tables[i], theirs, ntheirs);

		if (outcome != WA_RUN_TAKEN)
			return outcome;
	}
	return WA_RUN_TAKEN;
}

bool
wa_query_run_expect(WaQueryRun *run, uint32_t ngroups)
{
	if (run->groups == NULL)
		return true;
	if (!wa_query_groups_expect(run->groups, ngroups))
		return false;
	for (uint32_t i = 0; i < run->query->ncolumns; i++)
		if (!wa_records_expect(run->tables[i], ngroups))
			return false;
	return true;
}

WaRunOutcome
wa_run_merge_groups(WaQueryRun *into, WaQueryRun *from, const uint32_t *theirs,
					size_t ntheirs)
{
	WaRunOutcome outcome = WA_RUN_TAKEN;

	/* Those of one run are all different. */
	if (!wa_query_run_expect(into, (uint32_t) ntheirs))
		return WA_RUN_NO_MEMORY;
	for (size_t first = 0; first < ntheirs && outcome == WA_RUN_TAKEN;
		 first += WA_VECTOR_ROWS)
		outcome = merge_some(into, from, theirs + first,
							 ntheirs - first < WA_VECTOR_ROWS ? ntheirs - first
															  : WA_VECTOR_ROWS);
	return outcome;
}

/* Tells whether a group has been chosen, if some were. */
static inline bool
is_chosen(const WaQueryRun *run, uint32_t group)
{
	return run->chosen == NULL ||
		   (run->chosen[group / 64] >> (group % 64) & 1) != 0;
}

WaRunOutcome
wa_query_merge(WaQueryRun *into, WaQueryRun *from)
{
	const uint32_t ngroups = wa_query_run_groups(from);
	WaRunOutcome outcome = WA_RUN_TAKEN;

	wa_query_run_count(into, from->rows);
	if (into->first != NULL)
		return wa_first_rows_merge(into->first, from->first) ? WA_RUN_TAKEN
															 : WA_RUN_NO_MEMORY;
	if (from->chosen == NULL && !wa_query_run_expect(into, ngroups))
		return WA_RUN_NO_MEMORY;
	for (uint32_t group = 0; group < ngroups && outcome == WA_RUN_TAKEN;)
	{
		uint32_t theirs[WA_VECTOR_ROWS];
		size_t some = 0;

		for (; group < ngroups && some < WA_VECTOR_ROWS; group++)
		{
			theirs[some] = group;
			some += is_chosen(from, group);
		}
		if (some > 0)
			outcome = merge_some(into, from, theirs, some);
	}
	return outcome;
}

WaValueList *
wa_query_run_list(const WaQueryRun *run)
{
	return run->list;
}

WaRecordTable *const *
wa_query_run_listed(WaQueryRun *run)
{
	const uint32_t first = run->query->ncolumns - run->numbered->nlisted;

	for (uint32_t i = first; i < run->query->ncolumns; i++)
		if (!wa_records_grow(run->tables[i], wa_query_run_groups(run)))
			return NULL;
	return &run->tables[first];
}

bool
wa_query_run_numbers(WaQueryRun *into, const WaQueryRun *from,
					 uint32_t *numbers)
{
	const uint32_t ngroups = wa_query_run_groups(from);

	if (into->groups == NULL)
	{
		numbers[0] = 0;
		return true;
	}
	for (uint32_t first = 0; first < ngroups; first += WA_VECTOR_ROWS)
	{
		const size_t some =
			ngroups - first < WA_VECTOR_ROWS ? ngroups - first : WA_VECTOR_ROWS;
		uint32_t theirs[WA_VECTOR_ROWS];

		for (size_t i = 0; i < some; i++)
			theirs[i] = first + (uint32_t) i;
		if (!wa_query_groups_find_theirs(into->groups, from->groups, theirs,
										 some, numbers + first))
			return false;
	}
	return true;
}

/* Writes one group. */
static void
write_group(WaQueryRun *run, uint32_t group, WaWriter *writer)
{
	for (int i = 0; i < run->shape.nkeys; i++)
	{
		WaQueryValue value;

		wa_query_groups_key(run->groups, group, i, &value);
		wa_query_text_of_number(run->numbered, (uint32_t) i, &value);
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
	const uint32_t ngroups = wa_query_run_groups(run);
	uint32_t nwritten = 0;

	for (int i = 0; i < run->shape.ncolumns; i++)
		run->columns[i].scale = wa_records_scale(run->tables[i]);
	wa_partial_begin(writer, &run->shape);
	for (; *next < ngroups && writer->nwords < max_words &&
		   !writer->arena->failed;
		 (*next)++)
	{
		if (!is_chosen(run, *next))
			continue;
		write_group(run, *next, writer);
		nwritten++;
	}
	wa_partial_end(writer, nwritten);
}
