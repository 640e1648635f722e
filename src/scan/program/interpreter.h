/*
 * interpreter.h
 *		A query program with its registers, as one execution of a query uses
 *		it.
 */
#ifndef WA_SCAN_INTERPRETER_H
#define WA_SCAN_INTERPRETER_H

#include "nodes/execnodes.h"

#include "client/residency.h"
#include "core/must_check.h"
#include "core/protocol.h"
#include "query/message/query.h"
#include "scan/expr/compile.h"
#include "scan/expr/lazy.h"
#include "scan/tables/buckets.h"
#include "scan/tables/join_tables.h"

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
	WaEvaluation *evaluation;                /* ROWS: NULL */
	WaBuckets *buckets;                      /* BUCKETS; else NULL */
	const struct WaInterpreter *interpreter; /* that it is of */
} WaInterpreterCall;

typedef struct WaInterpreter
{
	const WaCompiler *compiler;
	WaProgram program;
	WaVector *registers;
	WaVector **columns; /* the first of these, one by one */
	WaInterpreterConstant *constants;
	int nconstants;
	WaInterpreterCall *calls;
	int ncalls;
	int nleft;            /* constants and calls that are to be computed */
	int reached;          /* the last stage that a row has come to; -1: none */
	bool can_run;         /* no constant has been found to have no vector */
	MemoryContext values; /* of constants */

	/* Set by who makes one for rows of a table that is joined; else NULL */
	WaJoinTables *joined;
} WaInterpreter;

/* Tells whether what is joined is looked up in tables that only the device process has. */
static inline bool
wa_interpreter_lends(const WaInterpreter *interpreter)
{
	return interpreter->joined != NULL && interpreter->joined->are_lent;
}

/*
 * Makes an interpreter for what the compiler has compiled, in the current memory
 * context, for a node with these external parameters.
 */
extern WaInterpreter *wa_interpreter_make(const WaCompiler *compiler,
										  ParamListInfo parameters);

/*
 * Computes the lazy constants that can neither raise an error nor run a subselect, or
 * are known to be needed, unless that has been done since wa_interpreter_reset.  Returns
 * false if a constant has no vector: then no program can run.
 */
extern bool wa_interpreter_prepare(WaInterpreter *interpreter,
								   ExprContext *econtext);

/*
 * Tells whether what all rows of a stage need (WaCompiler) has not been computed.
 * Then a row has to come there in PostgreSQL's own way, and wa_interpreter_reach has to
 * be told, before the program of the stage runs.
 */
extern bool wa_interpreter_lacks(const WaInterpreter *interpreter, int stage);

/*
 * Computes what all rows of a stage, and of those before it, need: PostgreSQL has
 * evaluated it for one.  Returns as wa_interpreter_prepare.
 */
extern bool wa_interpreter_reach(WaInterpreter *interpreter,
								 ExprContext *econtext, int stage);

/*
 * Tells whether rows of a stage, whose program has been run, need a constant that
 * has not been computed, and that they have taken for NULL.
 */
extern bool wa_interpreter_misses(const WaInterpreter *interpreter, int stage,
								  size_t nrows);

/*
 * Computes what does not wait for a subselect and is the system's own code, needed
 * or not.  Raises the errors that this raises.
 */
extern void wa_interpreter_try(WaInterpreter *interpreter,
							   ExprContext *econtext);

/* Tells whether everything has been computed, and the program can run. */
extern bool wa_interpreter_is_complete(const WaInterpreter *interpreter);

/*
 * Returns the first stage that lacks something, after wa_interpreter_try; -1 if there is
 * none, or if not all that has not been computed are constants that wait for a
 * row to come to their stage.
 */
extern int wa_interpreter_first_lacking(const WaInterpreter *interpreter,
										const ExprContext *econtext);

/* Tells whether there is a subselect that has not been run. */
extern bool wa_interpreter_waits(const WaInterpreter *interpreter,
								 const ExprContext *econtext);

/* Has the lazy constants computed again: parameters may have changed. */
extern void wa_interpreter_reset(WaInterpreter *interpreter);

/*
 * Describes the program and its constants as part of a query, in the current
 * memory context, with tables in the place of calls, which have been computed.
 * Constants that have not been are NULL.
 * named: the relation and the columns; columns: what is resident of each,
 * undefined if there are no calls.  Returns false if a call cannot be a table, or a
 * constant has more than 18 digits.  May use the parcel.
 */
extern WA_MUST_CHECK bool
wa_interpreter_describe(const WaInterpreter *interpreter,
						const WaSourceColumns *named,
						const WaResidency *columns, WaQuery *query);

/*
 * Adds to a query that was described a register of the ranks, by the order of a
 * collation, that the texts of another register have among the texts of *entries.
 * column: of the registers of columns, what it has in the table.  Returns its
 * number, or -1 if the other one is no function of one column, or there can be no
 * table.
 */
extern WA_MUST_CHECK int wa_interpreter_describe_ranks(
	const WaInterpreter *interpreter, const WaSourceColumns *named,
	const WaResidency *columns, int number, const Var *column, Oid collation,
	WaQuery *query, const WaLookupTable **table);

#endif /* WA_SCAN_INTERPRETER_H */
