/*
 * gpu_texts.c
 *		Texts by the numbers that they share; see gpu_translation.h.
 */
#include <stdlib.h>

#include "daemon/gpu/gpu_translation.h"

/* Texts of a query at most: they are sorted for each. */
#define MAX_TEXTS ((uint32_t) 1 << 16)

/* No text has this rank. */
#define NO_RANK (-1)

/* Returns the text that a number stands for. */
typedef WaText (*TextOfNumber)(const void *context, uint32_t number);

bool
wa_gpu_texts_has(const WaGpuTranslation *to, uint16_t number)
{
	const WaQuery *query = to->query;

	return number >= query->ninputs &&
		   query->program.kinds[number] == WA_VECTOR_TEXT &&
		   wa_gpu_find_texts(query, number) == NULL;
}

/* Returns the table of ranks of a source, which may not be made yet. */
static WaLookupTable *
ranks_of(const WaGpuTranslation *to, const WaGpuTextSource *source)
{
	if (source->table != NULL)
		return &to->texts.of_table[source->table - to->query->program.tables];
	return &to->texts.of_input[source->number];
}

/*
 * Finding the texts
 */

/*
 * Adds a text, and what is left of it when it is trimmed, if that is wanted; false:
 * there are too many, or there is not enough memory.
 */
static bool
add_text(WaGpuTranslation *to, WaText text)
{
	const WaText trimmed = wa_text_trim(text);
	WaGpuTexts *texts = &to->texts;

	if (texts->texts == NULL)
		texts->texts =
			wa_arena_alloc(to->arena, MAX_TEXTS * sizeof(*texts->texts));
	if (texts->texts == NULL || texts->count + 2 > MAX_TEXTS)
		return false;
	texts->texts[texts->count++] = text;
	if (texts->trims && trimmed.length < text.length)
		texts->texts[texts->count++] = trimmed;
	return true;
}

/* Adds the texts of a source, once. */
static bool
add_source(WaGpuTranslation *to, const WaGpuTextSource *source)
{
	WaLookupTable *ranks = ranks_of(to, source);

	if (ranks->nentries > 0)
		return true;
	for (uint32_t i = 0; i < source->count; i++)
		if (!add_text(to, wa_gpu_source_text(source, i)))
			return false;
	/* A table has one entry at least. */
	ranks->nentries = source->count > 0 ? source->count : 1;
	return true;
}

/* Adds the texts that a register may have. */
static bool
add_register(WaGpuTranslation *to, uint16_t number)
{
	const WaQueryConstant *constant = wa_gpu_find_constant(to->query, number);
	WaGpuTextSource source;

	if (constant != NULL)
		return constant->value.is_null || add_text(to, constant->value.text);
	/* The texts of what is computed by ranks are added where it is computed. */
	if (wa_gpu_texts_has(to, number))
		return true;
	return wa_gpu_find_source(to, number, &source) && add_source(to, &source);
}

/* Adds the text of a constant, if it is one, that no other text comes together with. */
static bool
add_alone(WaGpuTranslation *to, int number)
{
	return number < 0 || to->query->program.kinds[number] != WA_VECTOR_TEXT ||
		   wa_gpu_find_constant(to->query, (uint16_t) number) == NULL ||
		   add_register(to, (uint16_t) number);
}

/* Adds the texts that come together in an instruction. */
static bool
add_instruction(WaGpuTranslation *to, const WaInstruction *from)
{
	const WaLookupTable *table;

	switch (from->code)
	{
		case WA_CODE_COMPARE_TEXT:
			return wa_gpu_compares_constant(to, from) ||
				   (add_register(to, from->a) && add_register(to, from->b));
		case WA_CODE_SELECT:
			return from->extra != WA_VECTOR_TEXT ||
				   (add_register(to, from->b) && add_register(to, from->c));
		case WA_CODE_TRIM:
			return add_register(to, from->a);
		case WA_CODE_IS_NULL:
		case WA_CODE_IS_NOT_NULL:
			return add_alone(to, from->a);
		case WA_CODE_LOOK_UP:
			table = &to->query->program.tables[from->extra];
			return !wa_gpu_texts_has(to, from->out) ||
				   add_source(to, &(WaGpuTextSource){.table = table,
													 .count = table->ntexts});
		default:
			return true;
	}
}

/* Adds the texts of instructions whose results are read, of keys and of arguments. */
static bool
add_all(WaGpuTranslation *to)
{
	const WaQuery *query = to->query;
	const WaProgram *program = &query->program;

	for (size_t i = 0; i < program->ninstructions; i++)
		if (to->is_read[program->instructions[i].out] &&
			!add_instruction(to, &program->instructions[i]))
			return false;
	for (uint32_t i = 0; i < query->nkeys; i++)
		if (!add_alone(to, query->key_numbers[i]))
			return false;
	for (uint32_t i = 0; i < query->ncolumns; i++)
		if (!add_alone(to, query->columns[i].argument))
			return false;
	return true;
}

/*
 * Ranks
 */

/* Compares texts for qsort and bsearch. */
static int
order_texts(const void *a, const void *b)
{
	return wa_texts_order(*(const WaText *) a, *(const WaText *) b);
}

/* Brings the texts into their order, each once. */
static void
sort_texts(WaGpuTexts *texts)
{
	uint32_t count = 0;

	if (texts->count == 0)
		return;
	qsort(texts->texts, texts->count, sizeof(*texts->texts), order_texts);
	for (uint32_t i = 0; i < texts->count; i++)
		if (count == 0 ||
			order_texts(&texts->texts[i], &texts->texts[count - 1]) != 0)
			texts->texts[count++] = texts->texts[i];
	texts->count = count;
}

/* Returns the rank of a text; NO_RANK: it is not there. */
static int64_t
rank_of(const WaGpuTexts *texts, WaText text)
{
	const WaText *found = bsearch(&text, texts->texts, texts->count,
								  sizeof(*texts->texts), order_texts);

	return found != NULL ? found - texts->texts : NO_RANK;
}

/*
 * Makes a table of ranks, of so many entries, of the texts that its numbers, up to
 * count - 1, stand for.  Returns false if there is not enough memory.
 */
static bool
make_table(WaGpuTranslation *to, WaLookupTable *ranks, uint64_t count,
		   TextOfNumber text_of, const void *context)
{
	uint8_t *known =
		wa_arena_alloc_zero(to->arena, ranks->nentries * sizeof(*known));
	int64_t *values =
		wa_arena_alloc_zero(to->arena, ranks->nentries * sizeof(*values));

	if (known == NULL || values == NULL)
		return false;
	for (uint32_t i = 0; i < count && i < ranks->nentries; i++)
	{
		const int64_t rank = rank_of(&to->texts, text_of(context, i));

		/*
		 * A dictionary may have given a code to a text since its texts were added;
		 * none of the query's rows has it.
		 */
		if (rank == NO_RANK)
			continue;
		values[i] = rank;
		known[i] = WA_ENTRY_VALUE;
	}
	ranks->width = 1;
	ranks->values = values;
	ranks->known = known;
	return true;
}

/* Returns the text that has a number of a source: a TextOfNumber. */
static WaText
text_of_source(const void *source, uint32_t number)
{
	return wa_gpu_source_text(source, number);
}

/* Returns what trimming leaves of the text that has a rank, likewise. */
static WaText
trimmed_text(const void *texts, uint32_t rank)
{
	return wa_text_trim(((const WaGpuTexts *) texts)->texts[rank]);
}

/* Returns the table from the numbers of a source to ranks; NULL: no memory. */
static const WaLookupTable *
make_ranks(WaGpuTranslation *to, const WaGpuTextSource *source)
{
	WaLookupTable *ranks = ranks_of(to, source);

	if (ranks->values == NULL &&
		!make_table(to, ranks, source->count, text_of_source, source))
		return NULL;
	return ranks;
}

/* Returns the table from ranks to those of what trimming leaves; NULL: no memory. */
static const WaLookupTable *
make_trimmed(WaGpuTranslation *to)
{
	WaLookupTable *ranks = &to->texts.trimmed;

	ranks->nentries = to->texts.count > 0 ? to->texts.count : 1;
	if (ranks->values == NULL &&
		!make_table(to, ranks, to->texts.count, trimmed_text, &to->texts))
		return NULL;
	return ranks;
}

bool
wa_gpu_texts_find(WaGpuTranslation *to)
{
	const WaProgram *program = &to->query->program;
	WaGpuTexts *texts = &to->texts;

	texts->of_input =
		wa_arena_alloc_zero(to->arena, (to->query->ninputs + (size_t) 1) *
										   sizeof(*texts->of_input));
	texts->of_table =
		wa_arena_alloc_zero(to->arena, (to->query->ntables + (size_t) 1) *
										   sizeof(*texts->of_table));
	if (texts->of_input == NULL || texts->of_table == NULL)
		return false;
	for (size_t i = 0; i < program->ninstructions; i++)
		texts->trims |= program->instructions[i].code == WA_CODE_TRIM;
	if (!add_all(to))
		return false;
	sort_texts(texts);
	return true;
}

/*
 * Instructions
 */

int
wa_gpu_texts_rank(WaGpuTranslation *to, uint16_t number)
{
	const WaQueryConstant *constant = wa_gpu_find_constant(to->query, number);
	WaGpuTextSource source;
	const WaLookupTable *ranks;

	if (constant != NULL)
		return wa_gpu_add_value(to, WA_VECTOR_INT, 0,
								constant->value.is_null
									? 0
									: rank_of(&to->texts, constant->value.text),
								constant->value.is_null);
	if (wa_gpu_texts_has(to, number))
		return number;
	if (!wa_gpu_find_source(to, number, &source))
		return -1;
	ranks = make_ranks(to, &source);
	return ranks == NULL ? -1
						 : wa_gpu_add_look_up(to, number, ranks, WA_VECTOR_INT);
}

/* Translates a look-up of a text which comes together with others. */
static bool
translate_look_up(WaGpuTranslation *to, const WaInstruction *from)
{
	const WaLookupTable *table = &to->query->program.tables[from->extra];
	const WaGpuTextSource source = {.table = table, .count = table->ntexts};
	const WaLookupTable *ranks = make_ranks(to, &source);
	WaInstruction number = *from;

	number.out = wa_gpu_add_register(to, WA_VECTOR_INT);
	if (ranks == NULL || !wa_gpu_translate_look_up(to, &number))
		return false;
	(void) wa_gpu_add_look_up(to, number.out, ranks, WA_VECTOR_INT);
	to->instructions[to->ninstructions - 1].out = from->out;
	return true;
}

/* Translates TRIM. */
static bool
translate_trim(WaGpuTranslation *to, const WaInstruction *from)
{
	const int rank = wa_gpu_texts_rank(to, from->a);
	const WaLookupTable *trimmed = make_trimmed(to);

	if (rank < 0 || trimmed == NULL)
		return false;
	(void) wa_gpu_add_look_up(to, (uint16_t) rank, trimmed, WA_VECTOR_INT);
	to->instructions[to->ninstructions - 1].out = from->out;
	return true;
}

/* Adds an instruction of which two arguments are texts: ranks take their place. */
static bool
add_of_ranks(WaGpuTranslation *to, const WaInstruction *instruction,
			 uint16_t *first, uint16_t *second)
{
	const int a = wa_gpu_texts_rank(to, *first);
	const int b = wa_gpu_texts_rank(to, *second);

	if (a < 0 || b < 0)
		return false;
	*first = (uint16_t) a;
	*second = (uint16_t) b;
	wa_gpu_add_instruction(to, *instruction);
	return true;
}

bool
wa_gpu_texts_translate(WaGpuTranslation *to, const WaInstruction *from)
{
	WaInstruction instruction = *from;

	switch (from->code)
	{
		case WA_CODE_LOOK_UP:
			return translate_look_up(to, from);
		case WA_CODE_TRIM:
			return translate_trim(to, from);
		case WA_CODE_COMPARE_TEXT:
			instruction.code = WA_CODE_COMPARE_INT;
			return add_of_ranks(to, &instruction, &instruction.a,
								&instruction.b);
		case WA_CODE_SELECT:
			instruction.extra = WA_VECTOR_INT;
			return add_of_ranks(to, &instruction, &instruction.b,
								&instruction.c);
		default:
			return false;
	}
}
