/*
 * fill.c
 *		Reads the table and brings its rows into groups, a batch at a time.
 *
 * A batch is tried in vectors first: nothing is put into groups before all that
 * could trap has run, so a batch that traps can be taken row by row instead.
 */
#include "postgres.h"

#include "exec/reduce.h"
#include "scan/gather.h"
#include "scan/node.h"

uint32
wa_scan_groups(const WaScanState *state)
{
	return state->groups == NULL ? 1 : wa_groups_count(state->groups);
}

/*
 * Leaves in the columns the rows that fulfil WHERE.  Returns false if a clause
 * trapped.
 */
static bool
apply_filters(WaScanState *state, size_t *nrows)
{
	for (int i = 0; i<state->nfilters && * nrows> 0; i++)
	{
		const WaScanFilter *filter = &state->filters[i];
		size_t nselected;

		if (!wa_runner_run(state->runner, filter->begin, filter->end, *nrows))
			return false;
		nselected =
			wa_vector_select(wa_runner_register(state->runner, filter->number),
							 *nrows, state->selection);
		if (nselected < *nrows)
			wa_runner_compact(state->runner, state->selection, nselected);
		*nrows = nselected;
	}
	return true;
}

/* Returns which rows a column takes; NULL: all. */
static const uint8 *
rows_to_keep(WaScanState *state, const WaScanColumn *column, size_t nrows)
{
	const WaVector *condition;

	if (column->filter_register < 0)
		return NULL;
	condition = wa_runner_register(state->runner, column->filter_register);
	if (!condition->has_nulls)
		return wa_vector_bools(condition);
	for (size_t i = 0; i < nrows; i++)
		state->keep[i] = wa_vector_bools(condition)[i] & condition->valid[i];
	return state->keep;
}

/* Brings the rows that are left into their groups. */
static void
take_rows(WaScanState *state, size_t nrows)
{
	const uint32 *groups = NULL;

	if (state->groups != NULL)
	{
		wa_groups_find(state->groups, state->key_vectors, nrows,
					   state->group_numbers);
		groups = state->group_numbers;
	}
	for (int i = 0; i < state->ncolumns; i++)
	{
		WaScanColumn *column = &state->columns[i];
		const WaVector *values =
			column->argument_register < 0
				? &state->ones
				: wa_runner_register(state->runner, column->argument_register);

		wa_accumulator_grow(column->accumulator, wa_scan_groups(state));
		wa_accumulator_take(column->accumulator, groups,
							rows_to_keep(state, column, nrows), values, nrows);
	}
	state->kept_rows += (int64) nrows;
}

/* Takes a batch in vectors; returns false, with nothing taken, if it cannot. */
static bool
take_in_vectors(WaScanState *state, int nrows)
{
	size_t left = (size_t) nrows;

	if (!wa_runner_prepare(state->runner, state->css.ss.ps.ps_ExprContext) ||
		!wa_gather_run(state->gather, state->rows, nrows,
					   wa_runner_columns(state->runner)) ||
		!apply_filters(state, &left))
		return false;
	if (left == 0)
		return true;
	if (!wa_runner_run(state->runner, state->begin, state->end, left))
		return false;
	take_rows(state, left);
	return true;
}

/* Makes empty groups. */
static void
make_groups(WaScanState *state)
{
	MemoryContextReset(state->group_context);
	state->groups = NULL;
	if (state->nkeys > 0)
		state->groups = wa_groups_make(state->group_context, state->nkeys,
									   state->group_keys);
	for (int i = 0; i < state->ncolumns; i++)
	{
		WaScanColumn *column = &state->columns[i];

		column->accumulator = wa_accumulator_make(state->group_context,
												  &column->plan, column->kind);
		wa_accumulator_grow(column->accumulator, wa_scan_groups(state));
	}
}

void
wa_scan_fill(WaScanState *state)
{
	int nrows;

	if (state->is_ours)
		wa_exec_begin();
	make_groups(state);
	state->kept_rows = 0;
	state->rowwise_rows = 0;
	if (state->heap == NULL)
		state->heap = wa_heap_begin(state->css.ss.ss_currentRelation,
									state->css.ss.ps.state->es_snapshot);
	else
		wa_heap_rescan(state->heap);
	while ((nrows = wa_heap_next(state->heap, state->rows)) > 0)
		if (!take_in_vectors(state, nrows))
			for (int i = 0; i < nrows; i++)
				wa_rowwise_take(state->rowwise, state, &state->rows[i]);
	state->is_done = true;
	state->next = 0;
}
