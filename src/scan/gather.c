/*
 * gather.c
 *		Columns of a heap relation, from tuples to vectors; see gather.h.
 *
 * The work is done column by column: first it is found out where the values of
 * the rows lie, then they are decoded in loops that know but one type.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "catalog/pg_type.h"

#include "scan/gather_column.h"

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

/* Returns what is known about a type; NULL if no vector can hold it. */
static const GatheredType *
find_type(Oid type)
{
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

/* Returns the bytes that an attalign stands for. */
static uint8
align_bytes(char attalign)
{
	return (uint8) att_align_nominal(1, attalign);
}

/* Finds the attributes that lie in the same place in all even tuples. */
static void
plan_places(WaGather *gather)
{
	Size end = 0;
	int i;

	for (i = 0; i < gather->natts; i++)
	{
		const WaGatherAttribute *attribute = &gather->attributes[i];
		Size start = TYPEALIGN(attribute->align, end);

		/* A value of variable length has padding before it, or has not. */
		if (attribute->length < 0 && start != end)
			break;
		if (attribute->column >= 0)
			gather->columns[attribute->column].fixed = (int) start;
		if (attribute->length < 0)
			break;
		end = start + (Size) attribute->length;
	}
	/* What is last need not be walked over if its place is known. */
	if (i == gather->natts - 1 &&
		gather->columns[gather->ncolumns - 1].fixed >= 0)
		i = gather->natts;
	gather->walk_from = i;
	gather->walk_offset = end;
}

/*
 * Makes bytes each of which is a value of variable length that is empty, so many
 * that a walk through all attributes ends before they do.
 */
static void
make_filler(WaGather *gather)
{
	Size bytes = 0;
	char *filler;

	for (int i = 0; i < gather->natts; i++)
	{
		bytes += MAXIMUM_ALIGNOF;
		bytes += (Size) Max(gather->attributes[i].length, VARHDRSZ_SHORT);
		/* A string that a zero ends; no type of PostgreSQL's own is stored so. */
		if (gather->attributes[i].length == -2)
			gather->all_odd = true;
	}
	filler = palloc(bytes);
	for (Size i = 0; i < bytes; i++)
		SET_VARSIZE_SHORT(filler + i, VARHDRSZ_SHORT);
	gather->filler = filler;
}

WaGather *
wa_gather_make(TupleDesc descriptor, int ncolumns, const AttrNumber *attnums)
{
	WaGather *gather = palloc0(sizeof(*gather));

	gather->natts = ncolumns > 0 ? attnums[ncolumns - 1] : 0;
	gather->ncolumns = ncolumns;
	gather->columns = palloc0((Size) ncolumns * sizeof(WaGatherColumn));
	gather->attributes =
		palloc0((Size) gather->natts * sizeof(WaGatherAttribute));
	for (int i = 0; i < gather->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(descriptor, i);

		gather->attributes[i].length = att->attlen;
		gather->attributes[i].align = align_bytes(att->attalign);
		gather->attributes[i].column = -1;
	}
	for (int i = 0; i < ncolumns; i++)
	{
		WaGatherColumn *column = &gather->columns[i];
		int attribute = attnums[i] - 1;
		Oid type = TupleDescAttr(descriptor, attribute)->atttypid;
		const GatheredType *known = find_type(type);

		if (known == NULL)
			elog(ERROR, "no vector can hold type %u", type);
		gather->attributes[attribute].column = (int16) i;
		column->form = known->form;
		column->attribute = attribute;
		column->fixed = -1;
		column->missing = copy_missing(descriptor, attribute);
		column->addresses = palloc(WA_VECTOR_ROWS * sizeof(char *));
	}
	plan_places(gather);
	make_filler(gather);
	return gather;
}

/*
 * Gives the rows in which a column is NULL the place of another value to decode,
 * which is then overwritten, and marks them.  Returns false if there is no
 * other value.
 */
static bool
cover_nulls(const WaGather *gather, WaGatherColumn *column, int nrows,
			WaVector *vector)
{
	const char *other = NULL;

	memset(vector->valid, 1, (Size) nrows);
	for (int i = 0; i < nrows && other == NULL; i++)
		other = column->addresses[i];
	for (int i = 0; i < gather->nodd; i++)
	{
		int row = gather->odd[i];

		if (column->addresses[row] == NULL)
		{
			vector->valid[row] = 0;
			column->addresses[row] = other;
		}
	}
	return other != NULL;
}

/* Makes the values of NULLs, among the odd tuples, zero. */
static void
clear_nulls(const WaGather *gather, Size width, WaVector *vector)
{
	for (int i = 0; i < gather->nodd; i++)
	{
		int row = gather->odd[i];

		if (vector->valid[row] == 0)
			memset((char *) vector->values + (Size) row * width, 0, width);
	}
}

/* Returns the bytes of a value of a column's vector. */
static Size
value_width(const WaGatherColumn *column)
{
	switch (column->form)
	{
		case WA_GATHER_BOOL:
			return wa_vector_width(WA_VECTOR_BOOL);
		case WA_GATHER_TEXT:
			return wa_vector_width(WA_VECTOR_TEXT);
		default:
			return wa_vector_width(WA_VECTOR_INT);
	}
}

/* Makes the vector of a column, some of whose values are NULL. */
static bool
decode_with_nulls(const WaGather *gather, WaGatherColumn *column, int nrows,
				  WaVector *vector)
{
	Size width = value_width(column);

	vector->has_nulls = true;
	if (!cover_nulls(gather, column, nrows, vector))
	{
		vector->mixed = false;
		vector->scale = 0;
		memset(vector->values, 0, (Size) nrows * width);
		return true;
	}
	if (!wa_gather_decode(column, nrows, vector))
		return false;
	clear_nulls(gather, width, vector);
	return true;
}

bool
wa_gather_run(WaGather *gather, const WaRow *rows, int nrows,
			  WaVector *const *vectors)
{
	Assert(nrows <= WA_VECTOR_ROWS);
	wa_gather_locate(gather, rows, nrows);
	for (int i = 0; i < gather->ncolumns; i++)
	{
		WaGatherColumn *column = &gather->columns[i];
		WaVector *vector = vectors[i];

		vector->has_nulls = false;
		if (column->has_nulls)
		{
			if (!decode_with_nulls(gather, column, nrows, vector))
				return false;
		}
		else if (!wa_gather_decode(column, nrows, vector))
			return false;
	}
	return true;
}
