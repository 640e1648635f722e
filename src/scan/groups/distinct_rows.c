/*
 * distinct_rows.c
 *		Rows that have come; see distinct_rows.h.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "compat.h"
#include "scan/groups/distinct_rows.h"

/* The bytes of a row. */
typedef struct Key
{
	uint32 hash;
	uint32 length;
	const char *bytes;
} Key;

typedef struct Entry
{
	Key key;
	char status;
} Entry;

#define SH_PREFIX             entries
#define SH_ELEMENT_TYPE       Entry
#define SH_KEY_TYPE           Key
#define SH_KEY                key
#define SH_HASH_KEY(table, k) ((k).hash)
#define SH_EQUAL(table, a, b) \
	((a).length == (b).length && memcmp((a).bytes, (b).bytes, (a).length) == 0)
#define SH_STORE_HASH
#define SH_GET_HASH(table, entry) ((entry)->key.hash)
#define SH_SCOPE                  static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* A row with a larger value is not looked for. */
#define MAX_VALUE_BYTES 8192

/* After each so many rows it is asked whether that share of them was seen before. */
#define TRIED_ROWS  65536
#define LEAST_SHARE 8

struct WaDistinctRows
{
	MemoryContext context;
	entries_hash *table;
	StringInfoData row; /* the bytes of the present one */
	bool is_left_out;   /* it is not looked for */
	bool is_full;
	int64 nrows; /* since it was asked last, and: */
	int64 nseen; /* of these */
};

WaDistinctRows *
wa_distinct_rows_make(MemoryContext parent)
{
	MemoryContext context = AllocSetContextCreate(
		parent, "warpagg distinct table", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	WaDistinctRows *rows = palloc0(sizeof(WaDistinctRows));

	rows->context = context;
	rows->table = entries_create(context, 1024, NULL);
	initStringInfo(&rows->row);
	MemoryContextSwitchTo(old);
	return rows;
}

void
wa_distinct_rows_begin(WaDistinctRows *rows, uint32 group)
{
	rows->is_left_out = false;
	resetStringInfo(&rows->row);
	appendBinaryStringInfo(&rows->row, (const char *) &group, sizeof(group));
}

/* Puts some bytes, and how many there are. */
static void
put_bytes(WaDistinctRows *rows, const void *bytes, Size size)
{
	const uint32 head = (uint32) size;

	rows->is_left_out = size > MAX_VALUE_BYTES;
	if (rows->is_left_out)
		return;
	appendBinaryStringInfo(&rows->row, (const char *) &head, sizeof(head));
	appendBinaryStringInfo(&rows->row, bytes, (int) size);
}

void
wa_distinct_rows_put(WaDistinctRows *rows, const NullableDatum *value,
					 bool by_value, int16 length)
{
	static const uint32 null_head = PG_UINT32_MAX;
	const char *bytes = DatumGetPointer(value->value);

	if (rows->is_left_out)
		return;
	if (value->isnull)
		appendBinaryStringInfo(&rows->row, (const char *) &null_head,
							   sizeof(null_head));
	else if (by_value)
		put_bytes(rows, &value->value, sizeof(Datum));
	else if (length != -1)
		put_bytes(rows, bytes, datumGetSize(value->value, false, length));
	else if (VARATT_IS_EXTERNAL(bytes))
		rows->is_left_out = true;
	else if (VARATT_IS_COMPRESSED(bytes))
		put_bytes(rows, bytes, VARSIZE_ANY(bytes));
	else /* However it lies, its bytes are the same. */
		put_bytes(rows, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
}

/* Tells whether too few of the rows that have come are in the table. */
static bool
is_useless(WaDistinctRows *rows)
{
	const bool are_few = rows->nseen * LEAST_SHARE < rows->nrows;

	if (rows->nrows < TRIED_ROWS)
		return false;
	rows->nrows = 0;
	rows->nseen = 0;
	return are_few;
}

/* Adds the present row, unless there is no room; returns false if it is there. */
static bool
add(WaDistinctRows *rows, Key key)
{
	Entry *entry;
	bool found;

	if (rows->is_full)
		return entries_lookup(rows->table, key) == NULL;
	entry = entries_insert(rows->table, key, &found);
	if (found)
		return false;
	entry->key.bytes = memcpy(MemoryContextAlloc(rows->context, key.length),
							  key.bytes, key.length);
	rows->is_full =
		MemoryContextMemAllocated(rows->context, true) > (Size) work_mem * 1024;
	return true;
}

WaRowLook
wa_distinct_rows_look(WaDistinctRows *rows)
{
	Key key = {.length = (uint32) rows->row.len, .bytes = rows->row.data};

	if (rows->is_left_out)
		return WA_ROW_NEW;
	if (is_useless(rows))
		return WA_ROW_UNKNOWN;
	key.hash = hash_bytes((const unsigned char *) key.bytes, (int) key.length);
	rows->nrows++;
	if (add(rows, key))
		return WA_ROW_NEW;
	rows->nseen++;
	return WA_ROW_SEEN;
}

void
wa_distinct_rows_drop(WaDistinctRows *rows)
{
	MemoryContextDelete(rows->context);
}
