/*
 * key_rows.c
 *		From keys to numbers of rows; see key_rows.h.
 *
 * Keys that lie close together are places in an array, others are found by hashing.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "scan/tables/key_rows.h"

/*
 * The array has so many entries for each row, beside some that it may have in any case, at
 * most.
 */
#define ENTRIES_FOR_ROW 16
#define FREE_ENTRIES    (1 << 20)

typedef struct KeyEntry
{
	int64 key;
	int64 row;
	char status;
} KeyEntry;

/* Mixes the bits of a key (MurmurHash3's finalizer, A. Appleby). */
static inline uint32
hash_key(int64 key)
{
	uint64 hash = (uint64) key;

	hash = (hash ^ hash >> 33) * UINT64CONST(0xff51afd7ed558ccd);
	hash = (hash ^ hash >> 33) * UINT64CONST(0xc4ceb9fe1a85ec53);
	return (uint32) (hash ^ hash >> 33);
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

/* Tells whether the keys lie close together; sets which entries an array of them has. */
static bool
are_dense(WaKeyRows *rows)
{
	int64 smallest = PG_INT64_MAX;
	int64 largest = PG_INT64_MIN;

	for (int64 i = 0; i < rows->nrows; i++)
	{
		smallest = Min(smallest, rows->keys[i]);
		largest = Max(largest, rows->keys[i]);
	}
	rows->smallest = rows->nrows == 0 ? 0 : smallest;
	rows->nentries =
		rows->nrows == 0 ? 1 : (uint64) largest - (uint64) smallest + 1;
	return rows->nentries != 0 &&
		   rows->nentries - 1 <=
			   FREE_ENTRIES + (uint64) rows->nrows * ENTRIES_FOR_ROW;
}

/* Notes a row in the array; returns false if there is one with its key. */
static bool
note_in_array(WaKeyRows *rows, int64 row)
{
	const uint64 place = (uint64) rows->keys[row] - (uint64) rows->smallest;

	if (rows->known[place] == WA_ENTRY_VALUE)
		return false;
	rows->known[place] = WA_ENTRY_VALUE;
	rows->rows[place] = row;
	return true;
}

/* Likewise in the hash. */
static bool
note_in_hash(WaKeyRows *rows, int64 row)
{
	bool found;
	KeyEntry *entry = keyhash_insert(rows->hash, rows->keys[row], &found);

	if (!found)
		entry->row = row;
	return !found;
}

void
wa_key_rows_make(WaKeyRows *rows, MemoryContext context, const int64 *keys,
				 int64 nrows, bool is_unique)
{
	*rows = (WaKeyRows){.keys = keys, .nrows = nrows};
	if (are_dense(rows))
	{
		rows->rows =
			MemoryContextAllocExtended(context, rows->nentries * sizeof(int64),
									   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
		rows->known = MemoryContextAllocHuge(context, rows->nentries);
		memset(rows->known, WA_ENTRY_NULL, rows->nentries);
	}
	else
		rows->hash =
			keyhash_create(context, (uint32) Min(nrows, PG_INT32_MAX), NULL);
	for (int64 i = 0; i < nrows; i++)
		if (!(rows->rows != NULL ? note_in_array(rows, i)
								 : note_in_hash(rows, i)) &&
			is_unique)
			elog(ERROR, "a joined relation has a key twice");
}

void
wa_key_rows_hash(WaKeyRows *rows, MemoryContext context)
{
	rows->hash =
		keyhash_create(context, (uint32) Min(rows->nrows, PG_INT32_MAX), NULL);
	for (int64 i = 0; i < rows->nrows; i++)
		(void) note_in_hash(rows, i);
}

int64
wa_key_rows_find(const WaKeyRows *rows, int64 key)
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

void
wa_key_rows_table(const WaKeyRows *rows, WaLookupTable *table)
{
	wa_lookup_table_empty(table);
	table->is_total = rows->rows != NULL;
	if (rows->rows == NULL)
		return;
	table->base = rows->smallest;
	table->nentries = rows->nentries;
	table->values = rows->rows;
	table->known = rows->known;
}
