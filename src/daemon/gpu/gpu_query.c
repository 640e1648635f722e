/*
 * gpu_query.c
 *		Queries for GPUs; see gpu_query.h.
 */
#include <string.h>

#include "core/decimal.h"
#include "daemon/gpu/gpu_query.h"
#include "daemon/gpu/gpu_translation.h"
#include "query/groups/group_decimal.h"

/*
 * Returns the register of an argument of which it matters which rows are NULL.  Of a
 * text that is a constant there is a rank for sure.
 */
static int
translate_argument(WaGpuTranslation *to, int number)
{
	if (number < 0 || to->query->program.kinds[number] != WA_VECTOR_TEXT ||
		wa_gpu_find_constant(to->query, (uint16_t) number) == NULL)
		return number;
	return wa_gpu_texts_rank(to, (uint16_t) number);
}

/* Translates IS_NULL or IS_NOT_NULL. */
static void
translate_null_test(WaGpuTranslation *to, const WaInstruction *from)
{
	WaInstruction instruction = *from;

	instruction.a = (uint16_t) translate_argument(to, from->a);
	wa_gpu_add_instruction(to, instruction);
}

/* Translates an instruction; returns false if GPUs have none for it. */
static bool
translate_instruction(WaGpuTranslation *to, const WaInstruction *from)
{
	/* What PostgreSQL was given to evaluate something from is in a table now. */
	if (!to->is_read[from->out])
		return true;
	if (wa_gpu_texts_has(to, from->out))
		return wa_gpu_texts_translate(to, from);
	switch (from->code)
	{
		case WA_CODE_LOOK_UP:
			return wa_gpu_translate_look_up(to, from);
		case WA_CODE_COMPARE_TEXT:
			return wa_gpu_compares_constant(to, from)
					   ? wa_gpu_translate_constant(to, from)
					   : wa_gpu_texts_translate(to, from);
		case WA_CODE_IS_NULL:
		case WA_CODE_IS_NOT_NULL:
			translate_null_test(to, from);
			return true;
		case WA_CODE_CALL:
			return false;
		default:
			wa_gpu_add_instruction(to, *from);
			return true;
	}
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
	WaProgramClause *clauses = wa_arena_alloc(
		to->arena, (query->nfilters + (size_t) 1) * sizeof(*clauses));

	if (clauses == NULL)
		return false;
	for (uint32_t i = 0; i < query->nfilters; i++)
	{
		const WaQueryFilter *filter = &query->filters[i];

		if (!translate_instructions(to, filter->begin, filter->end))
			return false;
		clauses[i] = (WaProgramClause){to->ninstructions, filter->number};
	}
	cuda->nclauses = query->nfilters;
	cuda->clauses = clauses;
	return true;
}

/* Copies a constant that is a numeric; false if it has more than 38 digits. */
static bool
copy_decimal(const WaQueryValue *from, WaProgramConstant *constant)
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
		WaProgramConstant *constant = &to->constants[to->nconstants];

		if (kind == WA_VECTOR_TEXT)
			continue;
		*constant = (WaProgramConstant){.number = from->number,
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

/*
 * Translates a key that is a text: codes of its column's dictionary, numbers of a
 * table's texts, or else ranks stand for the texts.
 */
static bool
translate_text_key(WaGpuTranslation *to, uint32_t key)
{
	const WaLookupTable *table;
	int64_t *ranks;
	int rank;

	if (to->keys[key] < to->query->ninputs)
		return true;
	table = wa_gpu_find_texts(to->query, to->keys[key]);
	if (table != NULL)
	{
		to->key_texts[key] = table->texts;
		return true;
	}
	rank = wa_gpu_texts_rank(to, to->keys[key]);
	ranks = wa_arena_alloc(to->arena,
						   (to->texts.count + (size_t) 1) * sizeof(*ranks));
	if (rank < 0 || ranks == NULL)
		return false;
	for (uint32_t i = 0; i < to->texts.count; i++)
		ranks[i] = i;
	to->keys[key] = (uint16_t) rank;
	/* They stand for themselves, and have a range. */
	to->key_values[key] =
		(WaCudaKeyValues){.values = ranks, .count = to->texts.count};
	to->key_texts[key] = to->texts.texts;
	return true;
}

/*
 * Ranks of keys
 *
 * A key that is looked up in a table, like the day of a time, has few values.  GPUs
 * number groups at once by small integers that have a range, and these take less
 * memory: so they look up ranks, and the values are put in their place when groups
 * are handed over.
 */

/* Entries of a table at most: it is gone through for each query. */
#define MAX_STEPS 65536

/* Tells whether the values that are known never become less. */
static bool
ascends(const WaLookupTable *table)
{
	int64_t last = INT64_MIN;

	for (uint64_t i = 0; i < table->nentries; i++)
	{
		if (table->known[i] == 0)
			continue;
		if (table->values[i] < last)
			return false;
		last = table->values[i];
	}
	return true;
}

/*
 * Makes, in memory of the arena, the table that has ranks where the given one has
 * values, and the values by rank.  Returns false if the values of the table, which is
 * of INT or DECIMAL, do not ascend, if there are too many entries, or no memory.
 */
static bool
make_ranks(WaArena *arena, const WaLookupTable *table, WaLookupTable *ranks,
		   WaCudaKeyValues *values)
{
	uint32_t count = 0;
	int64_t *rank_of;
	int64_t *value_of;

	if (table->nentries > MAX_STEPS || !ascends(table))
		return false;
	rank_of = wa_arena_alloc(arena, table->nentries * sizeof(*rank_of));
	value_of = wa_arena_alloc(arena, table->nentries * sizeof(*value_of));
	if (rank_of == NULL || value_of == NULL)
		return false;
	for (uint64_t i = 0; i < table->nentries; i++)
	{
		if (table->known[i] != 0 &&
			(count == 0 || value_of[count - 1] != table->values[i]))
			value_of[count++] = table->values[i];
		rank_of[i] = count > 0 ? count - 1 : 0;
	}
	*ranks = *table;
	ranks->values = rank_of;
	ranks->scale = 0;
	*values = (WaCudaKeyValues){
		.values = value_of, .count = count, .scale = table->scale};
	return count > 0;
}

/*
 * Has the rank of a key looked up instead of its value, if it is looked up.  The
 * argument is an input: nothing changes it on the way.
 */
static void
translate_other_key(WaGpuTranslation *to, uint32_t key)
{
	const WaQuery *query = to->query;
	const WaInstruction *from = find_instruction(query, to->keys[key]);
	const WaVectorKind kind = query->program.kinds[to->keys[key]];
	WaLookupTable ranks;

	if (from == NULL || from->code != WA_CODE_LOOK_UP ||
		from->a >= query->ninputs ||
		!wa_gpu_table_is_plain(&to->tables[from->extra]) ||
		(kind != WA_VECTOR_INT && kind != WA_VECTOR_DECIMAL) ||
		!make_ranks(to->arena, &to->tables[from->extra], &ranks,
					&to->key_values[key]))
		return;
	to->keys[key] = wa_gpu_add_look_up(to, from->a, &ranks, WA_VECTOR_INT);
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
static WaTopN
translate_top_n(const WaGpuTranslation *to)
{
	WaTopN top_n = to->query->top_n;

	for (uint32_t i = 0; i < to->query->nkeys; i++)
		if (has_other_blanks(to, i))
			top_n.limit = 0;
	return top_n;
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
		to->keys[i] = query->key_numbers[i];
		if (query->keys[i].kind != WA_VECTOR_TEXT)
			translate_other_key(to, i);
		else if (!translate_text_key(to, i))
			return false;
	}
	for (uint32_t i = 0; i < query->ncolumns; i++)
	{
		const WaQueryColumn *column = &query->columns[i];

		aggregates[i] = (WaCudaAggregate){
			.argument = translate_argument(to, column->argument),
			.filter = column->filter,
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

/* Returns the most that keys, arguments and instructions on texts add for texts. */
static size_t
count_texts(const WaQuery *query)
{
	const WaProgram *program = &query->program;
	size_t count = (size_t) query->nkeys + query->ncolumns;

	for (size_t i = 0; i < program->ninstructions; i++)
	{
		const WaInstruction *instruction = &program->instructions[i];

		count += instruction->code == WA_CODE_COMPARE_TEXT ||
				 program->kinds[instruction->out] == WA_VECTOR_TEXT;
	}
	return WA_GPU_MOST_ADDED_TEXTS * count;
}

/* Makes room for all that may be added. */
static bool
make_room(WaGpuTranslation *to)
{
	const WaQuery *query = to->query;
	const WaProgram *program = &query->program;
	const size_t nkeys = (size_t) query->nkeys + 1;
	size_t most = query->end - query->begin + (size_t) query->nkeys;

	for (uint32_t i = 0; i < query->nfilters; i++)
		most += query->filters[i].end - query->filters[i].begin;
	/* Look-ups become several instructions. */
	most += query->ntables > 0 ? WA_GPU_MOST_ADDED * most : 0;
	most += count_texts(query);
	if (most + program->nregisters >= UINT16_MAX)
		return false;
	to->instructions =
		wa_arena_alloc(to->arena, (most + 1) * sizeof(WaInstruction));
	to->kinds = wa_arena_alloc(to->arena, (program->nregisters + most + 1) *
											  sizeof(WaVectorKind));
	to->lists = wa_arena_alloc(to->arena,
							   (query->nlists + most + 1) * sizeof(WaIntList));
	to->tables = wa_arena_alloc(to->arena, (query->ntables + nkeys + most) *
											   sizeof(WaLookupTable));
	to->constants = wa_arena_alloc_zero(
		to->arena, (query->nconstants + most + 1) * sizeof(WaProgramConstant));
	to->keys = wa_arena_alloc(to->arena, nkeys * sizeof(*to->keys));
	to->key_values =
		wa_arena_alloc_zero(to->arena, nkeys * sizeof(*to->key_values));
	to->key_texts =
		wa_arena_alloc_zero(to->arena, nkeys * sizeof(*to->key_texts));
	return !to->arena->failed;
}

/* Copies what there is of registers, lists and tables. */
static void
copy_program(WaGpuTranslation *to)
{
	const WaQuery *query = to->query;
	const WaProgram *program = &query->program;

	to->nregisters = program->nregisters;
	for (uint16_t i = 0; i < program->nregisters; i++)
		to->kinds[i] = program->kinds[i] == WA_VECTOR_TEXT ? WA_VECTOR_INT
														   : program->kinds[i];
	to->nlists = query->nlists;
	if (query->nlists > 0)
		memcpy(to->lists, program->lists, query->nlists * sizeof(WaIntList));
	to->ntables = query->ntables;
	if (query->ntables > 0)
		memcpy(to->tables, program->tables,
			   query->ntables * sizeof(WaLookupTable));
}

/* Finds the registers that are read by what is wanted in the end; false: no memory. */
static bool
find_read(WaGpuTranslation *to)
{
	const WaQuery *query = to->query;
	bool *is_read = wa_arena_alloc_zero(
		to->arena, (query->program.nregisters + (size_t) 1) * sizeof(*is_read));

	if (is_read == NULL)
		return false;
	for (uint32_t i = 0; i < query->nfilters; i++)
		is_read[query->filters[i].number] = true;
	for (uint32_t i = 0; i < query->nkeys; i++)
		is_read[query->key_numbers[i]] = true;
	for (uint32_t i = 0; i < query->ncolumns; i++)
	{
		if (query->columns[i].argument >= 0)
			is_read[query->columns[i].argument] = true;
		if (query->columns[i].filter >= 0)
			is_read[query->columns[i].filter] = true;
	}
	for (size_t i = query->program.ninstructions; i-- > 0;)
	{
		uint16_t arguments[3];
		const int narguments = wa_instruction_arguments(
			&query->program.instructions[i], arguments);

		if (is_read[query->program.instructions[i].out])
			for (int k = 0; k < narguments; k++)
				is_read[arguments[k]] = true;
	}
	to->is_read = is_read;
	return true;
}

WaGpuQuery *
wa_gpu_query_translate(WaArena *arena, const WaQuery *query,
					   const WaRunRequest *request)
{
	WaGpuQuery *translated = wa_arena_alloc_zero(arena, sizeof(*translated));
	WaGpuTranslation to = {.arena = arena, .query = query, .request = request};
	WaCudaQuery *cuda;

	if (translated == NULL || !make_room(&to) || !find_read(&to))
		return NULL;
	cuda = &translated->cuda;
	copy_program(&to);
	if (!wa_gpu_texts_find(&to) || !copy_constants(&to) ||
		!translate_clauses(&to, cuda) ||
		!translate_instructions(&to, query->begin, query->end) ||
		!translate_parts(&to, cuda))
		return NULL;
	cuda->program = (WaProgram){.nregisters = to.nregisters,
								.kinds = to.kinds,
								.instructions = to.instructions,
								.ninstructions = to.ninstructions,
								.lists = to.lists,
								.tables = to.tables};
	cuda->top_n = translate_top_n(&to);
	cuda->nconstants = to.nconstants;
	cuda->constants = to.constants;
	translated->key_texts = to.key_texts;
	return translated;
}
