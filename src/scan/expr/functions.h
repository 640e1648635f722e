/*
 * functions.h
 *		PostgreSQL's functions as instructions of query programs.
 */
#ifndef WA_SCAN_FUNCTIONS_H
#define WA_SCAN_FUNCTIONS_H

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

#endif /* WA_SCAN_FUNCTIONS_H */
