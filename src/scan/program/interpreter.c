/*
 * interpreter.c
 *		A query program with its registers; see interpreter.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/memutils.h"

#include "scan/base/datum.h"
#include "scan/expr/border.h"
#include "scan/program/interpreter.h"

/* Gives the registers their memory. */
static void
place_registers(WaInterpreter *interpreter, const WaCompiler *compiler)
{
	Size bytes = 0;
	char *memory;

	for (int i = 0; i < compiler->nregisters; i++)
		bytes += wa_vector_register_bytes(compiler->kinds[i]);
	memory = palloc0(bytes + 64);
	memory = (char *) TYPEALIGN(64, memory);
	interpreter->registers =
		palloc(sizeof(WaVector) * (compiler->nregisters + 1));
	for (int i = 0; i < compiler->nregisters; i++)
	{
		wa_vector_place_register(&interpreter->registers[i], compiler->kinds[i],
								 memory);
		memory += wa_vector_register_bytes(compiler->kinds[i]);
	}
	interpreter->columns =
		palloc(sizeof(WaVector *) * (compiler->ncolumns + 1));
	for (int i = 0; i < compiler->ncolumns; i++)
		interpreter->columns[i] = &interpreter->registers[i];
}

/* Prepares the constants. */
static void
make_constants(WaInterpreter *interpreter, const WaCompiler *compiler,
			   ParamListInfo parameters)
{
	ListCell *cell;

	interpreter->constants = palloc(sizeof(WaInterpreterConstant) *
									(list_length(compiler->constants) + 1));
	foreach (cell, compiler->constants)
	{
		WaInterpreterConstant *made =
			&interpreter->constants[interpreter->nconstants++];

		made->constant = (const WaConstant *) lfirst(cell);
		made->lazy =
			wa_lazy_of_constant(made->constant, interpreter->registers);
		made->type = exprType((Node *) made->constant->expression);
		made->state =
			ExecInitExprWithParams(made->constant->expression, parameters);
	}
}

/* Finds the rows of a join: of a call. */
static bool
call_rows(void *context, const WaVector *a, WaVector *out, size_t nrows)
{
	const WaInterpreterCall *call = (const WaInterpreterCall *) context;

	if (!wa_join_tables_have(call->interpreter->joined))
		elog(ERROR, "tables of joins are not there");
	wa_key_rows_call(&call->interpreter->joined->rows[call->expression->join],
					 a, out, nrows);
	return true;
}

/* Prepares a call. */
static WaCall
make_call(WaInterpreterCall *call, const WaCallExpression *wanted,
		  const WaVector *registers, ParamListInfo parameters)
{
	call->expression = wanted;
	call->lazy = wa_lazy_of_call(wanted);
	if (wanted->kind == WA_CALL_ROWS)
		return (WaCall){call_rows, call};
	call->evaluation = wa_evaluation_make(wanted, registers, parameters);
	if (wanted->kind != WA_CALL_BUCKETS)
		return (WaCall){wa_evaluation_call, call->evaluation};
	call->buckets = wa_buckets_make(wanted, call->evaluation);
	return (WaCall){wa_buckets_call, call->buckets};
}

/* Sets the lists. */
static void
make_lists(WaInterpreter *interpreter, const WaCompiler *compiler)
{
	WaIntList *lists =
		palloc(sizeof(WaIntList) * (list_length(compiler->lists) + 1));
	ListCell *cell;

	foreach (cell, compiler->lists)
		lists[foreach_current_index(cell)] = *(const WaIntList *) lfirst(cell);
	interpreter->program.lists = lists;
}

/* Prepares the calls. */
static void
make_calls(WaInterpreter *interpreter, const WaCompiler *compiler,
		   ParamListInfo parameters)
{
	int ncalls = list_length(compiler->calls);
	WaCall *calls = palloc(sizeof(WaCall) * (ncalls + 1));
	ListCell *cell;

	interpreter->calls = palloc0(sizeof(WaInterpreterCall) * (ncalls + 1));
	foreach (cell, compiler->calls)
	{
		interpreter->calls[interpreter->ncalls].interpreter = interpreter;
		calls[interpreter->ncalls] =
			make_call(&interpreter->calls[interpreter->ncalls],
					  (const WaCallExpression *) lfirst(cell),
					  interpreter->registers, parameters);
		interpreter->ncalls++;
	}
	interpreter->program.calls = calls;
}

WaInterpreter *
wa_interpreter_make(const WaCompiler *compiler, ParamListInfo parameters)
{
	WaInterpreter *interpreter = palloc0(sizeof(WaInterpreter));

	interpreter->compiler = compiler;
	interpreter->program.nregisters = (uint16) compiler->nregisters;
	interpreter->program.kinds = compiler->kinds;
	interpreter->program.instructions = compiler->instructions;
	interpreter->program.ninstructions = (size_t) compiler->ninstructions;
	place_registers(interpreter, compiler);
	make_constants(interpreter, compiler, parameters);
	make_lists(interpreter, compiler);
	make_calls(interpreter, compiler, parameters);
	interpreter->values = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg constants", ALLOCSET_SMALL_SIZES);
	wa_interpreter_reset(interpreter);
	return interpreter;
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
compute_constant(WaInterpreter *interpreter,
				 const WaInterpreterConstant *constant, ExprContext *econtext)
{
	WaVector *vector = &interpreter->registers[constant->constant->number];
	WaVectorKind kind = interpreter->program.kinds[constant->constant->number];
	const WaBorder *border = constant->constant->border;
	bool is_null;
	Datum value = ExecEvalExpr(constant->state, econtext, &is_null);

	if (is_null)
	{
		fill_with_nulls(vector, kind);
		return true;
	}
	if (border != NULL && !wa_border_find(border, value, &value))
		return false;
	if (!wa_datum_to_vector(border != NULL ? border->type : constant->type,
							kind, value, vector))
		return false;
	if (constant->constant->trimmed)
		*wa_vector_texts(vector) = wa_text_trim(*wa_vector_texts(vector));
	repeat_first(vector, kind);
	return true;
}

/* Has a call compute what does not depend on rows. */
static void
compute_call(const WaInterpreterCall *call, ExprContext *econtext)
{
	if (call->evaluation != NULL)
		wa_evaluation_prepare(call->evaluation, econtext);
	if (call->buckets != NULL)
		wa_buckets_forget(call->buckets);
}

/* Returns when a constant, or after these a call, is computed. */
static WaLazyConstant *
lazy_of(const WaInterpreter *interpreter, int number)
{
	return number < interpreter->nconstants
			   ? &interpreter->constants[number].lazy
			   : &interpreter->calls[number - interpreter->nconstants].lazy;
}

/* Computes a constant or what a call needs of that kind. */
static void
compute_lazy(WaInterpreter *interpreter, int number, ExprContext *econtext)
{
	if (number >= interpreter->nconstants)
		compute_call(&interpreter->calls[number - interpreter->nconstants],
					 econtext);
	else if (!compute_constant(interpreter, &interpreter->constants[number],
							   econtext))
		interpreter->can_run = false;
	lazy_of(interpreter, number)->is_computed = true;
	interpreter->nleft--;
}

/*
 * Computes what is due where a row is known to have come to a stage, or, with
 * `own` set, what can be tried.  Values stay where the expressions make them.
 */
static void
compute_due(WaInterpreter *interpreter, ExprContext *econtext, bool own)
{
	MemoryContext old;

	if (interpreter->nleft == 0)
		return;
	old = MemoryContextSwitchTo(interpreter->values);
	for (int i = 0; i < interpreter->nconstants + interpreter->ncalls; i++)
	{
		const WaLazyConstant *lazy = lazy_of(interpreter, i);

		if (!lazy->is_computed &&
			(own ? !lazy->is_foreign && !wa_lazy_waits(lazy, econtext)
				 : wa_lazy_is_due(lazy, interpreter->reached, econtext)))
			compute_lazy(interpreter, i, econtext);
	}
	MemoryContextSwitchTo(old);
}

bool
wa_interpreter_prepare(WaInterpreter *interpreter, ExprContext *econtext)
{
	compute_due(interpreter, econtext, false);
	return interpreter->can_run;
}

void
wa_interpreter_try(WaInterpreter *interpreter, ExprContext *econtext)
{
	compute_due(interpreter, econtext, true);
}

/* Tells whether all rows of a stage need something that is to be computed. */
static bool
is_lacked(const WaLazyConstant *lazy, int stage)
{
	return !lazy->is_computed && !lazy->is_conditional && lazy->stage <= stage;
}

bool
wa_interpreter_lacks(const WaInterpreter *interpreter, int stage)
{
	if (interpreter->nleft == 0 || interpreter->reached >= stage)
		return false;
	for (int i = 0; i < interpreter->nconstants + interpreter->ncalls; i++)
		if (is_lacked(lazy_of(interpreter, i), stage))
			return true;
	return false;
}

bool
wa_interpreter_reach(WaInterpreter *interpreter, ExprContext *econtext,
					 int stage)
{
	MemoryContext old = MemoryContextSwitchTo(interpreter->values);

	interpreter->reached = Max(interpreter->reached, stage);
	/* A call may have a condition within that no row has fulfilled yet. */
	for (int i = 0; i < interpreter->nconstants; i++)
		if (is_lacked(&interpreter->constants[i].lazy, stage))
			compute_lazy(interpreter, i, econtext);
	MemoryContextSwitchTo(old);
	return wa_interpreter_prepare(interpreter, econtext);
}

bool
wa_interpreter_misses(const WaInterpreter *interpreter, int stage, size_t nrows)
{
	if (interpreter->nleft == 0)
		return false;
	for (int i = 0; i < interpreter->nconstants; i++)
	{
		const WaLazyConstant *lazy = &interpreter->constants[i].lazy;

		if (!lazy->is_computed && lazy->stage == stage &&
			wa_lazy_is_wanted(lazy, nrows))
			return true;
	}
	return false;
}

bool
wa_interpreter_is_complete(const WaInterpreter *interpreter)
{
	return interpreter->nleft == 0 && interpreter->can_run;
}

int
wa_interpreter_first_lacking(const WaInterpreter *interpreter,
							 const ExprContext *econtext)
{
	int first = -1;

	for (int i = 0; i < interpreter->nconstants + interpreter->ncalls; i++)
	{
		const WaLazyConstant *lazy = lazy_of(interpreter, i);

		if (lazy->is_computed)
			continue;
		if (i >= interpreter->nconstants || lazy->is_conditional ||
			(!lazy->is_foreign && !wa_lazy_waits(lazy, econtext)))
			return -1;
		if (first < 0 || lazy->stage < first)
			first = lazy->stage;
	}
	return first;
}

bool
wa_interpreter_waits(const WaInterpreter *interpreter,
					 const ExprContext *econtext)
{
	if (interpreter->nleft == 0)
		return false;
	for (int i = 0; i < interpreter->nconstants + interpreter->ncalls; i++)
		if (!lazy_of(interpreter, i)->is_computed &&
			wa_lazy_waits(lazy_of(interpreter, i), econtext))
			return true;
	return false;
}

/* Has a constant computed again; until then it is NULL for those who look. */
static void
reset_constant(WaInterpreter *interpreter, WaInterpreterConstant *constant)
{
	const int number = constant->constant->number;

	constant->lazy.is_computed = false;
	if (constant->lazy.is_conditional || constant->lazy.may_raise ||
		constant->lazy.params != NIL)
		fill_with_nulls(&interpreter->registers[number],
						interpreter->program.kinds[number]);
}

void
wa_interpreter_reset(WaInterpreter *interpreter)
{
	for (int i = 0; i < interpreter->nconstants; i++)
		reset_constant(interpreter, &interpreter->constants[i]);
	for (int i = 0; i < interpreter->ncalls; i++)
	{
		interpreter->calls[i].lazy.is_computed = false;
		if (interpreter->calls[i].evaluation != NULL)
			interpreter->calls[i].evaluation->is_prepared = false;
	}
	interpreter->nleft = interpreter->nconstants + interpreter->ncalls;
	interpreter->reached = -1;
	interpreter->can_run = true;
	MemoryContextReset(interpreter->values);
}
