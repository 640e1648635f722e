/*
 * fill.c
 *		Batch after batch of groups: of the table, and of what was spilled; see fill.h.
 *
 * The first batch is of what the device process has answered, of what workers have read,
 * and of the rest.
 */
#include "postgres.h"

#include "executor/executor.h"

#include "client/client.h"
#include "scan/node/fill.h"
#include "scan/parallel/parallel.h"
#include "scan/resident/resident.h"
#include "scan/rows/batch_loop.h"
#include "scan/spill/spill.h"
#include "scan/state/instrument.h"
#include "scan/state/why_heap.h"

/* Reads what the device process has not answered for. */
static void
read_heap(WaScanState *state)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;

	if (state->source.is_covered)
		wa_spill_check(&state->store);
	else
		(void) wa_scan_take_batch(state);
	/* Workers are given what subselects return, which may not be run in vain. */
	while (wa_interpreter_waits(state->query.interpreter, econtext) &&
		   wa_scan_take_batch(state))
		;
	wa_parallel_read(state);
	wa_scan_read(state);
}

/* Reads the table. */
static void
read_table(WaScanState *state)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;

	wa_scan_begin(state);
	if (!ExecQual(state->one_time_filter, econtext))
		return;
	if (!wa_heap_has_rows(state->source.heap))
		return;
	if (wa_interpreter_prepare(state->query.interpreter, econtext))
		wa_resident_use(state);
	else
		wa_why_heap_note(&state->source, "no vector holds a constant's value");
	wa_heap_may_mark(state->source.heap);
	read_heap(state);
	wa_spill_finish(&state->store, 1);
}

void
wa_scan_start(WaScanState *state)
{
	if (state->query.is_ours)
		wa_client_begin();
	wa_spill_end(&state->store);
	wa_instrument_start(state);
	state->is_started = true;
}

bool
wa_scan_fill(WaScanState *state)
{
	if (state->batches > 0 && !wa_spill_is_left(&state->store))
		return false;
	state->next = 0;
	if (state->batches++ == 0)
		read_table(state);
	else
		wa_scan_read_partition(state);
	return true;
}
