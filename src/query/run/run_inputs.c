/*
 * run_inputs.c
 *		The inputs of a run: who reads them, and making vectors of their rows.
 *
 * An input is made anew from where its rows lie after rows were left out, so
 * that only those are touched that are read.
 */
#include <string.h>

#include "query/run/run_internal.h"

/* Returns for each input whether a part reads it. */
static bool *
uses_in(const WaQueryRun *run, uint32_t part)
{
	return run->uses + (size_t) part * run->query->ninputs;
}

/* Notes that a part reads a register. */
static void
note_use(const WaQueryRun *run, uint32_t part, int number)
{
	if (number >= 0 && number < (int) run->query->ninputs)
		uses_in(run, part)[number] = true;
}

/* Notes what instructions of a part read. */
static void
note_instructions(WaQueryRun *run, uint32_t part, uint32_t begin, uint32_t end)
{
	for (uint32_t i = begin; i < end; i++)
	{
		uint16_t arguments[3];
		const int narguments = wa_instruction_arguments(
			&run->query->program.instructions[i], arguments);

		for (int k = 0; k < narguments; k++)
			note_use(run, part, arguments[k]);
	}
}

/* Notes what the parts read. */
static void
note_parts(WaQueryRun *run)
{
	const WaQuery *query = run->query;
	const uint32_t last = query->nfilters;

	for (uint32_t i = 0; i < query->nfilters; i++)
	{
		const WaQueryFilter *filter = &query->filters[i];

		note_instructions(run, i, filter->begin, filter->end);
		note_use(run, i, filter->number);
	}
	note_instructions(run, last, query->begin, query->end);
	for (uint32_t i = 0; i < query->nkeys; i++)
		note_use(run, last, query->key_numbers[i]);
	for (uint32_t i = 0; i < query->ncolumns; i++)
	{
		note_use(run, last, query->columns[i].argument);
		note_use(run, last, query->columns[i].filter);
	}
	if (run->numbered->nlisted > 0)
		note_use(run, last, run->numbered->listed);
}

bool
wa_run_inputs_make(WaQueryRun *run)
{
	const WaQuery *query = run->query;
	const size_t ninputs = query->ninputs;
	WaArena *arena = run->arena;

	run->memory = wa_arena_alloc(arena, (ninputs + 1) * sizeof(WaVector));
	run->there = wa_arena_alloc(arena, ninputs + 1);
	run->uses = wa_arena_alloc_zero(
		arena, (query->nfilters + (size_t) 1) * ninputs + 1);
	if (arena->failed)
		return false;
	run->conditions = wa_run_conditions_make(arena, query);
	if (run->conditions == NULL)
		return false;
	memcpy(run->memory, run->registers, ninputs * sizeof(WaVector));
	note_parts(run);
	return true;
}

void
wa_run_inputs_begin(WaQueryRun *run, const WaColumnRows *rows)
{
	run->inputs = rows;
	run->selected = NULL;
	memset(run->there, 0, run->query->ninputs);
}

/* Keeps those of the rows that are left that a selection has: of a WaBatchReader. */
static void
select_rows(void *context, uint32_t part, const uint16_t *selection,
			size_t nselected)
{
	WaQueryRun *run = context;

	(void) part;
	if (run->selected == NULL)
		memcpy(run->left, selection, nselected * sizeof(uint16_t));
	else
		for (size_t i = 0; i < nselected; i++)
			run->left[i] = run->left[selection[i]];
	run->selected = run->left;
	memset(run->there, 0, run->query->ninputs);
}

/* Evaluates a clause that says something of one column, if it does. */
static bool
apply_condition(WaQueryRun *run, uint32_t clause, size_t nrows)
{
	const WaRunCondition *condition = &run->conditions[clause];
	WaVector *fulfils = &run->registers[run->query->filters[clause].number];

	if (condition->input < 0 ||
		!wa_run_condition_apply(condition, &run->inputs[condition->input],
								run->selected, nrows, wa_vector_bools(fulfils)))
		return false;
	fulfils->has_nulls = false;
	return true;
}

/* Makes a vector of an input, if there is none. */
static void
read_input(WaQueryRun *run, uint16_t number, size_t nrows)
{
	if (run->there[number])
		return;
	run->there[number] = true;
	wa_column_rows_vector(&run->inputs[number], run->selected, nrows,
						  &run->memory[number], &run->registers[number]);
}

void
wa_run_inputs_read(WaQueryRun *run, const uint16_t *numbers, uint32_t count,
				   size_t nrows)
{
	for (uint32_t i = 0; i < count; i++)
		read_input(run, numbers[i], nrows);
}

/* Makes vectors of what a part reads, and runs its instructions: of a WaBatchReader. */
static WaBatchOutcome
run_part(void *context, uint32_t part, uint32_t begin, uint32_t end,
		 size_t nrows)
{
	WaQueryRun *run = context;
	const bool *uses = uses_in(run, part);

	if (part < run->query->nfilters && apply_condition(run, part, nrows))
		return WA_BATCH_COMPUTED;
	for (uint16_t i = 0; i < run->query->ninputs; i++)
		if (uses[i])
			read_input(run, i, nrows);
	return wa_program_run(&run->query->program, begin, end, run->registers,
						  nrows)
			   ? WA_BATCH_COMPUTED
			   : WA_BATCH_TRAPPED;
}

size_t
wa_run_inputs_skip(WaQueryRun *run, size_t nrows)
{
	WaVector bools = {.values = run->batch->keep};
	size_t nleft;

	if (!wa_first_rows_mark(run->first, run->inputs, nrows, run->batch->keep))
		return nrows;
	if (memchr(run->batch->keep, 1, nrows) == NULL)
		return 0;
	nleft = wa_vector_select(&bools, nrows, run->left);
	run->selected = run->left;
	return nleft;
}

WaBatchReader
wa_run_inputs_reader(WaQueryRun *run)
{
	return (WaBatchReader){run_part, select_rows, run};
}
