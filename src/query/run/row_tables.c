/*
 * row_tables.c
 *		The tables that rows become; see row_tables.h.
 */
#include <string.h>

#include "query/run/row_tables.h"
#include "query/run/run_internal.h"

/* A part has about so many rows, or entries of the table of the keys. */
#define PART_ROWS    65536
#define PART_ENTRIES (8 * PART_ROWS)
#define MAX_PARTS    256

void
wa_row_tables_give_up(WaRowTables *tables)
{
	__atomic_store_n(&tables->is_useless, true, __ATOMIC_RELAXED);
}

bool
wa_row_tables_are_useless(const WaRowTables *tables)
{
	return __atomic_load_n(&tables->is_useless, __ATOMIC_RELAXED);
}

/*
 * Beginning
 */

/* Lists the chunks of all runs; false: there is not enough memory. */
static bool
list_chunks(WaRowTables *tables)
{
	WaArena *arena = tables->arena;
	size_t count = 0;

	for (uint32_t i = 0; i < tables->nruns; i++)
		count += tables->rows[i]->nchunks;
	tables->first_chunks =
		wa_arena_alloc(arena, tables->nruns * sizeof(*tables->first_chunks));
	tables->chunks =
		wa_arena_alloc(arena, (count + 1) * sizeof(*tables->chunks));
	tables->chunk_ends =
		wa_arena_alloc(arena, (count + 1) * sizeof(*tables->chunk_ends));
	if (arena->failed)
		return false;
	for (uint32_t i = 0; i < tables->nruns; i++)
	{
		tables->first_chunks[i] = tables->nchunks;
		for (const WaRowChunk *chunk = tables->rows[i]->first; chunk != NULL;
			 chunk = chunk->next)
		{
			tables->nrows += chunk->nrows;
			tables->chunks[tables->nchunks] = chunk;
			tables->chunk_ends[tables->nchunks++] = tables->nrows;
		}
	}
	return true;
}

/* Has a table from numbers of rows be one of values of a kind. */
static void
begin_values(const WaRowTables *tables, WaVectorKind kind, bool is_narrow,
			 int display, WaRowTable *out)
{
	out->form = is_narrow ? WA_TABLE_NARROW : WA_TABLE_WIDE;
	out->table =
		(WaLookupTable){.width = 1,
						.nentries = tables->nrows > 0 ? tables->nrows : 1,
						.scale = (uint8_t) (display > 0 ? display : 0),
						.results = kind == WA_VECTOR_TEXT   ? WA_LOOKUP_TEXTS
								   : kind == WA_VECTOR_BOOL ? WA_LOOKUP_BOOLS
															: WA_LOOKUP_WORDS,
						.is_total = true};
}

/* Begins the table of a key other than the first; false: it cannot hold all values. */
static bool
begin_column(const WaRowTables *tables, uint32_t number)
{
	bool is_narrow = true;
	int display = -1;

	for (uint32_t i = 0; i < tables->nruns; i++)
	{
		const WaRowValues *values = &tables->rows[i]->columns[number - 1];

		is_narrow &= values->is_narrow;
		if (values->others.dictionary != NULL)
			tables->tables[number].others = values;
		if (display < 0)
			display = values->display;
		if (values->display >= 0 && values->display != display)
			return false;
	}
	begin_values(tables, tables->numbered->asked->keys[number].kind, is_narrow,
				 display, &tables->tables[number]);
	return true;
}

/* Begins the table of the first keys; false: it would be too large. */
static bool
begin_keys(const WaRowTables *tables)
{
	WaRowTable *out = &tables->tables[0];
	int64_t smallest = tables->nrows > 0 ? INT64_MAX : 0;
	int64_t largest = tables->nrows > 0 ? INT64_MIN : 0;

	for (uint32_t i = 0; i < tables->nruns; i++)
	{
		const WaRunRows *rows = tables->rows[i];

		if (rows->nrows > 0 && rows->smallest < smallest)
			smallest = rows->smallest;
		if (rows->nrows > 0 && rows->largest > largest)
			largest = rows->largest;
	}
	out->form = wa_lookup_table_begin_keys(&out->table, smallest, largest,
										   tables->nrows)
					? WA_TABLE_NARROW
					: WA_TABLE_SLOTS;
	return out->table.nentries > 0 &&
		   out->table.nentries <= WA_MAX_KEPT_ENTRIES;
}

/* Begins all tables; false: some of them cannot be. */
static bool
begin_tables(WaRowTables *tables)
{
	if (tables->nrows > WA_MAX_KEPT_ENTRIES || !begin_keys(tables))
		return false;
	for (uint32_t i = 0; i < tables->nruns; i++)
		if (tables->rows[i]->is_odd)
			return false;
	for (uint32_t i = 1; i < tables->ntables; i++)
		if (!begin_column(tables, i))
			return false;
	return true;
}

/* Chooses in how many parts the tables are filled. */
static uint32_t
choose_parts(const WaRowTables *tables)
{
	const uint64_t nparts = 1 + tables->nrows / PART_ROWS +
							tables->tables[0].table.nentries / PART_ENTRIES;

	return (uint32_t) (nparts < MAX_PARTS ? nparts : MAX_PARTS);
}

/* Makes what numbers the rows; false: there is not enough memory. */
static bool
begin_numbers(WaRowTables *tables)
{
	const WaRowTable *keys = &tables->tables[0];

	tables->nparts = choose_parts(tables);
	if (keys->form == WA_TABLE_NARROW)
		return wa_row_bits_make(&tables->bits, tables->arena, keys->table.base,
								keys->table.nentries);
	return wa_row_sort_make(&tables->sort, tables->arena, tables->rows,
							tables->nruns, tables->nparts);
}

bool
wa_row_tables_begin(WaRowTables *tables, WaArena *arena,
					const WaNumberedQuery *numbered, WaQueryRun *const *runs,
					uint32_t nruns)
{
	*tables = (WaRowTables){.arena = arena,
							.numbered = numbered,
							.nruns = nruns,
							.ntables = numbered->query.nkeys};
	tables->rows = wa_arena_alloc(arena, nruns * sizeof(*tables->rows));
	tables->tables =
		wa_arena_alloc_zero(arena, tables->ntables * sizeof(*tables->tables));
	if (arena->failed)
		return false;
	for (uint32_t i = 0; i < nruns; i++)
		tables->rows[i] = runs[i]->made;
	if (!list_chunks(tables))
		return false;
	if (begin_tables(tables))
		return begin_numbers(tables);
	wa_row_tables_give_up(tables);
	return true;
}

uint64_t
wa_row_tables_bytes(const WaRowTables *tables, uint32_t number)
{
	const WaRowTable *table = &tables->tables[number];
	const uint64_t nentries = table->table.nentries;

	switch (table->form)
	{
		case WA_TABLE_SLOTS:
			return nentries * sizeof(WaLookupSlot);
		case WA_TABLE_NARROW:
			return wa_lookup_narrow_bytes(nentries) +
				   (number == 0 ? wa_lookup_bits_bytes(nentries) : 0);
		default:
			return nentries * (sizeof(int64_t) + sizeof(uint8_t));
	}
}

void
wa_row_tables_place(WaRowTables *tables, uint32_t number, void *place)
{
	WaRowTable *table = &tables->tables[number];

	if (table->form == WA_TABLE_SLOTS)
		table->slots = place;
	else if (table->form == WA_TABLE_NARROW)
	{
		table->narrow = place;
		if (number == 0)
			table->bits = (uint64_t *) place +
						  wa_lookup_narrow_bytes(table->table.nentries) /
							  sizeof(uint64_t);
	}
	else
	{
		table->values = place;
		table->known = (uint8_t *) (table->values + table->table.nentries);
		table->table.known = table->known;
	}
	table->table.slots = table->slots;
	table->table.narrow = table->narrow;
	table->table.bits = table->bits;
	table->table.values = table->values;
	/* Of no rows there is an entry, too. */
	if (number > 0 && tables->nrows == 0)
		table->narrow[0] = WA_NARROW_NULL;
}

/*
 * Sorting
 */

/* Adds the keys of a run to the bits; false: some key is there twice. */
static bool
add_keys(WaRowTables *tables, const WaRunRows *rows)
{
	int64_t buffer[WA_VECTOR_ROWS];
	bool are_new = true;

	for (const WaRowChunk *chunk = rows->first; chunk != NULL;
		 chunk = chunk->next)
		for (uint32_t row = 0; row < chunk->nrows; row += WA_VECTOR_ROWS)
		{
			const uint32_t left = chunk->nrows - row;
			const uint32_t nrows =
				left < WA_VECTOR_ROWS ? left : WA_VECTOR_ROWS;

			are_new &= wa_row_bits_add(
				&tables->bits, wa_row_chunk_keys(chunk, row, nrows, buffer),
				nrows);
		}
	return are_new;
}

/* Sorts a run for the table of slots, and makes its share of these free. */
static void
sort_keys(const WaRowTables *tables, uint32_t run)
{
	const WaRowTable *keys = &tables->tables[0];
	const uint64_t nslots = keys->table.nentries;
	const uint64_t begin = nslots * run / tables->nruns;
	const uint64_t end = nslots * (run + 1) / tables->nruns;

	wa_lookup_slots_clear(keys->slots + begin, end - begin);
	wa_row_sort_run(&tables->sort, run, tables->rows[run],
					tables->first_chunks[run]);
}

/* Prepares what parts need, once all runs are sorted. */
static void
end_sorting(WaRowTables *tables)
{
	if (tables->tables[0].form == WA_TABLE_NARROW)
		tables->nrows = wa_row_bits_count(&tables->bits);
	else
		wa_row_sort_divide(&tables->sort);
}

void
wa_row_tables_sort(WaRowTables *tables, uint32_t run)
{
	if (!wa_row_tables_are_useless(tables))
	{
		if (tables->tables[0].form == WA_TABLE_SLOTS)
			sort_keys(tables, run);
		else if (!add_keys(tables, tables->rows[run]) &&
				 tables->numbered->query.is_unique)
			wa_row_tables_give_up(tables);
	}
	/* Who is the last one sees what the others have done. */
	if (__atomic_add_fetch(&tables->nsorted, 1, __ATOMIC_ACQ_REL) ==
			tables->nruns &&
		!wa_row_tables_are_useless(tables))
		end_sorting(tables);
}

/*
 * Finishing
 */

/*
 * Gives the texts of a table numbers from 0 on, in the order of the rows, in place of those
 * that they had.  Returns false if there is not enough memory.
 */
static bool
number_texts(const WaRowTables *tables, WaRowTable *table, uint32_t most)
{
	int32_t *ends =
		wa_arena_alloc_zero(tables->arena, (most + (size_t) 1) * sizeof(*ends));
	const uint64_t texts = most < tables->nrows ? most : tables->nrows;

	table->texts =
		wa_arena_alloc(tables->arena, (texts + 1) * sizeof(*table->texts));
	if (ends == NULL || table->texts == NULL)
		return false;
	for (uint64_t i = 0; i < table->table.nentries; i++)
	{
		const int32_t number = table->narrow[i];

		if (number == WA_NARROW_NULL)
			continue;
		/* Behind the new number: then 0 is none. */
		if (ends[number] == 0)
		{
			table->texts[table->table.ntexts] = number;
			ends[number] = (int32_t) ++table->table.ntexts;
		}
		table->narrow[i] = ends[number] - 1;
	}
	wa_arena_free(tables->arena, ends);
	return true;
}

/* Numbers keys that may be those of several rows, each once; returns how many there are. */
static uint64_t
number_keys(const WaRowTables *tables)
{
	const WaRowTable *table = &tables->tables[0];
	const WaRowPlace *places = tables->sort.merged;
	uint64_t count = 0;

	for (uint64_t i = 0; i < tables->nrows; i++)
		count += wa_lookup_slots_add(table->slots, table->table.nentries,
									 places[i].key, (int64_t) count);
	return count;
}

/* Returns a number beyond those of all texts of a table. */
static uint32_t
texts_end(const WaRowTables *tables, uint32_t number)
{
	const WaRowValues *others = tables->tables[number].others;

	return others != NULL ? others->others.end
						  : tables->numbered->key_texts[number]->ncodes;
}

bool
wa_row_tables_finish(WaRowTables *tables)
{
	if (wa_row_tables_are_useless(tables))
		return true;
	if (tables->tables[0].form == WA_TABLE_SLOTS &&
		!tables->numbered->query.is_unique)
		tables->nrows = number_keys(tables);
	for (uint32_t i = 1; i < tables->ntables; i++)
		if (tables->numbered->key_texts[i] != NULL &&
			!number_texts(tables, &tables->tables[i], texts_end(tables, i)))
			return false;
	return true;
}

/* Returns a text of a table. */
static WaText
text_of(const WaRowTables *tables, uint32_t number, uint32_t text)
{
	const WaTextCodes *codes = tables->numbered->key_texts[number];
	const WaRowTable *table = &tables->tables[number];
	const uint32_t of = (uint32_t) table->texts[text];

	return table->others == NULL
			   ? codes->text(codes->context, (int32_t) of)
			   : wa_other_texts_text(&table->others->others, codes, of);
}

uint64_t
wa_row_tables_texts_bytes(const WaRowTables *tables, uint32_t number)
{
	const uint32_t ntexts = tables->tables[number].table.ntexts;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < ntexts; i++)
		bytes += text_of(tables, number, i).length;
	return bytes;
}

void
wa_row_tables_place_texts(WaRowTables *tables, uint32_t number, WaText *texts,
						  char *place)
{
	WaLookupTable *table = &tables->tables[number].table;

	for (uint32_t i = 0; i < table->ntexts; i++)
	{
		const WaText text = text_of(tables, number, i);

		if (text.length > 0)
			memcpy(place, text.data, text.length);
		texts[i] = (WaText){place, text.length};
		place += text.length;
	}
	table->texts = texts;
}
