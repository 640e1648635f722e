/*
 * join_cache.h
 *		Tables of joins that a session keeps for its next queries.
 *
 * They are found by a text that describes what they are made of, and by a stamp of each
 * relation, which is another one once a row of that may look different to a snapshot.
 */
#ifndef WA_SCAN_JOIN_CACHE_H
#define WA_SCAN_JOIN_CACHE_H

#include "core/must_check.h"
#include "scan/tables/join_digests.h"
#include "scan/tables/join_tables.h"

/* Fills tables with what is kept of the same contents; returns false if there is nothing. */
extern WA_MUST_CHECK bool wa_join_cache_take(WaJoinTables *tables,
											 const WaJoinContents *contents);

/*
 * Likewise what is kept of those that were made of the same rows (WaJoinContents.made), which
 * then is kept of the contents.
 */
extern WA_MUST_CHECK bool
wa_join_cache_take_made(WaJoinTables *tables, const WaJoinContents *contents);

/*
 * Has tables be those of the contents by their digests alone, of which the device process may
 * have what is in them: nothing may be looked up here.  Returns false if that cannot be, as
 * keys are texts; else adds the digests to a list of so many at most.
 */
extern WA_MUST_CHECK bool wa_join_cache_lend(WaJoinTables *tables,
											 const WaJoinContents *contents,
											 WaTableDigest *digests,
											 uint32 most, uint32 *count);

/* Tells whether a table is there by its digest alone. */
extern bool wa_join_table_is_lent(const WaLookupTable *table);

/*
 * Keeps what tables have been filled with, in place of other tables of the same description,
 * unless that takes too much memory.  Either way they get digests by which the device process
 * may keep them: those that are filled with the same contents have the same.  Where relations
 * have no stamps they are kept for those that are made of the same rows, and only what is too
 * large to be sent with a query has digests, which nobody else has.
 */
extern void wa_join_cache_keep(WaJoinTables *tables,
							   const WaJoinContents *contents);

/* Returns how much memory tables leave to rows (join_kept_rows.h). */
extern Size wa_join_cache_left(void);

#endif /* WA_SCAN_JOIN_CACHE_H */
