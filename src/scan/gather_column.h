/*
 * gather_column.h
 *		What the files of gather share: a column of a batch, found and decoded.
 *
 * gather.c plans and leads, gather_locate.c finds where the values of a column
 * lie, gather_decode.c and gather_numeric.c make vectors of them.
 */
#ifndef WA_SCAN_GATHER_COLUMN_H
#define WA_SCAN_GATHER_COLUMN_H

#include "scan/gather.h"

/* An attribute of the relation, as a walk through a tuple needs it. */
typedef struct WaGatherAttribute
{
	int16 length; /* attlen */
	uint8 align;  /* 1, 2, 4 or 8 bytes */
	int16 column; /* the wanted column that it is, or -1 */
} WaGatherAttribute;

/* How the values of a wanted column lie in tuples. */
typedef enum WaGatherForm
{
	WA_GATHER_INT16,
	WA_GATHER_INT32,
	WA_GATHER_INT64,
	WA_GATHER_UINT32,
	WA_GATHER_FLOAT4,
	WA_GATHER_FLOAT8,
	WA_GATHER_BOOL,
	WA_GATHER_NUMERIC,
	WA_GATHER_TEXT
} WaGatherForm;

/*
 * A wanted column.  A batch's values lie at base[i] + offset; the base of a NULL
 * is NULL, and has_nulls set, until its vector is made.
 */
typedef struct WaGatherColumn
{
	WaGatherForm form;
	int attribute;          /* from 0 */
	int fixed;              /* offset in the data of an even tuple, or -1 */
	const char *missing;    /* of a tuple without the attribute; or NULL */
	const char **addresses; /* room for WA_VECTOR_ROWS of them */
	const char *const *base;
	Size offset;
	bool has_nulls;
} WaGatherColumn;

/*
 * A tuple is even if it has all of the first natts attributes and none of them
 * is NULL: what comes before the first value of variable length then lies where
 * it does in all even tuples.  The others, the odd ones, are listed.
 */
struct WaGather
{
	int natts;        /* up to the last wanted one */
	int walk_from;    /* the first attribute whose place varies; natts: none */
	Size walk_offset; /* the end of the one before */
	int ncolumns;
	WaGatherColumn *columns;
	WaGatherAttribute *attributes;
	bool all_odd; /* a walk through all tuples at a time is not possible */
	int nodd;
	uint16 odd[WA_VECTOR_ROWS];
	const char *data[WA_VECTOR_ROWS];    /* of tuples: behind the header */
	const char *cursors[WA_VECTOR_ROWS]; /* of a walk */
	const char *filler; /* what a walk may take for any attributes */
};

/* Finds the values of all columns of the rows. */
extern void wa_gather_locate(WaGather *gather, const WaRow *rows, int nrows);

/*
 * Makes a vector of a column of a batch, all of whose values are there.  Returns
 * false if one does not fit.
 */
extern bool wa_gather_decode(const WaGatherColumn *column, int nrows,
							 WaVector *vector);

/* The same for a column of numerics. */
extern bool wa_gather_numerics(const WaGatherColumn *column, int nrows,
							   WaVector *vector);

#endif /* WA_SCAN_GATHER_COLUMN_H */
