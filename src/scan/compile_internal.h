/*
 * compile_internal.h
 *		What the parts of the compiler share.
 *
 * Each function that returns a register returns -1, with compiler->refusal set,
 * if it could not; registers that are given may be -1 too, which is passed on.
 */
#ifndef WA_SCAN_COMPILE_INTERNAL_H
#define WA_SCAN_COMPILE_INTERNAL_H

#include "scan/compile.h"

/* As wa_compile, with compiler->conditional higher meanwhile if so asked. */
extern int wa_compile_conditional(WaCompiler *compiler, Expr *expression,
								  bool conditional);

/* Notes why an expression is not covered.  Returns -1. */
extern int wa_compiler_refuse(WaCompiler *compiler, const char *reason);

/*
 * Notes that a register holds an expression's value, or of a bpchar, that
 * without its trailing blanks.  lasting: it is a column or a constant.  Returns
 * the register.
 */
extern int wa_compiler_note(WaCompiler *compiler, Expr *expression, int number,
							bool trimmed, bool lasting);

/* Returns the register that holds an expression's value, or -1. */
extern int wa_compiler_find(const WaCompiler *compiler, Expr *expression,
							bool trimmed);

/* Appends an instruction; returns the register of its result, of the kind. */
extern int wa_compiler_emit(WaCompiler *compiler, WaOpcode code,
							WaVectorKind kind, int a, int b, int c,
							uint32 extra);

/* Appends a call from register a; all but its number is set. */
extern int wa_compiler_call(WaCompiler *compiler, WaCallExpression call, int a);

/* A point in a program that can be returned to. */
typedef struct WaCompilerMark
{
	int nregisters;
	int ninstructions;
	int nconstants;
	int ncalls;
	int ndone;
	int weight;
} WaCompilerMark;

extern WaCompilerMark wa_compiler_mark(const WaCompiler *compiler);

/* Takes away what has been compiled since the mark. */
extern void wa_compiler_return(WaCompiler *compiler,
							   const WaCompilerMark *mark);

/* Returns a register for a value that is computed before the scan. */
extern int wa_compile_constant(WaCompiler *compiler, Expr *expression,
							   bool trimmed);

/* Compiles a bpchar without its trailing blanks. */
extern int wa_compile_trimmed(WaCompiler *compiler, Expr *expression);

/*
 * Compiles the call of a function or operator; expression: the whole of it, oid:
 * the function.
 */
extern int wa_compile_function(WaCompiler *compiler, Expr *expression, Oid oid,
							   List *args, Oid collation);

/*
 * Has PostgreSQL evaluate the expression, from values that the program computes
 * as far as it can.
 */
extern int wa_compile_evaluation(WaCompiler *compiler, Expr *expression);

/*
 * Tells whether the result of an expression is a numeric that seldom fits a
 * vector: a quotient, or what is computed from one.
 */
extern bool wa_is_wide(Node *expression);

/* Returns the function of a FuncExpr, OpExpr or the like; else InvalidOid. */
extern Oid wa_function_of(Node *expression);

#endif /* WA_SCAN_COMPILE_INTERNAL_H */
