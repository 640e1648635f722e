/*
 * resident_tables.h
 *		Tables that a query names, instead of taking them along, and such that the device
 *		process has.
 */
#ifndef WA_SCAN_RESIDENT_TABLES_H
#define WA_SCAN_RESIDENT_TABLES_H

#include "core/must_check.h"
#include "scan/resident/resident_query.h"

/*
 * Tells whether the device process has failed just now as it does not keep a table, and it
 * has been given all that the query names, and that is here, since.  What lies in the parcel
 * is others' then.
 */
extern WA_MUST_CHECK bool wa_resident_gives_tables(const WaAsking *asking);

/*
 * Fetches a table from the device process, by its digest: into the current memory context,
 * of which it may take so much.  Returns false, and nothing is raised, if it cannot be had.
 */
extern WA_MUST_CHECK bool wa_resident_fetch_table(const WaTableDigest *digest,
												  Size most,
												  WaLookupTable *table);

#endif /* WA_SCAN_RESIDENT_TABLES_H */
