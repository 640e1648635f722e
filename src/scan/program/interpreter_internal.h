/*
 * interpreter_internal.h
 *		What an interpreter consists of, for interpreter.c and interpreter_describe.c.
 */
#ifndef WA_SCAN_INTERPRETER_INTERNAL_H
#define WA_SCAN_INTERPRETER_INTERNAL_H

#include "scan/expr/lazy.h"
#include "scan/program/interpreter.h"
#include "scan/tables/buckets.h"

/* A constant and how it is computed. */
typedef struct WaInterpreterConstant
{
	const WaConstant *constant;
	WaLazyConstant lazy;
	ExprState *state;
	Oid type;
} WaInterpreterConstant;

/* A call and what it needs to know. */
typedef struct WaInterpreterCall
{
	const WaCallExpression *expression;
	WaLazyConstant lazy;
	WaEvaluation *evaluation;
	WaBuckets *buckets; /* BUCKETS; else NULL */
} WaInterpreterCall;

struct WaInterpreter
{
	const WaCompiler *compiler;
	WaProgram program;
	WaVector *registers;
	WaVector **columns;
	WaInterpreterConstant *constants;
	int nconstants;
	WaInterpreterCall *calls;
	int ncalls;
	int nleft;            /* constants and calls that are to be computed */
	int reached;          /* the last stage that a row has come to; -1: none */
	bool can_run;         /* no constant has been found to have no vector */
	MemoryContext values; /* of constants */
};

#endif /* WA_SCAN_INTERPRETER_INTERNAL_H */
