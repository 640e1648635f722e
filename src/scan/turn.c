/*
 * turn.c
 *		Whether what is computed once raises its error in its turn; see turn.h.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

#include "scan/compile.h"
#include "scan/once.h"
#include "scan/turn.h"

/* What has been met, in the order of evaluation. */
typedef struct Order
{
	const ExprContext *econtext;
	List *waiting;  /* what waits to be computed once */
	bool may_raise; /* a row may have had an error */
} Order;

/* Tells whether an expression without columns is not computed before a row needs it. */
static bool
is_waiting(Node *expression, const ExprContext *econtext)
{
	const WaOnce once = {.params = wa_exec_params(NIL, expression)};

	return wa_once_waits(&once, econtext) ||
		   (wa_may_raise(expression) && wa_runs_foreign_code(expression));
}

/*
 * Looks for what waits behind what may raise an error for a row.  Behind itself it
 * has been computed.
 */
static bool
find_late(Node *node, void *context)
{
	Order *order = (Order *) context;

	if (node == NULL)
		return false;
	if (IsA(node, List))
		return expression_tree_walker(node, find_late, context);
	if (!contain_var_clause(node))
	{
		if (!is_waiting(node, order->econtext) ||
			list_member(order->waiting, node))
			return false;
		order->waiting = lappend(order->waiting, node);
		return order->may_raise;
	}
	/* An expression is evaluated after its arguments. */
	if (expression_tree_walker(node, find_late, context))
		return true;
	order->may_raise |= wa_may_raise(node);
	return false;
}

/* The same of what comes after WHERE: keys, then aggregate by aggregate. */
static bool
find_late_behind_where(const WaScanState *state, Order *order)
{
	int ncolumns = 0;

	for (int i = 0; i < state->nkeys; i++)
		if (find_late((Node *) state->keys[i].expression, order))
			return true;
	for (int i = 0; i < state->nresults; i++)
	{
		const WaScanResult *result = &state->results[i];
		const WaScanColumn *column = &state->columns[result->column];

		/* Columns have the order of the first results that need them. */
		if (result->column == ncolumns)
		{
			ncolumns++;
			if (find_late((Node *) column->filter, order) ||
				find_late((Node *) column->argument, order))
				return true;
		}
		if (result->shift != NULL &&
			find_late((Node *) result->shift->parameter, order))
			return true;
	}
	return false;
}

/* Tells whether a row may have an error in one of the first clauses of WHERE. */
static bool
may_raise_in_where(const WaScanState *state, int nclauses)
{
	for (int i = 0; i < nclauses; i++)
		if (wa_may_raise((Node *) list_nth(state->filter_clauses, i)))
			return true;
	return false;
}

bool
wa_turn_has_come(const WaScanState *state, int stage, bool is_sound)
{
	Order order = {.econtext = state->css.ss.ps.ps_ExprContext};

	if (!is_sound && may_raise_in_where(state, stage))
		return false;
	if (stage < state->nfilters)
		return !find_late((Node *) list_nth(state->filter_clauses, stage),
						  &order);
	return !find_late_behind_where(state, &order);
}
