/*
 * kept_tables.c
 *		Tables that a session keeps; see kept_tables.h.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "scan/tables/kept_tables.h"

void
wa_kept_tables_begin(WaKeptTables *tables)
{
	tables->query++;
}

void
wa_kept_tables_drop(WaKeptTables *tables, WaKeptTable *table)
{
	dlist_delete(&table->node);
	tables->bytes -= MemoryContextMemAllocated(table->context, true);
	MemoryContextDelete(table->context);
}

bool
wa_kept_tables_make_room(WaKeptTables *tables)
{
	while (tables->bytes > tables->most_bytes)
	{
		WaKeptTable *last =
			dlist_tail_element(WaKeptTable, node, &tables->list);

		if (wa_kept_table_is_used(tables, last))
			return false;
		wa_kept_tables_drop(tables, last);
	}
	return true;
}

void
wa_kept_tables_add(WaKeptTables *tables, WaKeptTable *table)
{
	MemoryContextSetParent(table->context, TopMemoryContext);
	dlist_push_head(&tables->list, &table->node);
	tables->bytes += MemoryContextMemAllocated(table->context, true);
}

void
wa_kept_tables_use(WaKeptTables *tables, WaKeptTable *table)
{
	dlist_move_head(&tables->list, &table->node);
	table->query = tables->query;
}
