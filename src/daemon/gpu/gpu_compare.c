/*
 * gpu_compare.c
 *		Comparisons of texts that have numbers of their own with a constant, for GPUs;
 *		see gpu_translation.h.
 */
#include "daemon/gpu/gpu_translation.h"

/* Numbers become a list up to so many texts, else a table of all. */
#define MAX_LISTED_TEXTS 4096

/* No text has this code. */
#define NO_CODE (-1)

/* A comparison of a text that has numbers with a constant. */
typedef struct Comparison
{
	uint16_t number; /* of the text's register */
	WaGpuTextSource source;
	const WaQueryValue *value;
	uint32_t comparison; /* of the text with the value */
} Comparison;

const WaQueryConstant *
wa_gpu_find_constant(const WaQuery *query, uint16_t number)
{
	for (uint32_t i = 0; i < query->nconstants; i++)
		if (query->constants[i].number == number)
			return &query->constants[i];
	return NULL;
}

const WaLookupTable *
wa_gpu_find_texts(const WaQuery *query, uint16_t number)
{
	const WaLookupTable *found = NULL;

	for (size_t i = 0; i < query->program.ninstructions; i++)
	{
		const WaInstruction *from = &query->program.instructions[i];

		if (from->out != number)
			continue;
		if (from->code != WA_CODE_LOOK_UP ||
			(found != NULL && found != &query->program.tables[from->extra]))
			return NULL;
		found = &query->program.tables[from->extra];
	}
	return found;
}

bool
wa_gpu_find_source(const WaGpuTranslation *to, uint16_t number,
				   WaGpuTextSource *source)
{
	*source = (WaGpuTextSource){.number = number};
	if (number < to->query->ninputs)
	{
		source->dictionary = to->request->dictionaries[number];
		if (source->dictionary != NULL)
			source->count = wa_dictionary_count(source->dictionary);
		return source->dictionary != NULL;
	}
	source->table = wa_gpu_find_texts(to->query, number);
	if (source->table != NULL)
		source->count = source->table->ntexts;
	return source->table != NULL;
}

WaText
wa_gpu_source_text(const WaGpuTextSource *source, uint32_t number)
{
	return source->table != NULL
			   ? source->table->texts[number]
			   : wa_dictionary_text(source->dictionary, (int32_t) number);
}

/* Finds out what an instruction compares; false if it is nothing for this file. */
static bool
read_comparison(const WaGpuTranslation *to, const WaInstruction *from,
				Comparison *comparison)
{
	const WaQueryConstant *a = wa_gpu_find_constant(to->query, from->a);
	const WaQueryConstant *b = wa_gpu_find_constant(to->query, from->b);

	if ((a == NULL) == (b == NULL))
		return false;
	*comparison = (Comparison){
		.number = b != NULL ? from->a : from->b,
		.value = b != NULL ? &b->value : &a->value,
		.comparison =
			b != NULL ? from->extra : wa_comparison_turned(from->extra)};
	return wa_gpu_find_source(to, comparison->number, &comparison->source);
}

/* Tells whether it fulfils the comparison. */
static bool
fulfils(const Comparison *comparison, uint32_t number)
{
	return wa_texts_compare(comparison->comparison,
							wa_gpu_source_text(&comparison->source, number),
							comparison->value->text);
}

/* Looks for the number in a list of those whose texts fulfil the comparison. */
static bool
add_list(WaGpuTranslation *to, uint16_t out, const Comparison *comparison)
{
	int64_t *numbers = wa_arena_alloc(
		to->arena, (comparison->source.count + (size_t) 1) * sizeof(*numbers));
	size_t found = 0;

	if (numbers == NULL)
		return false;
	for (uint32_t i = 0; i < comparison->source.count; i++)
		if (fulfils(comparison, i))
			numbers[found++] = i;
	wa_gpu_add_instruction(to, (WaInstruction){.code = WA_CODE_IN_INT,
											   .out = out,
											   .a = comparison->number,
											   .extra = to->nlists});
	to->lists[to->nlists++] = (WaIntList){.values = numbers, .nvalues = found};
	return true;
}

/* Looks it up in a table that has 1 where they do, and else 0. */
static bool
add_table(WaGpuTranslation *to, uint16_t out, const Comparison *comparison)
{
	const uint32_t count = comparison->source.count;
	int64_t *values = wa_arena_alloc(to->arena, count * sizeof(*values));
	uint8_t *known = wa_arena_alloc(to->arena, count * sizeof(*known));
	const WaLookupTable table = {
		.width = 1, .nentries = count, .values = values, .known = known};

	if (count > WA_MAX_ENTRIES || values == NULL || known == NULL)
		return false;
	for (uint32_t i = 0; i < count; i++)
	{
		values[i] = fulfils(comparison, i) ? 1 : 0;
		known[i] = WA_ENTRY_VALUE;
	}
	wa_gpu_add_instruction(
		to,
		(WaInstruction){.code = WA_CODE_COMPARE_INT,
						.out = out,
						.a = wa_gpu_add_look_up(to, comparison->number, &table,
												WA_VECTOR_INT),
						.b = wa_gpu_add_value(to, WA_VECTOR_INT, 0, 1, false),
						.extra = WA_EQUAL});
	return true;
}

/* Compares the code of a dictionary with that of the constant. */
static void
add_code(WaGpuTranslation *to, uint16_t out, const Comparison *comparison)
{
	const WaQueryValue *value = comparison->value;
	int32_t code = NO_CODE;

	if (!value->is_null &&
		!wa_dictionary_find(comparison->source.dictionary, value->text.data,
							value->text.length, &code))
		code = NO_CODE;
	wa_gpu_add_instruction(
		to,
		(WaInstruction){
			.code = WA_CODE_COMPARE_INT,
			.out = out,
			.a = comparison->number,
			.b = wa_gpu_add_value(to, WA_VECTOR_INT, 0, code, value->is_null),
			.extra = comparison->comparison == WA_NOT_EQUAL ? WA_NOT_EQUAL
															: WA_EQUAL});
}

bool
wa_gpu_compares_constant(const WaGpuTranslation *to, const WaInstruction *from)
{
	Comparison comparison;

	return read_comparison(to, from, &comparison);
}

bool
wa_gpu_translate_constant(WaGpuTranslation *to, const WaInstruction *from)
{
	Comparison comparison;
	bool is_equality;

	if (!read_comparison(to, from, &comparison))
		return false;
	is_equality = comparison.comparison == WA_EQUAL ||
				  comparison.comparison == WA_NOT_EQUAL;
	/* With NULL the result is NULL, whatever is compared with it, and how. */
	if (comparison.value->is_null ||
		(is_equality && comparison.source.dictionary != NULL))
	{
		add_code(to, from->out, &comparison);
		return true;
	}
	if (comparison.source.count <= MAX_LISTED_TEXTS)
		return add_list(to, from->out, &comparison);
	return add_table(to, from->out, &comparison);
}
