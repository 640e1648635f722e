/*
 * run_rest.c
 *		Rows that a query whose rows become tables brings along; see run_rest.h.
 *
 * Texts of theirs that have numbers in the query get these; others get numbers behind them.
 */
#include "query/run/run_rest.h"
#include "query/run/run_internal.h"

/* Has the dictionary of a column have all texts that have numbers, by these. */
static bool
add_numbered(const WaTextCodes *codes, WaKeyDictionary *others)
{
	for (uint32_t i = 0; i < codes->ncodes; i++)
	{
		const WaText text = codes->text(codes->context, (int32_t) i);
		const WaKeyString string = {text.data, (uint32_t) text.length,
									(uint32_t) text.length};

		if (wa_key_dictionary_code(others, &string) != i)
			return false;
	}
	return true;
}

/* Prepares to number texts of a column; false: there is not enough memory. */
static bool
begin_texts(WaRunRows *rows, const WaTextCodes *codes, WaRowValues *values)
{
	values->others = wa_key_dictionary_make(rows->arena);
	if (values->others == NULL)
		return false;
	values->first_other = codes->ncodes;
	if (codes->find != NULL)
		return true;
	values->first_other = 0;
	return add_numbered(codes, values->others);
}

/* Puts the number of a text in its place; false: there is not enough memory. */
static bool
number_text(WaRunRows *rows, const WaTextCodes *codes, WaRowValues *values,
			WaQueryValue *value)
{
	const WaKeyString string = {value->text.data, (uint32_t) value->text.length,
								(uint32_t) value->text.length};
	uint32_t number;
	int32_t code;

	if (values->others == NULL && !begin_texts(rows, codes, values))
		return false;
	/* Texts may have come since that the query does not know. */
	if (codes->find != NULL &&
		codes->find(codes->context, value->text, &code) &&
		(uint32_t) code < codes->ncodes)
	{
		value->integer = code;
		return true;
	}
	number = wa_key_dictionary_code(values->others, &string);
	if (number == WA_NO_CODE)
		return false;
	number += values->first_other;
	if (number >= values->end)
		values->end = number + 1;
	value->integer = number;
	return true;
}

/* Takes a row by its keys, which change; false: there is not enough memory. */
static bool
take_row(WaQueryRun *run, WaQueryValue *keys)
{
	WaRunRows *rows = run->made;

	if (keys[0].is_null)
		return true;
	for (uint32_t i = 1; i < run->query->nkeys; i++)
		if (run->numbered->key_texts[i] != NULL && !keys[i].is_null &&
			!number_text(rows, run->numbered->key_texts[i],
						 &rows->columns[i - 1], &keys[i]))
			return false;
	return wa_run_rows_add_one(rows, keys);
}

bool
wa_query_run_take_rest(WaQueryRun *run)
{
	const WaQuery *asked = run->numbered->asked;
	const WaPartialShape shape = {.nkeys = (int) asked->nkeys,
								  .keys = asked->keys};
	WaPartialReader reader;

	if (asked->nrest == 0)
		return true;
	if (!wa_partial_reader_init(&reader, run->arena, &shape))
		return false;
	if (wa_partial_open(&reader, asked->rest, asked->nrest * sizeof(uint64_t)))
		while (wa_partial_next(&reader))
			if (!take_row(run, reader.keys))
				return false;
	if (reader.reader.failed)
		run->made->is_odd = true;
	return true;
}
