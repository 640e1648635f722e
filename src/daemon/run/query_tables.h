/*
 * query_tables.h
 *		The look-up tables of a query that is run.
 */
#ifndef WA_DAEMON_QUERY_TABLES_H
#define WA_DAEMON_QUERY_TABLES_H

#include "daemon/run/kept_tables.h"
#include "daemon/store/run_extents.h"

/* The kept tables that a query uses. */
typedef struct WaTableUses
{
	WaKeptTables *tables; /* NULL: none are kept */
	WaArena *arena;
	struct WaTableUse *first;
	bool lacks_one; /* it has named a table that is not kept */
} WaTableUses;

/* Prepares the uses of a query that has an arena. */
void wa_table_uses_begin(WaTableUses *uses, WaKeptTables *tables,
						 WaArena *arena);

/* The find of a WaTableFinder: what it finds stays until the uses end. */
const WaLookupTable *wa_table_uses_find(void *uses,
										const WaTableDigest *digest);

/* Ends them, before the arena goes. */
void wa_table_uses_end(WaTableUses *uses);

/*
 * Tells whether a query's tables are of the dictionaries that the columns have now: a
 * column may have been loaded anew since a table was made.
 */
bool wa_tables_are_current(const WaQuery *query, const WaRunRequest *request);

#endif /* WA_DAEMON_QUERY_TABLES_H */
