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
	MemoryContext context;
	const int64 *keys; /* of the rows, */
	int64 nrows;       /* which have numbers from 0 on */
	int64 *rows;       /* by keys, from the smallest one on; NULL: by hash */
	int64 smallest;
	uint64 nentries;
	struct keyhash_hash *hash;
} WaKeyRows;

/*
 * Indexes rows, whose keys stay where they are; all lies in the context.  Of several rows
 * with a key it is the first one's; is_unique: there are none, or an error is raised.
 */
extern void wa_key_rows_make(WaKeyRows *rows, MemoryContext context,
							 const int64 *keys, int64 nrows, bool is_unique);

/* Returns the number of the row with a key, or WA_NO_ROW. */
extern int64 wa_key_rows_find(const WaKeyRows *rows, int64 key);

/*
 * Makes the same a table for programs: one that knows nothing if the keys lie too far
 * apart.  Nothing else is of use but wa_key_rows_find from then on.
 */
extern void wa_key_rows_make_table(WaKeyRows *rows, WaLookupTable *table);

#endif /* WA_SCAN_KEY_ROWS_H */
