/*
 * runner.c
 *		A query program with its registers; see runner.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/memutils.h"

#include "scan/column_function.h"
#include "scan/datum.h"
#include "scan/runner_internal.h"
#include "scan/step_tables.h"

/* Gives the registers their memory. */
static void
place_registers(WaRunner *runner, const WaCompiler *compiler)
{
	Size bytes = 0;
	char *memory;

	for (int i = 0; i < compiler->nregisters; i++)
		bytes += wa_vector_register_bytes(compiler->kinds[i]);
	memory = palloc0(bytes + 64);
	memory = (char *) TYPEALIGN(64, memory);
	runner->registers = palloc(sizeof(WaVector) * (compiler->nregisters + 1));
	for (int i = 0; i < compiler->nregisters; i++)
	{
		wa_vector_place_register(&runner->registers[i], compiler->kinds[i],
								 memory);
		memory += wa_vector_register_bytes(compiler->kinds[i]);
	}
	runner->ncolumns = compiler->ncolumns;
	runner->columns = palloc(sizeof(WaVector *) * (compiler->ncolumns + 1));
	for (int i = 0; i < compiler->ncolumns; i++)
		runner->columns[i] = &runner->registers[i];
}

/* Prepares the constants. */
static void
make_constants(WaRunner *runner, const WaCompiler *compiler,
			   ParamListInfo parameters)
{
	ListCell *cell;

	runner->constants = palloc(sizeof(WaRunnerConstant) *
							   (list_length(compiler->constants) + 1));
	foreach (cell, compiler->constants)
	{
		WaRunnerConstant *made = &runner->constants[runner->nconstants++];

		made->constant = (const WaConstant *) lfirst(cell);
		made->lazy = wa_lazy_of_constant(made->constant, runner->registers);
		made->type = exprType((Node *) made->constant->expression);
		made->state =
			ExecInitExprWithParams(made->constant->expression, parameters);
	}
}

/* Prepares a call. */
static WaCall
make_call(WaRunnerCall *call, const WaCallExpression *wanted,
		  const WaVector *registers, ParamListInfo parameters)
{
	WaColumnFunction function;

	call->expression = wanted;
	call->lazy = wa_lazy_of_call(wanted);
	call->is_of_column = wa_column_function_of_call(wanted, NULL, &function);
	if (wanted->kind == WA_CALL_BUCKETS || wa_step_table_is_possible(wanted))
		call->buckets = wa_buckets_make(wanted, registers, parameters);
	switch (wanted->kind)
	{
		case WA_CALL_EVALUATE:
			call->evaluation =
				wa_evaluation_make(wanted, registers, parameters);
			return (WaCall){wa_evaluation_call, call->evaluation};
		case WA_CALL_BUCKETS:
			return (WaCall){wa_buckets_call, call->buckets};
	}
	pg_unreachable();
}

/* Sets the lists. */
static void
make_lists(WaRunner *runner, const WaCompiler *compiler)
{
	WaIntList *lists =
		palloc(sizeof(WaIntList) * (list_length(compiler->lists) + 1));
	ListCell *cell;

	foreach (cell, compiler->lists)
		lists[foreach_current_index(cell)] = *(const WaIntList *) lfirst(cell);
	runner->program.lists = lists;
	runner->nlists = list_length(compiler->lists);
}

/* Prepares the calls. */
static void
make_calls(WaRunner *runner, const WaCompiler *compiler,
		   ParamListInfo parameters)
{
	int ncalls = list_length(compiler->calls);
	WaCall *calls = palloc(sizeof(WaCall) * (ncalls + 1));
	ListCell *cell;

	runner->calls = palloc0(sizeof(WaRunnerCall) * (ncalls + 1));
	foreach (cell, compiler->calls)
	{
		calls[runner->ncalls] =
			make_call(&runner->calls[runner->ncalls],
					  (const WaCallExpression *) lfirst(cell),
					  runner->registers, parameters);
		runner->ncalls++;
	}
	runner->program.calls = calls;
}

WaRunner *
wa_runner_make(const WaCompiler *compiler, ParamListInfo parameters)
{
	WaRunner *runner = palloc0(sizeof(WaRunner));

	runner->program.nregisters = (uint16) compiler->nregisters;
	runner->program.kinds = compiler->kinds;
	runner->program.instructions = compiler->instructions;
	runner->program.ninstructions = (size_t) compiler->ninstructions;
	runner->attnums = compiler->attnums;
	place_registers(runner, compiler);
	make_constants(runner, compiler, parameters);
	make_lists(runner, compiler);
	make_calls(runner, compiler, parameters);
	runner->values = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg constants", ALLOCSET_SMALL_SIZES);
	wa_runner_reset(runner);
	return runner;
}

/* Repeats row 0 of a vector in all others. */
static void
repeat_first(WaVector *vector, WaVectorKind kind)
{
	size_t width = vector->wide ? sizeof(WaInt128) : wa_vector_width(kind);

	for (size_t i = 1; i < WA_VECTOR_ROWS; i++)
		memcpy((char *) vector->values + i * width, vector->values, width);
}

/* Makes all rows of a vector NULL. */
static void
fill_with_nulls(WaVector *vector, WaVectorKind kind)
{
	memset(vector->values, 0, WA_VECTOR_ROWS * wa_vector_width(kind));
	memset(vector->valid, 0, WA_VECTOR_ROWS);
	vector->has_nulls = true;
	vector->mixed = false;
	vector->wide = false;
	vector->scale = 0;
}

/* Computes a constant; returns false if it has no vector. */
static bool
compute_constant(WaRunner *runner, const WaRunnerConstant *constant,
				 ExprContext *econtext)
{
	WaVector *vector = &runner->registers[constant->constant->number];
	WaVectorKind kind = runner->program.kinds[constant->constant->number];
	bool is_null;
	Datum value = ExecEvalExpr(constant->state, econtext, &is_null);

	if (is_null)
	{
		fill_with_nulls(vector, kind);
		return true;
	}
	if (kind == WA_VECTOR_TEXT || kind == WA_VECTOR_DECIMAL)
		value = PointerGetDatum(PG_DETOAST_DATUM_PACKED(value));
	if (!wa_datum_to_vector(constant->type, kind, value, vector))
		return false;
	if (constant->constant->trimmed)
		*wa_vector_texts(vector) = wa_text_trim(*wa_vector_texts(vector));
	repeat_first(vector, kind);
	return true;
}

/* Has a call compute what does not depend on rows. */
static void
compute_call(const WaRunnerCall *call, ExprContext *econtext)
{
	if (call->evaluation != NULL)
		wa_evaluation_prepare(call->evaluation, econtext);
	if (call->buckets != NULL)
		wa_buckets_prepare(call->buckets, econtext);
}

/* Returns when a constant, or after these a call, is computed. */
static WaLazyConstant *
lazy_of(const WaRunner *runner, int number)
{
	return number < runner->nconstants
			   ? &runner->constants[number].lazy
			   : &runner->calls[number - runner->nconstants].lazy;
}

/* Computes a constant or what a call needs of that kind. */
static void
compute_lazy(WaRunner *runner, int number, ExprContext *econtext)
{
	if (number >= runner->nconstants)
		compute_call(&runner->calls[number - runner->nconstants], econtext);
	else if (!compute_constant(runner, &runner->constants[number], econtext))
		runner->can_run = false;
	lazy_of(runner, number)->is_computed = true;
	runner->nleft--;
}

/*
 * Computes what is due where a row is known to have come to a stage, or, with
 * `own` set, what can be tried.  Values stay where the expressions make them.
 */
static void
compute_due(WaRunner *runner, ExprContext *econtext, bool own)
{
	MemoryContext old;

	if (runner->nleft == 0)
		return;
	old = MemoryContextSwitchTo(runner->values);
	for (int i = 0; i < runner->nconstants + runner->ncalls; i++)
	{
		const WaLazyConstant *lazy = lazy_of(runner, i);

		if (!lazy->is_computed &&
			(own ? !lazy->is_foreign && !wa_lazy_waits(lazy, econtext)
				 : wa_lazy_is_due(lazy, runner->reached, econtext)))
			compute_lazy(runner, i, econtext);
	}
	MemoryContextSwitchTo(old);
}

bool
wa_runner_prepare(WaRunner *runner, ExprContext *econtext)
{
	compute_due(runner, econtext, false);
	return runner->can_run;
}

void
wa_runner_try(WaRunner *runner, ExprContext *econtext)
{
	compute_due(runner, econtext, true);
}

/* Tells whether all rows of a stage need something that is to be computed. */
static bool
is_lacked(const WaLazyConstant *lazy, int stage)
{
	return !lazy->is_computed && !lazy->is_conditional && lazy->stage <= stage;
}

bool
wa_runner_lacks(const WaRunner *runner, int stage)
{
	if (runner->nleft == 0 || runner->reached >= stage)
		return false;
	for (int i = 0; i < runner->nconstants + runner->ncalls; i++)
		if (is_lacked(lazy_of(runner, i), stage))
			return true;
	return false;
}

bool
wa_runner_reach(WaRunner *runner, ExprContext *econtext, int stage)
{
	MemoryContext old = MemoryContextSwitchTo(runner->values);

	runner->reached = Max(runner->reached, stage);
	/* A call may have a condition within that no row has fulfilled yet. */
	for (int i = 0; i < runner->nconstants; i++)
		if (is_lacked(&runner->constants[i].lazy, stage))
			compute_lazy(runner, i, econtext);
	MemoryContextSwitchTo(old);
	return wa_runner_prepare(runner, econtext);
}

bool
wa_runner_misses(const WaRunner *runner, int stage, size_t nrows)
{
	if (runner->nleft == 0)
		return false;
	for (int i = 0; i < runner->nconstants; i++)
	{
		const WaLazyConstant *lazy = &runner->constants[i].lazy;

		if (!lazy->is_computed && lazy->stage == stage &&
			wa_lazy_is_wanted(lazy, nrows))
			return true;
	}
	return false;
}

bool
wa_runner_is_complete(const WaRunner *runner)
{
	return runner->nleft == 0 && runner->can_run;
}

int
wa_runner_first_lacking(const WaRunner *runner, const ExprContext *econtext)
{
	int first = -1;

	for (int i = 0; i < runner->nconstants + runner->ncalls; i++)
	{
		const WaLazyConstant *lazy = lazy_of(runner, i);

		if (lazy->is_computed)
			continue;
		if (i >= runner->nconstants || lazy->is_conditional ||
			(!lazy->is_foreign && !wa_lazy_waits(lazy, econtext)))
			return -1;
		if (first < 0 || lazy->stage < first)
			first = lazy->stage;
	}
	return first;
}

bool
wa_runner_waits(const WaRunner *runner, const ExprContext *econtext)
{
	if (runner->nleft == 0)
		return false;
	for (int i = 0; i < runner->nconstants + runner->ncalls; i++)
		if (!lazy_of(runner, i)->is_computed &&
			wa_lazy_waits(lazy_of(runner, i), econtext))
			return true;
	return false;
}

/* Has a constant computed again; until then it is NULL for those who look. */
static void
reset_constant(WaRunner *runner, WaRunnerConstant *constant)
{
	const int number = constant->constant->number;

	constant->lazy.is_computed = false;
	if (constant->lazy.is_conditional || constant->lazy.may_raise ||
		constant->lazy.params != NIL)
		fill_with_nulls(&runner->registers[number],
						runner->program.kinds[number]);
}

void
wa_runner_reset(WaRunner *runner)
{
	for (int i = 0; i < runner->nconstants; i++)
		reset_constant(runner, &runner->constants[i]);
	for (int i = 0; i < runner->ncalls; i++)
	{
		WaRunnerCall *call = &runner->calls[i];

		call->lazy.is_computed = false;
		if (call->evaluation != NULL)
			wa_evaluation_reset(call->evaluation);
		if (call->buckets != NULL)
			wa_buckets_reset(call->buckets);
	}
	runner->nleft = runner->nconstants + runner->ncalls;
	runner->reached = -1;
	runner->can_run = true;
	MemoryContextReset(runner->values);
}

bool
wa_runner_run(WaRunner *runner, int begin, int end, size_t nrows)
{
	return wa_program_run(&runner->program, (size_t) begin, (size_t) end,
						  runner->registers, nrows);
}

WaVector *
wa_runner_register(const WaRunner *runner, int number)
{
	return &runner->registers[number];
}

int
wa_runner_ncolumns(const WaRunner *runner)
{
	return runner->ncolumns;
}

WaVector *const *
wa_runner_columns(const WaRunner *runner)
{
	return runner->columns;
}
