/*
 * key_rows.c
 *		From keys to numbers of rows; see key_rows.h.
 *
 * Integers that lie close together are places in an array, other keys are found by hashing.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "compat.h"
#include "scan/base/datum.h"
#include "scan/tables/key_rows.h"

/*
 * The array has so many entries for each row, beside some that it may have in any case, at
 * most; or more, if it takes no more than such a share of the memory of a query's hash
 * tables, as the device process can look up arrays only.
 */
#define ENTRIES_FOR_ROW 16
#define FREE_ENTRIES    (1 << 20)
#define MOST_SHARE      0.5
#define ENTRY_BYTES     (sizeof(int64) + sizeof(uint8))

typedef struct KeyEntry
{
	int64 key;
	int64 row;
	char status;
} KeyEntry;

typedef struct TextEntry
{
	WaText key;
	int64 row;
	uint32 hash;
	char status;
} TextEntry;

/* Mixes the bits of a key (MurmurHash3's finalizer, A. Appleby). */
static inline uint32
hash_key(int64 key)
{
	uint64 hash = (uint64) key;

	hash = (hash ^ hash >> 33) * UINT64CONST(0xff51afd7ed558ccd);
	hash = (hash ^ hash >> 33) * UINT64CONST(0xc4ceb9fe1a85ec53);
	return (uint32) (hash ^ hash >> 33);
}

static inline uint32
hash_text(WaText text)
{
	return hash_bytes((const unsigned char *) text.data, (int) text.length);
}

static inline bool
texts_are_equal(WaText a, WaText b)
{
	return a.length == b.length &&
		   (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

#define SH_PREFIX         keyhash
#define SH_ELEMENT_TYPE   KeyEntry
#define SH_KEY_TYPE       int64
#define SH_KEY            key
#define SH_HASH_KEY(t, k) hash_key(k)
#define SH_EQUAL(t, a, b) ((a) == (b))
#define SH_SCOPE          static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

#define SH_PREFIX         texthash
#define SH_ELEMENT_TYPE   TextEntry
#define SH_KEY_TYPE       WaText
#define SH_KEY            key
#define SH_HASH_KEY(t, k) hash_text(k)
#define SH_EQUAL(t, a, b) texts_are_equal(a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(t, a) (a)->hash
#define SH_SCOPE          static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* Returns a vector's text as a key. */
static inline WaText
as_key(const WaKeyRows *rows, WaText text)
{
	return rows->is_padded ? wa_text_trim(text) : text;
}

bool
wa_row_keys_are_texts(Oid type)
{
	return type == TEXTOID || type == VARCHAROID || type == BPCHAROID;
}

WaRowKey
wa_row_key_of(Oid type, Datum value)
{
	WaRowKey key = {0};
	const text *found;

	if (!wa_row_keys_are_texts(type))
	{
		key.integer = wa_integer_of_datum(type, value);
		return key;
	}
	found = (const text *) PG_DETOAST_DATUM_PACKED(value);
	key.text = (WaText){VARDATA_ANY(found), VARSIZE_ANY_EXHDR(found)};
	if (type == BPCHAROID)
		key.text = wa_text_trim(key.text);
	return key;
}

/* Tells whether the keys lie close together; sets which entries an array of them has. */
static bool
are_dense(WaKeyRows *rows)
{
	int64 smallest = PG_INT64_MAX;
	int64 largest = PG_INT64_MIN;

	for (int64 i = 0; i < rows->nrows; i++)
	{
		smallest = Min(smallest, rows->keys[i].integer);
		largest = Max(largest, rows->keys[i].integer);
	}
	rows->smallest = rows->nrows == 0 ? 0 : smallest;
	rows->nentries =
		rows->nrows == 0 ? 1 : (uint64) largest - (uint64) smallest + 1;
	return rows->nentries != 0 &&
		   (rows->nentries - 1 <=
				FREE_ENTRIES + (uint64) rows->nrows * ENTRIES_FOR_ROW ||
			(double) rows->nentries * ENTRY_BYTES <=
				(double) get_hash_memory_limit() * MOST_SHARE);
}

/* Makes an empty array, or hash. */
static void
make_empty(WaKeyRows *rows, MemoryContext context)
{
	const uint32 most = (uint32) Min(rows->nrows, PG_INT32_MAX);

	if (rows->is_text)
		rows->text_hash = texthash_create(context, most, NULL);
	else if (rows->rows == NULL && !are_dense(rows))
		rows->hash = keyhash_create(context, most, NULL);
	else
	{
		rows->rows =
			MemoryContextAllocExtended(context, rows->nentries * sizeof(int64),
									   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
		rows->known = MemoryContextAllocHuge(context, rows->nentries);
		memset(rows->known, WA_ENTRY_NULL, rows->nentries);
	}
}

/* Notes a row in the array; returns false if there is one with its key. */
static bool
note_in_array(WaKeyRows *rows, int64 row)
{
	const uint64 place =
		(uint64) rows->keys[row].integer - (uint64) rows->smallest;

	if (rows->known[place] == WA_ENTRY_VALUE)
		return false;
	rows->known[place] = WA_ENTRY_VALUE;
	rows->rows[place] = row;
	return true;
}

/* Likewise where it is found by hashing. */
static bool
note_in_hash(WaKeyRows *rows, int64 row)
{
	const WaRowKey *key = &rows->keys[row];
	bool found;

	if (rows->is_text)
	{
		TextEntry *entry = texthash_insert(rows->text_hash, key->text, &found);

		entry->row = found ? entry->row : row;
	}
	else
	{
		KeyEntry *entry = keyhash_insert(rows->hash, key->integer, &found);

		entry->row = found ? entry->row : row;
	}
	return !found;
}

void
wa_key_rows_make(WaKeyRows *rows, MemoryContext context, Oid type,
				 const WaRowKey *keys, int64 nrows, bool is_unique)
{
	*rows = (WaKeyRows){.keys = keys,
						.nrows = nrows,
						.is_text = wa_row_keys_are_texts(type),
						.is_padded = type == BPCHAROID};
	make_empty(rows, context);
	for (int64 i = 0; i < nrows; i++)
		if (!(rows->rows != NULL ? note_in_array(rows, i)
								 : note_in_hash(rows, i)) &&
			is_unique)
			ereport(ERROR,
					(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
					 errmsg("could not join rows by a key that several have"),
					 errdetail("A unique index is newer than the snapshot of "
							   "the query."),
					 errhint("Run the transaction again.")));
}

void
wa_key_rows_hash(WaKeyRows *rows, MemoryContext context)
{
	make_empty(rows, context);
	for (int64 i = 0; i < rows->nrows; i++)
		(void) note_in_hash(rows, i);
}

/* Returns the number of the row with an integer as its key, or WA_NO_ROW. */
static inline int64
find_integer(const WaKeyRows *rows, int64 key)
{
	const uint64 place = (uint64) key - (uint64) rows->smallest;
	const KeyEntry *entry;

	if (rows->rows == NULL)
	{
		entry = keyhash_lookup(rows->hash, key);
		return entry == NULL ? WA_NO_ROW : entry->row;
	}
	return place < rows->nentries && rows->known[place] == WA_ENTRY_VALUE
			   ? rows->rows[place]
			   : WA_NO_ROW;
}

/* Likewise with a text. */
static inline int64
find_text(const WaKeyRows *rows, WaText key)
{
	const TextEntry *entry = texthash_lookup(rows->text_hash, key);

	return entry == NULL ? WA_NO_ROW : entry->row;
}

int64
wa_key_rows_find(const WaKeyRows *rows, const WaRowKey *key)
{
	return rows->is_text ? find_text(rows, key->text)
						 : find_integer(rows, key->integer);
}

void
wa_key_rows_call(const WaKeyRows *rows, const WaVector *keys, WaVector *out,
				 size_t nrows)
{
	int64 *found = wa_vector_ints(out);
	bool has_nulls = false;

	for (size_t i = 0; i < nrows; i++)
	{
		if (!wa_vector_is_valid(keys, i))
			found[i] = WA_NO_ROW;
		else if (rows->is_text)
			found[i] = find_text(rows, as_key(rows, wa_vector_texts(keys)[i]));
		else
			found[i] = find_integer(rows, wa_vector_ints(keys)[i]);
		has_nulls |= found[i] == WA_NO_ROW;
	}
	out->has_nulls = has_nulls;
	for (size_t i = 0; has_nulls && i < nrows; i++)
	{
		out->valid[i] = found[i] != WA_NO_ROW;
		found[i] = Max(found[i], 0);
	}
}

bool
wa_key_rows_table(const WaKeyRows *rows, WaLookupTable *table)
{
	wa_lookup_table_empty(table);
	table->is_total = rows->rows != NULL;
	if (rows->rows == NULL)
		return false;
	table->base = rows->smallest;
	table->nentries = rows->nentries;
	table->values = rows->rows;
	table->known = rows->known;
	table->digest = rows->digest;
	return true;
}
