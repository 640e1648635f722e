/*
 * batch_loop.c
 *		Reads rows and brings them into groups, a batch at a time; see batch_loop.h.
 *
 * The groups stay within work_mem * hash_mem_multiplier: rows of others than are
 * there when that is reached are spilled, and follow later (scan/spill/spill.h).
 *
 * A batch is tried in vectors first: nothing is put into groups before all that
 * could trap has run, so a batch that traps can be taken row by row instead.  It is
 * taken in smaller pieces first, so that one row does not slow down a thousand.
 */
#include "postgres.h"

#include "executor/executor.h"

#include "heap/gather.h"
#include "scan/rows/batch_loop.h"
#include "scan/rows/merge.h"
#include "scan/rows/rowwise.h"
#include "scan/spill/group_store.h"
#include "scan/spill/spill.h"
#include "scan/spill/spill_pace.h"
#include "scan/spill/spill_row.h"

/*
 * Of so few rows none are tried in vectors again when one of them has none; and
 * after so many tries that were of use, twice as many are tried at once.  Where so
 * many tries in a row were of no use, the next rows are not tried: at first as few,
 * then twice as many each time, up to a limit.
 */
#define MIN_TRIED_ROWS  32
#define RIGHT_TRIES     4
#define WRONG_TRIES     4
#define MAX_SINGLY_ROWS (256 * MIN_TRIED_ROWS)

/*
 * Gathers the columns that clause number `step` needs, or what comes after WHERE;
 * as wa_gather_step.
 */
static bool
gather(WaScanState *state, int step)
{
	bool fits;

	wa_clock_enter(&state->clock, WA_PHASE_READING);
	fits = wa_gather_step(state->source.gather, step,
						  wa_interpreter_columns(state->query.interpreter));
	wa_clock_enter(&state->clock, WA_PHASE_COMPUTING);
	return fits;
}

/* Rows that are computed in vectors. */
typedef struct Batch
{
	int nrows;
	size_t nleft; /* that fulfil WHERE, as far as it has been applied */
	int stage;    /* that they have come to */
} Batch;

/* What has become of a batch. */
typedef enum Outcome
{
	COMPUTED,
	TRAPPED, /* it cannot be computed in vectors */
	LACKING  /* what all rows of its stage need has not been computed */
} Outcome;

/* Runs the instructions of a stage for the rows that are left. */
static Outcome
run_stage(WaScanState *state, Batch *batch, int stage, int begin, int end)
{
	batch->stage = stage;
	if (wa_interpreter_lacks(state->query.interpreter, stage))
		return LACKING;
	if (!gather(state, stage) ||
		!wa_interpreter_run(state->query.interpreter, begin, end,
							batch->nleft) ||
		wa_interpreter_misses(state->query.interpreter, stage, batch->nleft))
		return TRAPPED;
	return COMPUTED;
}

/*
 * Gathers the columns that WHERE uses, and leaves the rows that fulfil it, clause
 * by clause.
 */
static Outcome
apply_filters(WaScanState *state, Batch *batch)
{
	WaVector *const *columns = wa_interpreter_columns(state->query.interpreter);

	for (int i = 0;
		 i < (int) state->query.compiled.nfilters && batch->nleft > 0; i++)
	{
		const WaQueryFilter *filter = &state->query.compiled.filters[i];
		const Outcome outcome =
			run_stage(state, batch, i, (int) filter->begin, (int) filter->end);
		size_t nselected;

		if (outcome != COMPUTED)
			return outcome;
		nselected = wa_vector_select(
			wa_interpreter_register(state->query.interpreter, filter->number),
			batch->nleft, state->batch.selection);
		if (nselected > 0 && nselected < batch->nleft)
			wa_gather_keep(state->source.gather, i, columns,
						   state->batch.selection, (int) nselected);
		batch->nleft = nselected;
	}
	return COMPUTED;
}

/*
 * Returns which rows a column takes, of those that `found` tells; NULL: all of
 * them.
 */
static const uint8 *
rows_to_keep(WaScanState *state, const WaQueryColumn *column,
			 const uint8 *found, size_t nrows)
{
	const WaVector *condition;
	const uint8 *bools;

	if (column->filter < 0)
		return found;
	condition =
		wa_interpreter_register(state->query.interpreter, column->filter);
	bools = wa_vector_bools(condition);
	if (!condition->has_nulls && found == NULL)
		return bools;
	for (size_t i = 0; i < nrows; i++)
		state->batch.keep[i] =
			bools[i] & (uint8) wa_vector_is_valid(condition, i);
	for (size_t i = 0; found != NULL && i < nrows; i++)
		state->batch.keep[i] &= found[i];
	return state->batch.keep;
}

/* Brings the rows that are left into their groups, or spills them. */
static void
take_rows(WaScanState *state, size_t nrows)
{
	const uint32 *groups = NULL;
	const uint8 *found = NULL;

	if (state->store.groups != NULL)
	{
		wa_groups_find(state->store.groups, state->batch.key_vectors, nrows,
					   state->batch.group_numbers);
		groups = state->batch.group_numbers;
		if (wa_spill_missing(&state->store, &state->batch, nrows, &found) == 0)
			return;
	}
	for (int i = 0; i < state->query.ncolumns; i++)
	{
		const WaQueryColumn *column = &state->query.compiled.columns[i];
		const WaVector *values =
			column->argument < 0
				? &state->batch.ones
				: wa_interpreter_register(state->query.interpreter,
										  column->argument);

		wa_accumulator_grow(state->store.columns[i],
							wa_scan_groups(&state->store));
		wa_accumulator_take(state->store.columns[i], groups,
							rows_to_keep(state, column, found, nrows), values,
							nrows);
	}
}

/* Computes a batch in vectors. */
static Outcome
compute(WaScanState *state, Batch *batch)
{
	Outcome outcome;

	batch->nleft = (size_t) batch->nrows;
	wa_gather_begin(state->source.gather, state->batch.rows, batch->nrows);
	outcome = apply_filters(state, batch);
	if (outcome != COMPUTED || batch->nleft == 0)
		return outcome;
	return run_stage(state, batch, (int) state->query.compiled.nfilters,
					 (int) state->query.compiled.begin,
					 (int) state->query.compiled.end);
}

/* Takes a batch without vectors. */
static void
take_row_by_row(WaScanState *state, int nrows)
{
	const bool were_spilled = wa_spill_is_reading(&state->store);
	int64 kept = 0;

	wa_clock_enter(&state->clock, WA_PHASE_COMPUTING);
	for (int i = 0; i < nrows; i++)
		if (wa_rowwise_take(state->batch.rowwise, &state->batch.rows[i]))
			kept++;
	if (were_spilled)
		return;
	state->now.kept_rows += kept;
	state->now.rowwise_rows += nrows;
}

/*
 * Has one of the first rows come to a stage in PostgreSQL's own way, which runs the
 * subselects that it needs, and computes what is computed once.  Returns as
 * wa_interpreter_prepare.
 */
static bool
reach(WaScanState *state, int nrows, int stage)
{
	for (int i = 0; i < nrows; i++)
		if (wa_rowwise_look(state->batch.rowwise, &state->batch.rows[i]) >=
			stage)
			break;
	return wa_interpreter_reach(state->query.interpreter,
								state->css.ss.ps.ps_ExprContext, stage);
}

/* Computes a batch in vectors; returns false if it cannot. */
static bool
compute_batch(WaScanState *state, Batch *batch)
{
	Outcome outcome = compute(state, batch);

	while (outcome == LACKING)
	{
		if (!reach(state, batch->nrows, batch->stage))
			return false;
		outcome = compute(state, batch);
	}
	return outcome == COMPUTED;
}

/* Takes a batch in vectors; returns false, with nothing taken, if it cannot. */
static bool
take_in_vectors(WaScanState *state, int nrows)
{
	Batch batch = {.nrows = nrows};

	if (!wa_interpreter_prepare(state->query.interpreter,
								state->css.ss.ps.ps_ExprContext) ||
		!compute_batch(state, &batch))
		return false;
	if (batch.nleft > 0)
		take_rows(state, batch.nleft);
	state->now.kept_rows += (int64) batch.nleft;
	return true;
}

/* The same for a batch of rows that were spilled. */
static bool
take_spilled_in_vectors(WaScanState *state, int nrows)
{
	const int stage = (int) state->query.compiled.nfilters;

	if (!wa_interpreter_prepare(state->query.interpreter,
								state->css.ss.ps.ps_ExprContext) ||
		(wa_interpreter_lacks(state->query.interpreter, stage) &&
		 !reach(state, nrows, stage)) ||
		!wa_spill_rows_gather(state->store.spill_rows, state->batch.rows,
							  nrows))
		return false;
	wa_clock_enter(&state->clock, WA_PHASE_COMPUTING);
	if (!wa_interpreter_run(state->query.interpreter,
							(int) state->query.compiled.begin,
							(int) state->query.compiled.end, (size_t) nrows) ||
		wa_interpreter_misses(state->query.interpreter, stage, (size_t) nrows))
		return false;
	take_rows(state, (size_t) nrows);
	return true;
}

void
wa_scan_begin(WaScanState *state)
{
	wa_scan_make_groups(&state->store);
	if (state->source.heap != NULL)
		wa_heap_leave_out(state->source.heap, NULL);
	if (state->source.covered != NULL)
		pfree(state->source.covered);
	state->source.covered = NULL;
	state->source.is_covered = false;
	if (state->source.heap == NULL)
		state->source.heap = wa_heap_begin(state->source.relation,
										   state->source.estate->es_snapshot);
	else
		wa_heap_rescan(state->source.heap);
}

/* Has more rows tried at once where some tries have been of use. */
static void
hasten(WaPace *pace)
{
	pace->nwrong = 0;
	if (++pace->nright < RIGHT_TRIES || pace->rows >= WA_VECTOR_ROWS)
		return;
	pace->rows *= 2;
	pace->nright = 0;
}

/* Has fewer than so many tried at once; returns false if these are few enough. */
static bool
slow_down(WaPace *pace, int nrows)
{
	pace->nright = 0;
	if (nrows <= MIN_TRIED_ROWS)
		return false;
	pace->rows = Max(nrows / 2, MIN_TRIED_ROWS);
	return true;
}

/* Has some rows not tried if the last tries of the fewest were of no use. */
static void
give_up(WaPace *pace)
{
	const int times = ++pace->nwrong - WRONG_TRIES;

	if (times >= 0)
		pace->nsingly = times < 8 ? MIN_TRIED_ROWS << times : MAX_SINGLY_ROWS;
}

/*
 * Takes some of the first `most` rows of a batch, in vectors or singly.  Returns how
 * many, or 0 if fewer are to be tried.  in_vectors: see take_in_pieces.
 */
static int
take_piece(WaScanState *state, int most, bool (*in_vectors)(WaScanState *, int))
{
	WaPace *pace = &state->batch.pace;
	int nrows = Min(most, pace->nsingly);

	if (nrows > 0)
	{
		pace->nsingly -= nrows;
		take_row_by_row(state, nrows);
		return nrows;
	}
	nrows = Min(most, pace->rows);
	if (in_vectors(state, nrows))
		hasten(pace);
	else if (slow_down(pace, nrows))
		return 0;
	else
	{
		take_row_by_row(state, nrows);
		give_up(pace);
	}
	return nrows;
}

/*
 * Takes a batch in pieces whose groups, if they are all new, have room in memory,
 * and of which most, if few rows have no vectors, have them.  in_vectors: takes so
 * many of the rows, or returns false if it cannot.
 */
static void
take_in_pieces(WaScanState *state, int nrows,
			   bool (*in_vectors)(WaScanState *, int))
{
	WaRow *rows = state->batch.rows;

	while (nrows > 0)
	{
		const int npiece = take_piece(
			state, Min(nrows, wa_spill_piece(&state->store)), in_vectors);

		wa_spill_check(&state->store);
		nrows -= npiece;
		state->batch.rows += npiece;
	}
	state->batch.rows = rows;
}

bool
wa_scan_take_batch(WaScanState *state)
{
	int nrows;

	wa_clock_enter(&state->clock, WA_PHASE_READING);
	nrows = wa_heap_next(state->source.heap, state->batch.rows);
	take_in_pieces(state, nrows, take_in_vectors);
	wa_clock_enter(&state->clock, WA_PHASE_NONE);
	return nrows > 0;
}

void
wa_scan_read(WaScanState *state)
{
	while (wa_scan_take_batch(state))
		;
}

/* Takes a message of groups that were spilled. */
static void
take_spilled_groups(WaScanState *state, const WaSpilledGroups *groups)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	MemoryContext old;

	wa_clock_enter(&state->clock, WA_PHASE_COMPUTING);
	ResetExprContext(econtext);
	old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	wa_scan_merge_groups(&state->store, groups->data, groups->bytes);
	MemoryContextSwitchTo(old);
}

/* Takes the next entry of a partition; returns false if there is none. */
static bool
take_spilled(WaScanState *state)
{
	WaSpilledGroups groups;
	int nrows;

	wa_clock_enter(&state->clock, WA_PHASE_READING);
	nrows = wa_spill_read(&state->store, state->batch.rows, &groups);
	if (nrows == 0)
	{
		take_spilled_groups(state, &groups);
		wa_spill_check(&state->store);
	}
	take_in_pieces(state, nrows, take_spilled_in_vectors);
	wa_clock_enter(&state->clock, WA_PHASE_NONE);
	return nrows >= 0;
}

void
wa_scan_read_partition(WaScanState *state)
{
	wa_scan_make_groups(&state->store);
	wa_spill_open(&state->store);
	while (take_spilled(state))
		;
	wa_spill_finish(&state->store, 1);
}
