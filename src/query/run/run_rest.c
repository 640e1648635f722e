/*
 * run_rest.c
 *		Rows that a query whose rows become tables brings along; see run_rest.h.
 */
#include "query/run/run_rest.h"
#include "query/run/run_internal.h"

/* Takes a row by its keys, which change; false: there is not enough memory. */
static bool
take_row(WaQueryRun *run, WaQueryValue *keys)
{
	WaRunRows *rows = run->made;

	if (keys[0].is_null)
		return true;
	for (uint32_t i = 1; i < run->query->nkeys; i++)
		if (run->numbered->key_texts[i] != NULL && !keys[i].is_null &&
			!wa_other_texts_number(&rows->columns[i - 1].others,
								   run->numbered->key_texts[i], rows->arena,
								   &keys[i]))
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
