/*
 * lazy.c
 *		When lazy constants, which do not depend on rows, are computed; see lazy.h.
 */
#include "postgres.h"

#include "scan/expr/errors.h"
#include "scan/expr/lazy.h"

WaLazyConstant
wa_lazy_of_constant(const WaConstant *constant, const WaVector *registers)
{
	Node *expression = (Node *) constant->expression;
	WaLazyConstant lazy = {.stage = constant->stage};

	lazy.is_conditional = constant->wanted >= 0;
	if (lazy.is_conditional)
		lazy.wanted = &registers[constant->wanted];
	lazy.may_raise = wa_may_raise(expression);
	lazy.is_foreign = lazy.may_raise && wa_runs_foreign_code(expression);
	lazy.params = wa_exec_params(NIL, expression);
	return lazy;
}

WaLazyConstant
wa_lazy_of_call(const WaCallExpression *call)
{
	WaLazyConstant lazy = {.stage = call->stage,
						   .is_conditional = call->guarded};
	ListCell *cell;

	foreach (cell, call->sources)
	{
		const WaSource *source = (const WaSource *) lfirst(cell);
		Node *expression = (Node *) source->expression;

		if (source->number >= 0)
			continue;
		lazy.params = wa_exec_params(lazy.params, expression);
		if (!wa_may_raise(expression))
			continue;
		lazy.may_raise = true;
		lazy.is_foreign |= wa_runs_foreign_code(expression);
	}
	lazy.params = wa_exec_params(lazy.params, (Node *) call->expression);
	lazy.params = wa_exec_params(lazy.params, (Node *) call->moved);
	lazy.params = wa_exec_params(lazy.params, (Node *) call->step);
	return lazy;
}

bool
wa_lazy_waits(const WaLazyConstant *lazy, const ExprContext *econtext)
{
	ListCell *cell;

	foreach (cell, lazy->params)
		if (econtext->ecxt_param_exec_vals[lfirst_int(cell)].execPlan != NULL)
			return true;
	return false;
}

bool
wa_lazy_is_due(const WaLazyConstant *lazy, int reached,
			   const ExprContext *econtext)
{
	if (lazy->may_raise && lazy->stage > reached)
		return false;
	return !wa_lazy_waits(lazy, econtext);
}

bool
wa_lazy_is_wanted(const WaLazyConstant *lazy, size_t nrows)
{
	const WaVector *wanted = lazy->wanted;

	for (size_t i = 0; wanted != NULL && i < nrows; i++)
		if (wa_vector_is_valid(wanted, i) && wa_vector_bools(wanted)[i])
			return true;
	return false;
}
