/*
 * join_finish.c
 *		From the rows of a side of joins to its tables; see join_finish.h.
 *
 * Rows are numbered from 0 on, in the order of their keys.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/memutils.h"

#include "scan/tables/join_finish.h"
#include "scan/tables/join_numbers.h"
#include "scan/tables/table_values.h"

/* The keys of a side, or of a part of them. */
typedef struct Keys
{
	const WaJoinSide *side;
	WaRowKeys keys;
	int64 count;
	int64 *numbers; /* of the parts that rows have, if it is a part */
} Keys;

/* Keeps what the table of a value cannot hold. */
static void
keep_odd(const WaJoinTables *tables, const WaJoinSide *side, int place)
{
	const int number = side->columns[place].number;
	const WaJoinColumn *column = &side->rows->columns[place];
	WaJoinValue *value = &tables->values[number];
	const WaLookupTable *table = &tables->tables[number];
	int64 count = 0;

	value->nodd = 0;
	for (int64 i = 0; i < side->rows->nrows; i++)
		count += table->known[i] == WA_ENTRY_UNKNOWN;
	if (count == 0)
		return;
	value->odd_rows =
		MemoryContextAllocHuge(side->context, count * sizeof(int64));
	value->odd = MemoryContextAllocHuge(side->context, count * sizeof(Datum));
	for (int64 i = 0; i < side->rows->nrows; i++)
		if (table->known[i] == WA_ENTRY_UNKNOWN)
		{
			value->odd_rows[value->nodd] = i;
			value->odd[value->nodd++] =
				PointerGetDatum(PG_DETOAST_DATUM_COPY(column->datums[i]));
		}
}

/* Makes the table from numbers of rows to a value; of no rows it has an entry, too. */
static void
make_table(const WaJoinTables *tables, const WaJoinSide *side, int place)
{
	const int number = side->columns[place].number;
	const WaJoinColumn *column = &side->rows->columns[place];
	WaJoinValue *value = &tables->values[number];
	WaLookupTable *table = &tables->tables[number];
	WaTableValues values;

	wa_lookup_table_empty(table);
	wa_table_values_begin(&values, side->context, value->type, value->kind,
						  NULL, NULL);
	wa_table_values_grow(&values, (uint64) Max(side->rows->nrows, 1));
	wa_table_values_set(&values, 0, 1, WA_ENTRY_NULL, (Datum) 0);
	for (int64 i = 0; i < side->rows->nrows; i++)
		wa_table_values_set(&values, (uint64) i, 1,
							column->nulls[i] ? WA_ENTRY_NULL : WA_ENTRY_VALUE,
							column->datums[i]);
	wa_table_values_finish(&values, table);
	keep_odd(tables, side, place);
}

/* Makes the table of something that is the same for all rows: of one entry. */
static void
make_fact(const WaJoinTables *tables, const Keys *keys, WaJoinFact fact,
		  bool has_nulls, int number)
{
	WaJoinValue *value = &tables->values[number];
	WaTableValues values;
	bool is_null = has_nulls;
	Datum datum = BoolGetDatum(false);

	if (fact == WA_FACT_IF_NULL)
		is_null |= keys->count > 0;
	if (fact == WA_FACT_COUNT)
	{
		is_null = false;
		datum = Int64GetDatum(keys->count);
	}
	wa_lookup_table_empty(&tables->tables[number]);
	wa_table_values_begin(&values, keys->side->context, value->type,
						  value->kind, NULL, NULL);
	wa_table_values_grow(&values, 1);
	wa_table_values_set(&values, 0, 1, is_null ? WA_ENTRY_NULL : WA_ENTRY_VALUE,
						datum);
	wa_table_values_finish(&values, &tables->tables[number]);
}

/* Copies keys that are texts, which are found by hashing, to the memory of the tables. */
static void
keep_texts(WaRowKeys *keys, int64 count, MemoryContext context)
{
	WaText *texts = MemoryContextAllocHuge(context, count * sizeof(WaText) + 1);
	Size bytes = 1;
	char *next;

	for (int64 i = 0; i < count; i++)
		bytes += keys->texts[i].length;
	next = MemoryContextAllocHuge(context, bytes);
	for (int64 i = 0; i < count; i++)
	{
		texts[i] = (WaText){next, keys->texts[i].length};
		if (texts[i].length > 0)
			memcpy(next, keys->texts[i].data, texts[i].length);
		next += texts[i].length;
	}
	keys->texts = texts;
}

/* Makes the tables of what is the same for all rows of a side, or of a part. */
static void
make_facts(const WaJoinBuild *build, const Keys *keys, bool has_nulls)
{
	const WaJoinTables *tables = build->tables;
	const int number = (int) (keys->side - build->sides);
	ListCell *cell;

	foreach (cell, tables->joins->values)
	{
		const WaJoinedValue *value = (const WaJoinedValue *) lfirst(cell);

		if (value->join == number && value->fact != WA_FACT_NONE)
			make_fact(tables, keys, value->fact, has_nulls,
					  foreach_current_index(cell));
	}
}

/* Makes the table from keys to rows, or to numbers, in the memory of the tables. */
static void
find_by_keys(const WaJoinBuild *build, Keys *keys, bool has_nulls)
{
	const WaJoinSide *side = keys->side;
	const int number = (int) (side - build->sides);
	MemoryContext old = MemoryContextSwitchTo(side->context);

	if (keys->keys.are_texts)
		keep_texts(&keys->keys, keys->count, side->context);
	wa_key_rows_make(&build->tables->rows[number], side->context, side->of_type,
					 &keys->keys, keys->count, side->join->is_unique);
	make_facts(build, keys, has_nulls);
	MemoryContextSwitchTo(old);
}

/* Notes what is known of rows, for EXPLAIN. */
static void
note_use(const WaJoinBuild *build, const WaJoinSide *side, int64 rows)
{
	build->tables->uses[side - build->sides] = (WaJoinUse){
		.rows = rows,
		.bytes = side->context == NULL
					 ? 0
					 : MemoryContextMemAllocated(side->context, true)};
}

/* Returns the keys of a part, which may be changed: those of rows, or pairs of numbers. */
static Keys
take_keys(const WaJoinSide *side, const WaJoinRows *rows, int key,
		  const Keys *parts)
{
	Keys keys = {.side = side, .count = rows->nrows};
	Size bytes;

	keys.keys.are_texts = side->of != NULL && rows->keys[key].are_texts;
	bytes = (Size) rows->nrows * wa_row_key_bytes(&keys.keys) + 1;
	keys.keys.integers = palloc_extended(bytes, MCXT_ALLOC_HUGE);
	if (side->of == NULL)
		wa_join_numbers_pair(parts[-2].numbers, parts[-1].numbers,
							 parts[-1].count, rows->nrows, keys.keys.integers);
	else if (rows->nrows > 0)
		memcpy(keys.keys.integers, rows->keys[key].integers, bytes - 1);
	return keys;
}

/* Numbers the parts of the key of a side; returns its keys, which are pairs or its rows'. */
static Keys
number_parts(const WaJoinBuild *build, const WaJoinSide *side)
{
	const WaJoinRows *rows = side->rows;
	Keys *parts = palloc0(sizeof(Keys) * (side->nparts + 1));
	int key = 0;

	if (side->nparts == 0)
		return (Keys){
			.side = side, .keys = rows->keys[0], .count = rows->nrows};
	for (int i = 0; i < side->nparts; i++)
	{
		const WaJoinSide *part = side - side->nparts + i;

		parts[i] = take_keys(part, rows, key, &parts[i]);
		key += part->of != NULL;
		parts[i].numbers = palloc_extended(
			(Size) rows->nrows * sizeof(int64) + 1, MCXT_ALLOC_HUGE);
		parts[i].count =
			wa_join_numbers_make(&parts[i].keys, rows->nrows, parts[i].numbers);
		find_by_keys(build, &parts[i], false);
		note_use(build, part, parts[i].count);
	}
	return take_keys(side, rows, key, &parts[side->nparts]);
}

/* Puts the rows of a side in the order of its keys, and these. */
static void
sort_side(const WaJoinSide *side, const Keys *keys)
{
	const int64 *order = wa_row_keys_order(&keys->keys, keys->count);
	int64 *copy;

	if (order == NULL)
		return;
	wa_join_rows_put_in_order(side->rows, order);
	if (side->nparts == 0)
		return;
	copy = palloc_extended(keys->count * sizeof(int64), MCXT_ALLOC_HUGE);
	for (int64 i = 0; i < keys->count; i++)
		copy[i] = keys->keys.integers[order[i]];
	memcpy(keys->keys.integers, copy, keys->count * sizeof(int64));
	pfree(copy);
}

/* Has rows of a side that is folded be found by their keys. */
static void
finish_folded(const WaJoinSide *side)
{
	WaJoinRows *rows = side->rows;

	wa_key_rows_make(&rows->found, rows->context, side->of_type, &rows->keys[0],
					 rows->nrows, side->join->is_unique);
}

/* Makes the tables of a side that is not folded. */
static void
finish_owner(const WaJoinBuild *build, const WaJoinSide *side)
{
	Keys keys = number_parts(build, side);
	MemoryContext old;

	sort_side(side, &keys);
	find_by_keys(build, &keys, side->rows->has_nulls);
	old = MemoryContextSwitchTo(side->context);
	for (int i = 0; i < side->ncolumns; i++)
		make_table(build->tables, side, i);
	MemoryContextSwitchTo(old);
}

void
wa_join_side_finish(const WaJoinBuild *build, int number)
{
	const WaJoinSide *side = &build->sides[number];
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg join keys", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(scratch);

	if (side->context == NULL)
		finish_folded(side);
	else
		finish_owner(build, side);
	MemoryContextSwitchTo(old);
	note_use(build, side, side->rows->nrows);
	MemoryContextDelete(scratch);
}
