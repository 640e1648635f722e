/*
 * text_shared.c
 *		Texts by the numbers that they share; see text_numbering.h.
 */
#include <stdlib.h>

#include "query/texts/text_numbering.h"

/* Texts that a base does not have, at most: they are sorted for each query. */
#define MAX_OTHERS ((uint32_t) 1 << 20)

/* No text has this number. */
#define NO_NUMBER (-1)

bool
wa_shared_texts_has(const WaTextNumbering *to, uint16_t number)
{
	return to->query->program.kinds[number] == WA_VECTOR_TEXT &&
		   to->texts_of[number] == NULL;
}

/*
 * Numbers
 */

/* Compares texts for qsort and bsearch. */
static int
order_texts(const void *a, const void *b)
{
	return wa_texts_order(*(const WaText *) a, *(const WaText *) b);
}

/* Returns how many numbers are codes of the base. */
static uint32_t
base_count(const WaSharedTexts *shared)
{
	return shared->base != NULL ? shared->base->ncodes : 0;
}

/* Stores the code that a text has in the base; false: none that rows may have. */
static bool
find_in_base(const WaSharedTexts *shared, WaText text, int32_t *code)
{
	const WaTextCodes *base = shared->base;

	/* The dictionary may have given a code to a text since. */
	return base != NULL && base->find(base->context, text, code) &&
		   (uint32_t) *code < base->ncodes;
}

/* Returns the number of a text. */
static int64_t
number_of(const WaSharedTexts *shared, WaText text)
{
	const WaText *found;
	int32_t code;

	if (find_in_base(shared, text, &code))
		return code;
	found = bsearch(&text, shared->texts, shared->count, sizeof(*shared->texts),
					order_texts);
	return found != NULL ? base_count(shared) + (found - shared->texts)
						 : NO_NUMBER;
}

/* Returns the text that has a number. */
static WaText
text_of_number(const void *context, int32_t number)
{
	const WaSharedTexts *shared = context;
	const uint32_t count = base_count(shared);

	return (uint32_t) number < count
			   ? shared->base->text(shared->base->context, number)
			   : shared->texts[(uint32_t) number - count];
}

/*
 * Finding the texts
 */

/* Adds a text, if the base does not have it; false: too many, or no memory. */
static bool
add_one(WaTextNumbering *to, WaText text)
{
	WaSharedTexts *shared = &to->shared;
	int32_t code;

	if (find_in_base(shared, text, &code))
		return true;
	if (shared->count == shared->room)
	{
		const uint32_t room = shared->room > 0 ? 2 * shared->room : 1024;

		if (room > MAX_OTHERS ||
			!wa_arena_resize(to->arena, &shared->texts,
							 room * sizeof(*shared->texts)))
			return false;
		shared->room = room;
	}
	shared->texts[shared->count++] = text;
	return true;
}

/* Adds a text, and what is left of it when it is trimmed, if that is wanted. */
static bool
add_text(WaTextNumbering *to, WaText text)
{
	const WaText trimmed = wa_text_trim(text);

	return add_one(to, text) &&
		   (!to->shared.trims || trimmed.length == text.length ||
			add_one(to, trimmed));
}

/* Returns the place of a source among those that come together, or their number. */
static uint32_t
find_source(const WaSharedTexts *shared, const WaTextCodes *source)
{
	uint32_t i = 0;

	while (i < shared->nsources && shared->sources[i] != source)
		i++;
	return i;
}

/* Notes where the texts that a register may have come from. */
static void
note_register(WaTextNumbering *to, int number)
{
	WaSharedTexts *shared = &to->shared;
	const WaTextCodes *source = to->texts_of[number];

	/* Those of what is computed by shared numbers are noted where it is computed. */
	if (source != NULL && find_source(shared, source) == shared->nsources)
		shared->sources[shared->nsources++] = source;
}

/* Notes the texts that come together in an instruction; false: they have an order. */
static bool
note_instruction(WaTextNumbering *to, const WaInstruction *from,
				 const WaTextCodes *table)
{
	const bool is_shared = wa_shared_texts_has(to, from->out);

	switch (from->code)
	{
		case WA_CODE_COMPARE_TEXT:
			if (wa_numbering_compares_constant(to, from))
				return true;
			note_register(to, from->a);
			note_register(to, from->b);
			return from->extra == WA_EQUAL || from->extra == WA_NOT_EQUAL;
		case WA_CODE_SELECT:
			if (!is_shared)
				return true;
			note_register(to, from->b);
			note_register(to, from->c);
			return true;
		case WA_CODE_TRIM:
			to->shared.trims = true;
			note_register(to, from->a);
			return true;
		case WA_CODE_LOOK_UP:
			if (is_shared &&
				find_source(&to->shared, table) == to->shared.nsources)
				to->shared.sources[to->shared.nsources++] = table;
			return true;
		default:
			return true;
	}
}

/*
 * Finds the sources whose texts come together where results are read; false: texts
 * are compared by their order.
 */
static bool
find_sources(WaTextNumbering *to)
{
	const WaProgram *program = &to->query->program;
	bool is_unordered = true;

	for (size_t i = 0; i < program->ninstructions; i++)
	{
		const WaInstruction *from = &program->instructions[i];

		if (to->is_read[from->out])
			is_unordered &= note_instruction(to, from,
											 from->code == WA_CODE_LOOK_UP
												 ? &to->table_texts[from->extra]
												 : NULL);
	}
	return is_unordered;
}

/* Has the largest column of texts that can be searched give its codes. */
static void
choose_base(WaSharedTexts *shared)
{
	for (uint32_t i = 0; i < shared->nsources; i++)
	{
		const WaTextCodes *source = shared->sources[i];

		if (source->find != NULL && source->ncodes > base_count(shared))
			shared->base = source;
	}
}

/* Adds the texts of a source that the base does not have. */
static bool
add_source(WaTextNumbering *to, const WaTextCodes *source)
{
	const bool is_base = source == to->shared.base;

	for (uint32_t i = 0; i < source->ncodes && (to->shared.trims || !is_base);
		 i++)
	{
		const WaText text = source->text(source->context, (int32_t) i);

		if (is_base && wa_text_trim(text).length == text.length)
			continue;
		if (!add_text(to, text))
			return false;
	}
	return true;
}

/* Adds the texts of constants. */
static bool
add_constants(WaTextNumbering *to)
{
	const WaQuery *query = to->query;

	for (uint32_t i = 0; i < query->nconstants; i++)
		if (query->program.kinds[query->constants[i].number] ==
				WA_VECTOR_TEXT &&
			!query->constants[i].value.is_null &&
			!add_text(to, query->constants[i].value.text))
			return false;
	return true;
}

/* Brings the texts into their order, each once. */
static void
sort_texts(WaSharedTexts *shared)
{
	uint32_t count = 0;

	if (shared->count == 0)
		return;
	qsort(shared->texts, shared->count, sizeof(*shared->texts), order_texts);
	for (uint32_t i = 0; i < shared->count; i++)
		if (count == 0 ||
			order_texts(&shared->texts[i], &shared->texts[count - 1]) != 0)
			shared->texts[count++] = shared->texts[i];
	shared->count = count;
}

bool
wa_shared_texts_find(WaTextNumbering *to)
{
	WaSharedTexts *shared = &to->shared;
	const size_t most = (size_t) to->query->ninputs + to->query->ntables + 1;

	shared->sources =
		wa_arena_alloc(to->arena, most * sizeof(*shared->sources));
	shared->tables =
		wa_arena_alloc_zero(to->arena, most * sizeof(*shared->tables));
	if (to->arena->failed)
		return false;
	if (find_sources(to))
		choose_base(shared);
	for (uint32_t i = 0; i < shared->nsources; i++)
		if (!add_source(to, shared->sources[i]))
			return false;
	if (!add_constants(to))
		return false;
	sort_texts(shared);
	shared->codes = (WaTextCodes){.ncodes = base_count(shared) + shared->count,
								  .context = shared,
								  .text = text_of_number};
	return true;
}

/*
 * Instructions
 */

/*
 * Makes a table from the numbers of a source to those that the texts share or, of these
 * themselves, to those of what trimming leaves of them; NULL: no memory, or too many.
 */
static const WaLookupTable *
make_table(WaTextNumbering *to, const WaTextCodes *source)
{
	const bool trims = source == &to->shared.codes;
	const size_t nentries = source->ncodes > 0 ? source->ncodes : 1;
	uint8_t *known = wa_arena_alloc_zero(to->arena, nentries * sizeof(*known));
	int64_t *values =
		wa_arena_alloc_zero(to->arena, nentries * sizeof(*values));
	WaLookupTable *table = wa_arena_alloc(to->arena, sizeof(*table));

	if (to->arena->failed || nentries > WA_MAX_NUMBERED_TEXTS)
		return NULL;
	for (uint32_t i = 0; i < source->ncodes; i++)
	{
		const WaText text = source->text(source->context, (int32_t) i);
		const WaText trimmed = trims ? wa_text_trim(text) : text;

		values[i] = trims && trimmed.length == text.length
						? i
						: number_of(&to->shared, trimmed);
		known[i] = WA_ENTRY_VALUE;
	}
	*table = (WaLookupTable){
		.width = 1, .nentries = nentries, .values = values, .known = known};
	return table;
}

/* Has a register be the shared number of a text of a source; false: no memory. */
static bool
add_shared(WaTextNumbering *to, uint16_t out, uint16_t number,
		   const WaTextCodes *source)
{
	const WaLookupTable **table =
		&to->shared.tables[find_source(&to->shared, source)];

	if (*table == NULL)
		*table = make_table(to, source);
	if (*table == NULL)
		return false;
	wa_numbering_add_look_up(to, out, number, *table);
	return true;
}

int
wa_shared_texts_number(WaTextNumbering *to, uint16_t number)
{
	const WaQueryConstant *constant = wa_numbering_constant(to->query, number);
	const WaTextCodes *source = to->texts_of[number];
	uint16_t out;

	if (constant != NULL)
		return wa_numbering_add_number(
			to,
			constant->value.is_null
				? 0
				: number_of(&to->shared, constant->value.text),
			constant->value.is_null);
	if (source == NULL || source == to->shared.base)
		return number;
	out = wa_numbering_add_register(to);
	return add_shared(to, out, number, source) ? out : -1;
}

/* Adds a look-up of a text which comes together with others. */
static bool
add_look_up(WaTextNumbering *to, const WaInstruction *from)
{
	WaInstruction look_up = *from;

	look_up.out = wa_numbering_add_register(to);
	wa_numbering_add(to, look_up);
	return add_shared(to, from->out, look_up.out,
					  &to->table_texts[from->extra]);
}

/* Adds TRIM. */
static bool
add_trim(WaTextNumbering *to, const WaInstruction *from)
{
	const int number = wa_shared_texts_number(to, from->a);

	if (to->shared.trimmed == NULL)
		to->shared.trimmed = make_table(to, &to->shared.codes);
	if (number < 0 || to->shared.trimmed == NULL)
		return false;
	wa_numbering_add_look_up(to, from->out, (uint16_t) number,
							 to->shared.trimmed);
	return true;
}

/* Adds an instruction of which two arguments are texts: numbers take their place. */
static bool
add_of_numbers(WaTextNumbering *to, const WaInstruction *instruction,
			   uint16_t *first, uint16_t *second)
{
	const int a = wa_shared_texts_number(to, *first);
	const int b = wa_shared_texts_number(to, *second);

	if (a < 0 || b < 0)
		return false;
	*first = (uint16_t) a;
	*second = (uint16_t) b;
	wa_numbering_add(to, *instruction);
	return true;
}

bool
wa_shared_texts_add(WaTextNumbering *to, const WaInstruction *from)
{
	WaInstruction instruction = *from;

	switch (from->code)
	{
		case WA_CODE_LOOK_UP:
			return add_look_up(to, from);
		case WA_CODE_TRIM:
			return add_trim(to, from);
		case WA_CODE_COMPARE_TEXT:
			instruction.code = WA_CODE_COMPARE_INT;
			return add_of_numbers(to, &instruction, &instruction.a,
								  &instruction.b);
		case WA_CODE_SELECT:
			instruction.extra = WA_VECTOR_INT;
			return add_of_numbers(to, &instruction, &instruction.b,
								  &instruction.c);
		default:
			return false;
	}
}
