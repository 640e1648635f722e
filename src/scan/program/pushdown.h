/*
 * pushdown.h
 *		Which parts of a query the device process computes, and which are left to
 *		PostgreSQL.
 *
 * A part is a clause of WHERE, a key, or an aggregated column with its filter.  One is
 * pushed if the device process has all that computes it.  What is not has inputs that
 * are, columns of the table or expressions over them, by which the device process groups:
 * PostgreSQL then evaluates the rest once for each distinct input of their values
 * (scan/resident/distinct_inputs.h).
 */
#ifndef WA_SCAN_PUSHDOWN_H
#define WA_SCAN_PUSHDOWN_H

#include "nodes/pg_list.h"
#include "nodes/primnodes.h"

#include "core/must_check.h"
#include "core/partial.h"
#include "scan/expr/compile.h"

/* Which tables there may be none of, as they would have too many entries. */
typedef enum WaExcluded
{
	WA_EXCLUDES_NONE,
	WA_EXCLUDES_INTEGERS, /* of integers */
	WA_EXCLUDES_TIMES,    /* nor of dates and times */
	WA_EXCLUDES_TEXTS     /* nor of texts: no pushdown does without these */
} WaExcluded;

/*
 * An aggregated column.  If it is not pushed, its rows may be aggregated nevertheless
 * that a filter takes, or a branch of CASE, when the condition is one of a distinct input.
 */
typedef struct WaPushdownColumn
{
	Expr *argument; /* NULL: rows are counted */
	Expr *filter;   /* NULL: none */
	WaOpSet ops;
	bool is_pushed; /* with its filter */
	List *branches; /* if not: what the argument may be, one or the other */
	Expr *choice;   /* an integer: its place in the list; NULL: there is one */
	Bitmapset *pushed_branches; /* that is pushed, without the filter */
} WaPushdownColumn;

typedef struct WaPushdown
{
	/* What is to be pushed */
	Index varno; /* of the table */
	List *filters;
	List *keys;
	WaPushdownColumn *columns;
	int ncolumns;
	WaExcluded excluded;

	/* What comes of it */
	List *pushed_filters;
	List *unpushed_filters;
	int ntried;   /* expressions that might have been inputs */
	List *params; /* that plan nodes set, by their numbers, of what is left */

	/*
	 * Expressions, by which the device process is to group: the keys that are pushed, and
	 * the inputs of what is not.
	 */
	List *by;
} WaPushdown;

/*
 * Finds out which parts of a query are pushed.  Returns false if none can be: something
 * that is not pushed needs a column that cannot be sent, or a numeric of which the digits
 * shown cannot be.
 */
extern WA_MUST_CHECK bool wa_push_down(WaPushdown *pushdown);

/*
 * Returns a part of the query that is not pushed as an expression over a tuple of
 * OUTER_VAR, which has what the device process groups by.
 */
extern Node *wa_pushdown_refer(const WaPushdown *pushdown, Node *expression);

/* Tells whether there may be tables (core/lookup_table.h) of all that a program calls. */
extern bool wa_calls_are_pushable(const WaCompiler *compiler);

/*
 * Returns what a program calls that `excluded` has no tables of, and less would have, as
 * a list of WaCallExpression.
 */
extern List *wa_calls_excluded(const WaCompiler *compiler, WaExcluded excluded);

#endif /* WA_SCAN_PUSHDOWN_H */
