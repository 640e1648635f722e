/*
 * run.c
 *		Running a query over batches of rows; see run.h.
 */
#include <string.h>

#include "query/groups/group_decimal.h"
#include "query/run/run_internal.h"

/* Gives the registers their memory; returns false if there is not enough. */
static bool
place_registers(WaQueryRun *run)
{
	const WaProgram *program = &run->query->program;
	size_t bytes = 0;
	char *memory;

	for (size_t i = 0; i < program->nregisters; i++)
		bytes += wa_vector_register_bytes(program->kinds[i]);
	memory = wa_arena_alloc_aligned(run->arena, bytes);
	run->registers = wa_arena_alloc(
		run->arena, (program->nregisters + (size_t) 1) * sizeof(WaVector));
	if (run->arena->failed)
		return false;
	for (size_t i = 0; i < program->nregisters; i++)
	{
		wa_vector_place_register(&run->registers[i], program->kinds[i], memory);
		memory += wa_vector_register_bytes(program->kinds[i]);
	}
	return true;
}

/* Fills the register of a DECIMAL, which is sound. */
static void
fill_decimal(WaVector *vector, const WaQueryValue *value)
{
	__int128 number;

	if (!wa_decimal_number(value, (int) value->shown, &number))
		number = 0;
	vector->scale = (uint8_t) value->shown;
	vector->wide =
		number != (int64_t) number || value->shown > WA_DECIMAL_MAX_SCALE;
	for (size_t i = 0; i < WA_VECTOR_ROWS; i++)
	{
		if (vector->wide)
			wa_vector_wides(vector)[i] = wa_int128_make(number);
		else
			wa_vector_ints(vector)[i] = (int64_t) number;
	}
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
	{
		fill_decimal(vector, value);
		return;
	}
	for (size_t i = 0; i < WA_VECTOR_ROWS; i++)
	{
		if (kind == WA_VECTOR_BOOL)
			wa_vector_bools(vector)[i] = (uint8_t) value->integer;
		else
			wa_vector_ints(vector)[i] = value->integer;
	}
}

/* Makes empty groups, or no rows; returns false if there is not enough memory. */
static bool
make_groups(WaQueryRun *run)
{
	const WaQuery *query = run->query;

	if (query->made != NULL)
	{
		run->made = wa_run_rows_make(run->arena, run->numbered);
		return run->made != NULL;
	}
	if (query->nkeys > 0)
	{
		run->groups =
			wa_query_groups_make(run->arena, (int) query->nkeys, query->keys);
		if (run->groups == NULL)
			return false;
	}
	if (wa_first_rows_are_wanted(query))
	{
		run->first =
			wa_first_rows_make(run->arena, query, WA_FIRST_ROWS_MOST_PARTS);
		if (run->first == NULL)
			return false;
		run->skips_rows = !wa_query_may_trap(query);
	}
	if (run->numbered->nlisted > 0)
	{
		run->list = wa_value_list_make(run->arena, run->numbered->listed_kind);
		if (run->list == NULL)
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

/* Tells whether a query is one of all rows' inputs, in one group. */
static bool
is_plain(const WaQuery *query)
{
	bool plain =
		query->nkeys == 0 && query->nfilters == 0 && query->begin == query->end;

	for (uint32_t i = 0; i < query->ncolumns; i++)
		plain = plain && query->columns[i].filter < 0 &&
				query->columns[i].argument < (int) query->ninputs;
	return plain;
}

/* Tells whether a clause of WHERE may trap. */
static bool
where_may_trap(const WaQueryRun *run)
{
	const WaQuery *query = run->query;

	for (uint32_t i = 0; i < query->nfilters; i++)
		for (uint32_t j = query->filters[i].begin; j < query->filters[i].end;
			 j++)
			if (run->conditions[i].input < 0 &&
				wa_instruction_may_trap(&query->program.instructions[j]))
				return true;
	return false;
}

WaQueryRun *
wa_query_run_make(WaArena *arena, const WaNumberedQuery *numbered)
{
	const WaQuery *query = &numbered->query;
	WaQueryRun *run = wa_arena_alloc_zero(arena, sizeof(WaQueryRun));

	if (run == NULL)
		return NULL;
	run->numbered = numbered;
	run->query = query;
	run->arena = arena;
	run->key_vectors =
		wa_arena_alloc(arena, (query->nkeys + (size_t) 1) * sizeof(WaVector *));
	run->tables = wa_arena_alloc(arena, (query->ncolumns + (size_t) 1) *
											sizeof(WaRecordTable *));
	run->columns = wa_arena_alloc(arena, (query->ncolumns + (size_t) 1) *
											 sizeof(WaPartialColumn));
	if (!place_registers(run) || !wa_run_inputs_make(run) || !make_groups(run))
		return NULL;
	run->batch = wa_query_batch_make(arena, query, run->registers);
	if (run->batch == NULL)
		return NULL;
	run->batch->reader = wa_run_inputs_reader(run);
	run->batch->may_reorder = !where_may_trap(run);
	run->is_plain = run->list == NULL && is_plain(query);
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
								  .keys = numbered->asked->keys,
								  .columns = run->columns};
	return run;
}

bool
wa_query_run_is_plain(const WaQueryRun *run)
{
	return run->is_plain;
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

bool
wa_query_run_is_odd(const WaQueryRun *run)
{
	return run->made != NULL && run->made->is_odd;
}

WaRunOutcome
wa_query_run_outcome(const WaQueryRun *run, const WaRecordTable *table)
{
	if (run->arena->failed)
		return WA_RUN_NO_MEMORY;
	return wa_records_overflowed(table) ? WA_RUN_OVERFLOWED : WA_RUN_TAKEN;
}

bool
wa_query_run_add_rows(WaQueryRun *run, const WaGivenRows *rows)
{
	return wa_run_rows_add(run->made, rows);
}

/* Counts the rows of each group, if these are few; else returns NULL. */
static const uint32_t *
count_few(WaQueryRun *run, size_t nrows)
{
	if (run->groups == NULL || wa_query_run_groups(run) > WA_FEW_GROUPS ||
		nrows < wa_query_run_groups(run))
		return NULL;
	wa_count_groups(run->numbers, nrows, wa_query_run_groups(run), run->counts);
	return run->counts;
}

/* Has a column take the rows that are left; counts: those of few groups. */
static WaRunOutcome
take_column(WaQueryRun *run, uint32_t number, const uint32_t *counts,
			size_t nrows)
{
	const WaQueryColumn *column = &run->query->columns[number];
	WaRecordTable *table = run->tables[number];
	const WaVector *values = wa_query_batch_values(run->batch, column);

	if (counts != NULL && column->filter < 0 &&
		wa_records_take_few(table, run->numbers, counts, values, nrows))
		return WA_RUN_TAKEN;
	wa_records_take(table, run->groups != NULL ? run->numbers : NULL,
					wa_query_batch_keep(run->batch, column, NULL, nrows),
					values, nrows);
	return wa_query_run_outcome(run, table);
}

WaRunOutcome
wa_query_run_take_left(WaQueryRun *run, size_t nrows)
{
	const uint32_t ncolumns = run->query->ncolumns - run->numbered->nlisted;
	const uint32_t *counts;

	if (run->groups != NULL &&
		!wa_query_groups_find(run->groups, run->key_vectors, nrows,
							  run->numbers))
		return WA_RUN_NO_MEMORY;
	for (uint32_t i = 0; i < ncolumns; i++)
		if (!wa_records_grow(run->tables[i], wa_query_run_groups(run)))
			return WA_RUN_NO_MEMORY;
	counts = count_few(run, nrows);
	for (uint32_t i = 0; i < ncolumns; i++)
	{
		const WaRunOutcome outcome = take_column(run, i, counts, nrows);

		if (outcome != WA_RUN_TAKEN)
			return outcome;
	}
	if (run->list != NULL &&
		!wa_value_list_take(run->list,
							run->groups != NULL ? run->numbers : NULL,
							&run->registers[run->numbered->listed], nrows))
		return WA_RUN_NO_MEMORY;
	run->rows += nrows;
	return WA_RUN_TAKEN;
}

/* Keeps the rows that are left, which become tables, or the first of them. */
static WaRunOutcome
keep_rows(WaQueryRun *run, size_t nrows)
{
	if (run->first != NULL &&
		!wa_first_rows_take(run->first, run->key_vectors, nrows))
		return wa_first_rows_are_full(run->first) ? WA_RUN_NO_MEMORY
												  : WA_RUN_TRAPPED;
	if (run->made != NULL &&
		!wa_run_rows_take(run->made, run->key_vectors, nrows))
		return WA_RUN_NO_MEMORY;
	run->rows += nrows;
	return WA_RUN_TAKEN;
}

/* Takes rows, in any number, for a plain query. */
static WaRunOutcome
take_plain(WaQueryRun *run, const WaColumnRows *rows, size_t nrows)
{
	const WaQuery *query = run->query;

	for (uint32_t i = 0; i < query->ncolumns; i++)
	{
		const int argument = query->columns[i].argument;
		WaRunOutcome outcome;

		if (argument < 0)
			wa_records_count(run->tables[i], nrows);
		else
			wa_records_take_column(run->tables[i], &rows[argument], nrows,
								   &run->memory[argument]);
		outcome = wa_query_run_outcome(run, run->tables[i]);
		if (outcome != WA_RUN_TAKEN)
			return outcome;
	}
	run->rows += nrows;
	return WA_RUN_TAKEN;
}

WaRunOutcome
wa_query_run_take(WaQueryRun *run, const WaColumnRows *rows, size_t nrows)
{
	size_t left = nrows;

	if (run->is_plain)
		return take_plain(run, rows, nrows);
	wa_run_inputs_begin(run, rows);
	if (run->skips_rows)
		left = wa_run_inputs_skip(run, nrows);
	if (left == 0)
		return WA_RUN_TAKEN;
	if (wa_query_batch_compute(run->batch, &left) != WA_BATCH_COMPUTED)
		return WA_RUN_TRAPPED;
	if (left == 0)
		return WA_RUN_TAKEN;
	return run->made != NULL || run->first != NULL
			   ? keep_rows(run, left)
			   : wa_query_run_take_left(run, left);
}
