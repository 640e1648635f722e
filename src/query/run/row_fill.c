/*
 * row_fill.c
 *		Filling parts of the tables that rows become; see row_fill.h.
 *
 * Where keys have bits, a part is some words of these and some of the rows, as they lie in
 * the chunks; else it is some of the rows in the order of their keys.
 */
#include <string.h>

#include "query/run/row_fill.h"

/* Slots are fetched so many keys ahead. */
#define AHEAD 16

/* Some rows, in any order, and what they have of a column. */
typedef struct Block
{
	size_t nrows; /* at most WA_VECTOR_ROWS */
	uint32_t numbers[WA_VECTOR_ROWS];
	int64_t words[WA_VECTOR_ROWS];
	uint8_t valid[WA_VECTOR_ROWS];
	bool has_nulls;
} Block;

/* Brings what a block has of a column into narrow entries of a table. */
static void
store_narrow(const Block *block, int32_t *narrow)
{
	if (!block->has_nulls)
		for (size_t i = 0; i < block->nrows; i++)
			narrow[block->numbers[i]] = (int32_t) block->words[i];
	else
		for (size_t i = 0; i < block->nrows; i++)
			narrow[block->numbers[i]] = block->valid[i] != 0
											? (int32_t) block->words[i]
											: WA_NARROW_NULL;
}

/* Likewise into entries that are not. */
static void
store_wide(const Block *block, int64_t *values, uint8_t *known)
{
	for (size_t i = 0; i < block->nrows; i++)
	{
		const bool is_null = block->has_nulls && block->valid[i] == 0;

		values[block->numbers[i]] = block->words[i];
		known[block->numbers[i]] = is_null ? WA_ENTRY_NULL : WA_ENTRY_VALUE;
	}
}

/* Brings what a block has of a column into the table of its values. */
static void
store_block(const WaRowTable *table, const Block *block)
{
	if (table->form == WA_TABLE_NARROW)
		store_narrow(block, table->narrow);
	else
		store_wide(block, table->values, table->known);
}

/* Returns how many bytes the values of a column of a kind take. */
static inline size_t
value_bytes(const WaRowColumn *column, WaVectorKind kind)
{
	return column->is_narrow ? sizeof(int32_t) : wa_row_value_bytes(kind);
}

/* Returns a value of so many bytes as a word. */
static inline int64_t
word_of(const void *values, size_t bytes, size_t row)
{
	switch (bytes)
	{
		case sizeof(int32_t):
			return ((const int32_t *) values)[row];
		case sizeof(uint8_t):
			return ((const uint8_t *) values)[row];
		default:
			return ((const int64_t *) values)[row];
	}
}

/* Reads what rows of a chunk, from one on, have of a column. */
static void
read_rows(const WaRowColumn *column, WaVectorKind kind, size_t row,
		  Block *block)
{
	const size_t bytes = value_bytes(column, kind);

	if (bytes == sizeof(int64_t))
		memcpy(block->words, (const int64_t *) column->values + row,
			   block->nrows * sizeof(int64_t));
	else
		for (size_t i = 0; i < block->nrows; i++)
			block->words[i] = word_of(column->values, bytes, row + i);
	block->has_nulls = column->valid != NULL;
	if (block->has_nulls)
		memcpy(block->valid, column->valid + row, block->nrows);
}

/* Reads what rows at some places have of a column. */
static void
read_places(const WaRowTables *tables, const WaRowPlace *places,
			uint32_t column, WaVectorKind kind, Block *block)
{
	block->has_nulls = false;
	for (size_t i = 0; i < block->nrows; i++)
	{
		const WaRowColumn *from =
			&tables->chunks[places[i].chunk]->columns[column];
		const uint32_t row = places[i].row;

		block->words[i] = word_of(from->values, value_bytes(from, kind), row);
		block->valid[i] = from->valid == NULL ? 1 : from->valid[row];
		block->has_nulls |= block->valid[i] == 0;
	}
}

/* Returns the kind of the values of a table. */
static WaVectorKind
kind_of(const WaRowTables *tables, uint32_t number)
{
	return tables->numbered->asked->keys[number].kind;
}

/* Brings some rows of a chunk, at most WA_VECTOR_ROWS, into the tables of values. */
static void
fill_rows(const WaRowTables *tables, const WaRowChunk *chunk, size_t row,
		  size_t nrows)
{
	int64_t keys[WA_VECTOR_ROWS];
	Block block;

	block.nrows = nrows;
	wa_row_bits_find(&tables->bits, wa_row_chunk_keys(chunk, row, nrows, keys),
					 nrows, block.numbers);
	for (uint32_t i = 1; i < tables->ntables; i++)
	{
		read_rows(&chunk->columns[i - 1], kind_of(tables, i), row, &block);
		store_block(&tables->tables[i], &block);
	}
}

/* Brings the rows of all chunks from one on into the tables of values. */
static void
fill_values(const WaRowTables *tables, uint64_t begin, uint64_t end)
{
	uint32_t number = 0;

	while (begin < end)
	{
		const WaRowChunk *chunk;
		size_t row;
		size_t nrows;

		while (tables->chunk_ends[number] <= begin)
			number++;
		chunk = tables->chunks[number];
		row = (size_t) (begin - (tables->chunk_ends[number] - chunk->nrows));
		nrows = chunk->nrows - row;
		nrows = nrows > end - begin ? (size_t) (end - begin) : nrows;
		nrows = nrows > WA_VECTOR_ROWS ? WA_VECTOR_ROWS : nrows;
		fill_rows(tables, chunk, row, nrows);
		begin += nrows;
	}
}

/* Fills a part where keys have bits. */
static void
fill_by_bits(const WaRowTables *tables, uint32_t part)
{
	const uint64_t nwords = wa_row_bits_words(&tables->bits);
	const uint32_t nparts = tables->nparts;
	const uint64_t nrows = tables->nrows;
	const uint64_t begin = nwords * part / nparts;
	const uint64_t end = nwords * (part + 1) / nparts;

	wa_row_bits_fill(&tables->bits, begin, end, tables->tables[0].narrow);
	wa_row_bits_copy(&tables->bits, begin, end, tables->tables[0].bits);
	if (tables->ntables > 1)
		fill_values(tables, nrows * part / nparts, nrows * (part + 1) / nparts);
}

/*
 * Brings keys into slots, at the same time as others do; none is there twice.  Nobody reads
 * the keys meanwhile.
 */
static void
fill_slots(const WaRowTable *table, const WaRowPlace *places, uint64_t count,
		   uint64_t first)
{
	const uint64_t mask = table->table.nentries - 1;

	for (uint64_t i = 0; i < count; i++)
	{
		uint64_t slot = wa_lookup_hash(places[i].key) & mask;
		int64_t is_free = WA_FREE_SLOT;

		if (i + AHEAD < count)
			__builtin_prefetch(
				&table->slots[wa_lookup_hash(places[i + AHEAD].key) & mask], 1);
		while (!__atomic_compare_exchange_n(&table->slots[slot].value, &is_free,
											(int64_t) (first + i), false,
											__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		{
			slot = (slot + 1) & mask;
			is_free = WA_FREE_SLOT;
		}
		table->slots[slot].key = places[i].key;
	}
}

/* Brings rows at some places, with numbers from the first one on, into the tables of values. */
static void
fill_places(const WaRowTables *tables, const WaRowPlace *places, uint64_t count,
			uint64_t first)
{
	Block block;

	for (uint64_t begin = 0; begin < count; begin += block.nrows)
	{
		block.nrows = count - begin < WA_VECTOR_ROWS ? (size_t) (count - begin)
													 : WA_VECTOR_ROWS;
		for (size_t i = 0; i < block.nrows; i++)
			block.numbers[i] = (uint32_t) (first + begin + i);
		for (uint32_t i = 1; i < tables->ntables; i++)
		{
			read_places(tables, places + begin, i - 1, kind_of(tables, i),
						&block);
			store_block(&tables->tables[i], &block);
		}
	}
}

/* Counts different keys, which are in their order. */
static uint64_t
count_keys(const WaRowPlace *places, uint64_t count)
{
	uint64_t different = count > 0 ? 1 : 0;

	for (uint64_t i = 1; i < count; i++)
		different += places[i - 1].key != places[i].key;
	return different;
}

/* Fills a part where keys are sorted. */
static void
fill_sorted(WaRowTables *tables, uint32_t part)
{
	uint64_t count;
	uint64_t first;
	const WaRowPlace *places =
		wa_row_sort_merge(&tables->sort, part, &count, &first);

	if (!tables->numbered->query.is_unique)
		return;
	if (count_keys(places, count) < count)
	{
		wa_row_tables_give_up(tables);
		return;
	}
	fill_slots(&tables->tables[0], places, count, first);
	fill_places(tables, places, count, first);
}

void
wa_row_fill_part(WaRowTables *tables, uint32_t part)
{
	if (wa_row_tables_are_useless(tables))
		return;
	if (tables->tables[0].form == WA_TABLE_SLOTS)
		fill_sorted(tables, part);
	else
		fill_by_bits(tables, part);
}
