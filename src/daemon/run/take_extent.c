/*
 * take_extent.c
 *		Bringing the rows of an extent into a run; see take_extent.h.
 *
 * Where a program may trap, they go through it in batches of whole blocks, so that what
 * traps leaves out blocks, which the backend then reads itself.
 */
#include "daemon/run/take_extent.h"

/* Tells whether nobody will want an answer: there are too many groups. */
static bool
is_useless(const WaExtentTaking *taking)
{
	return (taking->most_groups > 0 &&
			wa_query_run_groups(taking->run) > taking->most_groups) ||
		   __atomic_load_n(taking->is_useless, __ATOMIC_RELAXED);
}

void
wa_extent_rows_after(const WaRunExtent *extent, size_t first, uint32_t ncolumns,
					 WaColumnRows *rows)
{
	for (uint32_t i = 0; i < ncolumns; i++)
	{
		const WaColumn *column = extent->columns[i];
		const WaColumnRows all = {.form = column->form,
								  .scale = column->scale,
								  .values = column->values,
								  .validity = column->validity,
								  .display = column->display};

		rows[i] = wa_column_rows_after(&all, first);
	}
}

/* Takes so many rows of an extent, from a row on. */
static WaRunOutcome
take(const WaExtentTaking *taking, const WaRunExtent *extent, size_t first,
	 size_t nrows)
{
	wa_extent_rows_after(extent, first, taking->ncolumns, taking->rows);
	return wa_query_run_take(taking->run, taking->rows, nrows);
}

/*
 * Takes the rows of blocks first_block to end_block - 1, which are in one batch.
 * If they trap, they are taken block by block, and what traps is left out.
 */
static WaRunOutcome
take_blocks(const WaExtentTaking *taking, const WaRunExtent *extent,
			uint32_t first_block, uint32_t end_block, uint64_t *left_out)
{
	const uint32_t first = wa_first_row(extent->row_end, first_block);
	const size_t nrows = extent->row_end[end_block - 1] - first;
	WaRunOutcome outcome = WA_RUN_TAKEN;

	if (nrows > 0)
		outcome = take(taking, extent, first, nrows);
	if (outcome != WA_RUN_TRAPPED)
		return outcome;
	outcome = WA_RUN_TAKEN;
	if (end_block - first_block == 1)
		left_out[first_block / 64] |= (uint64_t) 1 << (first_block % 64);
	else
		for (uint32_t block = first_block;
			 block < end_block && outcome == WA_RUN_TAKEN; block++)
			outcome = take_blocks(taking, extent, block, block + 1, left_out);
	return outcome;
}

/*
 * Returns the first of the blocks before end_block, and not before a row, that are in one
 * batch.
 */
static uint32_t
begin_of_batch(const WaRunExtent *extent, uint32_t row, uint32_t end_block)
{
	const uint32_t end = extent->row_end[end_block - 1];
	uint32_t block = end_block - 1;

	while (block > 0 && wa_first_row(extent->row_end, block) > row &&
		   end - wa_first_row(extent->row_end, block - 1) <= WA_VECTOR_ROWS)
		block--;
	return block;
}

/* Takes the rows of a range in batches of whole blocks, the last one first. */
static WaRunOutcome
take_backward(const WaExtentTaking *taking, const WaRunExtent *extent,
			  const WaRowRange *range, uint64_t *left_out)
{
	uint32_t end_block = wa_run_block_of_row(extent, range->end - 1) + 1;
	WaRunOutcome outcome = WA_RUN_TAKEN;

	while (outcome == WA_RUN_TAKEN && end_block > 0 &&
		   extent->row_end[end_block - 1] > range->begin)
	{
		const uint32_t block = begin_of_batch(extent, range->begin, end_block);

		outcome = take_blocks(taking, extent, block, end_block, left_out);
		end_block = block;
	}
	return outcome;
}

/* Takes the rows of a range in batches of whole blocks. */
static WaRunOutcome
take_by_blocks(const WaExtentTaking *taking, const WaRunExtent *extent,
			   const WaRowRange *range, uint64_t *left_out)
{
	uint32_t row = range->begin;
	uint32_t block = wa_run_block_of_row(extent, row);
	WaRunOutcome outcome = WA_RUN_TAKEN;

	while (row < range->end && outcome == WA_RUN_TAKEN && !is_useless(taking))
	{
		uint32_t end_block = block + 1;

		while (end_block < extent->nblocks &&
			   extent->row_end[end_block - 1] < range->end &&
			   extent->row_end[end_block] - row <= WA_VECTOR_ROWS)
			end_block++;
		outcome = take_blocks(taking, extent, block, end_block, left_out);
		block = end_block;
		row = extent->row_end[end_block - 1];
	}
	return outcome;
}

/* Takes the rows of a range, which do not trap. */
static WaRunOutcome
take_rows(const WaExtentTaking *taking, const WaRunExtent *extent,
		  const WaRowRange *range)
{
	const uint32_t most = wa_query_run_is_plain(taking->run)
							  ? range->end - range->begin
							  : WA_VECTOR_ROWS;
	WaRunOutcome outcome = WA_RUN_TAKEN;

	for (uint32_t row = range->begin;
		 row < range->end && outcome == WA_RUN_TAKEN && !is_useless(taking);)
	{
		const uint32_t left = range->end - row;
		const uint32_t nrows = left < most ? left : most;

		outcome = take(taking, extent, row, nrows);
		row += nrows;
	}
	return outcome;
}

WaRunOutcome
wa_take_extent(const WaExtentTaking *taking, const WaRunExtent *extent,
			   uint64_t *left_out)
{
	WaRunOutcome outcome = WA_RUN_TAKEN;

	for (uint32_t i = 0; i < extent->nranges && outcome == WA_RUN_TAKEN; i++)
	{
		const WaRowRange *range =
			&extent->ranges[taking->is_backward ? extent->nranges - 1 - i : i];

		if (taking->is_backward)
			outcome = take_backward(taking, extent, range, left_out);
		else if (taking->may_trap)
			outcome = take_by_blocks(taking, extent, range, left_out);
		else
			outcome = take_rows(taking, extent, range);
	}
	return outcome;
}
