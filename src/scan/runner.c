/*
 * runner.c
 *		A query program with its registers; see runner.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/memutils.h"

#include "scan/buckets.h"
#include "scan/column_function.h"
#include "scan/datum.h"
#include "scan/once.h"
#include "scan/runner.h"
#include "scan/step_tables.h"
#include "scan/text_tables.h"

/* A constant and how it is computed. */
typedef struct Constant
{
	const WaConstant *constant;
	WaOnce once;
	ExprState *state;
	Oid type;
} Constant;

/* A call and what it needs to know. */
typedef struct Call
{
	const WaCallExpression *expression;
	WaOnce once;
	WaEvaluation *evaluation; /* EVALUATE */
	WaBuckets *buckets;       /* BUCKETS, or there may be a table; or NULL */
	bool is_of_column;        /* EVALUATE: it is a function of one */
} Call;

struct WaRunner
{
	WaProgram program;
	WaVector *registers;
	WaVector **columns;
	int ncolumns;
	Constant *constants;
	int nconstants;
	int nlists;
	Call *calls;
	int ncalls;
	const AttrNumber *attnums; /* of the columns */
	bool catches;
	int nleft;            /* constants and calls that are to be computed */
	int reached;          /* the last stage that a row has come to; -1: none */
	bool can_run;         /* no constant has been found to have no vector */
	MemoryContext values; /* of constants */
};

/* Gives the registers their memory. */
static void
place_registers(WaRunner *runner, const WaCompiler *compiler)
{
	Size bytes = 0;
	char *memory;

	for (int i = 0; i < compiler->nregisters; i++)
		bytes += wa_vector_bytes(compiler->kinds[i]);
	memory = palloc0(bytes + 64);
	memory = (char *) TYPEALIGN(64, memory);
	runner->registers = palloc(sizeof(WaVector) * (compiler->nregisters + 1));
	for (int i = 0; i < compiler->nregisters; i++)
	{
		wa_vector_place(&runner->registers[i], compiler->kinds[i], memory);
		memory += wa_vector_bytes(compiler->kinds[i]);
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

	runner->constants =
		palloc(sizeof(Constant) * (list_length(compiler->constants) + 1));
	foreach (cell, compiler->constants)
	{
		Constant *made = &runner->constants[runner->nconstants++];

		made->constant = (const WaConstant *) lfirst(cell);
		made->once = wa_once_of_constant(made->constant, runner->registers);
		made->type = exprType((Node *) made->constant->expression);
		made->state =
			ExecInitExprWithParams(made->constant->expression, parameters);
	}
}

/* Prepares a call. */
static WaCall
make_call(Call *call, const WaCallExpression *wanted, const WaVector *registers,
		  ParamListInfo parameters)
{
	WaColumnFunction function;

	call->expression = wanted;
	call->once = wa_once_of_call(wanted);
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

	runner->calls = palloc0(sizeof(Call) * (ncalls + 1));
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
	runner->catches = wa_compiler_catches(compiler);
	runner->values = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg constants", ALLOCSET_SMALL_SIZES);
	wa_runner_reset(runner);
	return runner;
}

/* Repeats row 0 of a vector in all others. */
static void
repeat_first(WaVector *vector, WaVectorKind kind)
{
	size_t width = wa_vector_width(kind);

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
	vector->scale = 0;
}

/* Computes a constant; returns false if it has no vector. */
static bool
compute_constant(WaRunner *runner, const Constant *constant,
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
compute_call(const Call *call, ExprContext *econtext)
{
	if (call->evaluation != NULL)
		wa_evaluation_prepare(call->evaluation, econtext);
	if (call->buckets != NULL)
		wa_buckets_prepare(call->buckets, econtext);
}

/* Returns when a constant, or after these a call, is computed. */
static WaOnce *
once_of(const WaRunner *runner, int number)
{
	return number < runner->nconstants
			   ? &runner->constants[number].once
			   : &runner->calls[number - runner->nconstants].once;
}

/* Computes a constant or what a call has computed once. */
static void
compute_once(WaRunner *runner, int number, ExprContext *econtext)
{
	if (number >= runner->nconstants)
		compute_call(&runner->calls[number - runner->nconstants], econtext);
	else if (!compute_constant(runner, &runner->constants[number], econtext))
		runner->can_run = false;
	once_of(runner, number)->is_computed = true;
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
		const WaOnce *once = once_of(runner, i);

		if (!once->is_computed &&
			(own ? !once->is_foreign && !wa_once_waits(once, econtext)
				 : wa_once_is_due(once, runner->reached, econtext)))
			compute_once(runner, i, econtext);
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
is_lacked(const WaOnce *once, int stage)
{
	return !once->is_computed && !once->is_conditional && once->stage <= stage;
}

bool
wa_runner_lacks(const WaRunner *runner, int stage)
{
	if (runner->nleft == 0 || runner->reached >= stage)
		return false;
	for (int i = 0; i < runner->nconstants + runner->ncalls; i++)
		if (is_lacked(once_of(runner, i), stage))
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
		if (is_lacked(&runner->constants[i].once, stage))
			compute_once(runner, i, econtext);
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
		const WaOnce *once = &runner->constants[i].once;

		if (!once->is_computed && once->stage == stage &&
			wa_once_is_wanted(once, nrows))
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
		const WaOnce *once = once_of(runner, i);

		if (once->is_computed)
			continue;
		if (i >= runner->nconstants || once->is_conditional ||
			(!once->is_foreign && !wa_once_waits(once, econtext)))
			return -1;
		if (first < 0 || once->stage < first)
			first = once->stage;
	}
	return first;
}

bool
wa_runner_waits(const WaRunner *runner, const ExprContext *econtext)
{
	if (runner->nleft == 0)
		return false;
	for (int i = 0; i < runner->nconstants + runner->ncalls; i++)
		if (!once_of(runner, i)->is_computed &&
			wa_once_waits(once_of(runner, i), econtext))
			return true;
	return false;
}

/* Has a constant computed again; until then it is NULL for those who look. */
static void
reset_constant(WaRunner *runner, Constant *constant)
{
	const int number = constant->constant->number;

	constant->once.is_computed = false;
	if (constant->once.is_conditional || constant->once.may_raise ||
		constant->once.params != NIL)
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
		Call *call = &runner->calls[i];

		call->once.is_computed = false;
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

bool
wa_runner_catches(const WaRunner *runner)
{
	return runner->catches;
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

/* Describes a constant by the first row of its register. */
static void
describe_constant(const WaRunner *runner, uint16 number,
				  WaQueryConstant *constant)
{
	const WaVector *vector = &runner->registers[number];

	memset(constant, 0, sizeof(*constant));
	constant->number = number;
	constant->value.is_null = !wa_vector_is_valid(vector, 0);
	if (constant->value.is_null)
		return;
	switch (runner->program.kinds[number])
	{
		case WA_VECTOR_TEXT:
			constant->value.text = wa_vector_texts(vector)[0];
			break;
		case WA_VECTOR_BOOL:
			constant->value.integer = wa_vector_bools(vector)[0];
			break;
		default:
			constant->value.integer = wa_vector_ints(vector)[0];
			constant->value.scale = vector->scale;
			constant->value.shown =
				vector->mixed ? vector->display[0] : vector->scale;
			break;
	}
}

/* Tells whether there may be a table for a call: it is one of a column. */
static bool
may_be_table(const WaRunner *runner, const WaInstruction *instruction)
{
	const Call *call = &runner->calls[instruction->extra];

	return call->is_of_column || (instruction->a < runner->ncolumns &&
								  wa_step_table_is_possible(call->expression));
}

bool
wa_runner_has_calls(const WaRunner *runner, bool *tables)
{
	*tables = true;
	for (size_t i = 0; i < runner->program.ninstructions; i++)
	{
		const WaInstruction *instruction = &runner->program.instructions[i];

		if (instruction->code == WA_CODE_CALL &&
			!may_be_table(runner, instruction))
			*tables = false;
	}
	return runner->ncalls > 0;
}

/* Returns the number of the column that is one of the table; -1: there is none. */
static int
find_column(const WaRunner *runner, AttrNumber attnum)
{
	for (int i = 0; i < runner->ncolumns; i++)
		if (runner->attnums[i] == attnum)
			return i;
	return -1;
}

/*
 * Describes what a call computes as a function of a column, and which column that
 * is.  Returns false if it is none.
 */
static bool
find_function(const WaRunner *runner, const WaInstruction *call,
			  WaColumnFunction *function, int *column)
{
	const Call *of = &runner->calls[call->extra];
	int varying;

	if (!of->is_of_column ||
		!wa_column_function_of_call(
			of->expression, wa_evaluation_sources(of->evaluation, &varying),
			function))
		return false;
	*column = find_column(runner, function->attnum);
	return *column >= 0;
}

/* Finds the table of a function of integers. */
static const WaSteps *
find_step_table(const WaRunner *runner, const WaColumnFunction *function,
				const WaResidency *residency)
{
	WaCallExpression *call = palloc(sizeof(WaCallExpression));

	*call = wa_column_function_call(function);
	return wa_step_table_find(
		call, wa_buckets_make(call, runner->registers, NULL), residency);
}

/* Finds the table of a call, and the column that it is of; or returns NULL. */
static const WaSteps *
find_table(const WaRunner *runner, const WaRunMessage *run,
		   const WaResidency *columns, const WaInstruction *instruction,
		   int *column)
{
	const Call *call = &runner->calls[instruction->extra];
	WaColumnFunction function;
	WaTextColumn of;

	if (!may_be_table(runner, instruction))
		return NULL;
	*column = instruction->a;
	if (!call->is_of_column)
		return wa_step_table_find(call->expression, call->buckets,
								  &columns[instruction->a]);
	if (!find_function(runner, instruction, &function, column))
		return NULL;
	if (function.kind != WA_VECTOR_TEXT)
		return find_step_table(runner, &function, &columns[*column]);
	of = (WaTextColumn){&run->relation, &run->columns[*column],
						&columns[*column]};
	return wa_text_table_find(&function, &of, false, InvalidOid);
}

/* Has a query look up tables where the program calls. */
static bool
describe_calls(const WaRunner *runner, const WaRunMessage *run,
			   const WaResidency *columns, WaQuery *query)
{
	const size_t bytes = sizeof(WaInstruction) * runner->program.ninstructions;
	WaInstruction *instructions = palloc(bytes);
	WaSteps *tables = palloc0(sizeof(WaSteps) * runner->ncalls);

	memcpy(instructions, runner->program.instructions, bytes);
	for (size_t i = 0; i < runner->program.ninstructions; i++)
	{
		WaInstruction *instruction = &instructions[i];
		const WaSteps *table;
		int column;

		if (instruction->code != WA_CODE_CALL)
			continue;
		table = find_table(runner, run, columns, instruction, &column);
		if (table == NULL)
			return false;
		tables[instruction->extra] = *table;
		instruction->code = WA_CODE_STEPS;
		instruction->a = (uint16_t) column;
	}
	query->program.instructions = instructions;
	query->program.tables = tables;
	query->ntables = (uint32_t) runner->ncalls;
	return true;
}

bool
wa_runner_describe(const WaRunner *runner, const WaRunMessage *run,
				   const WaResidency *columns, WaQuery *query)
{
	WaQueryConstant *constants =
		palloc(sizeof(WaQueryConstant) * (runner->nconstants + 1));

	for (int i = 0; i < runner->nconstants; i++)
		describe_constant(runner, runner->constants[i].constant->number,
						  &constants[i]);
	wa_step_tables_begin();
	wa_text_tables_begin();
	query->program = runner->program;
	query->nlists = (uint32_t) runner->nlists;
	query->ninputs = (uint16_t) runner->ncolumns;
	query->nconstants = (uint32_t) runner->nconstants;
	query->constants = constants;
	return runner->ncalls == 0 || describe_calls(runner, run, columns, query);
}

/* Returns the call by which a register has its value in the end, or NULL. */
static const WaInstruction *
find_call(const WaRunner *runner, int number)
{
	for (size_t i = runner->program.ninstructions; i-- > 0;)
		if (runner->program.instructions[i].out == number)
			return runner->program.instructions[i].code == WA_CODE_CALL
					   ? &runner->program.instructions[i]
					   : NULL;
	return NULL;
}

bool
wa_runner_may_have_ranks(const WaRunner *runner, int number)
{
	const WaInstruction *call;

	if (runner->program.kinds[number] != WA_VECTOR_TEXT)
		return false;
	if (number < runner->ncolumns)
		return true;
	call = find_call(runner, number);
	return call != NULL && runner->calls[call->extra].is_of_column;
}

/* Adds a look-up, and a register for its result; returns the register. */
static int
add_look_up(WaQuery *query, int column, const WaSteps *table)
{
	WaProgram *program = &query->program;
	const uint16 number = program->nregisters++;
	WaVectorKind *kinds = palloc(sizeof(WaVectorKind) * program->nregisters);
	WaInstruction *instructions =
		palloc(sizeof(WaInstruction) * (program->ninstructions + 1));
	WaSteps *tables = palloc(sizeof(WaSteps) * (query->ntables + 1));

	memcpy(kinds, program->kinds, sizeof(WaVectorKind) * number);
	kinds[number] = WA_VECTOR_INT;
	if (program->ninstructions > 0)
		memcpy(instructions, program->instructions,
			   sizeof(WaInstruction) * program->ninstructions);
	instructions[program->ninstructions++] =
		(WaInstruction){.code = WA_CODE_STEPS,
						.out = number,
						.a = (uint16) column,
						.extra = query->ntables};
	if (query->ntables > 0)
		memcpy(tables, program->tables, sizeof(WaSteps) * query->ntables);
	tables[query->ntables] = *table;
	tables[query->ntables].results = WA_STEPS_WORDS;
	tables[query->ntables].ntexts = 0;
	query->ntables++;
	program->kinds = kinds;
	program->instructions = instructions;
	program->tables = tables;
	return number;
}

int
wa_runner_describe_ranks(const WaRunner *runner, const WaRunMessage *run,
						 const WaResidency *columns, int number,
						 const Var *column, Oid collation, WaQuery *query,
						 const WaSteps **steps)
{
	WaColumnFunction function;
	WaTextColumn of;
	int place = number;

	if (query->program.nregisters == PG_UINT16_MAX ||
		(number < runner->ncolumns
			 ? !wa_column_function_of_column(column, &function)
			 : !find_function(runner, find_call(runner, number), &function,
							  &place)) ||
		function.kind != WA_VECTOR_TEXT)
		return -1;
	of = (WaTextColumn){&run->relation, &run->columns[place], &columns[place]};
	*steps = wa_text_table_find(&function, &of, true, collation);
	return *steps == NULL ? -1 : add_look_up(query, place, *steps);
}
