/*
 * once.c
 *		When what a program computes once is computed; see once.h.
 */
#include "postgres.h"

#include "scan/once.h"

WaOnce
wa_once_of_constant(const WaConstant *constant, const WaVector *registers)
{
	Node *expression = (Node *) constant->expression;
	WaOnce once = {.stage = constant->stage};

	once.is_conditional = constant->wanted >= 0;
	if (once.is_conditional)
		once.wanted = &registers[constant->wanted];
	once.may_raise = wa_may_raise(expression);
	once.is_foreign = once.may_raise && wa_runs_foreign_code(expression);
	once.params = wa_exec_params(NIL, expression);
	return once;
}

/* Adds what is known of a part of a call; it may be NULL. */
static void
add_part(WaOnce *once, Expr *part)
{
	once->params = wa_exec_params(once->params, (Node *) part);
}

WaOnce
wa_once_of_call(const WaCallExpression *call)
{
	WaOnce once = {.stage = call->stage, .is_conditional = call->guarded};
	ListCell *cell;

	foreach (cell, call->sources)
	{
		const WaSource *source = (const WaSource *) lfirst(cell);
		Node *expression = (Node *) source->expression;

		if (source->number >= 0 || !wa_may_raise(expression))
			continue;
		once.may_raise = true;
		once.is_foreign |= wa_runs_foreign_code(expression);
	}
	foreach (cell, call->sources)
		if (((const WaSource *) lfirst(cell))->number < 0)
			add_part(&once, ((const WaSource *) lfirst(cell))->expression);
	/* A limit is a source as well. */
	add_part(&once, call->expression);
	add_part(&once, call->moved);
	add_part(&once, call->step);
	return once;
}

bool
wa_once_waits(const WaOnce *once, const ExprContext *econtext)
{
	ListCell *cell;

	foreach (cell, once->params)
		if (econtext->ecxt_param_exec_vals[lfirst_int(cell)].execPlan != NULL)
			return true;
	return false;
}

bool
wa_once_is_due(const WaOnce *once, int reached, const ExprContext *econtext)
{
	if (once->may_raise && once->stage > reached)
		return false;
	return !wa_once_waits(once, econtext);
}

bool
wa_once_is_wanted(const WaOnce *once, size_t nrows)
{
	const WaVector *wanted = once->wanted;

	for (size_t i = 0; wanted != NULL && i < nrows; i++)
		if (wa_vector_is_valid(wanted, i) && wa_vector_bools(wanted)[i])
			return true;
	return false;
}
