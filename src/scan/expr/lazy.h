/*
 * lazy.h
 *		When lazy constants, which do not depend on rows, are computed.
 *
 * PostgreSQL evaluates what does not depend on rows when a row needs it: then it
 * may raise an error, or run a subselect.  What can do neither is computed as the
 * scan starts.  All else waits until a row has come to the stage that needs it, or,
 * behind a condition, until the subselects that it uses have been run for a row
 * that PostgreSQL has evaluated (scan/rows/batch_loop.c).
 */
#ifndef WA_SCAN_LAZY_H
#define WA_SCAN_LAZY_H

#include "nodes/execnodes.h"

#include "scan/expr/compile.h"

typedef struct WaLazyConstant
{
	int stage; /* of the program, the first that needs it */
	bool
		is_conditional; /* not all rows of the stage do, and it has no errors */
	const WaVector *wanted; /* if so: BOOL, those that do; NULL: a call's */
	bool may_raise;
	bool is_foreign; /* it may do so in code that is not the system's own */
	List *params;    /* the numbers of what subselects and outer rows return */
	bool is_computed;
} WaLazyConstant;

/* Describes a constant, or what a call needs of that kind. */
extern WaLazyConstant wa_lazy_of_constant(const WaConstant *constant,
										  const WaVector *registers);
extern WaLazyConstant wa_lazy_of_call(const WaCallExpression *call);

/* Tells whether it uses a subselect that has not been run. */
extern bool wa_lazy_waits(const WaLazyConstant *lazy,
						  const ExprContext *econtext);

/*
 * Tells whether it can be computed where a row is known to have come to a stage;
 * -1: to none.
 */
extern bool wa_lazy_is_due(const WaLazyConstant *lazy, int reached,
						   const ExprContext *econtext);

/* Tells whether one of the rows of its stage, which has been run, needs it. */
extern bool wa_lazy_is_wanted(const WaLazyConstant *lazy, size_t nrows);

#endif /* WA_SCAN_LAZY_H */
