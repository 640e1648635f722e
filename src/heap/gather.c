/*
 * gather.c
 *		Columns of a heap relation, from tuples to vectors; see gather.h.
 *
 * In each step it is found out first where the values of the rows lie, and then
 * they are decoded, column by column, in loops that know but one type.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/sysattr.h"
#include "access/transam.h"
#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "heap/gather_column.h"
#include "heap/place.h"

/* Room before a copied value, which decoding may load with it. */
#define COPY_LEAD_BYTES 8

/* A type that vectors can hold. */
typedef struct GatheredType
{
	Oid type;
	WaVectorKind kind;
	WaGatherForm form;
} GatheredType;

static const GatheredType types[] = {
	{INT2OID, WA_VECTOR_INT, WA_GATHER_INT16},
	{INT4OID, WA_VECTOR_INT, WA_GATHER_INT32},
	{INT8OID, WA_VECTOR_INT, WA_GATHER_INT64},
	{DATEOID, WA_VECTOR_INT, WA_GATHER_INT32},
	{TIMEOID, WA_VECTOR_INT, WA_GATHER_INT64},
	{TIMESTAMPOID, WA_VECTOR_INT, WA_GATHER_INT64},
	{TIMESTAMPTZOID, WA_VECTOR_INT, WA_GATHER_INT64},
	{MONEYOID, WA_VECTOR_INT, WA_GATHER_INT64},
	{OIDOID, WA_VECTOR_INT, WA_GATHER_UINT32},
	{FLOAT4OID, WA_VECTOR_FLOAT, WA_GATHER_FLOAT4},
	{FLOAT8OID, WA_VECTOR_FLOAT, WA_GATHER_FLOAT8},
	{NUMERICOID, WA_VECTOR_DECIMAL, WA_GATHER_NUMERIC},
	{BOOLOID, WA_VECTOR_BOOL, WA_GATHER_BOOL},
	{TEXTOID, WA_VECTOR_TEXT, WA_GATHER_TEXT},
	{VARCHAROID, WA_VECTOR_TEXT, WA_GATHER_TEXT},
	{BPCHAROID, WA_VECTOR_TEXT, WA_GATHER_TEXT},
};

/*
 * Returns what is known about a type, of a domain, about its base type; NULL if no
 * vector can hold it.
 */
static const GatheredType *
find_type(Oid type)
{
	if (type >= FirstGenbkiObjectId)
		type = getBaseType(type);
	for (int i = 0; i < (int) lengthof(types); i++)
		if (types[i].type == type)
			return &types[i];
	return NULL;
}

bool
wa_gather_kind(Oid type, WaVectorKind *kind)
{
	const GatheredType *known = find_type(type);

	if (known == NULL)
		return false;
	*kind = known->kind;
	return true;
}

/*
 * Returns a copy of the value that tuples written before an attribute was added
 * have in it, as it would lie in a tuple; NULL if that is NULL.
 */
static const char *
copy_missing(TupleDesc descriptor, int attribute)
{
	Form_pg_attribute att = TupleDescAttr(descriptor, attribute);
	bool is_null;
	Datum value = getmissingattr(descriptor, attribute + 1, &is_null);
	Size bytes;
	char *copy;

	if (is_null)
		return NULL;
	bytes = att->attbyval ? (Size) att->attlen
						  : att_addlength_datum(0, att->attlen, value);
	copy = (char *) palloc0(COPY_LEAD_BYTES + bytes) + COPY_LEAD_BYTES;
	if (att->attbyval)
		store_att_byval(copy, value, att->attlen);
	else
		memcpy(copy, DatumGetPointer(value), bytes);
	return copy;
}

/* Prepares a wanted column. */
static void
make_column(WaGather *gather, TupleDesc descriptor, int number,
			const WaGatherUse *use)
{
	WaGatherColumn *column = &gather->columns[number];
	int attribute = use->attnum - 1;
	Oid type = TupleDescAttr(descriptor, attribute)->atttypid;
	const GatheredType *known = find_type(type);

	gather->attributes[attribute].column = (int16) number;
	column->form = known == NULL ? WA_GATHER_STORED : known->form;
	column->kind = known == NULL ? WA_VECTOR_TEXT : known->kind;
	column->attribute = attribute;
	column->first = use->first;
	column->last = use->last;
	column->missing = copy_missing(descriptor, attribute);
	column->addresses = palloc(WA_VECTOR_ROWS * sizeof(char *));
	gather->starts[number] = palloc(WA_VECTOR_ROWS * sizeof(char *));
}

WaGather *
wa_gather_make(TupleDesc descriptor, int ncolumns, const WaGatherUse *uses)
{
	WaGather *gather = palloc0(sizeof(*gather));

	gather->context = CurrentMemoryContext;
	if (ncolumns > 0 && uses->attnum == SelfItemPointerAttributeNumber)
	{
		gather->has_places = true;
		gather->place_use = *uses++;
		ncolumns--;
	}
	gather->natts = ncolumns > 0 ? uses[ncolumns - 1].attnum : 0;
	gather->ncolumns = ncolumns;
	gather->columns = palloc0((Size) ncolumns * sizeof(WaGatherColumn));
	gather->starts = palloc0((Size) ncolumns * sizeof(*gather->starts));
	gather->attributes =
		palloc0((Size) gather->natts * sizeof(WaGatherAttribute));
	for (int i = 0; i < gather->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(descriptor, i);

		gather->attributes[i].length = att->attlen;
		gather->attributes[i].align =
			(uint8) att_align_nominal(1, att->attalign);
		gather->attributes[i].column = -1;
	}
	for (int i = 0; i < ncolumns; i++)
		make_column(gather, descriptor, i, &uses[i]);
	wa_gather_plan(gather);
	return gather;
}

/*
 * Gives the rows in which a column is NULL the place of another value to decode,
 * which is then overwritten, and marks them.  Returns false if there is no
 * other value.
 */
static bool
cover_nulls(WaGatherColumn *column, int nrows, WaVector *vector)
{
	const char **addresses = column->addresses;
	const char *other = NULL;

	for (int i = 0; i < nrows && other == NULL; i++)
		other = addresses[i];
	for (int i = 0; i < nrows; i++)
	{
		vector->valid[i] = addresses[i] != NULL;
		addresses[i] = addresses[i] != NULL ? addresses[i] : other;
	}
	return other != NULL;
}

/* Makes the values of NULLs zero. */
static void
clear_nulls(WaVectorKind kind, int nrows, WaVector *vector)
{
	Size width = vector->wide ? sizeof(WaInt128) : wa_vector_width(kind);

	for (int i = 0; i < nrows; i++)
		if (vector->valid[i] == 0)
			memset((char *) vector->values + (Size) i * width, 0, width);
}

/* Makes the vector of a column that is NULL in all rows. */
static void
decode_all_null(WaVectorKind kind, int nrows, WaVector *vector)
{
	vector->mixed = false;
	vector->wide = false;
	vector->scale = 0;
	memset(vector->values, 0, (Size) nrows * wa_vector_width(kind));
	memset(vector->valid, 0, (Size) nrows);
}

/* Makes the vector of a column, some of whose values are NULL. */
static bool
decode_with_nulls(WaGatherColumn *column, int nrows, WaVector *vector)
{
	if (column->all_null || !cover_nulls(column, nrows, vector))
	{
		decode_all_null(column->kind, nrows, vector);
		return true;
	}
	if (!wa_gather_decode(column, nrows, vector))
		return false;
	clear_nulls(column->kind, nrows, vector);
	return true;
}

void
wa_gather_begin(WaGather *gather, const WaRow *rows, int nrows)
{
	Assert(nrows <= WA_VECTOR_ROWS);
	gather->begun = rows;
	gather->nrows = nrows;
	gather->nplaces = nrows;
	gather->places_moved = false;
	wa_gather_locate(gather, rows, nrows);
}

/* Tells whether a step is the first to use a column. */
static bool
begins_columns(const WaGather *gather, int step)
{
	for (int i = 0; i < gather->ncolumns; i++)
		if (gather->columns[i].first == step)
			return true;
	return gather->has_places && gather->place_use.first == step;
}

/* Leaves only the places of the rows that are left. */
static void
move_places(WaGather *gather, int step)
{
	wa_gather_keep_places(gather, step);
	for (int i = 0; i < gather->nrows; i++)
		gather->rows[i] = gather->places_moved ? gather->rows[gather->kept[i]]
											   : gather->kept[i];
	gather->places_moved = true;
	gather->nplaces = gather->nrows;
}

/* Makes the vector of ctid, of the rows that are left. */
static void
take_places(const WaGather *gather, WaVector *vector)
{
	int64_t *values = wa_vector_ints(vector);

	vector->has_nulls = false;
	for (int i = 0; i < gather->nrows; i++)
	{
		const WaRow *row = &gather->begun[wa_gather_row(gather, i)];
		ItemPointerData item;

		ItemPointerSet(&item, row->block, row->offset);
		values[i] = wa_place_of_item(&item);
	}
}

bool
wa_gather_step(WaGather *gather, int step, WaVector *const *vectors)
{
	if (!begins_columns(gather, step))
		return true;
	if (gather->nrows < gather->nplaces)
		move_places(gather, step);
	wa_gather_walk(gather, step);
	if (gather->has_places && gather->place_use.first == step)
		take_places(gather, *vectors);
	vectors += gather->has_places ? 1 : 0;
	for (int i = 0; i < gather->ncolumns; i++)
	{
		WaGatherColumn *column = &gather->columns[i];
		bool fits;

		if (column->first != step)
			continue;
		vectors[i]->has_nulls = column->has_nulls;
		fits = column->has_nulls
				   ? decode_with_nulls(column, gather->nrows, vectors[i])
				   : wa_gather_decode(column, gather->nrows, vectors[i]);
		if (!fits)
			return false;
	}
	return true;
}

void
wa_gather_keep(WaGather *gather, int step, WaVector *const *vectors,
			   const uint16_t *selection, int nselected)
{
	/* Places are kept in mind until they are needed. */
	if (gather->nrows == gather->nplaces)
		memcpy(gather->kept, selection, (Size) nselected * sizeof(*selection));
	else
		for (int i = 0; i < nselected; i++)
			gather->kept[i] = gather->kept[selection[i]];
	if (gather->has_places && gather->place_use.first <= step &&
		gather->place_use.last > step)
		wa_vector_compact(*vectors, WA_VECTOR_INT, selection,
						  (size_t) nselected);
	vectors += gather->has_places ? 1 : 0;
	for (int i = 0; i < gather->ncolumns; i++)
	{
		const WaGatherColumn *column = &gather->columns[i];

		if (column->first <= step && column->last > step)
			wa_vector_compact(vectors[i], column->kind, selection,
							  (size_t) nselected);
	}
	gather->nrows = nselected;
}

int
wa_gather_row(const WaGather *gather, int i)
{
	int place = gather->nrows < gather->nplaces ? gather->kept[i] : i;

	return gather->places_moved ? gather->rows[place] : place;
}
