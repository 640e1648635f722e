/*
 * compile.h
 *		From expressions of SQL to a query program.
 *
 * The same compiler runs when a query is planned, to learn whether the program
 * language covers its expressions, and when it is executed.
 */
#ifndef WA_SCAN_COMPILE_H
#define WA_SCAN_COMPILE_H

#include "nodes/params.h"
#include "nodes/primnodes.h"

#include "core/program.h"

/* A subexpression without columns: it is evaluated once, as the scan starts. */
typedef struct WaConstant
{
	uint16 number; /* its register */
	bool trimmed;  /* a bpchar, to be used without its trailing blanks */
	Expr *expression;
} WaConstant;

/* The functions that core does not have; see scan/calls.h and scan/buckets.h. */
typedef enum WaCallKind
{
	WA_CALL_TRIM,        /* a bpchar without its trailing blanks */
	WA_CALL_BUCKETS,     /* a function of a timestamp that seldom changes */
	WA_CALL_EPOCH,       /* a timestamp in seconds since 1970 */
	WA_CALL_FLOOR_DIVIDE /* the floor of a numeric over a constant */
} WaCallKind;

/* A call of such a function. */
typedef struct WaCallExpression
{
	uint32 number; /* of the call */
	WaCallKind kind;
	Expr *function; /* BUCKETS: the FuncExpr */
	Expr *argument; /* a constant argument, or NULL */
	WaVectorKind result;
} WaCallExpression;

typedef struct WaCompiler
{
	Index varno;         /* of the relation */
	const char *refusal; /* why the last expression could not be compiled */
	int ncolumns;
	AttrNumber *attnums; /* of the columns, ascending; registers from 0 */
	WaVectorKind *kinds; /* of the registers */
	int nregisters;
	WaInstruction *instructions;
	int ninstructions;
	List *constants; /* WaConstant */
	List *calls;     /* WaCallExpression */
	List *done;      /* what registers hold at this point of the program */
} WaCompiler;

/*
 * Starts a program over the columns of relation varno that the expressions, a
 * list, use.  Returns NULL, with *refusal set, if one of them has no vector.
 */
extern WaCompiler *wa_compiler_make(Index varno, List *expressions,
									const char **refusal);

/*
 * Appends instructions that compute the expression.  Returns the number of the
 * register with its value, or -1, with compiler->refusal set, if it is not
 * covered.
 */
extern int wa_compile(WaCompiler *compiler, Expr *expression);

/*
 * Forgets what has been computed so far, but for columns and constants: what
 * comes next runs over other rows.
 */
extern void wa_compiler_forget(WaCompiler *compiler);

#endif /* WA_SCAN_COMPILE_H */
