/*
 * join_image.c
 *		Tables of joins as one piece of memory; see join_image.h.
 *
 * It has the rows of each join that is not folded, by keys, and then each value that is not
 * the number of a row.  These begin with the structures themselves, whose pointers only
 * tell whether there is something; arrays follow.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "compat.h"
#include "scan/tables/join_image.h"

/* Where the image is written to, or read from. */
typedef struct Place
{
	char *memory; /* NULL: bytes are counted only */
	Size bytes;   /* of it, so far */
} Place;

/* Writes bytes. */
static void
put_bytes(Place *place, const void *data, Size bytes)
{
	if (place->memory != NULL && bytes > 0)
		memcpy(place->memory + place->bytes, data, bytes);
	place->bytes += bytes;
}

/* Writes something, so that what comes next is aligned. */
static void
put(Place *place, const void *data, Size bytes)
{
	put_bytes(place, data, bytes);
	place->bytes = MAXALIGN(place->bytes);
}

/* Returns where something lies that was put. */
static const void *
get(Place *place, Size bytes)
{
	const char *found = place->memory + place->bytes;

	place->bytes = MAXALIGN(place->bytes + bytes);
	return found;
}

/* Writes the keys of rows, texts. */
static void
put_keys(Place *place, const WaKeyRows *rows)
{
	for (int64 i = 0; i < rows->nrows; i++)
	{
		put_bytes(place, &rows->texts[i].length, sizeof(size_t));
		put(place, rows->texts[i].data, rows->texts[i].length);
	}
}

/* Returns the bytes of the entries, or slots, of a table of rows. */
static Size
entries_bytes(const WaLookupTable *table)
{
	return table->nentries *
		   (table->slots != NULL ? sizeof(WaLookupSlot) : sizeof(int32));
}

/* Writes the rows of a join. */
static void
put_rows(Place *place, const WaKeyRows *rows)
{
	const WaLookupTable *table = &rows->table;

	put(place, rows, sizeof(*rows));
	if (rows->is_text)
		put_keys(place, rows);
	else if (table->slots != NULL)
		put(place, table->slots, entries_bytes(table));
	else
		put(place, table->narrow, entries_bytes(table));
}

/* Reads keys, into memory of the context. */
static void
get_keys(Place *place, WaKeyRows *rows, MemoryContext context)
{
	WaText *texts = MemoryContextAllocHuge(
		context, (Size) rows->nrows * sizeof(WaText) + 1);

	for (int64 i = 0; i < rows->nrows; i++)
	{
		memcpy(&texts[i].length, place->memory + place->bytes, sizeof(size_t));
		texts[i].data =
			(const char *) get(place, sizeof(size_t) + texts[i].length) +
			sizeof(size_t);
	}
	rows->texts = texts;
}

/* Reads them; the hash of texts is made anew, in the context. */
static void
get_rows(Place *place, WaKeyRows *rows, MemoryContext context)
{
	WaLookupTable *table = &rows->table;

	*rows = *(const WaKeyRows *) get(place, sizeof(*rows));
	if (rows->is_text)
	{
		get_keys(place, rows, context);
		wa_key_rows_hash(rows, context);
	}
	else if (table->slots != NULL)
		table->slots = get(place, entries_bytes(table));
	else
		table->narrow = get(place, entries_bytes(table));
}

/* Writes the texts of a table: their lengths, and then all of their bytes. */
static void
put_texts(Place *place, const WaLookupTable *table)
{
	for (uint32 i = 0; i < table->ntexts; i++)
		put(place, &table->texts[i].length, sizeof(size_t));
	for (uint32 i = 0; i < table->ntexts; i++)
		put_bytes(place, table->texts[i].data, table->texts[i].length);
	put(place, NULL, 0);
}

/* Reads them. */
static void
get_texts(Place *place, WaLookupTable *table, MemoryContext context)
{
	WaText *texts;
	Size bytes = 0;
	const char *data;

	if (table->ntexts == 0)
		return;
	texts = MemoryContextAllocHuge(context, sizeof(WaText) * table->ntexts);
	for (uint32 i = 0; i < table->ntexts; i++)
	{
		texts[i].length = *(const size_t *) get(place, sizeof(size_t));
		bytes += texts[i].length;
	}
	data = get(place, bytes);
	for (uint32 i = 0; i < table->ntexts; i++)
	{
		texts[i].data = data;
		data += texts[i].length;
	}
	table->texts = texts;
}

/* Writes what no table can hold of a value: the rows, and then what they have. */
static void
put_odd(Place *place, const WaJoinValue *value)
{
	put(place, &value->nodd, sizeof(value->nodd));
	put(place, value->odd_rows, (Size) value->nodd * sizeof(int64));
	for (int64 i = 0; i < value->nodd; i++)
	{
		const void *odd = DatumGetPointer(value->odd[i]);

		put(place, odd, VARSIZE(odd));
	}
}

/* Reads it. */
static void
get_odd(Place *place, WaJoinValue *value, MemoryContext context)
{
	value->nodd = *(const int64 *) get(place, sizeof(value->nodd));
	value->odd_rows =
		unconstify(int64 *, (const int64 *) get(place, (Size) value->nodd *
														   sizeof(int64)));
	if (value->nodd == 0)
		return;
	value->odd =
		MemoryContextAllocHuge(context, (Size) value->nodd * sizeof(Datum));
	for (int64 i = 0; i < value->nodd; i++)
	{
		const char *odd = place->memory + place->bytes;

		value->odd[i] = PointerGetDatum(get(place, VARSIZE(odd)));
	}
}

/* Writes the table of a value. */
static void
put_value(Place *place, const WaLookupTable *table, const WaJoinValue *value)
{
	put(place, table, sizeof(*table));
	if (table->narrow != NULL)
		put(place, table->narrow, table->nentries * sizeof(int32));
	else
	{
		put(place, table->values, table->nentries * sizeof(int64));
		put(place, table->known, table->nentries);
	}
	put_texts(place, table);
	put_odd(place, value);
}

/* Reads it. */
static void
get_value(Place *place, WaLookupTable *table, WaJoinValue *value,
		  MemoryContext context)
{
	*table = *(const WaLookupTable *) get(place, sizeof(*table));
	if (table->narrow != NULL)
		table->narrow = get(place, table->nentries * sizeof(int32));
	else
	{
		table->values = get(place, table->nentries * sizeof(int64));
		table->known = get(place, table->nentries);
	}
	get_texts(place, table, context);
	get_odd(place, value, context);
}

/* Writes an image, or counts its bytes, which it returns. */
static Size
write_image(const WaJoinTables *tables, char *image)
{
	Place place = {image, 0};

	for (int i = 0; i < tables->njoins; i++)
		if (tables->keys[i] != NULL)
			put_rows(&place, &tables->rows[i]);
	for (int i = 0; i < tables->nvalues; i++)
		if (!tables->values[i].is_row)
			put_value(&place, &tables->tables[i], &tables->values[i]);
	return place.bytes;
}

Size
wa_join_image_bytes(const WaJoinTables *tables)
{
	return write_image(tables, NULL);
}

void
wa_join_image_write(const WaJoinTables *tables, char *image)
{
	(void) write_image(tables, image);
}

void
wa_join_image_read(WaJoinTables *tables, const char *image)
{
	Place place = {unconstify(char *, image), 0};

	for (int i = 0; i < tables->njoins; i++)
		if (tables->keys[i] != NULL)
			get_rows(&place, &tables->rows[i], tables->context);
	for (int i = 0; i < tables->nvalues; i++)
	{
		WaJoinValue *value = &tables->values[i];

		if (!value->is_row)
			get_value(&place, &tables->tables[i], value, tables->context);
	}
}
