/*
 * gather.h
 *		Columns of a heap relation, from the tuples of a batch to vectors.
 *
 * The work is done in steps: each makes vectors of the columns that it is the
 * first to use.  Between steps rows may be given up, so that what a clause of
 * WHERE has dismissed is not decoded for later ones.
 */
#ifndef WA_HEAP_GATHER_H
#define WA_HEAP_GATHER_H

#include "access/tupdesc.h"

#include "core/must_check.h"
#include "core/vector.h"
#include "heap/heap.h"

/*
 * Returns, in *kind, how a column of the type is held in a vector; false if it
 * cannot be.  INT: smallint, integer, bigint, date, time, timestamp,
 * timestamptz, money, oid.  FLOAT: real, double precision.  DECIMAL: numeric.
 * BOOL: boolean.  TEXT: text, varchar, bpchar (with its trailing blanks), all
 * without their varlena header.
 */
extern WA_MUST_CHECK bool wa_gather_kind(Oid type, WaVectorKind *kind);

/* A column to gather, and the first and the last step that use it. */
typedef struct WaGatherUse
{
	AttrNumber attnum;
	int first;
	int last;
} WaGatherUse;

typedef struct WaGather WaGather;

/*
 * Prepares to gather columns of tuples of the descriptor, in the current memory
 * context.  uses: by their numbers, from 1, ascending, without doubles; dropped
 * columns are not among them.  Before them there may be ctid, which becomes an INT of
 * the places of the rows (heap/place.h).  Columns of types that wa_gather_kind does not
 * know become TEXT vectors, each of whose values has the place of a value as it is
 * stored, perhaps compressed or out of line, and no length.
 */
extern WaGather *wa_gather_make(TupleDesc descriptor, int ncolumns,
								const WaGatherUse *uses);

/* Begins with the rows of a batch, at most WA_VECTOR_ROWS, which stay for its steps. */
extern void wa_gather_begin(WaGather *gather, const WaRow *rows, int nrows);

/*
 * Stores the columns i whose first use is the step, of the rows that are left, in
 * *vectors[i].  A column that was added after a tuple was written has its missing
 * value.  Returns false, with these vectors undefined, if a value does not fit
 * its vector: a numeric that is NaN, infinite or too long (of more than 18 digits,
 * for a vector that may be wide of more than 38), or something compressed or out of line.
 */
extern WA_MUST_CHECK bool wa_gather_step(WaGather *gather, int step,
										 WaVector *const *vectors);

/*
 * Leaves, after a step, only the rows of an ascending selection.  Columns that no
 * later step uses are undefined from then on.
 */
extern void wa_gather_keep(WaGather *gather, int step, WaVector *const *vectors,
						   const uint16_t *selection, int nselected);

/* Returns which of the rows that were begun with is row i of those left. */
extern int wa_gather_row(const WaGather *gather, int i);

#endif /* WA_HEAP_GATHER_H */
