/*
 * gpu_query.c
 *		Queries for GPUs; see gpu_query.h.
 */
#include <string.h>

#include "core/decimal.h"
#include "daemon/gpu/gpu_query.h"
#include "daemon/gpu/gpu_translation.h"
#include "query/groups/group_decimal.h"
#include "query/run/run_rows.h"

/* Ranks, or entries of a table of them: it is gone through for each query. */
#define MAX_RANKS 65536

/* Translates the instructions begin to end - 1. */
static void
translate_instructions(WaGpuTranslation *to, uint32_t begin, uint32_t end)
{
	for (uint32_t i = begin; i < end; i++)
	{
		const WaInstruction *from = &to->query->program.instructions[i];

		if (from->code != WA_CODE_LOOK_UP)
			wa_gpu_add_instruction(to, *from);
		else
			wa_gpu_translate_look_up(to, from);
	}
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

		translate_instructions(to, filter->begin, filter->end);
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

/* Copies the constants.  Returns false if one is a numeric of more than 38 digits. */
static bool
copy_constants(WaGpuTranslation *to)
{
	for (uint32_t i = 0; i < to->query->nconstants; i++)
	{
		const WaQueryConstant *from = &to->query->constants[i];
		const WaVectorKind kind = to->query->program.kinds[from->number];
		WaProgramConstant *constant = &to->constants[to->nconstants];

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
	for (uint32_t i = query->end; i-- > 0;)
		if (query->program.instructions[i].out == number)
			return &query->program.instructions[i];
	return NULL;
}

/*
 * Ranks of keys
 *
 * A key that is looked up in a table, like the day of a time, has few values.  GPUs
 * number groups at once by small integers that have a range, and these take less
 * memory: so they look up ranks, and the values are put in their place when groups
 * are handed over.
 */

/*
 * Has numbers of texts that a key is stand for themselves, as ranks: they have a range.
 * Those that are codes of a column have that of the column.  False: no memory.
 */
static bool
translate_text_key(WaGpuTranslation *to, uint32_t key)
{
	const uint32_t count = to->numbered->key_texts[key]->ncodes;
	int64_t *ranks;

	if (to->keys[key] < to->query->ninputs || count == 0 || count > MAX_RANKS)
		return true;
	ranks = wa_arena_alloc(to->arena, count * sizeof(*ranks));
	if (ranks == NULL)
		return false;
	for (uint32_t i = 0; i < count; i++)
		ranks[i] = i;
	to->key_values[key] = (WaCudaKeyValues){.values = ranks, .count = count};
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
	const uint64_t nentries = table->nentries;
	uint32_t count = 0;
	int64_t *rank_of;
	int64_t *value_of;
	uint8_t *known;

	if (nentries > MAX_RANKS || table->slots != NULL)
		return false;
	rank_of = wa_arena_alloc(arena, nentries * sizeof(*rank_of));
	value_of = wa_arena_alloc(arena, nentries * sizeof(*value_of));
	known = wa_arena_alloc(arena, nentries);
	if (arena->failed)
		return false;
	for (uint64_t i = 0; i < nentries; i++)
	{
		int64_t value;

		known[i] = wa_lookup_table_entry(table, i, &value);
		if (known[i] == WA_ENTRY_VALUE &&
			(count == 0 || value_of[count - 1] != value))
		{
			if (count > 0 && value < value_of[count - 1])
				return false;
			value_of[count++] = value;
		}
		rank_of[i] = count > 0 ? count - 1 : 0;
	}
	*ranks = *table;
	ranks->values = rank_of;
	ranks->known = known;
	ranks->narrow = NULL;
	ranks->bits = NULL;
	ranks->scale = 0;
	ranks->digest = (WaTableDigest){{0, 0}};
	*values = (WaCudaKeyValues){
		.values = value_of, .count = count, .scale = table->scale};
	return count > 0;
}

/* Tells whether nothing changes a register behind an instruction. */
static bool
stays(const WaQuery *query, uint16_t number, const WaInstruction *from)
{
	const WaInstruction *end = query->program.instructions + query->end;

	if (number < query->ninputs)
		return true;
	while (++from < end)
		if (from->out == number)
			return false;
	return true;
}

/* Has the rank of a key looked up instead of its value, if it is looked up. */
static void
translate_other_key(WaGpuTranslation *to, uint32_t key)
{
	const WaQuery *query = to->query;
	const WaInstruction *from = find_instruction(query, to->keys[key]);
	const WaVectorKind kind = query->program.kinds[to->keys[key]];
	WaLookupTable ranks;

	if (from == NULL || from->code != WA_CODE_LOOK_UP ||
		!stays(query, from->a, from) ||
		!wa_gpu_table_is_plain(&to->tables[from->extra]) ||
		(kind != WA_VECTOR_INT && kind != WA_VECTOR_DECIMAL) ||
		!make_ranks(to->arena, &to->tables[from->extra], &ranks,
					&to->key_values[key]))
		return;
	to->keys[key] = wa_gpu_add_look_up(to, from->a, &ranks, WA_VECTOR_INT);
}

/* Translates a key; of rows that become tables it is wanted as it is.  False: no memory. */
static bool
translate_key(WaGpuTranslation *to, uint32_t key)
{
	to->keys[key] = to->query->key_numbers[key];
	if (to->query->made != NULL)
		return true;
	if (to->numbered->key_texts[key] != NULL)
		return translate_text_key(to, key);
	translate_other_key(to, key);
	return true;
}

/* Says how wide the values of keys are in rows that become tables; false: no memory. */
static bool
set_value_bytes(const WaGpuTranslation *to, WaCudaQuery *cuda)
{
	const uint32_t nkeys = to->query->nkeys;
	uint8_t *value_bytes = wa_arena_alloc(to->arena, nkeys + (size_t) 1);

	if (value_bytes == NULL)
		return false;
	for (uint32_t i = 0; i < nkeys; i++)
		value_bytes[i] =
			(uint8_t) wa_row_value_bytes(to->numbered->asked->keys[i].kind);
	cuda->value_bytes = value_bytes;
	return true;
}

/* Translates what is wanted of listed values; false: no memory. */
static bool
translate_values(const WaGpuTranslation *to, const WaQueryRolled *rolled,
				 WaCudaQuery *cuda)
{
	WaCudaValues *values = wa_arena_alloc(to->arena, sizeof(*values));

	if (values == NULL)
		return false;
	*values = (WaCudaValues){.number = to->numbered->listed,
							 .nranks = rolled->nranks,
							 .descends = rolled->descends,
							 .ranks = rolled->ranks};
	cuda->values = values;
	memset(&cuda->top_n, 0, sizeof(cuda->top_n));
	return true;
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
		if (!translate_key(to, i))
			return false;
	for (uint32_t i = 0; i < query->ncolumns; i++)
	{
		const WaQueryColumn *column = &query->columns[i];

		aggregates[i] = (WaCudaAggregate){
			.argument = column->argument,
			.filter = column->filter,
			.ops = column->ops,
		};
	}
	cuda->nkeys = query->nkeys;
	cuda->keys = to->keys;
	cuda->key_values = to->key_values;
	cuda->naggregates = query->ncolumns - to->numbered->nlisted;
	cuda->aggregates = aggregates;
	return query->made == NULL || set_value_bytes(to, cuda);
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
	if (most + program->nregisters >= UINT16_MAX)
		return false;
	to->instructions =
		wa_arena_alloc(to->arena, (most + 1) * sizeof(WaInstruction));
	to->kinds = wa_arena_alloc(to->arena, (program->nregisters + most + 1) *
											  sizeof(WaVectorKind));
	to->tables = wa_arena_alloc(to->arena, (query->ntables + nkeys + most) *
											   sizeof(WaLookupTable));
	to->constants = wa_arena_alloc_zero(
		to->arena, (query->nconstants + most + 1) * sizeof(WaProgramConstant));
	to->keys = wa_arena_alloc(to->arena, nkeys * sizeof(*to->keys));
	to->key_values =
		wa_arena_alloc_zero(to->arena, nkeys * sizeof(*to->key_values));
	return !to->arena->failed;
}

/* Copies what there is of registers and tables. */
static void
copy_program(WaGpuTranslation *to)
{
	const WaQuery *query = to->query;
	const WaProgram *program = &query->program;

	to->nregisters = program->nregisters;
	for (uint16_t i = 0; i < program->nregisters; i++)
		to->kinds[i] = program->kinds[i];
	to->ntables = query->ntables;
	if (query->ntables > 0)
		memcpy(to->tables, program->tables,
			   query->ntables * sizeof(WaLookupTable));
}

WaCudaQuery *
wa_gpu_query_translate(WaArena *arena, const WaNumberedQuery *numbered)
{
	const WaQuery *query = &numbered->query;
	WaCudaQuery *cuda = wa_arena_alloc_zero(arena, sizeof(*cuda));
	WaGpuTranslation to = {
		.arena = arena, .numbered = numbered, .query = query};

	if (cuda == NULL || !make_room(&to))
		return NULL;
	copy_program(&to);
	if (!copy_constants(&to) || !translate_clauses(&to, cuda))
		return NULL;
	translate_instructions(&to, query->begin, query->end);
	if (!translate_parts(&to, cuda))
		return NULL;
	cuda->program = (WaProgram){.nregisters = to.nregisters,
								.kinds = to.kinds,
								.instructions = to.instructions,
								.ninstructions = to.ninstructions,
								.lists = query->program.lists,
								.tables = to.tables};
	cuda->top_n = query->top_n;
	cuda->nconstants = to.nconstants;
	cuda->constants = to.constants;
	if (numbered->nlisted > 0 &&
		!translate_values(&to, numbered->listed_for, cuda))
		return NULL;
	return cuda;
}
