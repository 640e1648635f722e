/*
 * query_batch.c
 *		A batch of rows on its way through a query; see query_batch.h.
 */
#include <string.h>

#include "query/run/query_batch.h"

/* After so many batches the clauses are put in order. */
#define REORDER_BATCHES 16

WaQueryBatch *
wa_query_batch_make(WaArena *arena, const WaQuery *query,
					const WaVector *registers)
{
	WaQueryBatch *batch = wa_arena_alloc_zero(arena, sizeof(*batch));
	char *ones = wa_arena_alloc_aligned(arena, wa_vector_bytes(WA_VECTOR_BOOL));
	WaBatchClause *clauses = wa_arena_alloc_zero(
		arena, (query->nfilters + (size_t) 1) * sizeof(*clauses));

	if (batch == NULL || ones == NULL || clauses == NULL)
		return NULL;
	for (uint32_t i = 0; i < query->nfilters; i++)
		clauses[i].number = i;
	batch->clauses = clauses;
	batch->query = query;
	batch->registers = registers;
	wa_vector_place(&batch->ones, WA_VECTOR_BOOL, ones);
	memset(batch->ones.values, 1, WA_VECTOR_ROWS);
	return batch;
}

/* Runs the instructions of the part that the rows have come to. */
static WaBatchOutcome
run(const WaQueryBatch *batch, uint32_t begin, uint32_t end, size_t nrows)
{
	return batch->reader.run(batch->reader.context, batch->part, begin, end,
							 nrows);
}

/* Leaves the rows that fulfil the clause whose instructions have been run. */
static void
apply_filter(WaQueryBatch *batch, size_t *nrows)
{
	const WaQueryFilter *filter = &batch->query->filters[batch->part];
	const size_t nselected = wa_vector_select(&batch->registers[filter->number],
											  *nrows, batch->selection);

	if (nselected > 0 && nselected < *nrows)
		batch->reader.select(batch->reader.context, batch->part,
							 batch->selection, nselected);
	*nrows = nselected;
}

/* Computes how much of a clause's use is for its costs, and has rows of before count less. */
static void
rank_clause(const WaQuery *query, WaBatchClause *clause)
{
	const WaQueryFilter *filter = &query->filters[clause->number];
	const double costs = 1 + filter->end - filter->begin;

	if (clause->came > 0)
		clause->rank = (double) (clause->came - clause->left) /
					   (double) clause->came / costs;
	clause->came /= 2;
	clause->left /= 2;
}

/* Puts the clauses in order by what they have shown; of equal ones the first stays so. */
static void
reorder_clauses(WaQueryBatch *batch)
{
	batch->nbatches = 0;
	for (uint32_t i = 0; i < batch->query->nfilters; i++)
		rank_clause(batch->query, &batch->clauses[i]);
	for (uint32_t i = 1; i < batch->query->nfilters; i++)
	{
		const WaBatchClause clause = batch->clauses[i];
		uint32_t place = i;

		for (; place > 0 && batch->clauses[place - 1].rank < clause.rank;
			 place--)
			batch->clauses[place] = batch->clauses[place - 1];
		batch->clauses[place] = clause;
	}
}

/* Has rows go through a clause; *nrows are left. */
static WaBatchOutcome
run_clause(WaQueryBatch *batch, WaBatchClause *clause, size_t *nrows)
{
	const WaQueryFilter *filter = &batch->query->filters[clause->number];
	WaBatchOutcome outcome;

	batch->part = clause->number;
	outcome = run(batch, filter->begin, filter->end, *nrows);
	if (outcome != WA_BATCH_COMPUTED)
		return outcome;
	clause->came += *nrows;
	apply_filter(batch, nrows);
	clause->left += *nrows;
	return WA_BATCH_COMPUTED;
}

WaBatchOutcome
wa_query_batch_filter(WaQueryBatch *batch, size_t *nrows)
{
	const WaQuery *query = batch->query;

	if (batch->may_reorder && batch->nbatches++ == REORDER_BATCHES)
		reorder_clauses(batch);
	for (uint32_t i = 0; i < query->nfilters; i++)
	{
		const WaBatchOutcome outcome =
			run_clause(batch, &batch->clauses[i], nrows);

		if (outcome != WA_BATCH_COMPUTED || *nrows == 0)
			return outcome;
	}
	return WA_BATCH_COMPUTED;
}

WaBatchOutcome
wa_query_batch_finish(WaQueryBatch *batch, size_t nrows)
{
	batch->part = batch->query->nfilters;
	return run(batch, batch->query->begin, batch->query->end, nrows);
}

WaBatchOutcome
wa_query_batch_compute(WaQueryBatch *batch, size_t *nrows)
{
	const WaBatchOutcome outcome = wa_query_batch_filter(batch, nrows);

	return outcome != WA_BATCH_COMPUTED || *nrows == 0
			   ? outcome
			   : wa_query_batch_finish(batch, *nrows);
}

const WaVector *
wa_query_batch_values(const WaQueryBatch *batch, const WaQueryColumn *column)
{
	return column->argument < 0 ? &batch->ones
								: &batch->registers[column->argument];
}

const uint8_t *
wa_query_batch_keep(WaQueryBatch *batch, const WaQueryColumn *column,
					const uint8_t *found, size_t nrows)
{
	const WaVector *condition;
	const uint8_t *bools;

	if (column->filter < 0)
		return found;
	condition = &batch->registers[column->filter];
	bools = wa_vector_bools(condition);
	if (!condition->has_nulls && found == NULL)
		return bools;
	for (size_t i = 0; i < nrows; i++)
		batch->keep[i] = bools[i] & (uint8_t) wa_vector_is_valid(condition, i);
	for (size_t i = 0; found != NULL && i < nrows; i++)
		batch->keep[i] &= found[i];
	return batch->keep;
}
