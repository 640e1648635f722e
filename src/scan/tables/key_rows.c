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

/* Makes an empty index. */
static void
make_index(WaKeyRows *rows)
{
	if (!are_dense(rows))
	{
		rows->hash = keyhash_create(
			rows->context, (uint32) Min(rows->nrows, PG_INT32_MAX), NULL);
		return;
	}
	rows->rows =
		MemoryContextAllocHuge(rows->context, rows->nentries * sizeof(int64));
	for (uint64 i = 0; i < rows->nentries; i++)
		rows->rows[i] = WA_NO_ROW;
}

/* Returns where the number of the row with a key is noted: WA_NO_ROW, if not yet. */
static int64 *
place_of(WaKeyRows *rows, int64 key)
{
	KeyEntry *entry;
	bool found;

	if (rows->rows != NULL)
		return &rows->rows[(uint64) key - (uint64) rows->smallest];
	entry = keyhash_insert(rows->hash, key, &found);
	if (!found)
		entry->row = WA_NO_ROW;
	return &entry->row;
}

void
wa_key_rows_make(WaKeyRows *rows, MemoryContext context, const int64 *keys,
				 int64 nrows, bool is_unique)
{
	*rows = (WaKeyRows){.context = context, .keys = keys, .nrows = nrows};
	make_index(rows);
	for (int64 i = 0; i < nrows; i++)
	{
		int64 *place = place_of(rows, keys[i]);

		if (*place == WA_NO_ROW)
			*place = i;
		else if (is_unique)
			elog(ERROR, "a joined relation has a key twice");
	}
}

int64
wa_key_rows_find(const WaKeyRows *rows, int64 key)
{
	const uint64 offset = (uint64) key - (uint64) rows->smallest;
	const KeyEntry *entry;
	int64 row;

	if (rows->rows == NULL)
	{
		entry = keyhash_lookup(rows->hash, key);
		return entry == NULL ? WA_NO_ROW : entry->row;
	}
	if (offset >= rows->nentries || rows->nrows == 0)
		return WA_NO_ROW;
	/* Where a table was made of it there is some row in place of none. */
	row = rows->rows[offset];
	return row != WA_NO_ROW && rows->keys[row] == key ? row : WA_NO_ROW;
}

void
wa_key_rows_make_table(WaKeyRows *rows, WaLookupTable *table)
{
	uint8_t *known;

	wa_lookup_table_empty(table);
	table->is_total = rows->rows != NULL;
	if (rows->rows == NULL)
		return;
	known = MemoryContextAllocHuge(rows->context, rows->nentries);
	for (uint64 i = 0; i < rows->nentries; i++)
	{
		known[i] = rows->rows[i] == WA_NO_ROW ? WA_ENTRY_NULL : WA_ENTRY_VALUE;
		rows->rows[i] = Max(rows->rows[i], 0);
	}
	table->base = rows->smallest;
	table->nentries = rows->nentries;
	table->values = rows->rows;
	table->known = known;
}
