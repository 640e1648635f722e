/*
 * made_tables.c
 *		Tables that are made of the rows of a run; see made_tables.h.
 */
#include <stdio.h>
#include <stdlib.h>

#include "daemon/run/made_tables.h"
#include "daemon/run/run_budget.h"
#include "query/run/row_fill.h"
#include "query/run/run_rest.h"

struct WaMadeTables
{
	WaArena arena;
	WaKeptTables *kept;
	WaQueryRun *const *runs;
	WaRowTables tables;
	WaKeptTable **made; /* one for each table, NULL: it has no memory yet */
};

/* Says that there is not enough memory. */
static WaStatus
lack_memory(char *error)
{
	(void) snprintf(error, WA_MAX_ERROR_BYTES, "not enough memory for tables");
	return WA_OUT_OF_MEMORY;
}

/* Gives each table memory; false: there is no room for them. */
static bool
place_tables(WaMadeTables *made)
{
	const WaTableDigest *digests = made->tables.numbered->query.made;

	for (uint32_t i = 0; i < made->tables.ntables; i++)
	{
		made->made[i] = wa_kept_tables_begin(
			made->kept, &digests[i], wa_row_tables_bytes(&made->tables, i));
		if (made->made[i] == NULL)
			return false;
		wa_row_tables_place(&made->tables, i, made->made[i]->message);
	}
	return true;
}

/* Finds out what tables there will be; false: there is not enough memory. */
static bool
begin_tables(WaMadeTables *made, const WaNumberedQuery *numbered,
			 unsigned nruns)
{
	WaRowTables *tables = &made->tables;

	made->made = wa_arena_alloc_zero(&made->arena, numbered->query.nkeys *
													   sizeof(*made->made));
	if (made->made == NULL ||
		!wa_row_tables_begin(tables, &made->arena, numbered, made->runs, nruns))
		return false;
	if (!wa_row_tables_are_useless(tables) && !place_tables(made))
		wa_row_tables_give_up(tables);
	return true;
}

WaStatus
wa_made_tables_begin(const WaRunRequest *request,
					 const WaNumberedQuery *numbered, WaQueryRun *const *runs,
					 unsigned nruns, WaMadeTables **made, uint32_t *nparts,
					 char *error)
{
	WaMadeTables *own;

	*made = NULL;
	*nparts = 0;
	if (request->tables == NULL)
		return WA_OK;
	if (!wa_query_run_take_rest(runs[0]))
		return lack_memory(error);
	own = calloc(1, sizeof(*own));
	if (own != NULL)
	{
		own->kept = request->tables;
		own->runs = runs;
		wa_run_arena_init_groups(&own->arena, request->budget);
		if (begin_tables(own, numbered, nruns))
		{
			*made = own;
			if (!wa_row_tables_are_useless(&own->tables))
				*nparts = own->tables.nparts;
			return WA_OK;
		}
		wa_made_tables_end(own);
	}
	return lack_memory(error);
}

void
wa_made_tables_sort(WaMadeTables *made, const WaQueryRun *run)
{
	uint32_t number = 0;

	while (made->runs[number] != run)
		number++;
	wa_row_tables_sort(&made->tables, number);
}

void
wa_made_tables_fill(WaMadeTables *made, uint32_t part)
{
	wa_row_fill_part(&made->tables, part);
}

/* Gives the texts of a table memory; false: there is no room for them. */
static bool
place_texts(WaMadeTables *made, uint32_t number)
{
	const uint32_t ntexts = made->tables.tables[number].table.ntexts;
	WaKeptTable *kept = made->made[number];

	if (ntexts == 0)
		return true;
	if (!wa_kept_tables_begin_texts(
			made->kept, kept, ntexts,
			wa_row_tables_texts_bytes(&made->tables, number)))
		return false;
	wa_row_tables_place_texts(&made->tables, number, kept->texts,
							  kept->text_bytes);
	return true;
}

/* Gives the texts of all tables memory, and says what is kept; false: there is no room. */
static bool
complete(WaMadeTables *made)
{
	for (uint32_t i = 0; i < made->tables.ntables; i++)
	{
		WaLookupTable *kept = &made->made[i]->table;
		const WaTableDigest digest = kept->digest;

		if (!place_texts(made, i))
			return false;
		*kept = made->tables.tables[i].table;
		kept->digest = digest;
	}
	return true;
}

WaStatus
wa_made_tables_keep(WaMadeTables *made, WaWriter *message, WaRunResult *result,
					char *error)
{
	WaRowTables *tables;

	if (made == NULL || wa_row_tables_are_useless(&made->tables))
		return WA_OK;
	tables = &made->tables;
	if (!wa_row_tables_finish(tables))
		return lack_memory(error);
	wa_writer_word(message, tables->nrows);
	if (message->arena->failed)
		return lack_memory(error);
	if (!complete(made))
		return WA_OK;
	wa_kept_tables_put_made(made->kept, made->made, tables->ntables);
	made->made = NULL;
	result->groups_bytes = message->nwords * sizeof(uint64_t);
	for (uint32_t i = 0; i < tables->nruns; i++)
		result->kept_rows += wa_query_run_rows(made->runs[i]);
	return WA_OK;
}

void
wa_made_tables_end(WaMadeTables *made)
{
	if (made == NULL)
		return;
	if (made->made != NULL)
		wa_kept_tables_drop_made(made->kept, made->made, made->tables.ntables);
	wa_arena_reset(&made->arena);
	free(made);
}
