/*
 * other_texts.c
 *		Texts beside those that have numbers in a query; see other_texts.h.
 *
 * Texts that have numbers get these; others get numbers behind them.
 */
#include "query/texts/other_texts.h"

/* Has the dictionary have all texts that have numbers, by these. */
static bool
add_numbered(const WaTextCodes *codes, WaKeyDictionary *dictionary)
{
	for (uint32_t i = 0; i < codes->ncodes; i++)
	{
		const WaText text = codes->text(codes->context, (int32_t) i);
		const WaKeyString string = {text.data, (uint32_t) text.length,
									(uint32_t) text.length};

		if (wa_key_dictionary_code(dictionary, &string) != i)
			return false;
	}
	return true;
}

/* Prepares to number texts; false: there is not enough memory. */
static bool
begin(WaOtherTexts *others, const WaTextCodes *codes, WaArena *arena)
{
	others->dictionary = wa_key_dictionary_make(arena);
	if (others->dictionary == NULL)
		return false;
	others->first = codes->ncodes;
	if (codes->find != NULL)
		return true;
	others->first = 0;
	return add_numbered(codes, others->dictionary);
}

bool
wa_other_texts_number(WaOtherTexts *others, const WaTextCodes *codes,
					  WaArena *arena, WaQueryValue *value)
{
	const WaKeyString string = {value->text.data, (uint32_t) value->text.length,
								(uint32_t) value->text.length};
	uint32_t number;
	int32_t code;

	if (others->dictionary == NULL && !begin(others, codes, arena))
		return false;
	/* Texts may have come since that the query does not know. */
	if (codes->find != NULL &&
		codes->find(codes->context, value->text, &code) &&
		(uint32_t) code < codes->ncodes)
	{
		value->integer = code;
		return true;
	}
	number = wa_key_dictionary_code(others->dictionary, &string);
	if (number == WA_NO_CODE)
		return false;
	number += others->first;
	if (number >= others->end)
		others->end = number + 1;
	value->integer = number;
	return true;
}

WaText
wa_other_texts_text(const WaOtherTexts *others, const WaTextCodes *codes,
					uint32_t number)
{
	return number < codes->ncodes
			   ? codes->text(codes->context, (int32_t) number)
			   : wa_key_dictionary_shown(others->dictionary,
										 number - others->first);
}
