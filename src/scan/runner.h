/*
 * runner.h
 *		A query program with its registers, as one execution of a query uses
 *		it.
 */
#ifndef WA_SCAN_RUNNER_H
#define WA_SCAN_RUNNER_H

#include "nodes/execnodes.h"

#include "core/protocol.h"
#include "query/query.h"
#include "scan/compile.h"

typedef struct WaRunner WaRunner;

/*
 * Makes a runner for what the compiler has compiled, in the current memory
 * context, for a node with these external parameters.
 */
extern WaRunner *wa_runner_make(const WaCompiler *compiler,
								ParamListInfo parameters);

/*
 * Computes the constants, unless that has been done since wa_runner_reset.
 * Returns false if one of them has no vector: then no program can run.  Raises
 * the errors that computing them raises.
 */
extern bool wa_runner_prepare(WaRunner *runner, ExprContext *econtext);

/* Has the constants computed again: parameters may have changed. */
extern void wa_runner_reset(WaRunner *runner);

/* Runs instructions; as wa_program_run. */
extern bool wa_runner_run(WaRunner *runner, int begin, int end, size_t nrows);

/* As wa_compiler_catches, of the program. */
extern bool wa_runner_catches(const WaRunner *runner);

/* Returns a register. */
extern WaVector *wa_runner_register(const WaRunner *runner, int number);

/* Returns how many columns there are. */
extern int wa_runner_ncolumns(const WaRunner *runner);

/* Returns the columns, which are the first registers, one by one. */
extern WaVector *const *wa_runner_columns(const WaRunner *runner);

/*
 * Tells whether the program has calls; *tables: whether there may be tables for
 * all of them (scan/step_tables.h).
 */
extern bool wa_runner_has_calls(const WaRunner *runner, bool *tables);

/*
 * Describes the program and its constants, which have been computed, as part of
 * a query, in the current memory context, with tables in the place of calls.
 * columns: what is resident of each; NULL if there are no calls.  Returns false
 * if a call cannot be a table.
 */
extern bool wa_runner_describe(const WaRunner *runner,
							   const WaResidency *columns, WaQuery *query);

#endif /* WA_SCAN_RUNNER_H */
