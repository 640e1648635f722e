/*
 * key_rows.c
 *		From keys to numbers of rows; see key_rows.h.
 *
 * Integers are looked up in a table (core/lookup_table.h): if they lie close together, of
 * entries, else of slots.  Texts are found by hashing.
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

typedef struct TextEntry
{
	WaText key;
	int64 row;
	uint32 hash;
	char status;
} TextEntry;

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

/* A text, or an integer, and where it stood. */
typedef struct TextPlace
{
	WaText key;
	int64 place;
} TextPlace;

typedef struct IntegerPlace
{
	int64 key;
	int64 place;
} IntegerPlace;

static inline int
compare_texts(WaText a, WaText b)
{
	return wa_row_key_compare(&(WaRowKey){.text = a}, &(WaRowKey){.text = b});
}

#define ST_SORT                 sort_texts
#define ST_ELEMENT_TYPE         TextPlace
#define ST_COMPARE(a, b)        compare_texts((a)->key, (b)->key)
#define ST_CHECK_FOR_INTERRUPTS CHECK_FOR_INTERRUPTS()
#define ST_SCOPE                static
#define ST_DEFINE
#include "lib/sort_template.h"

#define ST_SORT                 sort_integers
#define ST_ELEMENT_TYPE         IntegerPlace
#define ST_COMPARE(a, b)        (((a)->key > (b)->key) - ((a)->key < (b)->key))
#define ST_CHECK_FOR_INTERRUPTS CHECK_FOR_INTERRUPTS()
#define ST_SCOPE                static
#define ST_DEFINE
#include "lib/sort_template.h"

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

/* Tells whether keys ascend. */
static bool
are_ascending(const WaRowKeys *keys, int64 nkeys)
{
	int64 ascending = 1;

	if (keys->are_texts)
		while (ascending < nkeys && compare_texts(keys->texts[ascending - 1],
												  keys->texts[ascending]) <= 0)
			ascending++;
	else
		while (ascending < nkeys &&
			   keys->integers[ascending - 1] <= keys->integers[ascending])
			ascending++;
	return ascending >= nkeys;
}

/* Stores the places of keys that are texts in ascending order. */
static void
order_texts(const WaText *texts, int64 nkeys, int64 *order)
{
	TextPlace *places =
		palloc_extended((Size) nkeys * sizeof(TextPlace), MCXT_ALLOC_HUGE);

	for (int64 i = 0; i < nkeys; i++)
		places[i] = (TextPlace){texts[i], i};
	sort_texts(places, (size_t) nkeys);
	for (int64 i = 0; i < nkeys; i++)
		order[i] = places[i].place;
	pfree(places);
}

/* Likewise of integers. */
static void
order_integers(const int64 *integers, int64 nkeys, int64 *order)
{
	IntegerPlace *places =
		palloc_extended((Size) nkeys * sizeof(IntegerPlace), MCXT_ALLOC_HUGE);

	for (int64 i = 0; i < nkeys; i++)
		places[i] = (IntegerPlace){integers[i], i};
	sort_integers(places, (size_t) nkeys);
	for (int64 i = 0; i < nkeys; i++)
		order[i] = places[i].place;
	pfree(places);
}

int64 *
wa_row_keys_order(const WaRowKeys *keys, int64 nkeys)
{
	int64 *order;

	if (are_ascending(keys, nkeys))
		return NULL;
	order = palloc_extended((Size) nkeys * sizeof(int64), MCXT_ALLOC_HUGE);
	if (keys->are_texts)
		order_texts(keys->texts, nkeys, order);
	else
		order_integers(keys->integers, nkeys, order);
	return order;
}

/* Finds the smallest and the largest key. */
static void
find_range(const int64 *keys, int64 nrows, int64 *smallest, int64 *largest)
{
	*smallest = nrows == 0 ? 0 : PG_INT64_MAX;
	*largest = nrows == 0 ? 0 : PG_INT64_MIN;
	for (int64 i = 0; i < nrows; i++)
	{
		*smallest = Min(*smallest, keys[i]);
		*largest = Max(*largest, keys[i]);
	}
}

/* Makes a table of entries of the rows; returns how many it has: fewer if keys are the same. */
static int64
make_entries(WaKeyRows *rows, const int64 *keys, MemoryContext context)
{
	WaLookupTable *table = &rows->table;
	int32 *narrow =
		MemoryContextAllocHuge(context, table->nentries * sizeof(int32));
	int64 count = 0;

	for (uint64 i = 0; i < table->nentries; i++)
		narrow[i] = WA_NARROW_NULL;
	for (int64 i = 0; i < rows->nrows; i++)
	{
		int32 *entry = &narrow[(uint64) keys[i] - (uint64) table->base];

		if (*entry != WA_NARROW_NULL)
			continue;
		*entry = (int32) i;
		count++;
	}
	table->narrow = narrow;
	return count;
}

/* Likewise one of slots. */
static int64
make_slots(WaKeyRows *rows, const int64 *keys, MemoryContext context)
{
	WaLookupTable *table = &rows->table;
	WaLookupSlot *slots =
		MemoryContextAllocHuge(context, table->nentries * sizeof(WaLookupSlot));
	int64 count = 0;

	wa_lookup_slots_clear(slots, table->nentries);
	for (int64 i = 0; i < rows->nrows; i++)
		count += wa_lookup_slots_add(slots, table->nentries, keys[i], i);
	table->slots = slots;
	return count;
}

/* Makes the table of the rows; returns as make_entries does. */
static int64
make_table(WaKeyRows *rows, const int64 *keys, MemoryContext context)
{
	int64 smallest;
	int64 largest;

	/* Tables are read by who has as many rows: numbers fit entries. */
	if (rows->nrows > PG_INT32_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("too many rows are joined")));
	find_range(keys, rows->nrows, &smallest, &largest);
	return wa_lookup_table_begin_keys(&rows->table, smallest, largest,
									  (uint64) rows->nrows)
			   ? make_entries(rows, keys, context)
			   : make_slots(rows, keys, context);
}

/* Makes the hash of the rows; returns as make_entries does. */
static int64
make_hash(WaKeyRows *rows, MemoryContext context)
{
	int64 count = 0;

	rows->text_hash =
		texthash_create(context, (uint32) Min(rows->nrows, PG_INT32_MAX), NULL);
	for (int64 i = 0; i < rows->nrows; i++)
	{
		bool found;
		TextEntry *entry =
			texthash_insert(rows->text_hash, rows->texts[i], &found);

		if (found)
			continue;
		entry->row = i;
		count++;
	}
	return count;
}

void
wa_key_rows_make(WaKeyRows *rows, MemoryContext context, Oid type,
				 const WaRowKeys *keys, int64 nrows, bool is_unique)
{
	*rows = (WaKeyRows){.texts = keys->are_texts ? keys->texts : NULL,
						.nrows = nrows,
						.is_text = keys->are_texts,
						.is_padded = type == BPCHAROID};
	if ((rows->is_text ? make_hash(rows, context)
					   : make_table(rows, keys->integers, context)) < nrows &&
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
	(void) make_hash(rows, context);
}

/* Returns the number of the row with a text as its key, or WA_NO_ROW. */
static inline int64
find_text(const WaKeyRows *rows, WaText key)
{
	const TextEntry *entry = texthash_lookup(rows->text_hash, key);

	return entry == NULL ? WA_NO_ROW : entry->row;
}

int64
wa_key_rows_find(const WaKeyRows *rows, const WaRowKey *key)
{
	const WaLookupTable *table = &rows->table;
	const uint64 entry = (uint64) key->integer - (uint64) table->base;

	if (rows->is_text)
		return find_text(rows, key->text);
	if (table->slots == NULL && table->narrow == NULL)
		elog(ERROR, "a joined row is not known");
	if (table->slots != NULL)
		return table
			->slots[wa_lookup_slot_of(table->slots, table->nentries,
									  key->integer)]
			.value;
	return entry < table->nentries ? Max(table->narrow[entry], WA_NO_ROW)
								   : WA_NO_ROW;
}

/* Stores the numbers of rows with texts as their keys. */
static void
find_texts(const WaKeyRows *rows, const WaVector *keys, WaVector *out,
		   size_t nrows)
{
	int64 *found = wa_vector_ints(out);
	bool has_nulls = false;

	for (size_t i = 0; i < nrows; i++)
	{
		found[i] = wa_vector_is_valid(keys, i)
					   ? find_text(rows, as_key(rows, wa_vector_texts(keys)[i]))
					   : WA_NO_ROW;
		has_nulls |= found[i] == WA_NO_ROW;
	}
	out->has_nulls = has_nulls;
	for (size_t i = 0; has_nulls && i < nrows; i++)
	{
		out->valid[i] = found[i] != WA_NO_ROW;
		found[i] = Max(found[i], 0);
	}
}

void
wa_key_rows_call(const WaKeyRows *rows, const WaVector *keys, WaVector *out,
				 size_t nrows)
{
	if (rows->is_text)
		find_texts(rows, keys, out, nrows);
	else if (!wa_lookup_table_call(&rows->table, keys, out, nrows))
		elog(ERROR, "a joined row is not known");
}

WaLookupTable
wa_key_rows_table(const WaKeyRows *rows)
{
	WaLookupTable table = rows->table;

	table.digest = rows->digest;
	return table;
}
