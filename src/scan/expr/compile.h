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

/* A program has at most so many registers: each takes a few kB. */
#define WA_MAX_REGISTERS 1024

/* A subexpression without columns: it is evaluated once (scan/expr/lazy.h). */
typedef struct WaConstant
{
	uint16 number; /* its register */
	bool trimmed;  /* a bpchar, to be used without its trailing blanks */
	int stage;     /* the first that uses it */
	int wanted; /* a BOOL register, true in the rows that need it; -1: all do */
	Expr *expression;

	/* It stands for the value (scan/expr/border.h); NULL: it is it. */
	const struct WaBorder *border;
} WaConstant;

/* The functions that core does not have; see scan/expr/evaluate.h, scan/tables/buckets.h. */
typedef enum WaCallKind
{
	WA_CALL_EVALUATE, /* what PostgreSQL evaluates */
	WA_CALL_BUCKETS,  /* the same, of a time, and it seldom changes */
	WA_CALL_ROWS      /* from keys to the rows of what is joined */
} WaCallKind;

/* What an expression that PostgreSQL evaluates is given. */
typedef struct WaSource
{
	Expr *expression;
	int number; /* the register with its value; -1: it is constant */
} WaSource;

/* A call of such a function. */
typedef struct WaCallExpression
{
	uint32 number; /* of the call */
	int stage;     /* that it belongs to */
	WaCallKind kind;
	WaVectorKind result;
	Expr *
		expression; /* over Vars of OUTER_VAR, the sources from 1 on; ROWS: NULL */
	List *sources; /* WaSource */
	bool guarded;  /* traps for times so far away that it might raise errors */

	/* EVALUATE: a BOOL register, true in the rows that need it; -1: all do */
	int wanted;

	int join;    /* ROWS: its number */
	Expr *moved; /* BUCKETS: the time after shifts, and */
	Expr *step;  /* the step that it is brought to (scan/expr/times.h) */
} WaCallExpression;

typedef struct WaCompiler
{
	Index varno;           /* of the relation */
	struct WaJoins *joins; /* scan/expr/joins.h; NULL: there are none */
	const char *refusal;   /* why the last expression could not be compiled */
	int ncolumns;
	AttrNumber *attnums; /* of the columns, ascending; registers from 0 */
	WaVectorKind *kinds; /* of the registers */
	int nregisters;
	int nspare; /* beyond those of a program, for what is evaluated as a whole */
	WaInstruction *instructions;
	int ninstructions;
	List *constants;     /* WaConstant */
	List *lists;         /* WaIntList */
	List *calls;         /* WaCallExpression */
	struct WaDone *done; /* what registers hold at this point of the program */
	int ndone;
	int done_size;
	int *buckets; /* of these by their hashes: the last one of each; or -1 */
	struct known_hash *known; /* of the expressions; see compile_nodes.c */
	int depth;    /* of what is compiled, within an expression that was given */
	int work;     /* nodes that were looked at, to bound how long that takes */
	bool is_long; /* what is compiled has got too long for a program */
	int weight;   /* of calls, in instructions */
	int conditional; /* not 0: PostgreSQL may not evaluate what is compiled */
	int no_fallback; /* not 0: PostgreSQL is not to evaluate anything */
	int stage; /* what is compiled: a clause of WHERE, by its number, or last of
				* all what comes after WHERE */
	struct WaGuard *guard; /* behind which condition what is compiled stands */
} WaCompiler;

/*
 * Tells whether expressions have too many levels: the compiler takes more of the
 * stack for each than PostgreSQL does.
 */
extern bool wa_is_deep(List *expressions);

/*
 * Returns a hash of an argument and a filter, which may be NULL: the same for those
 * that are equal().
 */
extern uint32 wa_column_hash(Expr *argument, Expr *filter);

/*
 * Returns an expression for the place of the row of relation varno (heap/place.h), of type
 * bigint: the column ctid, with a type that it does not have in queries of users, which are
 * refused where they use it.  It is compiled as any column of the kind INT.  It is for
 * programs only: PostgreSQL would not evaluate it to the place.
 */
extern Var *wa_compiler_place(Index varno);

/* Tells whether a program has places of rows among its columns. */
extern bool wa_compiler_has_places(const WaCompiler *compiler);

/*
 * Starts a program over the columns of relation varno, and values that are joined to it
 * (NULL: there are none), that the expressions, a list, use.  Returns NULL, with *refusal
 * set, if one of them has no vector.
 */
extern WaCompiler *wa_compiler_make(Index varno, struct WaJoins *joins,
									List *expressions, const char **refusal);

/*
 * Appends instructions that compute the expression, which PostgreSQL would
 * evaluate for all rows of the step, or, while compiler->conditional is not 0, for
 * some of them.  Returns the number of the register with its value, or -1, with
 * compiler->refusal set, if it is not covered.
 */
extern int wa_compile(WaCompiler *compiler, Expr *expression);

/*
 * The same of the argument of an aggregate, whose value is looked at only for the
 * rows that fulfil the filter, if it is not NULL.  counted: nothing but whether
 * the argument is NULL matters; if no vector can hold its type, there is a BOOL
 * in its place, and else a TEXT of values as they are stored.  In place of a numeric
 * that seldom fits a vector there is a TEXT of its bytes.
 */
extern int wa_compile_argument(WaCompiler *compiler, Expr *argument,
							   Expr *filter, bool counted);

/* The same of a key, which may be a numeric that seldom fits a vector. */
extern int wa_compile_key(WaCompiler *compiler, Expr *key);

/*
 * Returns the call by which a register has its value in the end; NULL: it has it
 * otherwise.
 */
extern const WaCallExpression *wa_compiler_call_of(const WaCompiler *compiler,
												   int number);

/*
 * Forgets what has been computed since compiler->ndone was so, but for columns and
 * constants: what comes next runs over other rows.
 */
extern void wa_compiler_forget(WaCompiler *compiler, int ndone);

#endif /* WA_SCAN_COMPILE_H */
