//
// dense.h
//		Queries over the few rows that their first clauses leave.
//
// What a program computes, the numbers of groups and the reductions go through all rows
// of the columns, in which few are left then: nearly each warp has one.  So where the
// first clauses leave few rows, these are copied side by side, of all columns that are
// still needed, and the rest of the query is one over these copies.
//
#ifndef WA_CUDA_QUERY_DENSE_H
#define WA_CUDA_QUERY_DENSE_H

#include "query/work.h"

// Starts the next clauses of a query that has many rows, one after the other, and waits
// for them, as long as that may leave few rows.  *nclauses have been started, and leave
// work's selection: then more have.  If few rows are left, returns true, and the query of
// work, without these clauses, has no others.
bool wa_query_make_dense(WaQueryWork *work, unsigned *nclauses);

#endif // WA_CUDA_QUERY_DENSE_H
