/*
 * table_cache.h
 *		Tables (core/lookup_table.h) of expressions, and what a session keeps of them from one
 *		query to the next: those that were used last, up to so many bytes.
 *
 * Who wants a table says what it is of, and how its entries are found out: for a range of
 * integers or times (range_tables.h), or for the texts of a dictionary (text_tables.h).
 */
#ifndef WA_SCAN_TABLE_CACHE_H
#define WA_SCAN_TABLE_CACHE_H

#include "nodes/nodes.h"
#include "utils/palloc.h"

#include "core/lookup_table.h"
#include "core/must_check.h"

/* What a table is of; what does not matter for it is 0. */
typedef struct WaTableKey
{
	Node *expression; /* in which its constants have been put */

	/* A range */
	int64 smallest;
	int64 largest;
	uint64 max_entries; /* that it may have */

	/* The texts of a dictionary */
	uint64 dictionary;
	uint64 texts; /* that had been added to it */
	bool ranked;  /* its results are texts, and ascend by the order of: */
	Oid collation;
} WaTableKey;

/* A table that is being made. */
typedef struct WaTableDraft
{
	MemoryContext context; /* where its entries are to lie */
	WaTableKey *key;       /* may be brought up to date */
	WaLookupTable lookup;  /* nentries 0: there can be none, */
	bool is_for_now;       /* but perhaps at another time */
} WaTableDraft;

/* Finds out the entries of a table, in a memory context that goes then. */
typedef void (*WaTableFeeder)(WaTableDraft *draft, void *context);

/* Starts a query: tables that were found before may go from now on. */
extern void wa_tables_begin(void);

/* Returns the settings that what is kept for other queries depends on, as one string. */
extern char *wa_tables_settings(void);

/* Returns the number of the query that was started last: its tables are there. */
extern uint64 wa_tables_query(void);

/*
 * Finds the table of a key, or has a feeder make it, in whose place the memory is kept
 * that there can be none.  Returns NULL if there is none, or if there are too many.  It
 * stays for the query.
 */
extern WA_MUST_CHECK const WaLookupTable *
wa_table_find(const WaTableKey *key, WaTableFeeder feed, void *context);

#endif /* WA_SCAN_TABLE_CACHE_H */
