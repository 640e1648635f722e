/*
 * compile_internal.h
 *		What the parts of the compiler share.
 *
 * Each function that returns a register returns -1, with compiler->refusal set,
 * if it could not; registers that are given may be -1 too, which is passed on.
 */
#ifndef WA_SCAN_COMPILE_INTERNAL_H
#define WA_SCAN_COMPILE_INTERNAL_H

#include "core/must_check.h"
#include "scan/expr/border.h"
#include "scan/expr/compile.h"

/* Which rows come behind a condition. */
typedef enum WaGuardForm
{
	WA_IF_TRUE,     /* those in which it is true */
	WA_UNLESS_TRUE, /* those in which it is false or NULL */
	WA_UNLESS_FALSE /* those in which it is true or NULL */
} WaGuardForm;

/* A condition that something stands behind. */
typedef struct WaGuard
{
	struct WaGuard *outer; /* behind which it stands itself */
	WaGuardForm form;
	int condition; /* its register */
	bool is_used;  /* something was computed in another way because of it */
} WaGuard;

/* As wa_compile, behind a condition that is in a register. */
extern int wa_compile_guarded(WaCompiler *compiler, Expr *expression,
							  WaGuardForm form, int condition);

/* Returns a divisor that is 1 in rows that do not come behind the guard. */
extern int wa_compile_divisor(WaCompiler *compiler, WaVectorKind kind,
							  int divisor);

/* Returns a register that is true in the rows that come behind a guard, and those outside. */
extern int wa_compile_guard(WaCompiler *compiler, WaGuard *guard);

/* What a register holds. */
typedef struct WaDone
{
	uint32 hash; /* of the expression */
	int next;    /* the one before it in its bucket, or -1 */
	int number;
	Expr *expression;
	bool trimmed;
	bool lasting; /* a column or a constant */
} WaDone;

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
extern int wa_compiler_find(WaCompiler *compiler, Expr *expression,
							bool trimmed);

/*
 * Returns the register of a column.  One whose type no vector can hold is TEXT
 * there, of which only evaluations can make sense (heap/gather.h).
 */
extern int wa_compiler_column(const WaCompiler *compiler, const Var *var);

/* Appends an instruction; returns the register of its result, of the kind. */
extern int wa_compiler_emit(WaCompiler *compiler, WaOpcode code,
							WaVectorKind kind, int a, int b, int c,
							uint32 extra);

/* The same of one argument. */
extern int wa_emit_one(WaCompiler *compiler, WaOpcode code, WaVectorKind kind,
					   int a);

/* The same of two arguments, over integers, doubles, numerics and truth values. */
extern int wa_emit_int(WaCompiler *compiler, WaOpcode code, int a, int b);
extern int wa_emit_float(WaCompiler *compiler, WaOpcode code, int a, int b);
extern int wa_emit_decimal(WaCompiler *compiler, WaOpcode code, int a, int b);
extern int wa_emit_bool(WaCompiler *compiler, WaOpcode code, int a, int b);

/* The same of a comparison, WA_LESS or the like. */
extern int wa_emit_comparison(WaCompiler *compiler, WaOpcode code, int a, int b,
							  uint32 comparison);

/* The same of the choice of a value of the kind. */
extern int wa_emit_choice(WaCompiler *compiler, WaVectorKind kind,
						  int condition, int yes, int no);

/* Return the registers of constants. */
extern int wa_constant_int(WaCompiler *compiler, int64 value);
extern int wa_constant_float(WaCompiler *compiler, float8 value);
extern int wa_constant_numeric(WaCompiler *compiler, int64 value);
extern int wa_constant_null(WaCompiler *compiler, Oid type);

/* The same of a power of ten, which shows as many digits as it has after the point. */
extern int wa_constant_power(WaCompiler *compiler, int exponent);

/* Appends a call from register a; all but its number is set. */
extern int wa_compiler_call(WaCompiler *compiler, WaCallExpression call, int a);

/*
 * Counts that so many nodes are looked at.  Returns false, as all that follows,
 * with compiler->is_long and compiler->refusal set, if that takes too long, or if
 * too many registers were needed.
 */
extern bool wa_compiler_work(WaCompiler *compiler, int nnodes);

/* A point in a program that can be returned to. */
typedef struct WaCompilerMark
{
	int nregisters;
	int ninstructions;
	int nconstants;
	int nlists;
	int ncalls;
	int ndone;
	int weight;
} WaCompilerMark;

extern WaCompilerMark wa_compiler_mark(const WaCompiler *compiler);

/* Takes away what has been compiled since the mark. */
extern void wa_compiler_return(WaCompiler *compiler,
							   const WaCompilerMark *mark);

/* Returns an expression whose type is a domain as one of the base type. */
extern Expr *wa_as_base_type(Expr *expression);

/* Returns a register for a value that is computed before the scan. */
extern int wa_compile_constant(WaCompiler *compiler, Expr *expression,
							   bool trimmed);

/* Likewise for what stands for a limit in a comparison. */
extern int wa_compile_border(WaCompiler *compiler, Expr *limit,
							 const WaBorder *border);

/* Compiles a bpchar without its trailing blanks. */
extern int wa_compile_trimmed(WaCompiler *compiler, Expr *expression);

/* Compiles the call of a function or operator. */
extern int wa_compile_function(WaCompiler *compiler, Expr *expression);

/*
 * Compiles a function that is computed by instructions of others, such as trunc of a
 * numeric.  Returns false if it is none of these; *number: the register, or -1.
 */
extern WA_MUST_CHECK bool wa_compile_by_others(WaCompiler *compiler,
											   Oid function, List *args,
											   int *number);

/* The same of functions of times alone. */
extern WA_MUST_CHECK bool wa_compile_moment(WaCompiler *compiler, Oid function,
											List *args, int *number);

/* Compile expressions of these kinds. */
extern int wa_compile_case(WaCompiler *compiler, const CaseExpr *expression);
extern int wa_compile_coalesce(WaCompiler *compiler,
							   const CoalesceExpr *expression);
extern int wa_compile_nullif(WaCompiler *compiler,
							 const NullIfExpr *expression);
extern int wa_compile_distinct(WaCompiler *compiler,
							   const DistinctExpr *expression);
extern int wa_compile_extreme(WaCompiler *compiler,
							  const MinMaxExpr *expression);
extern int wa_compile_list(WaCompiler *compiler,
						   const ScalarArrayOpExpr *expression);

/*
 * Has PostgreSQL evaluate the expression, from values that the program computes
 * as far as it can.
 */
extern int wa_compile_evaluation(WaCompiler *compiler, Expr *expression);

/* Has PostgreSQL evaluate the whole of an expression that is too long. */
extern int wa_compile_whole(WaCompiler *compiler, Expr *expression);

/*
 * Has PostgreSQL evaluate an expression that is wide (wa_is_wide) for every row.
 * The register is a DECIMAL, where rows that do not fit trap, or a TEXT of the
 * bytes of the numeric, without their length.  What no vector can hold is stored as
 * in a tuple.
 */
extern int wa_compile_wide(WaCompiler *compiler, Expr *expression,
						   WaVectorKind kind);

/*
 * Compiles an argument of a type that no vector can hold: into a TEXT whose values
 * have the places of values as they are stored (heap/gather.h).  value: the same, or
 * NULL for rows that the aggregate does not take.
 */
extern int wa_compile_stored(WaCompiler *compiler, Expr *argument, Expr *value);

/* Makes what wa_varies and the next ones remember. */
extern struct known_hash *wa_known_nodes_make(void);

/* Tells whether an expression has columns, as contain_var_clause does. */
extern bool wa_varies(WaCompiler *compiler, Node *expression);

/* Tells whether an expression, or a part of it, is a date or a timestamp. */
extern bool wa_has_time(WaCompiler *compiler, Node *expression);

/* Returns a hash of an expression: the same for those that are equal(). */
extern uint32 wa_expression_hash(WaCompiler *compiler, Node *expression);

/* Returns how many nodes an expression has. */
extern int wa_expression_nodes(WaCompiler *compiler, Node *expression);

/*
 * Notes that an expression could not be compiled, with compiler->conditional and
 * compiler->no_fallback as they are, and why.
 */
extern void wa_compiler_note_failure(WaCompiler *compiler, Node *expression);

/* Tells whether it is known that it cannot be; sets compiler->refusal. */
extern bool wa_compiler_has_failed(WaCompiler *compiler, Node *expression);

/*
 * Tells whether the result of an expression is a numeric that seldom fits a
 * vector: a square root, or what is computed from one.
 */
extern bool wa_is_wide(WaCompiler *compiler, Node *expression);

#endif /* WA_SCAN_COMPILE_INTERNAL_H */
