/*
 * query_batch.h
 *		A batch of rows on its way through a query: the clauses of WHERE, one by one,
 *		then what keys and columns need.
 *
 * Whoever has the rows reads them: from the heap (scan/rows/batch_loop.h), or from
 * columns (query/run/run.h).  Nothing is put into groups before all that could trap has run,
 * so a batch that traps can be taken in another way instead.
 */
#ifndef WA_QUERY_QUERY_BATCH_H
#define WA_QUERY_QUERY_BATCH_H

#include "core/must_check.h"
#include "query/base/arena.h"
#include "query/message/query.h"

typedef enum WaBatchOutcome
{
	WA_BATCH_COMPUTED,
	WA_BATCH_TRAPPED, /* it cannot be computed in vectors */
	WA_BATCH_LACKING  /* what all rows of its part need has not been computed */
} WaBatchOutcome;

/*
 * Who reads the rows of batches.  The parts of a query are the numbers of its clauses
 * of WHERE, and, behind them, that of what keys and columns need.
 */
typedef struct WaBatchReader
{
	/* Reads what a part uses of the rows that are left, and runs its instructions. */
	WaBatchOutcome (*run)(void *context, uint32_t part, uint32_t begin,
						  uint32_t end, size_t nrows);
	/* Leaves, after a part, only the rows of an ascending selection. */
	void (*select)(void *context, uint32_t part, const uint16_t *selection,
				   size_t nselected);
	void *context;
} WaBatchReader;

/* A clause of WHERE in the order in which batches come to them. */
typedef struct WaBatchClause
{
	uint32_t number;
	double rank; /* rows that it leaves out, of those that come, by its costs */
	uint64_t came;
	uint64_t left;
} WaBatchClause;

typedef struct WaQueryBatch
{
	const WaQuery *query;
	const WaVector *registers;
	WaBatchReader reader;
	uint32_t part; /* that rows have come to */
	WaBatchClause *clauses;
	bool may_reorder;  /* the clauses */
	uint32_t nbatches; /* since they were put in order */
	WaVector ones;     /* what is counted where rows are */
	uint16_t selection[WA_VECTOR_ROWS];
	uint8_t keep[WA_VECTOR_ROWS];
} WaQueryBatch;

/*
 * Makes what batches of a query need, in the arena; who reads them is told afterwards, and
 * whether clauses may come in another order than the query's: then those come first, once
 * some batches have shown it, that leave out most rows at least costs.  Returns NULL if there
 * is not enough memory.
 */
extern WaQueryBatch *wa_query_batch_make(WaArena *arena, const WaQuery *query,
										 const WaVector *registers);

/* Computes a batch of *nrows rows, of which *nrows are left that fulfil WHERE. */
extern WA_MUST_CHECK WaBatchOutcome wa_query_batch_compute(WaQueryBatch *batch,
														   size_t *nrows);

/* The two halves of that: leaves the rows that fulfil WHERE, and computes what these have. */
extern WA_MUST_CHECK WaBatchOutcome wa_query_batch_filter(WaQueryBatch *batch,
														  size_t *nrows);
extern WA_MUST_CHECK WaBatchOutcome wa_query_batch_finish(WaQueryBatch *batch,
														  size_t nrows);

/* Returns the values that a column takes of the rows that are left. */
extern const WaVector *wa_query_batch_values(const WaQueryBatch *batch,
											 const WaQueryColumn *column);

/*
 * Returns which rows a column takes, of those that `found` tells; NULL, here as there:
 * all of them.
 */
extern const uint8_t *wa_query_batch_keep(WaQueryBatch *batch,
										  const WaQueryColumn *column,
										  const uint8_t *found, size_t nrows);

#endif /* WA_QUERY_QUERY_BATCH_H */
