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
#include "scan/datum.h"
#include "scan/runner.h"
#include "scan/step_tables.h"

/* A constant and how it is computed. */
typedef struct Constant
{
	const WaConstant *constant;
	ExprState *state;
	Oid type;
} Constant;

/* A call and what it needs to know. */
typedef struct Call
{
	const WaCallExpression *expression;
	WaEvaluation *evaluation; /* EVALUATE */
	WaBuckets *buckets;       /* BUCKETS, or there may be a table; or NULL */
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
	bool catches;
	bool is_prepared;
	bool can_run;
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
	call->expression = wanted;
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
	place_registers(runner, compiler);
	make_constants(runner, compiler, parameters);
	make_lists(runner, compiler);
	make_calls(runner, compiler, parameters);
	runner->catches = wa_compiler_catches(compiler);
	runner->values = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg constants", ALLOCSET_SMALL_SIZES);
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

/* Computes a constant; returns false if it has no vector. */
static bool
prepare_constant(WaRunner *runner, const Constant *constant,
				 ExprContext *econtext)
{
	WaVector *vector = &runner->registers[constant->constant->number];
	WaVectorKind kind = runner->program.kinds[constant->constant->number];
	bool is_null;
	Datum value = ExecEvalExpr(constant->state, econtext, &is_null);

	if (is_null)
	{
		memset(vector->values, 0, WA_VECTOR_ROWS * wa_vector_width(kind));
		memset(vector->valid, 0, WA_VECTOR_ROWS);
		vector->has_nulls = true;
		vector->mixed = false;
		vector->scale = 0;
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
prepare_call(Call *call, ExprContext *econtext)
{
	if (call->evaluation != NULL)
		wa_evaluation_prepare(call->evaluation, econtext);
	if (call->buckets != NULL)
		wa_buckets_prepare(call->buckets, econtext);
}

bool
wa_runner_prepare(WaRunner *runner, ExprContext *econtext)
{
	MemoryContext old;

	if (runner->is_prepared)
		return runner->can_run;
	/* Values stay where the expressions make them. */
	old = MemoryContextSwitchTo(runner->values);
	runner->can_run = true;
	for (int i = 0; i < runner->nconstants; i++)
		if (!prepare_constant(runner, &runner->constants[i], econtext))
			runner->can_run = false;
	for (int i = 0; i < runner->ncalls; i++)
		prepare_call(&runner->calls[i], econtext);
	MemoryContextSwitchTo(old);
	runner->is_prepared = true;
	return runner->can_run;
}

void
wa_runner_reset(WaRunner *runner)
{
	runner->is_prepared = false;
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
	return instruction->a < runner->ncolumns &&
		   wa_step_table_is_possible(
			   runner->calls[instruction->extra].expression);
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

/* Has a query look up tables where the program calls. */
static bool
describe_calls(const WaRunner *runner, const WaResidency *columns,
			   WaQuery *query)
{
	const size_t bytes = sizeof(WaInstruction) * runner->program.ninstructions;
	WaInstruction *instructions = palloc(bytes);
	WaSteps *tables = palloc0(sizeof(WaSteps) * runner->ncalls);

	memcpy(instructions, runner->program.instructions, bytes);
	wa_step_tables_begin();
	for (size_t i = 0; i < runner->program.ninstructions; i++)
	{
		WaInstruction *instruction = &instructions[i];
		const Call *call;
		const WaSteps *table;

		if (instruction->code != WA_CODE_CALL)
			continue;
		if (!may_be_table(runner, instruction))
			return false;
		call = &runner->calls[instruction->extra];
		table = wa_step_table_find(call->expression, call->buckets,
								   &columns[instruction->a]);
		if (table == NULL)
			return false;
		tables[instruction->extra] = *table;
		instruction->code = WA_CODE_STEPS;
	}
	query->program.instructions = instructions;
	query->program.tables = tables;
	query->ntables = (uint32_t) runner->ncalls;
	return true;
}

bool
wa_runner_describe(const WaRunner *runner, const WaResidency *columns,
				   WaQuery *query)
{
	WaQueryConstant *constants =
		palloc(sizeof(WaQueryConstant) * (runner->nconstants + 1));

	for (int i = 0; i < runner->nconstants; i++)
		describe_constant(runner, runner->constants[i].constant->number,
						  &constants[i]);
	query->program = runner->program;
	query->nlists = (uint32_t) runner->nlists;
	query->ninputs = (uint16_t) runner->ncolumns;
	query->nconstants = (uint32_t) runner->nconstants;
	query->constants = constants;
	return runner->ncalls == 0 || describe_calls(runner, columns, query);
}
