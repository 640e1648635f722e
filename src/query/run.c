/*
 * run.c
 *		Running a query over batches of rows; see run.h.
 *
 * Nothing is put into groups before all that could trap has run, so a batch
 * that traps can be taken in another way instead.
 */
#include <string.h>

#include "query/partial_groups.h"
#include "query/run.h"

struct WaQueryRun
{
	const WaQuery *query;
	WaArena *arena;
	WaVector *registers;
	WaVector **key_vectors;
	WaVector ones;          /* what is counted where rows are */
	WaQueryGroups *groups;  /* NULL: there is one group */
	WaRecordTable **tables; /* of the columns */
	WaPartialColumn *columns;
	WaPartialShape shape;
	uint64_t rows;
	uint32_t numbers[WA_VECTOR_ROWS]; /* the rows' groups */
	uint16_t selection[WA_VECTOR_ROWS];
	uint8_t keep[WA_VECTOR_ROWS];
};

/* Returns memory of the arena, aligned to 64 bytes and zeroed. */
static char *
alloc_aligned(WaArena *arena, size_t bytes)
{
	char *memory = wa_arena_alloc_zero(arena, bytes + 63);

	if (memory == NULL)
		return NULL;
	return memory + (64 - (uintptr_t) memory % 64) % 64;
}

/* Gives the registers their memory; returns false if there is not enough. */
static bool
place_registers(WaQueryRun *run)
{
	const WaProgram *program = &run->query->program;
	size_t bytes = wa_vector_bytes(WA_VECTOR_BOOL);
	char *memory;

	for (size_t i = 0; i < program->nregisters; i++)
		bytes += wa_vector_bytes(program->kinds[i]);
	memory = alloc_aligned(run->arena, bytes);
	run->registers = wa_arena_alloc(
		run->arena, (program->nregisters + (size_t) 1) * sizeof(WaVector));
	if (run->arena->failed)
		return false;
	wa_vector_place(&run->ones, WA_VECTOR_BOOL, memory);
	memset(run->ones.values, 1, WA_VECTOR_ROWS);
	memory += wa_vector_bytes(WA_VECTOR_BOOL);
	for (size_t i = 0; i < program->nregisters; i++)
	{
		wa_vector_place(&run->registers[i], program->kinds[i], memory);
		memory += wa_vector_bytes(program->kinds[i]);
	}
	return true;
}

/* Fills the register of a constant. */
static void
fill_constant(WaVector *vector, WaVectorKind kind, const WaQueryValue *value)
{
	if (value->is_null)
	{
		vector->has_nulls = true; /* all memory is zeroed */
		return;
	}
	if (kind == WA_VECTOR_DECIMAL)
		vector->scale = value->scale;
	for (size_t i = 0; i < WA_VECTOR_ROWS; i++)
	{
		if (kind == WA_VECTOR_TEXT)
			wa_vector_texts(vector)[i] = value->text;
		else if (kind == WA_VECTOR_BOOL)
			wa_vector_bools(vector)[i] = (uint8_t) value->integer;
		else
			wa_vector_ints(vector)[i] = value->integer;
	}
}

/* Makes empty groups; returns false if there is not enough memory. */
static bool
make_groups(WaQueryRun *run)
{
	const WaQuery *query = run->query;

	if (query->nkeys > 0)
	{
		run->groups =
			wa_query_groups_make(run->arena, (int) query->nkeys, query->keys);
		if (run->groups == NULL)
			return false;
	}
	for (uint32_t i = 0; i < query->ncolumns; i++)
	{
		const WaQueryColumn *column = &query->columns[i];

		run->columns[i].kind = column->kind;
		run->columns[i].ops = column->ops;
		run->columns[i].scale = 0;
		run->tables[i] =
			wa_records_make(run->arena, column->kind, column->ops, NULL);
		if (run->tables[i] == NULL ||
			!wa_records_grow(run->tables[i], wa_query_run_groups(run)))
			return false;
	}
	return true;
}

WaQueryRun *
wa_query_run_make(WaArena *arena, const WaQuery *query)
{
	WaQueryRun *run = wa_arena_alloc_zero(arena, sizeof(WaQueryRun));

	if (run == NULL)
		return NULL;
	run->query = query;
	run->arena = arena;
	run->key_vectors =
		wa_arena_alloc(arena, (query->nkeys + (size_t) 1) * sizeof(WaVector *));
	run->tables = wa_arena_alloc(arena, (query->ncolumns + (size_t) 1) *
											sizeof(WaRecordTable *));
	run->columns = wa_arena_alloc(arena, (query->ncolumns + (size_t) 1) *
											 sizeof(WaPartialColumn));
	if (!place_registers(run) || !make_groups(run))
		return NULL;
	for (uint32_t i = 0; i < query->nkeys; i++)
		run->key_vectors[i] = &run->registers[query->key_numbers[i]];
	for (uint32_t i = 0; i < query->nconstants; i++)
	{
		uint16_t number = query->constants[i].number;

		fill_constant(&run->registers[number], query->program.kinds[number],
					  &query->constants[i].value);
	}
	run->shape = (WaPartialShape){.nkeys = (int) query->nkeys,
								  .ncolumns = (int) query->ncolumns,
								  .keys = query->keys,
								  .columns = run->columns};
	return run;
}

WaVector *
wa_query_run_input(WaQueryRun *run, uint32_t number)
{
	return &run->registers[number];
}

uint64_t
wa_query_run_rows(const WaQueryRun *run)
{
	return run->rows;
}

uint32_t
wa_query_run_groups(const WaQueryRun *run)
{
	return run->groups == NULL ? 1 : wa_query_groups_count(run->groups);
}

/* Keeps the selected rows of the inputs. */
static void
compact(WaQueryRun *run, size_t nselected)
{
	for (uint32_t i = 0; i < run->query->ninputs; i++)
		wa_vector_compact(&run->registers[i], run->query->program.kinds[i],
						  run->selection, nselected);
}

/*
 * Leaves in the inputs the rows that fulfil WHERE.  Returns false if a clause
 * trapped.
 */
static bool
apply_filters(WaQueryRun *run, size_t *nrows)
{
	const WaQuery *query = run->query;

	for (uint32_t i = 0; i<query->nfilters && * nrows> 0; i++)
	{
		const WaQueryFilter *filter = &query->filters[i];
		size_t nselected;

		if (!wa_program_run(&query->program, filter->begin, filter->end,
							run->registers, *nrows))
			return false;
		nselected = wa_vector_select(&run->registers[filter->number], *nrows,
									 run->selection);
		if (nselected < *nrows)
			compact(run, nselected);
		*nrows = nselected;
	}
	return true;
}

/* Returns which rows a column takes; NULL: all. */
static const uint8_t *
rows_to_keep(WaQueryRun *run, const WaQueryColumn *column, size_t nrows)
{
	const WaVector *condition;

	if (column->filter < 0)
		return NULL;
	condition = &run->registers[column->filter];
	if (!condition->has_nulls)
		return wa_vector_bools(condition);
	for (size_t i = 0; i < nrows; i++)
		run->keep[i] = wa_vector_bools(condition)[i] & condition->valid[i];
	return run->keep;
}

/* Returns how the run fares, after a column has taken something. */
static WaRunOutcome
outcome_of(const WaQueryRun *run, const WaRecordTable *table)
{
	if (run->arena->failed)
		return WA_RUN_NO_MEMORY;
	return wa_records_overflowed(table) ? WA_RUN_OVERFLOWED : WA_RUN_TAKEN;
}

/* Brings the rows that are left into their groups. */
static WaRunOutcome
take_rows(WaQueryRun *run, size_t nrows)
{
	const WaQuery *query = run->query;
	const uint32_t *groups = run->groups != NULL ? run->numbers : NULL;

	if (groups != NULL && !wa_query_groups_find(run->groups, run->key_vectors,
												nrows, run->numbers))
		return WA_RUN_NO_MEMORY;
	for (uint32_t i = 0; i < query->ncolumns; i++)
	{
		const WaQueryColumn *column = &query->columns[i];
		const WaVector *values = column->argument < 0
									 ? &run->ones
									 : &run->registers[column->argument];
		WaRunOutcome outcome;

		if (!wa_records_grow(run->tables[i], wa_query_run_groups(run)))
			return WA_RUN_NO_MEMORY;
		wa_records_take(run->tables[i], groups,
						rows_to_keep(run, column, nrows), values, nrows);
		outcome = outcome_of(run, run->tables[i]);
		if (outcome != WA_RUN_TAKEN)
			return outcome;
	}
	run->rows += nrows;
	return WA_RUN_TAKEN;
}

WaRunOutcome
wa_query_run_vectors(WaQueryRun *run, size_t nrows)
{
	const WaQuery *query = run->query;
	size_t left = nrows;

	if (!apply_filters(run, &left))
		return WA_RUN_TRAPPED;
	if (left == 0)
		return WA_RUN_TAKEN;
	if (!wa_program_run(&query->program, query->begin, query->end,
						run->registers, left))
		return WA_RUN_TRAPPED;
	return take_rows(run, left);
}

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
		outcome = outcome_of(run, run->tables[i]);
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
