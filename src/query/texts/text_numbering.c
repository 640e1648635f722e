/*
 * text_numbering.c
 *		What is added to a query whose texts are numbered; see text_numbering.h.
 */
#include "query/texts/text_numbering.h"

uint16_t
wa_numbering_add_register(WaTextNumbering *to)
{
	to->kinds[to->nregisters] = WA_VECTOR_INT;
	return to->nregisters++;
}

uint16_t
wa_numbering_add_number(WaTextNumbering *to, int64_t number, bool is_null)
{
	const uint16_t place = wa_numbering_add_register(to);

	to->constants[to->nconstants++] = (WaQueryConstant){
		.number = place, .value = {.is_null = is_null, .integer = number}};
	return place;
}

void
wa_numbering_add_look_up(WaTextNumbering *to, uint16_t out, uint16_t argument,
						 const WaLookupTable *table)
{
	to->tables[to->ntables] = *table;
	wa_numbering_add(to, (WaInstruction){.code = WA_CODE_LOOK_UP,
										 .out = out,
										 .a = argument,
										 .extra = to->ntables++});
}

const WaQueryConstant *
wa_numbering_constant(const WaQuery *query, uint16_t number)
{
	for (uint32_t i = 0; i < query->nconstants; i++)
		if (query->constants[i].number == number)
			return &query->constants[i];
	return NULL;
}
