/*
 * text_compare.c
 *		Comparisons of texts that have numbers of their own with a constant; see
 *		text_numbering.h.
 */
#include "query/texts/text_numbering.h"

/* So many numbers become a list, more a table of all. */
#define MAX_LISTED_NUMBERS 8

/* No text has this code. */
#define NO_CODE (-1)

/* A comparison of a text that has numbers with a constant. */
typedef struct Comparison
{
	uint16_t number; /* of the text's register */
	const WaTextCodes *texts;
	const WaQueryValue *value;
	uint32_t comparison; /* of the text with the value */
} Comparison;

/* Finds out what an instruction compares; false if it is nothing for this file. */
static bool
read_comparison(const WaTextNumbering *to, const WaInstruction *from,
				Comparison *comparison)
{
	const WaQueryConstant *a = wa_numbering_constant(to->query, from->a);
	const WaQueryConstant *b = wa_numbering_constant(to->query, from->b);

	if ((a == NULL) == (b == NULL))
		return false;
	*comparison = (Comparison){
		.number = b != NULL ? from->a : from->b,
		.value = b != NULL ? &b->value : &a->value,
		.comparison =
			b != NULL ? from->extra : wa_comparison_turned(from->extra)};
	comparison->texts = to->texts_of[comparison->number];
	return comparison->texts != NULL;
}

/* Tells whether it fulfils the comparison. */
static bool
fulfils(const Comparison *comparison, uint32_t number)
{
	const WaTextCodes *texts = comparison->texts;

	return wa_texts_compare(comparison->comparison,
							texts->text(texts->context, (int32_t) number),
							comparison->value->text);
}

/* Looks for the number in a list of those that are found in a table. */
static bool
add_list(WaTextNumbering *to, uint16_t out, uint16_t number,
		 const WaLookupTable *table, size_t found)
{
	int64_t *numbers =
		wa_arena_alloc(to->arena, (found + 1) * sizeof(*numbers));
	size_t count = 0;

	if (numbers == NULL)
		return false;
	for (uint32_t i = 0; i < table->nentries && count < found; i++)
		if (table->values[i] != 0)
			numbers[count++] = i;
	wa_numbering_add(to, (WaInstruction){.code = WA_CODE_IN_INT,
										 .out = out,
										 .a = number,
										 .extra = to->nlists});
	to->lists[to->nlists++] = (WaIntList){.values = numbers, .nvalues = found};
	return true;
}

/* Looks the number up among all, or among those that fulfil the comparison. */
static bool
add_table(WaTextNumbering *to, uint16_t out, const Comparison *comparison)
{
	const uint32_t count =
		comparison->texts->ncodes > 0 ? comparison->texts->ncodes : 1;
	int64_t *values = wa_arena_alloc_zero(to->arena, count * sizeof(*values));
	uint8_t *known = wa_arena_alloc_zero(to->arena, count * sizeof(*known));
	const WaLookupTable table = {.width = 1,
								 .nentries = count,
								 .values = values,
								 .known = known,
								 .results = WA_LOOKUP_BOOLS};
	size_t found = 0;

	if (count > WA_MAX_NUMBERED_TEXTS || values == NULL || known == NULL)
		return false;
	for (uint32_t i = 0; i < comparison->texts->ncodes; i++)
	{
		values[i] = fulfils(comparison, i) ? 1 : 0;
		known[i] = WA_ENTRY_VALUE;
		found += values[i] != 0;
	}
	if (found <= MAX_LISTED_NUMBERS)
		return add_list(to, out, comparison->number, &table, found);
	wa_numbering_add_look_up(to, out, comparison->number, &table);
	return true;
}

/* Compares the code of a dictionary with that of the constant. */
static void
add_code(WaTextNumbering *to, uint16_t out, const Comparison *comparison)
{
	const WaQueryValue *value = comparison->value;
	const WaTextCodes *texts = comparison->texts;
	int32_t code = NO_CODE;

	if (!value->is_null && !texts->find(texts->context, value->text, &code))
		code = NO_CODE;
	wa_numbering_add(
		to, (WaInstruction){
				.code = WA_CODE_COMPARE_INT,
				.out = out,
				.a = comparison->number,
				.b = wa_numbering_add_number(to, code, value->is_null),
				.extra = comparison->comparison == WA_NOT_EQUAL ? WA_NOT_EQUAL
																: WA_EQUAL});
}

bool
wa_numbering_compares_constant(const WaTextNumbering *to,
							   const WaInstruction *from)
{
	Comparison comparison;

	return read_comparison(to, from, &comparison);
}

bool
wa_numbering_add_comparison(WaTextNumbering *to, const WaInstruction *from)
{
	Comparison comparison;
	bool is_equality;

	if (!read_comparison(to, from, &comparison))
		return false;
	is_equality = comparison.comparison == WA_EQUAL ||
				  comparison.comparison == WA_NOT_EQUAL;
	/* With NULL the result is NULL, whatever is compared with it, and how. */
	if (comparison.value->is_null ||
		(is_equality && comparison.texts->find != NULL))
	{
		add_code(to, from->out, &comparison);
		return true;
	}
	return add_table(to, from->out, &comparison);
}
