/*
 * gather_column.h
 *		What the files of gather share: layouts of tuples, and a column of a
 *		batch, found and decoded.
 *
 * gather.c leads, gather_layout.c plans how to find the values in tuples,
 * gather_locate.c finds them, gather_decode.c and gather_numeric.c make vectors
 * of them.
 */
#ifndef WA_HEAP_GATHER_COLUMN_H
#define WA_HEAP_GATHER_COLUMN_H

#include "core/must_check.h"
#include "heap/gather.h"

/* An attribute of the relation. */
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
	WA_GATHER_TEXT,
	WA_GATHER_STORED /* a type that no vector can hold */
} WaGatherForm;

/*
 * What a walk through a tuple steps over at once: a value of variable length, or
 * values of fixed lengths that lie at the same distances from the first of them
 * in all tuples.
 */
typedef struct WaGatherStretch
{
	int length;  /* bytes; -1: of variable length */
	uint8 align; /* of its start */
	int array;   /* of WaGather.starts, which keeps its starts; -1: none */
} WaGatherStretch;

/* Where a column is in a layout. */
typedef enum WaGatherPresence
{
	WA_GATHER_PRESENT,
	WA_GATHER_NULL,
	WA_GATHER_MISSING
} WaGatherPresence;

typedef struct WaGatherPlace
{
	WaGatherPresence presence;
	int stretch; /* -1: at `offset` from the beginning of the data */
	Size offset; /* in it */
} WaGatherPlace;

/*
 * How the values lie in tuples that have the same attributes, others being NULL
 * or not there yet.  Up to the first value of variable length all is at fixed
 * places; from walk_offset on the tuples are walked through.
 */
typedef struct WaGatherLayout
{
	uint64 present; /* a bit for each attribute that has a value */
	int natts;      /* that the tuples have, as far as wanted */
	Size walk_offset;
	int nstretches;
	WaGatherStretch *stretches;
	WaGatherPlace *places; /* of the wanted columns */
} WaGatherLayout;

/* Layouts that are remembered; for others tuples are walked through alone. */
#define WA_GATHER_LAYOUTS 16

/* The number of a layout that is not remembered. */
#define WA_GATHER_ALONE WA_GATHER_LAYOUTS

/* More attributes than these have but one layout, that without NULLs. */
#define WA_GATHER_PRESENT_BITS 64

/* Slots to look layouts up in, a power of two. */
#define WA_GATHER_SLOT_BITS 6

/*
 * A wanted column.  Values of a batch lie at base[i] + offset; the base of a NULL
 * is NULL, and has_nulls set, until its vector is made.
 */
typedef struct WaGatherColumn
{
	WaGatherForm form;
	WaVectorKind kind;
	int attribute;          /* from 0 */
	int first;              /* step that uses it */
	int last;               /* the same */
	const char *missing;    /* of a tuple without the attribute; or NULL */
	const char **addresses; /* room for WA_VECTOR_ROWS of them */
	const char **base;
	Size offset;
	int stretch; /* base is known when the walk is there; -1: it is */
	bool has_nulls;
	bool all_null;
} WaGatherColumn;

/*
 * A batch whose tuples have all the same layout is walked through as far as the
 * steps need it, all tuples at the same time: `walked` stretches lie behind, and
 * the next one's begin at walk[i] + walk_offset.  In other batches the values of
 * all columns are found at the beginning.
 */
struct WaGather
{
	MemoryContext context; /* where layouts are planned */
	bool has_places;       /* the first vector is that of ctid, */
	WaGatherUse
		place_use; /* which is used so; the others are those of columns */
	int natts;     /* up to the last wanted one */
	int ncolumns;
	WaGatherColumn *columns;
	WaGatherAttribute *attributes;
	uint64 all_present;
	bool all_alone; /* there is no layout */
	int nlayouts;
	WaGatherLayout layouts[WA_GATHER_LAYOUTS];
	uint8
		slots[1 << WA_GATHER_SLOT_BITS]; /* numbers of layouts, plus 1; or 0 */

	/* A batch */
	const WaRow *begun; /* its rows, all of them */
	int nrows;
	int nplaces; /* rows that places are known of, nrows or more */
	uint16_t kept[WA_VECTOR_ROWS]; /* those of them that are left, if fewer */
	bool places_moved; /* they are not those of the rows of the same numbers */
	uint16_t rows[WA_VECTOR_ROWS]; /* but of these */
	const WaGatherLayout *layout;  /* of all tuples; NULL: several */
	int walked;
	const char **walk;
	Size walk_offset;
	const char *data[WA_VECTOR_ROWS];    /* of tuples: behind the header */
	const char *cursors[WA_VECTOR_ROWS]; /* of a walk */
	const char ***starts;                /* arrays, one for each column */
	uint8 numbers[WA_VECTOR_ROWS];       /* of the tuples' layouts */
};

/* Plans the layout without NULLs.  Attributes and columns are known. */
extern void wa_gather_plan(WaGather *gather);

/*
 * Returns the number of a layout, which is planned if it is new; WA_GATHER_ALONE
 * if there are too many.
 */
extern uint8 wa_gather_find_layout(WaGather *gather, uint64 present, int natts);

/* Prepares to find the values of the rows. */
extern void wa_gather_locate(WaGather *gather, const WaRow *rows, int nrows);

/* Finds the values of the columns whose first use is the step. */
extern void wa_gather_walk(WaGather *gather, int step);

/* Leaves only the kept rows of what has been found and no step before used. */
extern void wa_gather_keep_places(WaGather *gather, int step);

/*
 * Makes a vector of a column of a batch, all of whose values are there.  Returns
 * false if one does not fit.
 */
extern WA_MUST_CHECK bool wa_gather_decode(const WaGatherColumn *column,
										   int nrows, WaVector *vector);

/* The same for a column of numerics. */
extern WA_MUST_CHECK bool wa_gather_numerics(const WaGatherColumn *column,
											 int nrows, WaVector *vector);

#endif /* WA_HEAP_GATHER_COLUMN_H */
