/*
 * precompute.c
 *		Computes before the scan the lazy constants; see precompute.h.
 *
 * What raises errors but is PostgreSQL's own code is tried in a subtransaction, of
 * which nothing is left if it fails.  All else is computed once one of the table's
 * first rows has been found to need it, which is so for what stands in the first
 * clause of WHERE.
 */
#include "postgres.h"

#include "access/xact.h"

#include "scan/base/attempt.h"
#include "scan/expr/compile.h"
#include "scan/rows/precompute.h"
#include "scan/rows/rowwise.h"

/* What is computed, and where. */
typedef struct Own
{
	WaInterpreter *interpreter;
	ExprContext *econtext;
} Own;

/* Computes what is PostgreSQL's own: a callback. */
static void
compute_own(void *context)
{
	const Own *own = (const Own *) context;

	wa_interpreter_try(own->interpreter, own->econtext);
}

/* Tries that: a callback. */
static void
try_own(WaAttempts *attempts, void *own)
{
	(void) wa_attempts_try(attempts, compute_own, own);
}

void
wa_precompute(WaInterpreter *interpreter, ExprContext *econtext)
{
	Own own = {interpreter, econtext};

	if (!wa_interpreter_is_complete(interpreter) && !IsInParallelMode())
		wa_attempts_run(true, try_own, &own);
}

/* Has the table's first rows come as far as they do. */
static void
look_at_rows(WaScanState *state)
{
	WaInterpreter *interpreter = state->query.interpreter;
	const WaRow *rows;
	int nrows;

	if (state->sources.count == 0)
		return;
	nrows = wa_heap_peek(wa_sources_heap(&state->sources), &rows);

	for (int i = 0; i < nrows && !wa_interpreter_is_complete(interpreter); i++)
	{
		const int stage = wa_rowwise_look(state->batch.rowwise, &rows[i]);

		if (!wa_interpreter_reach(interpreter, state->css.ss.ps.ps_ExprContext,
								  stage))
			return;
	}
}

void
wa_precompute_all(WaScanState *state)
{
	wa_precompute(state->query.interpreter, state->css.ss.ps.ps_ExprContext);
	/* Nothing can be looked up for rows yet that only the device process has. */
	if (!wa_interpreter_is_complete(state->query.interpreter) &&
		!wa_interpreter_lends(state->query.interpreter))
		look_at_rows(state);
}
