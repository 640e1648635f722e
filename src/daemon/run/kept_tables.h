/*
 * kept_tables.h
 *		Look-up tables that are kept, for queries that name them by their digests.
 *
 * They count as memory of queries, of which they take a part at most; for others, and for
 * queries, those go that were used longest ago.  One that a query uses stays until it has
 * ended.  Tables are constant: those that are made here come to the list when they are
 * complete.  The lock guards the list and what is counted; no other lock is taken while it
 * is held.
 */
#ifndef WA_DAEMON_KEPT_TABLES_H
#define WA_DAEMON_KEPT_TABLES_H

#include <pthread.h>

#include "core/message.h"
#include "core/must_check.h"
#include "core/types.h"
#include "daemon/base/memory.h"
#include "query/message/query_wire.h"

/* A table; next and older are the list's. */
typedef struct WaKeptTable
{
	uint32_t references; /* atomic: of queries, and of the list */
	uint64_t bytes;      /* that are counted */
	WaLookupTable table; /* with its digest */
	uint64_t *message;   /* in which its entries and texts lie */
	WaText *texts;
	char *text_bytes; /* where texts lie of one that was made here */
	WaMemory *memory;
	struct WaKeptTable *older;
} WaKeptTable;

typedef struct WaKeptTables
{
	pthread_mutex_t lock;
	WaMemory *memory;    /* constant */
	WaKeptTable *newest; /* by last use */
	uint64_t made_bytes; /* of tables that are being made here; atomic */
} WaKeptTables;

/* Prepares a list of none, which count in a memory. */
void wa_kept_tables_init(WaKeptTables *tables, WaMemory *memory);

/*
 * Copies a table out of memory that may change, with the checksum `bulk`, and keeps it in
 * the place of one with its digest.  Returns WA_OK; or a text in error, and WA_BAD_REQUEST,
 * or WA_NOT_KEPT if there is no room.
 */
WA_MUST_CHECK WaStatus wa_kept_tables_put(WaKeptTables *tables,
										  const WaTableDigest *digest,
										  const void *message, uint64_t bytes,
										  uint32_t bulk, char *error);

/*
 * Begins a table that is made here: one with a digest, and memory for entries of so many
 * bytes in its message, which is undefined.  Returns NULL if there is no room.
 */
WaKeptTable *wa_kept_tables_begin(WaKeptTables *tables,
								  const WaTableDigest *digest, uint64_t bytes);

/* Gives it memory for texts, of so many bytes; returns false if there is no room. */
WA_MUST_CHECK bool wa_kept_tables_begin_texts(WaKeptTables *tables,
											  WaKeptTable *table,
											  uint32_t ntexts, uint64_t bytes);

/*
 * Keeps tables that were made here, in the place of those with their digests, all at once; or
 * drops such ones, of which some may be NULL.
 */
void wa_kept_tables_put_made(WaKeptTables *tables, WaKeptTable *const *made,
							 uint32_t count);
void wa_kept_tables_drop_made(WaKeptTables *tables, WaKeptTable *const *made,
							  uint32_t count);

/* Returns a reference to a table, or NULL: it is not kept. */
WaKeptTable *wa_kept_tables_take(WaKeptTables *tables,
								 const WaTableDigest *digest);

/* Tells whether tables are all kept; they count as used just now. */
bool wa_kept_tables_have(WaKeptTables *tables, const WaTableDigest *digests,
						 uint64_t count);

/* Gives a reference up. */
void wa_kept_table_release(WaKeptTable *table);

/*
 * Has the table go that was used longest ago, of those that no query uses.  Returns false
 * if there is none.
 */
bool wa_kept_tables_drop_oldest(WaKeptTables *tables);

#endif /* WA_DAEMON_KEPT_TABLES_H */
