/*
 * fill.c
 *		Reads the table and brings its rows into groups, a batch at a time.
 *
 * The groups stay within work_mem * hash_mem_multiplier: if they outgrow it, the
 * table is read once for each of several partitions of them (scan/partition.h).
 *
 * A batch is tried in vectors first: nothing is put into groups before all that
 * could trap has run, so a batch that traps can be taken row by row instead.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "exec/reduce.h"
#include "scan/gather.h"
#include "scan/node.h"
#include "scan/parallel.h"
#include "scan/resident.h"

/* Groups are not partitioned for less. */
#define MIN_MEMORY ((Size) 1024 * 1024)
#define MIN_GROUPS 8192

uint32
wa_scan_groups(const WaScanState *state)
{
	return state->groups == NULL ? 1 : wa_groups_count(state->groups);
}

/*
 * Gathers the columns that clause number `step` needs, or what comes after WHERE;
 * as wa_gather_step.
 */
static bool
gather(WaScanState *state, int step)
{
	bool fits;

	wa_clock_enter(&state->clock, WA_PHASE_READING);
	fits =
		wa_gather_step(state->gather, step, wa_runner_columns(state->runner));
	wa_clock_enter(&state->clock, WA_PHASE_COMPUTING);
	return fits;
}

/*
 * Gathers the columns that WHERE uses, and leaves the rows that fulfil it, clause
 * by clause.  Returns false if a clause trapped or a value has no vector.
 */
static bool
apply_filters(WaScanState *state, size_t *nrows)
{
	WaVector *const *columns = wa_runner_columns(state->runner);

	for (int i = 0; i < state->nfilters; i++)
	{
		const WaScanFilter *filter = &state->filters[i];
		size_t nselected;

		if (!gather(state, i) ||
			!wa_runner_run(state->runner, filter->begin, filter->end, *nrows))
			return false;
		nselected =
			wa_vector_select(wa_runner_register(state->runner, filter->number),
							 *nrows, state->selection);
		if (nselected == 0)
		{
			*nrows = 0;
			return true;
		}
		if (nselected < *nrows)
			wa_gather_keep(state->gather, i, columns, state->selection,
						   (int) nselected);
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

/*
 * Leaves the rows of the partition, with their keys and arguments computed.
 * Returns false if that trapped, which it cannot if it did not before.
 */
static bool
apply_partition(WaScanState *state, size_t *nrows)
{
	size_t nselected;

	if (state->partition.mask == 0)
		return true;
	nselected =
		wa_partition_select(&state->partition, state->nkeys, state->group_keys,
							state->key_vectors, *nrows, state->selection);
	if (nselected == *nrows)
		return true;
	*nrows = nselected;
	wa_runner_compact(state->runner, state->selection, nselected);
	return wa_runner_run(state->runner, state->begin, state->end, nselected);
}

/* Takes a batch in vectors; returns false, with nothing taken, if it cannot. */
static bool
take_in_vectors(WaScanState *state, int nrows)
{
	size_t left = (size_t) nrows;

	if (!wa_runner_prepare(state->runner, state->css.ss.ps.ps_ExprContext))
		return false;
	wa_gather_begin(state->gather, state->rows, nrows);
	if (!apply_filters(state, &left))
		return false;
	if (left == 0)
		return true;
	if (!gather(state, state->nfilters) ||
		!wa_runner_run(state->runner, state->begin, state->end, left) ||
		!apply_partition(state, &left))
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

/* Tells whether the groups have outgrown the memory and can be halved. */
static bool
is_too_large(const WaScanState *state)
{
	Size bytes;

	if (state->groups == NULL || wa_groups_count(state->groups) < MIN_GROUPS ||
		state->nwaiting > WA_MAX_WAITING - 2)
		return false;
	bytes = wa_groups_bytes(state->groups);
	for (int i = 0; i < state->ncolumns; i++)
		bytes += wa_accumulator_bytes(state->columns[i].accumulator);
	return bytes > Max(get_hash_memory_limit(), MIN_MEMORY);
}

/* Puts both halves of the partition among those to come. */
static void
halve_partition(WaScanState *state)
{
	uint32 bit = state->partition.mask + 1;
	WaPartition half = {state->partition.mask | bit, state->partition.value};

	state->waiting[state->nwaiting++] = half;
	half.value |= bit;
	state->waiting[state->nwaiting++] = half;
}

bool
wa_scan_overflows(WaScanState *state)
{
	if (is_too_large(state))
	{
		if (state->overflow != NULL)
			pg_atomic_write_u32(state->overflow, 1);
		return true;
	}
	return state->overflow != NULL && pg_atomic_read_u32(state->overflow) != 0;
}

void
wa_scan_begin(WaScanState *state)
{
	make_groups(state);
	state->covered = NULL;
	if (state->heap != NULL)
		wa_heap_leave_out(state->heap, NULL);
	if (state->heap == NULL)
		state->heap = wa_heap_begin(state->css.ss.ss_currentRelation,
									state->css.ss.ps.state->es_snapshot);
	else
		wa_heap_rescan(state->heap);
}

/* Takes the next batch; returns false if there is none. */
static bool
take_batch(WaScanState *state)
{
	int nrows;

	wa_clock_enter(&state->clock, WA_PHASE_READING);
	nrows = wa_heap_next(state->heap, state->rows);
	if (nrows > 0 && !take_in_vectors(state, nrows))
	{
		wa_clock_enter(&state->clock, WA_PHASE_COMPUTING);
		for (int i = 0; i < nrows; i++)
			wa_rowwise_take(state->rowwise, state, &state->rows[i]);
	}
	wa_clock_enter(&state->clock, WA_PHASE_NONE);
	return nrows > 0;
}

bool
wa_scan_read(WaScanState *state)
{
	while (take_batch(state))
		if (wa_scan_overflows(state))
			return false;
	return true;
}

/* Reads the table; returns false if the groups became too large. */
static bool
read_table(WaScanState *state)
{
	wa_scan_begin(state);
	/* What is computed once is computed for the first row, before workers. */
	if (!take_batch(state))
		return true;
	wa_resident_use(state);
	if (wa_scan_overflows(state))
		return false;
	return wa_parallel_read(state) && wa_scan_read(state);
}

void
wa_scan_start(WaScanState *state)
{
	if (state->is_ours)
		wa_exec_begin();
	state->waiting[0] = (WaPartition){0, 0};
	state->nwaiting = 1;
	state->passes = 0;
	state->kept_rows = 0;
	state->rowwise_rows = 0;
	state->is_started = true;
}

bool
wa_scan_fill(WaScanState *state)
{
	state->next = 0;
	while (state->nwaiting > 0)
	{
		int64 kept_rows = state->kept_rows;

		state->partition = state->waiting[--state->nwaiting];
		state->passes++;
		if (read_table(state))
			return true;
		state->kept_rows = kept_rows;
		halve_partition(state);
	}
	return false;
}
