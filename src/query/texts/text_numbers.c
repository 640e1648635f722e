/*
 * text_numbers.c
 *		Numbering the texts of queries; see text_numbers.h.
 */
#include <string.h>

#include "query/texts/text_numbering.h"
#include "query/texts/text_numbers.h"

/* Returns the register of an argument of which it matters which rows are NULL. */
static int
number_argument(WaTextNumbering *to, int number)
{
	if (number < 0 || to->query->program.kinds[number] != WA_VECTOR_TEXT ||
		wa_numbering_constant(to->query, (uint16_t) number) == NULL)
		return number;
	return wa_shared_texts_number(to, (uint16_t) number);
}

/* Adds IS_NULL or IS_NOT_NULL. */
static bool
add_null_test(WaTextNumbering *to, const WaInstruction *from)
{
	const int argument = number_argument(to, from->a);
	WaInstruction instruction = *from;

	instruction.a = (uint16_t) argument;
	wa_numbering_add(to, instruction);
	return argument >= 0;
}

/* Adds an instruction of the query. */
static bool
add_instruction(WaTextNumbering *to, const WaInstruction *from)
{
	/* What PostgreSQL was given to evaluate something from is in a table now. */
	if (!to->is_read[from->out])
		return true;
	if (wa_shared_texts_has(to, from->out))
		return wa_shared_texts_add(to, from);
	switch (from->code)
	{
		case WA_CODE_COMPARE_TEXT:
			return wa_numbering_compares_constant(to, from)
					   ? wa_numbering_add_comparison(to, from)
					   : wa_shared_texts_add(to, from);
		case WA_CODE_IS_NULL:
		case WA_CODE_IS_NOT_NULL:
			return add_null_test(to, from);
		default:
			wa_numbering_add(to, *from);
			return true;
	}
}

/* Adds the instructions *begin to *end - 1, and tells where they are now. */
static bool
add_instructions(WaTextNumbering *to, uint32_t *begin, uint32_t *end)
{
	const uint32_t first = to->ninstructions;

	for (uint32_t i = *begin; i < *end; i++)
		if (!add_instruction(to, &to->query->program.instructions[i]))
			return false;
	*begin = first;
	*end = to->ninstructions;
	return true;
}

/* Adds the clauses of WHERE, and their instructions. */
static bool
add_filters(WaTextNumbering *to, WaQuery *query)
{
	WaQueryFilter *filters = wa_arena_alloc(
		to->arena, (query->nfilters + (size_t) 1) * sizeof(*filters));

	if (filters == NULL)
		return false;
	for (uint32_t i = 0; i < query->nfilters; i++)
	{
		filters[i] = query->filters[i];
		if (!add_instructions(to, &filters[i].begin, &filters[i].end))
			return false;
	}
	query->filters = filters;
	return add_instructions(to, &query->begin, &query->end);
}

/*
 * Tells whether texts of a key that are equal but for their blanks may have numbers of
 * their own.
 */
static bool
has_other_blanks(const WaTextNumbering *to, uint32_t key)
{
	const uint16_t number = to->query->key_numbers[key];

	return to->query->keys[key].blank_padded &&
		   (number >= to->query->ninputs || !to->inputs[number].is_padded);
}

/* Numbers the texts of keys. */
static bool
number_keys(WaTextNumbering *to, WaNumberedQuery *numbered)
{
	WaQuery *query = &numbered->query;
	const size_t nkeys = (size_t) query->nkeys + 1;
	WaQueryKey *keys = wa_arena_alloc(to->arena, nkeys * sizeof(*keys));
	uint16_t *numbers = wa_arena_alloc(to->arena, nkeys * sizeof(*numbers));

	numbered->key_texts =
		wa_arena_alloc_zero(to->arena, nkeys * sizeof(WaTextCodes *));
	if (to->arena->failed)
		return false;
	for (uint32_t i = 0; i < query->nkeys; i++)
	{
		int number = query->key_numbers[i];

		keys[i] = query->keys[i];
		if (keys[i].kind == WA_VECTOR_TEXT)
		{
			if (has_other_blanks(to, i))
			{
				query->top_n.limit = 0;
				query->rolled = NULL;
			}
			keys[i] = (WaQueryKey){.kind = WA_VECTOR_INT};
			numbered->key_texts[i] = to->texts_of[number];
			if (numbered->key_texts[i] == NULL)
			{
				numbered->key_texts[i] = &to->shared.codes;
				number = wa_shared_texts_number(to, (uint16_t) number);
			}
		}
		if (number < 0)
			return false;
		numbers[i] = (uint16_t) number;
	}
	query->keys = keys;
	query->key_numbers = numbers;
	if (query->rolled != NULL)
	{
		numbered->rolled_top_n = query->top_n;
		memset(&query->top_n, 0, sizeof(query->top_n));
	}
	return true;
}

/* Numbers the arguments of aggregated columns, of which texts are counted. */
static bool
number_columns(WaTextNumbering *to, WaQuery *query)
{
	WaQueryColumn *columns = wa_arena_alloc(
		to->arena, (query->ncolumns + (size_t) 1) * sizeof(*columns));

	if (columns == NULL)
		return false;
	for (uint32_t i = 0; i < query->ncolumns; i++)
	{
		const int argument = number_argument(to, query->columns[i].argument);

		if (argument < 0 && query->columns[i].argument >= 0)
			return false;
		columns[i] = query->columns[i];
		columns[i].argument = argument;
	}
	query->columns = columns;
	return true;
}

/* Finds the registers that are read by what is wanted in the end; false: no memory. */
static bool
find_read(WaTextNumbering *to)
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

/* Returns a text of a table. */
static WaText
text_of_table(const void *table, int32_t code)
{
	return ((const WaLookupTable *) table)->texts[code];
}

/* Finds the texts of which registers have the numbers; false: no memory. */
static bool
find_texts(WaTextNumbering *to)
{
	const WaQuery *query = to->query;
	const WaProgram *program = &query->program;
	const size_t nregisters = program->nregisters + (size_t) 1;
	const WaTextCodes **texts_of =
		wa_arena_alloc_zero(to->arena, nregisters * sizeof(*texts_of));
	bool *is_mixed =
		wa_arena_alloc_zero(to->arena, nregisters * sizeof(*is_mixed));
	WaTextCodes *codes = wa_arena_alloc(
		to->arena, (query->ntables + (size_t) 1) * sizeof(*codes));

	if (to->arena->failed)
		return false;
	for (uint32_t i = 0; i < query->ntables; i++)
		codes[i] = (WaTextCodes){.ncodes = program->tables[i].ntexts,
								 .context = &program->tables[i],
								 .text = text_of_table};
	for (uint32_t i = 0; i < query->ninputs; i++)
		texts_of[i] =
			program->kinds[i] == WA_VECTOR_TEXT ? &to->inputs[i] : NULL;
	for (size_t i = 0; i < program->ninstructions; i++)
	{
		const WaInstruction *from = &program->instructions[i];
		const WaTextCodes *own =
			from->code == WA_CODE_LOOK_UP ? &codes[from->extra] : NULL;

		if (program->kinds[from->out] != WA_VECTOR_TEXT)
			continue;
		is_mixed[from->out] |= own == NULL || (texts_of[from->out] != NULL &&
											   texts_of[from->out] != own);
		texts_of[from->out] = is_mixed[from->out] ? NULL : own;
	}
	to->table_texts = codes;
	to->texts_of = texts_of;
	return true;
}

/* Returns how many the instructions begin to end - 1 become at most. */
static size_t
most_added(const WaProgram *program, uint32_t begin, uint32_t end)
{
	size_t most = 0;

	for (uint32_t i = begin; i < end; i++)
	{
		const WaInstruction *instruction = &program->instructions[i];
		bool has_texts = program->kinds[instruction->out] == WA_VECTOR_TEXT;
		uint16_t arguments[3];
		const int narguments = wa_instruction_arguments(instruction, arguments);

		for (int k = 0; k < narguments; k++)
			has_texts |= program->kinds[arguments[k]] == WA_VECTOR_TEXT;
		most += has_texts ? WA_MOST_ADDED_NUMBERS : 1;
	}
	return most;
}

/* Makes room for all that may be added. */
static bool
make_room(WaTextNumbering *to)
{
	const WaQuery *query = to->query;
	const WaProgram *program = &query->program;
	size_t most = (size_t) query->nkeys + query->ncolumns + 1 +
				  most_added(program, query->begin, query->end);

	for (uint32_t i = 0; i < query->nfilters; i++)
		most +=
			most_added(program, query->filters[i].begin, query->filters[i].end);
	if (most + program->nregisters >= UINT16_MAX)
		return false;
	to->instructions = wa_arena_alloc(to->arena, most * sizeof(WaInstruction));
	to->kinds = wa_arena_alloc(to->arena, (program->nregisters + most) *
											  sizeof(WaVectorKind));
	to->lists =
		wa_arena_alloc(to->arena, (query->nlists + most) * sizeof(WaIntList));
	to->tables = wa_arena_alloc(to->arena, (query->ntables + most) *
											   sizeof(WaLookupTable));
	to->constants = wa_arena_alloc_zero(to->arena, (query->nconstants + most) *
													   sizeof(WaQueryConstant));
	return !to->arena->failed;
}

/* Copies what there is of registers, lists, tables and constants. */
static void
copy_program(WaTextNumbering *to)
{
	const WaQuery *query = to->query;
	const WaProgram *program = &query->program;

	to->nregisters = program->nregisters;
	for (uint16_t i = 0; i < program->nregisters; i++)
		to->kinds[i] = program->kinds[i] == WA_VECTOR_TEXT ? WA_VECTOR_INT
														   : program->kinds[i];
	for (to->nlists = 0; to->nlists < query->nlists; to->nlists++)
		to->lists[to->nlists] = program->lists[to->nlists];
	for (to->ntables = 0; to->ntables < query->ntables; to->ntables++)
	{
		WaLookupTable *table = &to->tables[to->ntables];

		*table = program->tables[to->ntables];
		if (table->results == WA_LOOKUP_TEXTS)
			table->results = WA_LOOKUP_WORDS;
	}
	for (uint32_t i = 0; i < query->nconstants; i++)
		if (program->kinds[query->constants[i].number] != WA_VECTOR_TEXT)
			to->constants[to->nconstants++] = query->constants[i];
}

/* Numbers the texts of a query. */
static bool
number_texts(WaTextNumbering *to, WaNumberedQuery *numbered)
{
	WaQuery *query = &numbered->query;

	if (!make_room(to) || !find_read(to) || !find_texts(to))
		return false;
	copy_program(to);
	if (!wa_shared_texts_find(to) || !add_filters(to, query))
		return false;
	/* What keys and columns add is computed behind their instructions. */
	if (!number_keys(to, numbered) || !number_columns(to, query))
		return false;
	query->end = to->ninstructions;
	query->program = (WaProgram){.nregisters = to->nregisters,
								 .kinds = to->kinds,
								 .instructions = to->instructions,
								 .ninstructions = to->ninstructions,
								 .lists = to->lists,
								 .tables = to->tables};
	query->nlists = to->nlists;
	query->ntables = to->ntables;
	query->nconstants = to->nconstants;
	query->constants = to->constants;
	return true;
}

const WaNumberedQuery *
wa_query_number_texts(WaArena *arena, const WaQuery *query,
					  const WaTextCodes *inputs)
{
	/* Its groups have the texts of what is numbered by it. */
	WaTextNumbering *to = wa_arena_alloc_zero(arena, sizeof(*to));
	WaNumberedQuery *numbered = wa_arena_alloc_zero(arena, sizeof(*numbered));

	if (to == NULL || numbered == NULL)
		return NULL;
	to->arena = arena;
	to->query = query;
	to->inputs = inputs;
	numbered->asked = query;
	numbered->query = *query;
	return number_texts(to, numbered) ? numbered : NULL;
}

void
wa_query_text_of_number(const WaNumberedQuery *numbered, uint32_t key,
						WaQueryValue *value)
{
	const WaTextCodes *texts = numbered->key_texts[key];
	WaText text;

	if (texts == NULL || value->is_null)
		return;
	text = texts->text(texts->context, (int32_t) value->integer);
	*value = (WaQueryValue){.text = text};
	if (numbered->asked->keys[key].blank_padded)
		value->text = wa_text_trim(text);
	value->shown = (uint32_t) (text.length - value->text.length);
}
