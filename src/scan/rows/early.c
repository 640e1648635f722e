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

/* What is computed, and where. */
typedef struct Early
{
	WaInterpreter *interpreter;
	ExprContext *econtext;
} Early;

/* Computes what is PostgreSQL's own: a callback. */
static void
compute_own(void *context)
{
	const Early *early = (const Early *) context;

	wa_interpreter_try(early->interpreter, early->econtext);
}

void
wa_early_try(WaInterpreter *interpreter, ExprContext *econtext)
{
	Early early = {interpreter, econtext};

	if (!wa_interpreter_is_complete(interpreter) && !IsInParallelMode())
		(void) wa_attempt(compute_own, &early);
}

/* Has the table's first rows come as far as they do. */
static void
look_at_rows(WaInterpreter *interpreter, ExprContext *econtext,
			 WaHeapScan *heap, WaRowwise *rowwise)
{
	const WaRow *rows;
	const int nrows = wa_heap_peek(heap, &rows);

	for (int i = 0; i < nrows && !wa_interpreter_is_complete(interpreter); i++)
	{
		const int stage = wa_rowwise_look(rowwise, &rows[i]);

		if (!wa_interpreter_reach(interpreter, econtext, stage))
			return;
	}
}

void
wa_early_compute(WaInterpreter *interpreter, ExprContext *econtext,
				 WaHeapScan *heap, WaRowwise *rowwise)
{
	wa_early_try(interpreter, econtext);
	if (!wa_interpreter_is_complete(interpreter))
		look_at_rows(interpreter, econtext, heap, rowwise);
}
