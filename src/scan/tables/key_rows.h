/*
 * key_rows.h
 *		From keys, which are integers or texts, to numbers of rows.
 */
#ifndef WA_SCAN_KEY_ROWS_H
#define WA_SCAN_KEY_ROWS_H

#include "core/lookup_table.h"

/* No row. */
#define WA_NO_ROW (-1)

/* A key: a text, or an integer. */
typedef struct WaRowKey
{
	int64 integer;
	WaText text;
} WaRowKey;

typedef struct WaKeyRows
{
	int64 nrows;
	bool is_text;
	bool
		is_padded; /* texts that are equal but for blanks at their ends are equal */
	WaLookupTable table; /* from integers to numbers of rows, from 0 on */
	struct texthash_hash *text_hash; /* likewise from texts */
	WaTableDigest digest;            /* of the table, or of none */
	const WaRowKey *keys; /* of the rows; of use where they are texts */
} WaKeyRows;

/*
 * Returns a value of SQL as a key, of a type that vectors hold as INT or TEXT; a text lies
 * where the value does, or in the current memory context.
 */
extern WaRowKey wa_row_key_of(Oid type, Datum value);

/* Tells whether keys of such a type are texts. */
extern bool wa_row_keys_are_texts(Oid type);

/*
 * Returns the places of keys, which are all integers or all texts, in ascending order, of
 * texts by their bytes, in the current memory context; NULL: they stand in that order.
 */
extern int64 *wa_row_keys_order(const WaRowKey *keys, int64 nkeys);

/*
 * Indexes rows by their keys, which are of a type; all but the keys, which stay where they
 * are, lies in the context.  Of several rows with a key it is the first one's; is_unique:
 * there are none, or an error is raised.
 */
extern void wa_key_rows_make(WaKeyRows *rows, MemoryContext context, Oid type,
							 const WaRowKey *keys, int64 nrows, bool is_unique);

/* Makes the hash of rows with texts as their keys, of which all else is there. */
extern void wa_key_rows_hash(WaKeyRows *rows, MemoryContext context);

/* Returns the number of the row with a key, or WA_NO_ROW. */
extern int64 wa_key_rows_find(const WaKeyRows *rows, const WaRowKey *key);

/* Stores the numbers of rows with the keys in a vector, as INT; NULL where there is none. */
extern void wa_key_rows_call(const WaKeyRows *rows, const WaVector *keys,
							 WaVector *out, size_t nrows);

/* Returns the table of rows with integers as their keys, with its digest. */
extern WaLookupTable wa_key_rows_table(const WaKeyRows *rows);

#endif /* WA_SCAN_KEY_ROWS_H */
