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

/* Keys of rows, by their numbers: texts, or integers. */
typedef struct WaRowKeys
{
	bool are_texts;
	union
	{
		int64 *integers;
		WaText *texts;
	};
} WaRowKeys;

typedef struct WaKeyRows
{
	int64 nrows;
	bool is_text;
	bool
		is_padded; /* texts that are equal but for blanks at their ends are equal */
	WaLookupTable table; /* from integers to numbers of rows, from 0 on */
	struct texthash_hash *text_hash; /* likewise from texts */
	WaTableDigest digest;            /* of the table, or of none */
	const WaText *texts;             /* the keys of the rows, or NULL */
} WaKeyRows;

/*
 * Returns a value of SQL as a key, of a type that vectors hold as INT or TEXT; a text lies
 * where the value does, or in the current memory context.
 */
extern WaRowKey wa_row_key_of(Oid type, Datum value);

/* Tells whether keys of such a type are texts. */
extern bool wa_row_keys_are_texts(Oid type);

/* Returns the bytes that a key takes, but for those of a text itself. */
static inline Size
wa_row_key_bytes(const WaRowKeys *keys)
{
	return keys->are_texts ? sizeof(WaText) : sizeof(int64);
}

/* Returns a key that there is. */
static inline WaRowKey
wa_row_key_at(const WaRowKeys *keys, int64 row)
{
	WaRowKey key = {0};

	if (keys->are_texts)
		key.text = keys->texts[row];
	else
		key.integer = keys->integers[row];
	return key;
}

/* Sets a key. */
static inline void
wa_row_key_set(const WaRowKeys *keys, int64 row, const WaRowKey *key)
{
	if (keys->are_texts)
		keys->texts[row] = key->text;
	else
		keys->integers[row] = key->integer;
}

/* Compares keys, of texts the bytes; what a key is not is 0, or of no bytes. */
static inline int
wa_row_key_compare(const WaRowKey *a, const WaRowKey *b)
{
	const size_t common = Min(a->text.length, b->text.length);
	int order = common == 0 ? 0 : memcmp(a->text.data, b->text.data, common);

	if (order == 0)
		order = (a->text.length > b->text.length) -
				(a->text.length < b->text.length);
	return order != 0 ? order
					  : (a->integer > b->integer) - (a->integer < b->integer);
}

/*
 * Returns the places of so many keys in ascending order, of texts by their bytes, in the
 * current memory context; NULL: they stand in that order.
 */
extern int64 *wa_row_keys_order(const WaRowKeys *keys, int64 nkeys);

/*
 * Indexes rows by their keys, which are of a type; all but the keys, which stay where they
 * are, lies in the context.  Of several rows with a key it is the first one's; is_unique:
 * there are none, or an error is raised.
 */
extern void wa_key_rows_make(WaKeyRows *rows, MemoryContext context, Oid type,
							 const WaRowKeys *keys, int64 nrows,
							 bool is_unique);

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
