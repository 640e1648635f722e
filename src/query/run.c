/*
 * run.c
 *		Running a query over batches of rows; see run.h.
 *
 * Nothing is put into groups before all that could trap has run, so a batch
 * that traps can be taken in another way instead.
 */
#include <string.h>

#include "query/group_decimal.h"
#include "query/run_internal.h"

char *
wa_run_alloc_aligned(WaArena *arena, size_t bytes)
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
		bytes += wa_vector_register_bytes(program->kinds[i]);
	memory = wa_run_alloc_aligned(run->arena, bytes);
	run->registers = wa_arena_alloc(
		run->arena, (program->nregisters + (size_t) 1) * sizeof(WaVector));
	if (run->arena->failed)
		return false;
	wa_vector_place(&run->ones, WA_VECTOR_BOOL, memory);
	memset(run->ones.values, 1, WA_VECTOR_ROWS);
	memory += wa_vector_bytes(WA_VECTOR_BOOL);
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
	if (!place_registers(run) || !wa_run_inputs_make(run) || !make_groups(run))
		return NULL;
	run->is_plain = is_plain(query);
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

/*
 * Leaves the rows that fulfil WHERE.  Returns false if a clause
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

		wa_run_inputs_fill(run, i, *nrows);
		if (!wa_run_instructions(run, filter->begin, filter->end, *nrows))
			return false;
		nselected = wa_vector_select(&run->registers[filter->number], *nrows,
									 run->selection);
		if (nselected < *nrows)
			wa_run_inputs_select(run, nselected);
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

WaRunOutcome
wa_query_run_outcome(const WaQueryRun *run, const WaRecordTable *table)
{
	if (run->arena->failed)
		return WA_RUN_NO_MEMORY;
	return wa_records_overflowed(table) ? WA_RUN_OVERFLOWED : WA_RUN_TAKEN;
}

/* Finds the groups of the rows that are left. */
static bool
find_groups(WaQueryRun *run, size_t nrows)
{
	for (uint32_t i = 0; i < run->query->nkeys; i++)
	{
		const WaTextCodes *texts = NULL;
		const int32_t *codes =
			wa_run_codes(run, run->query->key_numbers[i], &texts);

		if (codes != NULL)
			wa_query_groups_use_codes(run->groups, (int) i, texts, codes);
	}
	return wa_query_groups_find(run->groups, run->key_vectors, nrows,
								run->numbers);
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
	const WaVector *values =
		column->argument < 0 ? &run->ones : &run->registers[column->argument];

	if (counts != NULL && column->filter < 0 &&
		wa_records_take_few(table, run->numbers, counts, values, nrows))
		return WA_RUN_TAKEN;
	wa_records_take(table, run->groups != NULL ? run->numbers : NULL,
					rows_to_keep(run, column, nrows), values, nrows);
	return wa_query_run_outcome(run, table);
}

/* Brings the rows that are left into their groups. */
static WaRunOutcome
take_rows(WaQueryRun *run, size_t nrows)
{
	const WaQuery *query = run->query;
	const uint32_t *counts;

	if (run->groups != NULL && !find_groups(run, nrows))
		return WA_RUN_NO_MEMORY;
	for (uint32_t i = 0; i < query->ncolumns; i++)
		if (!wa_records_grow(run->tables[i], wa_query_run_groups(run)))
			return WA_RUN_NO_MEMORY;
	counts = count_few(run, nrows);
	for (uint32_t i = 0; i < query->ncolumns; i++)
	{
		const WaRunOutcome outcome = take_column(run, i, counts, nrows);

		if (outcome != WA_RUN_TAKEN)
			return outcome;
	}
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
	const WaQuery *query = run->query;
	size_t left = nrows;

	if (run->is_plain)
		return take_plain(run, rows, nrows);
	if (!wa_run_inputs_begin(run, rows))
		return WA_RUN_NO_MEMORY;
	if (!apply_filters(run, &left))
		return WA_RUN_TRAPPED;
	if (left == 0)
		return WA_RUN_TAKEN;
	wa_run_inputs_fill(run, query->nfilters, left);
	if (!wa_run_instructions(run, query->begin, query->end, left))
		return WA_RUN_TRAPPED;
	return take_rows(run, left);
}
