/*
 * key_rows.h
 *		From keys, which are integers, to numbers of rows.
 */
#ifndef WA_SCAN_KEY_ROWS_H
#define WA_SCAN_KEY_ROWS_H

#include "core/lookup_table.h"

/* No row. */
#define WA_NO_ROW (-1)

typedef struct WaKeyRows
{
	int64 nrows;
	int64 smallest; /* key; from it on, by keys, */
	uint64 nentries;
	int64 *rows;  /* numbers of rows, from 0 on; NULL: by hash */
	uint8 *known; /* of each, a WaEntryState: no row is NULL */
	struct keyhash_hash *hash;
	const int64 *keys; /* of the rows; of use where there is a hash */
} WaKeyRows;

/*
 * Indexes rows by their keys; all but the keys, which stay where they are, lies in the
 * context.  Of several rows with a key it is the first one's; is_unique: there are none, or
 * an error is raised.
 */
extern void wa_key_rows_make(WaKeyRows *rows, MemoryContext context,
							 const int64 *keys, int64 nrows, bool is_unique);

/* Makes the hash of rows whose keys lie far apart, of which all else is there. */
extern void wa_key_rows_hash(WaKeyRows *rows, MemoryContext context);

/* Returns the number of the row with a key, or WA_NO_ROW. */
extern int64 wa_key_rows_find(const WaKeyRows *rows, int64 key);

/* Makes the same a table for programs: one that knows nothing if there is a hash. */
extern void wa_key_rows_table(const WaKeyRows *rows, WaLookupTable *table);

#endif /* WA_SCAN_KEY_ROWS_H */
