/*
 * run_inputs.c
 *		The inputs of a run: who reads them, and making vectors of their rows.
 *
 * An input is made anew from where its rows lie after rows were left out, so
 * that only those are touched that are read.
 */
#include <string.h>

#include "query/run/run_internal.h"

/* With more codes than this, texts are compared and looked up as such. */
#define MAX_CODES ((uint32_t) 1 << 22)

/* A known result of a comparison, by code. */
#define KNOWN 2

/* Returns the uses that a part makes of the inputs. */
static WaInputUse *
uses_in(const WaQueryRun *run, uint32_t part)
{
	return run->uses + (size_t) part * run->query->ninputs;
}

/* Notes that a part reads a register. */
static void
note_use(const WaQueryRun *run, uint32_t part, uint32_t number, WaInputUse use)
{
	const WaQuery *query = run->query;

	if (number < query->ninputs)
		uses_in(run, part)[number] |=
			query->program.kinds[number] == WA_VECTOR_TEXT ? use
														   : WA_USE_VALUES;
}

/* Tells whether a register is a constant that is not NULL. */
static bool
is_constant(const WaQuery *query, uint32_t number)
{
	for (uint32_t i = 0; i < query->nconstants; i++)
		if (query->constants[i].number == number)
			return !query->constants[i].value.is_null;
	return false;
}

/*
 * Tells whether an instruction compares a TEXT input with a constant, and which
 * input.
 */
static bool
is_text_test(const WaQuery *query, const WaInstruction *instruction,
			 uint16_t *input)
{
	if (instruction->code != WA_CODE_COMPARE_TEXT)
		return false;
	*input = instruction->a < query->ninputs ? instruction->a : instruction->b;
	return *input < query->ninputs &&
		   query->program.kinds[*input] == WA_VECTOR_TEXT &&
		   is_constant(query, *input == instruction->a ? instruction->b
													   : instruction->a);
}

/*
 * Tells whether an instruction looks something up, and codes have to do with it:
 * those of a TEXT input, or of the table's own texts.
 */
static bool
is_text_look_up(const WaQuery *query, const WaInstruction *instruction)
{
	const WaVectorKind *kinds = query->program.kinds;

	return instruction->code == WA_CODE_LOOK_UP &&
		   (kinds[instruction->a] == WA_VECTOR_TEXT ||
			kinds[instruction->out] == WA_VECTOR_TEXT);
}

/* Returns how an instruction reads its arguments. */
static WaInputUse
use_of(const WaQuery *query, const WaInstruction *instruction)
{
	uint16_t input;

	return instruction->code == WA_CODE_IS_NULL ||
				   instruction->code == WA_CODE_IS_NOT_NULL ||
				   instruction->code == WA_CODE_LOOK_UP ||
				   is_text_test(query, instruction, &input)
			   ? WA_USE_CODES
			   : WA_USE_VALUES;
}

/* Notes what instructions of a part read. */
static void
note_instructions(WaQueryRun *run, uint32_t part, uint32_t begin, uint32_t end)
{
	const WaQuery *query = run->query;

	for (uint32_t i = begin; i < end; i++)
	{
		const WaInstruction *instruction = &query->program.instructions[i];
		const WaInputUse use = use_of(query, instruction);
		uint16_t arguments[3];
		int narguments = wa_instruction_arguments(instruction, arguments);

		for (int k = 0; k < narguments; k++)
			note_use(run, part, arguments[k], use);
	}
}

/* Returns a text of a table. */
static WaText
text_of_table(const void *table, int32_t code)
{
	return ((const WaLookupTable *) table)->texts[code];
}

/* Notes a look-up. */
static void
note_look_up(WaQueryRun *run, uint32_t number)
{
	const WaProgram *program = &run->query->program;
	const WaInstruction *instruction = &program->instructions[number];
	WaTextTest *test = &run->tests[run->ntests++];

	*test = (WaTextTest){.instruction = number,
						 .input = instruction->a,
						 .table = &program->tables[instruction->extra]};
	if (program->kinds[instruction->out] != WA_VECTOR_TEXT)
		return;
	test->texts =
		(WaTextCodes){test->table->ntexts, test->table, text_of_table};
	test->codes = wa_arena_alloc(run->arena, WA_VECTOR_ROWS * sizeof(int32_t));
}

/* Notes which instructions are tests. */
static void
note_tests(WaQueryRun *run)
{
	const WaProgram *program = &run->query->program;
	uint16_t input;

	for (uint32_t i = 0; i < program->ninstructions; i++)
		if (is_text_test(run->query, &program->instructions[i], &input))
			run->tests[run->ntests++] =
				(WaTextTest){.instruction = i, .input = input};
		else if (is_text_look_up(run->query, &program->instructions[i]))
			note_look_up(run, i);
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
		note_use(run, i, filter->number, WA_USE_VALUES);
	}
	note_instructions(run, last, query->begin, query->end);
	for (uint32_t i = 0; i < query->nkeys; i++)
		note_use(run, last, query->key_numbers[i], WA_USE_CODES);
	for (uint32_t i = 0; i < query->ncolumns; i++)
	{
		const WaQueryColumn *column = &query->columns[i];

		if (column->argument >= 0)
			note_use(run, last, (uint32_t) column->argument, WA_USE_CODES);
		if (column->filter >= 0)
			note_use(run, last, (uint32_t) column->filter, WA_USE_VALUES);
	}
}

bool
wa_run_inputs_make(WaQueryRun *run)
{
	const WaQuery *query = run->query;
	const size_t ninputs = query->ninputs;
	WaArena *arena = run->arena;

	run->memory = wa_arena_alloc(arena, (ninputs + 1) * sizeof(WaVector));
	run->codes = wa_arena_alloc_zero(arena, (ninputs + 1) * sizeof(int32_t *));
	run->code_memory =
		wa_arena_alloc_zero(arena, (ninputs + 1) * sizeof(int32_t *));
	run->there = wa_arena_alloc(arena, ninputs + 1);
	run->uses = wa_arena_alloc_zero(
		arena, (query->nfilters + (size_t) 1) * ninputs + 1);
	run->tests = wa_arena_alloc(arena, (query->program.ninstructions + 1) *
										   sizeof(WaTextTest));
	for (size_t i = 0; i < ninputs && !arena->failed; i++)
		if (query->program.kinds[i] == WA_VECTOR_TEXT)
			run->code_memory[i] =
				wa_arena_alloc(arena, WA_VECTOR_ROWS * sizeof(int32_t));
	if (arena->failed)
		return false;
	memcpy(run->memory, run->registers, ninputs * sizeof(WaVector));
	note_parts(run);
	note_tests(run);
	return !arena->failed;
}

/* Has an input's texts be read as such: it has too many codes. */
static void
read_texts(WaQueryRun *run, uint16_t input)
{
	uint32_t ntests = 0;

	for (uint32_t part = 0; part <= run->query->nfilters; part++)
		if (uses_in(run, part)[input] != 0)
			uses_in(run, part)[input] = WA_USE_VALUES;
	for (uint32_t i = 0; i < run->ntests; i++)
		if (run->tests[i].input != input || run->tests[i].table != NULL)
			run->tests[ntests++] = run->tests[i];
	run->ntests = ntests;
}

/* Makes what depends on the codes that TEXT inputs have. */
static bool
note_codes(WaQueryRun *run)
{
	for (uint16_t i = 0; i < run->query->ninputs; i++)
		if (run->query->program.kinds[i] == WA_VECTOR_TEXT &&
			run->inputs[i].texts->ncodes > MAX_CODES)
			read_texts(run, i);
	for (uint32_t i = 0; i < run->ntests; i++)
	{
		WaTextTest *test = &run->tests[i];

		if (test->table != NULL)
			continue;
		test->results = wa_arena_alloc_vector_zero(
			run->arena, run->inputs[test->input].texts->ncodes);
		if (test->results == NULL)
			return false;
	}
	return true;
}

bool
wa_run_inputs_begin(WaQueryRun *run, const WaColumnRows *rows)
{
	run->inputs = rows;
	run->selected = NULL;
	memset(run->there, 0, run->query->ninputs);
	if (run->begun)
		return true;
	run->begun = true;
	return note_codes(run);
}

const int32_t *
wa_run_codes(const WaQueryRun *run, uint32_t number, const WaTextCodes **texts)
{
	const WaQuery *query = run->query;

	if (query->program.kinds[number] != WA_VECTOR_TEXT)
		return NULL;
	if (number < query->ninputs)
	{
		*texts = run->inputs[number].texts;
		return (run->there[number] & WA_USE_CODES) != 0 ? run->codes[number]
														: NULL;
	}
	for (uint32_t i = run->ntests; i-- > 0;)
	{
		const WaTextTest *test = &run->tests[i];

		if (query->program.instructions[test->instruction].out != number ||
			test->instruction < query->begin || test->instruction >= query->end)
			continue;
		*texts = &test->texts;
		return test->codes;
	}
	return NULL;
}

/* Makes a vector of an input, or codes. */
static void
fill_input(WaQueryRun *run, uint16_t input, WaInputUse use, size_t nrows)
{
	const WaColumnRows *rows = &run->inputs[input];
	WaVector *vector = &run->registers[input];

	wa_column_rows_vector(rows, run->selected, nrows, &run->memory[input],
						  vector);
	if (rows->form != WA_FORM_TEXT)
		return;
	run->codes[input] = wa_column_rows_codes(rows, run->selected, nrows,
											 run->code_memory[input]);
	if ((use & WA_USE_VALUES) != 0)
		wa_column_rows_texts(rows->texts, run->codes[input], nrows, vector);
}

/* Makes vectors, or codes, of what a part reads of the rows that are left. */
static void
fill_inputs(WaQueryRun *run, uint32_t part, size_t nrows)
{
	const WaInputUse *uses = uses_in(run, part);

	for (uint16_t i = 0; i < run->query->ninputs; i++)
	{
		if ((uses[i] & ~run->there[i]) == 0)
			continue;
		run->there[i] |= uses[i];
		fill_input(run, i, run->there[i], nrows);
	}
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

/* Finds out the result of a test for a code. */
static uint8_t
test_code(const WaQueryRun *run, const WaTextTest *test, int32_t code)
{
	const WaInstruction *instruction =
		&run->query->program.instructions[test->instruction];
	const WaTextCodes *texts = run->inputs[test->input].texts;
	const WaText text = texts->text(texts->context, code);
	const bool swap = instruction->a != test->input;
	const WaText constant = *wa_vector_texts(
		&run->registers[swap ? instruction->a : instruction->b]);

	return KNOWN | wa_texts_compare(instruction->extra, swap ? constant : text,
									swap ? text : constant);
}

/* Runs a test over the rows that are left. */
static void
run_test(const WaQueryRun *run, const WaTextTest *test, size_t nrows)
{
	const WaVector *vector = &run->registers[test->input];
	const int32_t *codes = run->codes[test->input];
	const WaProgram *program = &run->query->program;
	WaVector *out =
		&run->registers[program->instructions[test->instruction].out];
	uint8_t *values = wa_vector_bools(out);
	uint8_t known = KNOWN;

	for (size_t i = 0; i < nrows; i++)
	{
		values[i] = test->results[codes[i]];
		known &= values[i];
	}
	for (size_t i = 0; i < nrows && known == 0; i++)
	{
		if (test->results[codes[i]] == 0)
			test->results[codes[i]] = test_code(run, test, codes[i]);
		values[i] = test->results[codes[i]];
	}
	out->has_nulls = vector->has_nulls;
	out->mixed = false;
	out->scale = 0;
	if (out->has_nulls)
		memcpy(out->valid, vector->valid, nrows);
	for (size_t i = 0; i < nrows; i++)
		values[i] &= out->has_nulls ? out->valid[i] : 1;
}

/*
 * Looks the rows that are left up in a table; returns false to trap.  A text gets
 * its code beside its value.
 */
static bool
run_look_up(const WaQueryRun *run, const WaTextTest *test, size_t nrows)
{
	const WaProgram *program = &run->query->program;
	const WaInstruction *instruction =
		&program->instructions[test->instruction];
	WaVector *out = &run->registers[instruction->out];
	const int32_t *codes = program->kinds[instruction->a] == WA_VECTOR_TEXT
							   ? run->codes[test->input]
							   : NULL;
	int64_t words[WA_VECTOR_ROWS];

	if (!wa_lookup_table_find(test->table, &run->registers[instruction->a],
							  codes, out, words, nrows))
		return false;
	wa_lookup_table_store(test->table, words, out, nrows);
	if (test->codes != NULL)
		for (size_t i = 0; i < nrows; i++)
			test->codes[i] = (int32_t) words[i];
	return true;
}

/* Runs instructions as wa_program_run does. */
static bool
run_instructions(const WaQueryRun *run, uint32_t begin, uint32_t end,
				 size_t nrows)
{
	const WaProgram *program = &run->query->program;

	for (uint32_t i = 0; i < run->ntests; i++)
	{
		const WaTextTest *test = &run->tests[i];

		if (test->instruction < begin || test->instruction >= end)
			continue;
		if (!wa_program_run(program, begin, test->instruction, run->registers,
							nrows))
			return false;
		if (test->table == NULL)
			run_test(run, test, nrows);
		else if (!run_look_up(run, test, nrows))
			return false;
		begin = test->instruction + 1;
	}
	return wa_program_run(program, begin, end, run->registers, nrows);
}

/* Reads what a part uses, and runs its instructions: of a WaBatchReader. */
static WaBatchOutcome
run_part(void *context, uint32_t part, uint32_t begin, uint32_t end,
		 size_t nrows)
{
	WaQueryRun *run = context;

	fill_inputs(run, part, nrows);
	return run_instructions(run, begin, end, nrows) ? WA_BATCH_COMPUTED
													: WA_BATCH_TRAPPED;
}

WaBatchReader
wa_run_inputs_reader(WaQueryRun *run)
{
	return (WaBatchReader){run_part, select_rows, run};
}
