/*
 * run_merge.c
 *		Bringing together what runs of a query have, and writing it; see run.h.
 */
#include <string.h>

#include "query/run_internal.h"

/* Records are fetched before those of so many groups are merged. */
#define FETCHED_GROUPS 16

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

/* Merges the groups of a run one by one, whatever their keys are. */
static WaRunOutcome
merge_singly(WaQueryRun *into, WaQueryRun *from)
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
	return outcome;
}

/* Tells whether vectors hold all that keys are, and how they are shown. */
static bool
keys_fit_vectors(const WaQuery *query)
{
	for (uint32_t i = 0; i < query->nkeys; i++)
		if (query->keys[i].kind == WA_VECTOR_DECIMAL ||
			query->keys[i].blank_padded)
			return false;
	return query->nkeys > 0;
}

/* Makes vectors for keys; returns false if there is not enough memory. */
static bool
make_key_vectors(WaQueryRun *run, WaVector **vectors)
{
	const WaQuery *query = run->query;
	WaVector *made =
		wa_arena_alloc(run->arena, query->nkeys * sizeof(WaVector));

	for (uint32_t i = 0; i < query->nkeys && made != NULL; i++)
	{
		const WaVectorKind kind = query->keys[i].kind;
		char *memory = wa_run_alloc_aligned(run->arena, wa_vector_bytes(kind));

		if (memory == NULL)
			return false;
		wa_vector_place(&made[i], kind, memory);
		vectors[i] = &made[i];
	}
	return made != NULL;
}

/* Stores a value, which is not NULL, in a row of a vector. */
static void
store_key(WaVector *vector, WaVectorKind kind, size_t row,
		  const WaQueryValue *value)
{
	switch (kind)
	{
		case WA_VECTOR_BOOL:
			wa_vector_bools(vector)[row] = (uint8_t) value->integer;
			break;
		case WA_VECTOR_FLOAT:
			wa_vector_floats(vector)[row] = value->number;
			break;
		case WA_VECTOR_TEXT:
			wa_vector_texts(vector)[row] = value->text;
			break;
		default:
			wa_vector_ints(vector)[row] = value->integer;
			break;
	}
}

/* Makes a vector of a key of groups from the first on. */
static void
fill_keys(const WaQueryRun *from, int key, uint32_t first, size_t ngroups,
		  WaVector *vector)
{
	const WaVectorKind kind = from->query->keys[key].kind;
	const size_t width = wa_vector_width(kind);

	vector->has_nulls = false;
	for (size_t i = 0; i < ngroups; i++)
	{
		WaQueryValue value;

		wa_query_groups_key(from->groups, first + (uint32_t) i, key, &value);
		vector->valid[i] = !value.is_null;
		if (!value.is_null)
			store_key(vector, kind, i, &value);
		else
			memset((char *) vector->values + i * width, 0, width);
		vector->has_nulls |= value.is_null;
	}
}

/* Merges a column's records of groups from the first on into into->numbers. */
static WaRunOutcome
merge_records(WaQueryRun *into, const WaQueryRun *from, uint32_t column,
			  uint32_t first, size_t ngroups)
{
	WaRecordTable *table = into->tables[column];

	if (!wa_records_grow(table, wa_query_run_groups(into)))
		return WA_RUN_NO_MEMORY;
	for (size_t i = 0; i < ngroups; i++)
	{
		WaRecord record;

		if (i + FETCHED_GROUPS < ngroups)
			wa_records_fetch(table, into->numbers[i + FETCHED_GROUPS]);
		wa_records_get(from->tables[column], first + (uint32_t) i, &record);
		if (record.words[0] != 0 &&
			!wa_records_merge(table, into->numbers[i], &record))
			return WA_RUN_OVERFLOWED;
	}
	return wa_query_run_outcome(into, table);
}

/* Merges the groups of a run a vector at a time. */
static WaRunOutcome
merge_vectors(WaQueryRun *into, WaQueryRun *from)
{
	const WaQuery *query = into->query;
	const uint32_t ngroups = wa_query_run_groups(from);
	WaVector **keys =
		wa_arena_alloc(into->arena, query->nkeys * sizeof(WaVector *));
	WaRunOutcome outcome = WA_RUN_TAKEN;

	if (keys == NULL || !make_key_vectors(into, keys))
		return WA_RUN_NO_MEMORY;
	for (uint32_t first = 0; first < ngroups; first += WA_VECTOR_ROWS)
	{
		const size_t some =
			ngroups - first < WA_VECTOR_ROWS ? ngroups - first : WA_VECTOR_ROWS;

		for (uint32_t key = 0; key < query->nkeys; key++)
			fill_keys(from, (int) key, first, some, keys[key]);
		if (!wa_query_groups_find(into->groups, keys, some, into->numbers))
			return WA_RUN_NO_MEMORY;
		for (uint32_t i = 0; i < query->ncolumns && outcome == WA_RUN_TAKEN;
			 i++)
			outcome = merge_records(into, from, i, first, some);
		if (outcome != WA_RUN_TAKEN)
			return outcome;
	}
	return WA_RUN_TAKEN;
}

WaRunOutcome
wa_query_merge(WaQueryRun *into, WaQueryRun *from)
{
	wa_query_run_count(into, from->rows);
	return keys_fit_vectors(into->query) ? merge_vectors(into, from)
										 : merge_singly(into, from);
}

/* Tells whether a group is to be written. */
static inline bool
is_chosen(const WaQueryRun *run, uint32_t group)
{
	return run->chosen == NULL ||
		   (run->chosen[group / 64] >> (group % 64) & 1) != 0;
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
