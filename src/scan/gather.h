/*
 * gather.h
 *		Columns of a heap relation, from the tuples of a batch to vectors.
 */
#ifndef WA_SCAN_GATHER_H
#define WA_SCAN_GATHER_H

#include "access/tupdesc.h"

#include "core/vector.h"
#include "scan/heap.h"

/*
 * Returns, in *kind, how a column of the type is held in a vector; false if it
 * cannot be.  INT: smallint, integer, bigint, date, time, timestamp,
 * timestamptz, money, oid.  FLOAT: real, double precision.  DECIMAL: numeric.
 * BOOL: boolean.  TEXT: text, varchar, bpchar (with its trailing blanks), all
 * without their varlena header.
 */
extern bool wa_gather_kind(Oid type, WaVectorKind *kind);

typedef struct WaGather WaGather;

/*
 * Prepares to gather columns of tuples of the descriptor, in the current memory
 * context.  attnums: their numbers, from 1, ascending, without doubles; dropped
 * columns are not among them.  wa_gather_kind knows their types.
 */
extern WaGather *wa_gather_make(TupleDesc descriptor, int ncolumns,
								const AttrNumber *attnums);

/*
 * Stores column i of the rows, at most WA_VECTOR_ROWS, in *vectors[i].  A column
 * that was added after a tuple was written has its missing value.  Returns false,
 * with the vectors undefined, if a value does not fit its vector: a numeric that
 * is NaN, infinite or too long, or something compressed or out of line.
 */
extern bool wa_gather_run(WaGather *gather, const WaRow *rows, int nrows,
						  WaVector *const *vectors);

#endif /* WA_SCAN_GATHER_H */
