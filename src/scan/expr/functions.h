/*
 * functions.h
 *		PostgreSQL's functions as instructions of query programs, and what calls of
 *		functions and operators are made of.
 */
#ifndef WA_SCAN_FUNCTIONS_H
#define WA_SCAN_FUNCTIONS_H

#include "nodes/primnodes.h"

#include "core/must_check.h"
#include "core/program.h"

/* How a function's arguments become operands of its instruction. */
typedef enum WaFunctionForm
{
	WA_FORM_PLAIN,      /* as they are */
	WA_FORM_NOTHING,    /* the result is the first argument */
	WA_FORM_TRIMMED,    /* bpchars, without their trailing blanks */
	WA_FORM_C_TEXT,     /* texts; only under the C collation */
	WA_FORM_C_TRIMMED,  /* bpchars; likewise */
	WA_FORM_DATE_FIRST, /* a date, made a timestamp, and a timestamp */
	WA_FORM_DATE_LAST,  /* a timestamp, and a date, made one */
	WA_FORM_ROUND,      /* a numeric, and a constant number of digits */
	WA_FORM_TYPMOD,     /* a numeric, and a constant type modifier */
	WA_FORM_TIME        /* a unit, and a time */
} WaFunctionForm;

typedef struct WaFunction
{
	Oid function;
	WaFunctionForm form;
	WaOpcode code;
	uint32 extra;
} WaFunction;

/* Returns what the function is computed by, or NULL if it is not covered. */
extern const WaFunction *wa_function_find(Oid function);

/*
 * Returns the code of the instruction that computes a function of its arguments as they
 * are; -1: there is none.
 */
extern int wa_function_code(Oid function);

/* Returns the function of a FuncExpr, OpExpr or the like; else InvalidOid. */
extern Oid wa_function_of(const Node *expression);

/* Returns the arguments of such; else NIL. */
extern List *wa_arguments_of(const Node *expression);

/* Returns an expression as a constant of the type that is not NULL; NULL: it is none. */
extern const Const *wa_constant_of(const Node *node, Oid type);

/* Returns the text that an expression is a constant of; NULL: it is none. */
extern const char *wa_constant_text(const Node *node);

/* Stores the value of a constant integer; returns false if an expression is none. */
extern WA_MUST_CHECK bool wa_constant_integer(const Node *node, int64 *value);

#endif /* WA_SCAN_FUNCTIONS_H */
