/*
 * query_batch.c
 *		A batch of rows on its way through a query; see query_batch.h.
 */
#include <string.h>

#include "query/run/query_batch.h"

WaQueryBatch *
wa_query_batch_make(WaArena *arena, const WaQuery *query,
					const WaVector *registers)
{
	WaQueryBatch *batch = wa_arena_alloc_zero(arena, sizeof(*batch));
	char *ones = wa_arena_alloc_aligned(arena, wa_vector_bytes(WA_VECTOR_BOOL));

	if (batch == NULL || ones == NULL)
		return NULL;
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

WaBatchOutcome
wa_query_batch_compute(WaQueryBatch *batch, size_t *nrows)
{
	const WaQuery *query = batch->query;

	for (batch->part = 0; batch->part < query->nfilters; batch->part++)
	{
		const WaQueryFilter *filter = &query->filters[batch->part];
		const WaBatchOutcome outcome =
			run(batch, filter->begin, filter->end, *nrows);

		if (outcome != WA_BATCH_COMPUTED)
			return outcome;
		apply_filter(batch, nrows);
		if (*nrows == 0)
			return WA_BATCH_COMPUTED;
	}
	return run(batch, query->begin, query->end, *nrows);
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
