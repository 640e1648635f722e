/*
 * early.c
 *		Computes before the scan what is computed once; see early.h.
 *
 * What raises errors but is PostgreSQL's own code is tried in a subtransaction, of
 * which nothing is left if it fails.  All else is computed once one of the table's
 * first rows has been found to need it, which is so for what stands in the first
 * clause of WHERE.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "scan/compile.h"
#include "scan/early.h"

/* Ends a subtransaction that has failed; raises errors that are not kept. */
static void
end_failed(MemoryContext context, ResourceOwner owner)
{
	ErrorData *error;

	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	FlushErrorState();
	RollbackAndReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	if (!wa_error_is_of_arguments(error))
		ReThrowError(error);
	FreeErrorData(error);
}

/*
 * Computes what is PostgreSQL's own.  What has an error is left as it is: if a row
 * needs it, the error is raised then.
 */
static void
try_own(WaScanState *state)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;

	if (IsInParallelMode())
		return; /* which has no subtransactions */
	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		wa_runner_try(state->runner, state->css.ss.ps.ps_ExprContext);
		ReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(context);
		CurrentResourceOwner = owner;
	}
	PG_CATCH();
	{
		end_failed(context, owner);
	}
	PG_END_TRY();
}

/* Has the table's first rows come as far as they do. */
static void
look_at_rows(WaScanState *state)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	const WaRow *rows;
	const int nrows = wa_heap_peek(state->heap, &rows);

	for (int i = 0; i < nrows && !wa_runner_is_complete(state->runner); i++)
	{
		const int stage = wa_rowwise_look(state->rowwise, state, &rows[i]);

		if (!wa_runner_reach(state->runner, econtext, stage))
			return;
	}
}

void
wa_early_try(WaScanState *state)
{
	if (!wa_runner_is_complete(state->runner))
		try_own(state);
}

void
wa_early_compute(WaScanState *state)
{
	wa_early_try(state);
	if (!wa_runner_is_complete(state->runner))
		look_at_rows(state);
}
