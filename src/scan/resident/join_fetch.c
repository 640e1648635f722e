/*
 * join_fetch.c
 *		Tables of joins that the device process has; see join_fetch.h.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "scan/resident/join_fetch.h"
#include "scan/resident/resident_tables.h"

/* Fetches a table into the current memory context, which is for all of a unit. */
static bool
fetch(WaLookupTable *table, WaTableDigest digest)
{
	const Size most = wa_join_memory_limit();
	const Size taken = MemoryContextMemAllocated(CurrentMemoryContext, true);

	return taken < most &&
		   wa_resident_fetch_table(&digest, most - taken, table);
}

/* Returns how many rows a table from keys finds. */
static int64
count_rows(const WaLookupTable *table)
{
	int64 rows = 0;
	int64 value;

	for (uint64 i = 0; i < table->nentries; i++)
		if (table->slots != NULL)
			rows += table->slots[i].value >= 0;
		else
			rows += wa_lookup_table_entry(table, i, &value) == WA_ENTRY_VALUE;
	return rows;
}

/* Tells whether a table has all values: of others only who has made it knows what they are. */
static bool
is_known(const WaLookupTable *table)
{
	return table->narrow != NULL ||
		   memchr(table->known, WA_ENTRY_UNKNOWN, table->nentries) == NULL;
}

/* Fetches the tables of contents into the current memory context. */
static bool
fetch_all(WaJoinTables *tables, const WaJoinContents *contents)
{
	for (int i = 0; i < contents->njoins; i++)
	{
		const int number = contents->joins[i];
		WaKeyRows *rows = &tables->rows[number];

		if (tables->keys[number] == NULL)
			continue;
		if (!fetch(&rows->table, rows->digest) ||
			(rows->table.slots == NULL && rows->table.narrow == NULL))
			return false;
		rows->nrows = count_rows(&rows->table);
		tables->uses[number].rows = rows->nrows;
	}
	for (int i = 0; i < contents->nvalues; i++)
	{
		WaLookupTable *table = &tables->tables[contents->values[i]];

		if (!fetch(table, table->digest) || !is_known(table))
			return false;
		tables->values[contents->values[i]].nodd = 0;
	}
	return true;
}

bool
wa_join_fetch(WaJoinTables *tables, const WaJoinContents *contents)
{
	MemoryContext context = wa_join_tables_empty(tables, contents->unit);
	MemoryContext old = MemoryContextSwitchTo(context);
	const bool is_there = fetch_all(tables, contents);

	MemoryContextSwitchTo(old);
	if (!is_there)
		return false;
	tables->uses[contents->unit].bytes =
		MemoryContextMemAllocated(context, true);
	wa_join_cache_keep(tables, contents);
	return true;
}
