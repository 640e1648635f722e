/*
 * column_function.h
 *		Expressions that PostgreSQL evaluates, as functions of one column.
 *
 * What a program computes for a call to evaluate is put into the call's expression
 * again, so that it is one of columns alone.
 */
#ifndef WA_SCAN_COLUMN_FUNCTION_H
#define WA_SCAN_COLUMN_FUNCTION_H

#include "core/must_check.h"
#include "scan/expr/evaluate.h"

/* A function of a column. */
typedef struct WaColumnFunction
{
	AttrNumber attnum; /* of the column in its table */
	Var *column;       /* OUTER_VAR, 1 */
	WaVectorKind kind; /* of that */
	Expr *expression;  /* over it */
	WaVectorKind result;
} WaColumnFunction;

/*
 * Describes the column itself, as a function of itself; returns false if it is
 * none of texts.
 */
extern WA_MUST_CHECK bool
wa_column_function_of_column(const Var *column, WaColumnFunction *function);

/*
 * Describes what a call of kind EVALUATE computes, if it depends on one column, of
 * texts, integers or dates, and there may be a table (core/lookup_table.h); else returns
 * false.  evaluation: of the call, with its constants; NULL: they are not computed yet,
 * and nothing but whether there may be a table is to be told.
 */
extern WA_MUST_CHECK bool
wa_column_function_of_call(const WaCallExpression *call,
						   const WaEvaluation *evaluation,
						   WaColumnFunction *function);

/* Tells whether there may be ranks of what a function returns: texts, for texts. */
extern bool wa_column_function_has_ranks(const WaColumnFunction *function);

/* Returns a call that evaluates a function of the column. */
extern WaCallExpression
wa_column_function_call(const WaColumnFunction *function);

#endif /* WA_SCAN_COLUMN_FUNCTION_H */
