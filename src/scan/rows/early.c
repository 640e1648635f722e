/*
 * early.c
 *		Computes before the scan the lazy constants; see early.h.
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
#include "scan/rows/early.h"
#include "scan/rows/rowwise.h"

/* Computes what is PostgreSQL's own: a callback. */
static void
compute_own(void *context)
{
	const WaScanState *state = (const WaScanState *) context;

	wa_interpreter_try(state->interpreter, state->css.ss.ps.ps_ExprContext);
}

/*
 * Computes what is PostgreSQL's own.  What has an error is left as it is: if a row
 * needs it, the error is raised then.
 */
static void
try_own(WaScanState *state)
{
	if (!IsInParallelMode())
		(void) wa_attempt(compute_own, state);
}

/* Has the table's first rows come as far as they do. */
static void
look_at_rows(WaScanState *state)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	const WaRow *rows;
	const int nrows = wa_heap_peek(state->heap, &rows);

	for (int i = 0;
		 i < nrows && !wa_interpreter_is_complete(state->interpreter); i++)
	{
		const int stage = wa_rowwise_look(state->rowwise, state, &rows[i]);

		if (!wa_interpreter_reach(state->interpreter, econtext, stage))
			return;
	}
}

void
wa_early_try(WaScanState *state)
{
	if (!wa_interpreter_is_complete(state->interpreter))
		try_own(state);
}

void
wa_early_compute(WaScanState *state)
{
	wa_early_try(state);
	if (!wa_interpreter_is_complete(state->interpreter))
		look_at_rows(state);
}
