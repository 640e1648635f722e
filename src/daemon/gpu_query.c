/*
 * gpu_query.c
 *		Queries for GPUs; see gpu_query.h.
 */
#include <string.h>

#include "core/decimal.h"
#include "daemon/gpu_query.h"
#include "daemon/gpu_ranks.h"
#include "daemon/gpu_translation.h"
#include "query/group_decimal.h"

/* Comparisons by order become lists of codes up to so many texts. */
#define MAX_LISTED_TEXTS 4096

/* No text has this code. */
#define NO_CODE (-1)

/* Returns the constant that a register is, or NULL. */
static const WaQueryConstant *
find_constant(const WaQuery *query, uint16_t number)
{
	for (uint32_t i = 0; i < query->nconstants; i++)
		if (query->constants[i].number == number)
			return &query->constants[i];
	return NULL;
}

/* Compares texts as COMPARE_TEXT does. */
static int
compare_texts(WaText a, WaText b)
{
	const size_t common = a.length < b.length ? a.length : b.length;
	const int order = common > 0 ? memcmp(a.data, b.data, common) : 0;

	if (order != 0)
		return order;
	return (a.length > b.length) - (a.length < b.length);
}

/* Tells whether an order of two values fulfils a comparison. */
static bool
fulfils(int order, uint32_t comparison)
{
	switch (comparison)
	{
		case WA_LESS:
			return order < 0;
		case WA_LESS_OR_EQUAL:
			return order <= 0;
		case WA_GREATER:
			return order > 0;
		case WA_GREATER_OR_EQUAL:
			return order >= 0;
		case WA_EQUAL:
			return order == 0;
		default:
			return order != 0;
	}
}

/* Adds a register with a code. */
static uint16_t
add_code(WaGpuTranslation *to, int64_t code, bool is_null)
{
	const uint16_t number = to->nregisters++;

	to->kinds[number] = WA_VECTOR_INT;
	to->constants[to->nconstants++] =
		(WaCudaConstant){.number = number, .is_null = is_null, .value.i = code};
	return number;
}

/* Adds a list of the codes whose texts fulfil a comparison with another one. */
static bool
add_list(WaGpuTranslation *to, const WaDictionary *dictionary, WaText text,
		 uint32_t comparison)
{
	const uint32_t count = wa_dictionary_count(dictionary);
	int64_t *codes;
	size_t found = 0;

	if (count > MAX_LISTED_TEXTS)
		return false;
	codes = wa_arena_alloc(to->arena, count * sizeof(int64_t));
	if (codes == NULL)
		return false;
	for (uint32_t code = 0; code < count; code++)
		if (fulfils(compare_texts(
						wa_dictionary_text(dictionary, (int32_t) code), text),
					comparison))
			codes[found++] = code;
	to->lists[to->nlists++] = (WaIntList){.values = codes, .nvalues = found};
	return true;
}

/* Translates a comparison of a column of texts with a constant. */
static bool
add_comparison(WaGpuTranslation *to, uint16_t out, uint16_t column,
			   const WaQueryValue *value, uint32_t comparison)
{
	const WaDictionary *dictionary = to->request->dictionaries[column];
	const bool is_equality =
		comparison == WA_EQUAL || comparison == WA_NOT_EQUAL;
	WaInstruction *instruction = &to->instructions[to->ninstructions++];
	int32_t code = NO_CODE;

	if (dictionary == NULL)
		return false;
	*instruction =
		(WaInstruction){.code = WA_CODE_COMPARE_INT, .out = out, .a = column};
	if (!is_equality && !value->is_null)
	{
		instruction->code = WA_CODE_IN_INT;
		instruction->extra = to->nlists;
		return add_list(to, dictionary, value->text, comparison);
	}
	if (!value->is_null && !wa_dictionary_find(dictionary, value->text.data,
											   value->text.length, &code))
		code = NO_CODE;
	instruction->b = add_code(to, code, value->is_null);
	instruction->extra = comparison == WA_NOT_EQUAL ? WA_NOT_EQUAL : WA_EQUAL;
	return true;
}

/*
 * Returns the table that all instructions which compute a TEXT register look it up
 * in; NULL: there is no such thing.
 */
static const WaSteps *
find_texts(const WaQuery *query, uint16_t number)
{
	const WaSteps *found = NULL;

	for (size_t i = 0; i < query->program.ninstructions; i++)
	{
		const WaInstruction *from = &query->program.instructions[i];

		if (from->out != number)
			continue;
		if (from->code != WA_CODE_STEPS ||
			(found != NULL && found != &query->program.tables[from->extra]))
			return NULL;
		found = &query->program.tables[from->extra];
	}
	return found;
}

/*
 * Translates a comparison of a text that was looked up with a constant: the numbers
 * of the table's texts that fulfil it become a list.
 */
static bool
add_table_comparison(WaGpuTranslation *to, uint16_t out, uint16_t number,
					 const WaSteps *table, const WaQueryValue *value,
					 uint32_t comparison)
{
	WaInstruction *instruction = &to->instructions[to->ninstructions++];
	int64_t *codes;
	size_t found = 0;

	*instruction = (WaInstruction){
		.code = WA_CODE_IN_INT, .out = out, .a = number, .extra = to->nlists};
	if (value->is_null || table->ntexts > MAX_LISTED_TEXTS)
		return false;
	codes = wa_arena_alloc(to->arena,
						   (table->ntexts + (size_t) 1) * sizeof(int64_t));
	if (codes == NULL)
		return false;
	for (uint32_t code = 0; code < table->ntexts; code++)
		if (fulfils(compare_texts(table->texts[code], value->text), comparison))
			codes[found++] = code;
	to->lists[to->nlists++] = (WaIntList){.values = codes, .nvalues = found};
	return true;
}

/* Translates a comparison of a text with a constant. */
static bool
add_any_comparison(WaGpuTranslation *to, uint16_t out, uint16_t text,
				   const WaQueryValue *value, uint32_t comparison)
{
	const WaSteps *table;

	if (text < to->query->ninputs)
		return add_comparison(to, out, text, value, comparison);
	table = find_texts(to->query, text);
	return table != NULL &&
		   add_table_comparison(to, out, text, table, value, comparison);
}

/* Translates a comparison of texts. */
static bool
translate_comparison(WaGpuTranslation *to, const WaInstruction *from)
{
	const WaQuery *query = to->query;
	const WaQueryConstant *a = find_constant(query, from->a);
	const WaQueryConstant *b = find_constant(query, from->b);

	if (b != NULL)
		return add_any_comparison(to, from->out, from->a, &b->value,
								  from->extra);
	if (a != NULL)
		return add_any_comparison(to, from->out, from->b, &a->value,
								  wa_comparison_turned(from->extra));
	return false;
}

/* Tells whether nothing reads what an instruction computes. */
static bool
is_unused(const WaQuery *query, const WaInstruction *instruction)
{
	const uint16_t out = instruction->out;
	bool is_used = false;

	for (size_t i = 0; i < query->program.ninstructions; i++)
	{
		uint16_t arguments[3];
		const int narguments = wa_instruction_arguments(
			&query->program.instructions[i], arguments);

		for (int k = 0; k < narguments; k++)
			is_used |= arguments[k] == out;
	}
	for (uint32_t i = 0; i < query->nfilters; i++)
		is_used |= query->filters[i].number == out;
	for (uint32_t i = 0; i < query->nkeys; i++)
		is_used |= query->key_numbers[i] == out;
	for (uint32_t i = 0; i < query->ncolumns; i++)
		is_used |= query->columns[i].argument == out ||
				   query->columns[i].filter == out;
	return !is_used;
}

/* Translates an instruction; returns false if GPUs have none for it. */
static bool
translate_instruction(WaGpuTranslation *to, const WaInstruction *from)
{
	const WaVectorKind *kinds = to->query->program.kinds;

	if (from->code == WA_CODE_STEPS)
		return wa_gpu_translate_look_up(to, from);
	if (from->code == WA_CODE_COMPARE_TEXT)
		return translate_comparison(to, from);
	/* What PostgreSQL was given to evaluate a text from is in the table now. */
	if (kinds[from->out] == WA_VECTOR_TEXT)
		return is_unused(to->query, from);
	if (from->code == WA_CODE_CALL)
		return false;
	wa_gpu_add_instruction(to, *from);
	return true;
}

/* Translates the instructions begin to end - 1. */
static bool
translate_instructions(WaGpuTranslation *to, uint32_t begin, uint32_t end)
{
	const WaProgram *program = &to->query->program;

	for (uint32_t i = begin; i < end; i++)
		if (!translate_instruction(to, &program->instructions[i]))
			return false;
	return true;
}

/* Translates the clauses of WHERE, and their instructions. */
static bool
translate_clauses(WaGpuTranslation *to, WaCudaQuery *cuda)
{
	const WaQuery *query = to->query;
	WaCudaClause *clauses = wa_arena_alloc(
		to->arena, (query->nfilters + (size_t) 1) * sizeof(*clauses));

	if (clauses == NULL)
		return false;
	for (uint32_t i = 0; i < query->nfilters; i++)
	{
		const WaQueryFilter *filter = &query->filters[i];

		if (!translate_instructions(to, filter->begin, filter->end))
			return false;
		clauses[i] = (WaCudaClause){to->ninstructions, filter->number};
	}
	cuda->nclauses = query->nfilters;
	cuda->clauses = clauses;
	return true;
}

/* Copies a constant that is a numeric; false if it has more than 38 digits. */
static bool
copy_decimal(const WaQueryValue *from, WaCudaConstant *constant)
{
	__int128 number;

	if (constant->is_null)
		return true;
	if (from->shown > WA_WIDE_MAX_SCALE ||
		!wa_decimal_number(from, (int) from->shown, &number))
		return false;
	constant->scale = (uint8_t) from->shown;
	constant->is_wide = number != (int64_t) number;
	if (constant->is_wide)
		constant->value.wide = wa_int128_make(number);
	else
		constant->value.i = (int64_t) number;
	return true;
}

/*
 * Copies the constants but for the texts.  Returns false if one is a numeric of more
 * than 38 digits.
 */
static bool
copy_constants(WaGpuTranslation *to)
{
	for (uint32_t i = 0; i < to->query->nconstants; i++)
	{
		const WaQueryConstant *from = &to->query->constants[i];
		const WaVectorKind kind = to->query->program.kinds[from->number];
		WaCudaConstant *constant = &to->constants[to->nconstants];

		if (kind == WA_VECTOR_TEXT)
			continue;
		*constant = (WaCudaConstant){.number = from->number,
									 .is_null = from->value.is_null};
		if (kind == WA_VECTOR_FLOAT)
			constant->value.f = from->value.number;
		else if (kind != WA_VECTOR_DECIMAL)
			constant->value.i = from->value.integer;
		else if (!copy_decimal(&from->value, constant))
			return false;
		to->nconstants++;
	}
	return true;
}

/* Returns the instruction by which a register has its value in the end, or NULL. */
static const WaInstruction *
find_instruction(const WaQuery *query, uint16_t number)
{
	for (uint32_t i = query->end; i-- > query->begin;)
		if (query->program.instructions[i].out == number)
			return &query->program.instructions[i];
	return NULL;
}

const WaSteps *
wa_gpu_query_texts(const WaQuery *query, uint16_t number)
{
	return number < query->ninputs ||
				   query->program.kinds[number] != WA_VECTOR_TEXT
			   ? NULL
			   : find_texts(query, number);
}

/* Tells whether a register is a text that has no codes. */
static bool
is_other_text(const WaQuery *query, int number)
{
	return number >= query->ninputs &&
		   query->program.kinds[number] == WA_VECTOR_TEXT &&
		   wa_gpu_query_texts(query, (uint16_t) number) == NULL;
}

/*
 * Has the rank of a key looked up instead of its value, if it is looked up.  The
 * argument is an input: nothing changes it on the way.
 */
static void
translate_key(WaGpuTranslation *to, uint32_t key)
{
	const WaQuery *query = to->query;
	const WaInstruction *from = find_instruction(query, to->keys[key]);
	const WaVectorKind kind = query->program.kinds[to->keys[key]];

	if (from == NULL || from->code != WA_CODE_STEPS ||
		from->a >= query->ninputs ||
		!wa_gpu_table_is_plain(&to->tables[from->extra]) ||
		(kind != WA_VECTOR_INT && kind != WA_VECTOR_DECIMAL) ||
		!wa_gpu_ranks_make(to->arena, &to->tables[from->extra],
						   &to->tables[to->ntables], &to->key_values[key]))
		return;
	to->keys[key] = to->nregisters++;
	to->kinds[to->keys[key]] = WA_VECTOR_INT;
	to->instructions[to->ninstructions++] =
		(WaInstruction){.code = WA_CODE_STEPS,
						.out = to->keys[key],
						.a = from->a,
						.extra = to->ntables++};
}

/*
 * Tells whether texts of a key that are equal but for their blanks may have codes of
 * their own: those of a type with a length all have as many.
 */
static bool
has_other_blanks(const WaGpuTranslation *to, uint32_t key)
{
	const WaQuery *query = to->query;
	const uint16_t number = query->key_numbers[key];

	return query->keys[key].blank_padded &&
		   (number >= query->ninputs ||
			to->request->columns[number].typmod < 0);
}

/*
 * Returns which groups GPUs may choose: all, where they may have several for one of the
 * query's.
 */
static WaWanted
translate_wanted(const WaGpuTranslation *to)
{
	WaWanted wanted = to->query->wanted;

	for (uint32_t i = 0; i < to->query->nkeys; i++)
		if (has_other_blanks(to, i))
			wanted.limit = 0;
	return wanted;
}

/* Translates keys and aggregated columns. */
static bool
translate_parts(WaGpuTranslation *to, WaCudaQuery *cuda)
{
	const WaQuery *query = to->query;
	WaCudaAggregate *aggregates = wa_arena_alloc(
		to->arena, (query->ncolumns + (size_t) 1) * sizeof(*aggregates));

	if (aggregates == NULL || query->nkeys > WA_CUDA_QUERY_KEYS)
		return false;
	for (uint32_t i = 0; i < query->nkeys; i++)
	{
		if (is_other_text(query, query->key_numbers[i]))
			return false;
		to->keys[i] = query->key_numbers[i];
		translate_key(to, i);
	}
	for (uint32_t i = 0; i < query->ncolumns; i++)
	{
		const WaQueryColumn *column = &query->columns[i];

		if (is_other_text(query, column->argument))
			return false;
		aggregates[i] = (WaCudaAggregate){
			.argument = column->argument,
			.filter = column->filter,
			.kind = column->kind,
			.ops = column->ops,
		};
	}
	cuda->nkeys = query->nkeys;
	cuda->keys = to->keys;
	cuda->key_values = to->key_values;
	cuda->naggregates = query->ncolumns;
	cuda->aggregates = aggregates;
	return true;
}

/* Makes room for all that may be added. */
static bool
make_room(WaGpuTranslation *to)
{
	const WaQuery *query = to->query;
	const WaProgram *program = &query->program;
	size_t most = query->end - query->begin + (size_t) query->nkeys;

	for (uint32_t i = 0; i < query->nfilters; i++)
		most += query->filters[i].end - query->filters[i].begin;
	/* Look-ups become several instructions. */
	most += query->ntables > 0 ? WA_GPU_MOST_ADDED * most : 0;
	if (most + program->nregisters >= UINT16_MAX)
		return false;
	to->instructions =
		wa_arena_alloc(to->arena, (most + 1) * sizeof(WaInstruction));
	to->kinds = wa_arena_alloc(to->arena, (program->nregisters + most + 1) *
											  sizeof(WaVectorKind));
	to->lists = wa_arena_alloc(to->arena,
							   (query->nlists + most + 1) * sizeof(WaIntList));
	to->tables = wa_arena_alloc(
		to->arena,
		(query->ntables + (size_t) query->nkeys + most + 1) * sizeof(WaSteps));
	to->constants = wa_arena_alloc_zero(
		to->arena, (query->nconstants + most + 1) * sizeof(WaCudaConstant));
	to->keys = wa_arena_alloc(to->arena,
							  (query->nkeys + (size_t) 1) * sizeof(*to->keys));
	to->key_values = wa_arena_alloc_zero(
		to->arena, (query->nkeys + (size_t) 1) * sizeof(*to->key_values));
	return !to->arena->failed;
}

WaCudaQuery *
wa_gpu_query_translate(WaArena *arena, const WaQuery *query,
					   const WaRunRequest *request)
{
	const WaProgram *program = &query->program;
	WaCudaQuery *cuda = wa_arena_alloc_zero(arena, sizeof(*cuda));
	WaGpuTranslation to = {.arena = arena, .query = query, .request = request};

	if (cuda == NULL || !make_room(&to))
		return NULL;
	to.nregisters = program->nregisters;
	to.nlists = query->nlists;
	for (uint16_t i = 0; i < program->nregisters; i++)
		to.kinds[i] = program->kinds[i] == WA_VECTOR_TEXT ? WA_VECTOR_INT
														  : program->kinds[i];
	to.ntables = query->ntables;
	if (query->nlists > 0)
		memcpy(to.lists, program->lists, query->nlists * sizeof(WaIntList));
	if (query->ntables > 0)
		memcpy(to.tables, program->tables, query->ntables * sizeof(WaSteps));
	if (!copy_constants(&to) || !translate_clauses(&to, cuda) ||
		!translate_instructions(&to, query->begin, query->end) ||
		!translate_parts(&to, cuda))
		return NULL;
	cuda->program = (WaProgram){.nregisters = to.nregisters,
								.kinds = to.kinds,
								.instructions = to.instructions,
								.ninstructions = to.ninstructions,
								.lists = to.lists,
								.tables = to.tables};
	cuda->wanted = translate_wanted(&to);
	cuda->nconstants = to.nconstants;
	cuda->constants = to.constants;
	return cuda;
}
