/*
 * batch_loop.c
 *		Reads rows and brings them into groups, a batch at a time; see batch_loop.h.
 *
 * The groups stay within work_mem * hash_mem_multiplier: rows of others than are
 * there when that is reached are spilled, and follow later (scan/spill/spill.h).
 *
 * A batch is tried in vectors first (query/run/query_batch.h).  One that traps is taken row
 * by row instead, in smaller pieces first, so that one row does not slow down a thousand.
 */
#include "postgres.h"

#include "executor/executor.h"

#include "heap/gather.h"
#include "scan/rows/batch_loop.h"
#include "scan/rows/choose_rows.h"
#include "scan/rows/key_bound.h"
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
	fits = wa_gather_step(state->sources.gather, step, state->sources.vectors);
	wa_clock_enter(&state->clock, WA_PHASE_COMPUTING);
	return fits;
}

/*
 * Gathers what a part of the query uses of the rows that are left, and runs its
 * instructions: of a WaBatchReader.
 */
static WaBatchOutcome
run_part(void *context, uint32_t part, uint32_t begin, uint32_t end,
		 size_t nrows)
{
	WaScanState *state = (WaScanState *) context;
	WaInterpreter *interpreter = state->query.interpreter;

	if (wa_interpreter_lacks(interpreter, (int) part))
		return WA_BATCH_LACKING;
	if (!gather(state, (int) part) ||
		!wa_program_run(&interpreter->program, begin, end,
						interpreter->registers, nrows) ||
		wa_interpreter_misses(interpreter, (int) part, nrows))
		return WA_BATCH_TRAPPED;
	return WA_BATCH_COMPUTED;
}

/* Leaves only the rows of a selection: of a WaBatchReader. */
static void
select_rows(void *context, uint32_t part, const uint16_t *selection,
			size_t nselected)
{
	const WaScanState *state = (const WaScanState *) context;

	wa_gather_keep(state->sources.gather, (int) part, state->sources.vectors,
				   selection, (int) nselected);
}

/* Brings the rows that are left into their groups, or spills them. */
static void
take_rows(WaScanState *state, size_t nrows)
{
	const uint32 *groups = NULL;
	const uint8 *found = NULL;

	if (wa_choose_rows_take(state, nrows))
		return;
	if (state->store.groups != NULL)
	{
		nrows = wa_key_bound_leave_out(state, nrows);
		if (nrows == 0)
			return;
		wa_groups_check(wa_query_groups_find(state->store.groups->table,
											 state->batch.key_vectors, nrows,
											 state->batch.group_numbers));
		wa_key_bound_note(state);
		groups = state->batch.group_numbers;
		if (wa_spill_missing(&state->store, &state->batch, nrows, &found) == 0)
			return;
	}
	for (int i = 0; i < state->query.ncolumns; i++)
	{
		const WaQueryColumn *column = &state->query.compiled.columns[i];

		wa_accumulator_grow(state->store.columns[i],
							wa_scan_groups(&state->store));
		wa_accumulator_take(
			state->store.columns[i], groups,
			wa_query_batch_keep(state->batch.query, column, found, nrows),
			wa_query_batch_values(state->batch.query, column), nrows);
	}
	for (int i = 0; i < state->query.ntransitions; i++)
	{
		WaTransitions *transitions = state->store.transitions[i];

		wa_transitions_grow(transitions, wa_scan_groups(&state->store));
		wa_transitions_take(
			transitions, groups,
			wa_query_batch_keep(state->batch.query,
								&state->query.transitions[i].rows, found,
								nrows),
			nrows);
	}
}

/* Computes a batch in vectors, of which *nrows rows are left. */
static WaBatchOutcome
compute(WaScanState *state, int nbegun, size_t *nrows)
{
	*nrows = (size_t) nbegun;
	wa_gather_begin(state->sources.gather, state->batch.rows, nbegun);
	return wa_query_batch_compute(state->batch.query, nrows);
}

/* Takes a batch without vectors, if there is something that does. */
static void
take_row_by_row(WaScanState *state, int nrows)
{
	const bool were_spilled = wa_spill_is_reading(&state->store);
	int64 kept = 0;

	if (state->batch.rowwise == NULL)
	{
		state->batch.has_left = true;
		return;
	}
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
	if (state->batch.rowwise == NULL)
		return false;
	for (int i = 0; i < nrows; i++)
		if (wa_rowwise_look(state->batch.rowwise, &state->batch.rows[i]) >=
			stage)
			break;
	return wa_interpreter_reach(state->query.interpreter,
								state->css.ss.ps.ps_ExprContext, stage);
}

/* Takes a batch in vectors; returns false, with nothing taken, if it cannot. */
static bool
take_in_vectors(WaScanState *state, int nrows)
{
	WaBatchOutcome outcome;
	size_t nleft;

	if (!wa_interpreter_prepare(state->query.interpreter,
								state->css.ss.ps.ps_ExprContext))
		return false;
	while ((outcome = compute(state, nrows, &nleft)) == WA_BATCH_LACKING)
		if (!reach(state, nrows, (int) state->batch.query->part))
			return false;
	if (outcome == WA_BATCH_TRAPPED)
		return false;
	if (nleft > 0)
		take_rows(state, nleft);
	state->now.kept_rows += (int64) nleft;
	return true;
}

/* The same for a batch of rows that were spilled. */
static bool
take_spilled_in_vectors(WaScanState *state, int nrows)
{
	const int stage = (int) state->query.compiled.nfilters;
	WaInterpreter *interpreter = state->query.interpreter;

	if (!wa_interpreter_prepare(interpreter, state->css.ss.ps.ps_ExprContext) ||
		(wa_interpreter_lacks(interpreter, stage) &&
		 !reach(state, nrows, stage)) ||
		!wa_spill_rows_gather(state->store.spill_rows, state->batch.rows,
							  nrows))
		return false;
	wa_clock_enter(&state->clock, WA_PHASE_COMPUTING);
	if (!wa_program_run(&interpreter->program, state->query.compiled.begin,
						state->query.compiled.end, interpreter->registers,
						(size_t) nrows) ||
		wa_interpreter_misses(interpreter, stage, (size_t) nrows))
		return false;
	take_rows(state, (size_t) nrows);
	return true;
}

void
wa_scan_begin_share(WaScanState *state, const WaWantedKeys *wanted)
{
	state->batch.query->reader = (WaBatchReader){run_part, select_rows, state};
	wa_scan_make_groups(&state->store);
	wa_choose_rows_begin(state);
	wa_key_bound_begin(state, wanted);
	wa_sources_begin(&state->sources);
}

void
wa_scan_begin(WaScanState *state)
{
	const WaWantedKeys wanted = wa_wanted_keys(state);

	wa_scan_begin_share(state, &wanted);
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
	nrows = wa_sources_read(&state->sources, state->batch.rows);
	take_in_pieces(state, nrows, take_in_vectors);
	wa_clock_enter(&state->clock, WA_PHASE_NONE);
	return nrows > 0;
}

void
wa_scan_read(WaScanState *state)
{
	while (wa_scan_take_batch(state))
		;
	wa_choose_rows_finish(state);
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
