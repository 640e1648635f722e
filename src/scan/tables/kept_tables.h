/*
 * kept_tables.h
 *		What a session keeps of tables from one query to the next: those that were used
 *		last, up to so many bytes.
 */
#ifndef WA_SCAN_KEPT_TABLES_H
#define WA_SCAN_KEPT_TABLES_H

#include "lib/ilist.h"
#include "utils/palloc.h"

/* A table, or what is kept instead of one that there cannot be. */
typedef struct WaKeptTable
{
	dlist_node node;
	MemoryContext context; /* all of it lies there */
	uint64 query;          /* the last one that used it */
} WaKeptTable;

/* Tables of a kind, the one that was used last first. */
typedef struct WaKeptTables
{
	dlist_head list;
	Size most_bytes; /* a table that is made may exceed this */
	Size bytes;
	uint64 query; /* the number of the present one */
} WaKeptTables;

/* Initial value of one that keeps so many bytes. */
#define WA_KEPT_TABLES_INIT(name, most)                              \
	{                                                                \
		.list = DLIST_STATIC_INIT((name).list), .most_bytes = (most) \
	}

/* To be called when a query begins. */
extern void wa_kept_tables_begin(WaKeptTables *tables);

/*
 * Makes room for one more table.  Returns false if it cannot, as the query uses all
 * that are there.
 */
extern bool wa_kept_tables_make_room(WaKeptTables *tables);

/* Adds a table, whose context moves to TopMemoryContext. */
extern void wa_kept_tables_add(WaKeptTables *tables, WaKeptTable *table);

/* Forgets a table. */
extern void wa_kept_tables_drop(WaKeptTables *tables, WaKeptTable *table);

/* Notes that the query uses a table. */
extern void wa_kept_tables_use(WaKeptTables *tables, WaKeptTable *table);

/* Tells whether the query has used a table. */
static inline bool
wa_kept_table_is_used(const WaKeptTables *tables, const WaKeptTable *table)
{
	return table->query == tables->query;
}

#endif /* WA_SCAN_KEPT_TABLES_H */
