/*
 * interpreter_describe.c
 *		What an interpreter computes as part of a query for the device process; see
 *		interpreter.h.
 */
#include "postgres.h"

#include "query/groups/group_decimal.h"
#include "scan/program/interpreter.h"
#include "scan/program/register_range.h"
#include "scan/tables/column_function.h"
#include "scan/tables/range_tables.h"
#include "scan/tables/table_cache.h"
#include "scan/tables/text_tables.h"

/* Describes a numeric by the first row of its register. */
static void
describe_decimal(const WaVector *vector, WaQueryValue *value)
{
	value->shown = vector->mixed ? vector->display[0] : vector->scale;
	if (vector->wide)
		wa_decimal_make_value(wa_vector_wides(vector)[0], vector->scale,
							  palloc(WA_WIDE_DECIMAL_BYTES), value);
	else
	{
		value->integer = wa_vector_ints(vector)[0];
		value->scale = vector->scale;
	}
}

/* Describes a constant by the first row of its register. */
static void
describe_constant(const WaInterpreter *interpreter, uint16 number,
				  WaQueryConstant *constant)
{
	const WaVector *vector = &interpreter->registers[number];

	memset(constant, 0, sizeof(*constant));
	constant->number = number;
	constant->value.is_null = !wa_vector_is_valid(vector, 0);
	if (constant->value.is_null)
		return;
	switch (interpreter->program.kinds[number])
	{
		case WA_VECTOR_TEXT:
			constant->value.text = wa_vector_texts(vector)[0];
			break;
		case WA_VECTOR_BOOL:
			constant->value.integer = wa_vector_bools(vector)[0];
			break;
		case WA_VECTOR_DECIMAL:
			describe_decimal(vector, &constant->value);
			break;
		default:
			constant->value.integer = wa_vector_ints(vector)[0];
			break;
	}
}

/* Returns the number of the column that is one of the table; -1: there is none. */
static int
find_column(const WaInterpreter *interpreter, AttrNumber attnum)
{
	for (int i = 0; i < interpreter->compiler->ncolumns; i++)
		if (interpreter->compiler->attnums[i] == attnum)
			return i;
	return -1;
}

/*
 * Describes what a call computes as a function of a column, and which column that
 * is.  Returns false if it is none.
 */
static bool
find_function(const WaInterpreter *interpreter, const WaCallExpression *call,
			  WaColumnFunction *function, int *column)
{
	if (!wa_column_function_of_call(
			call, interpreter->calls[call->number].evaluation, function))
		return false;
	*column = find_column(interpreter, function->attnum);
	return *column >= 0;
}

/* Finds the table of a function of integers. */
static const WaLookupTable *
find_range_table(const WaInterpreter *interpreter,
				 const WaColumnFunction *function, const WaResidency *residency)
{
	WaCallExpression *call = palloc(sizeof(WaCallExpression));

	*call = wa_column_function_call(function);
	return wa_range_table_find(
		call, wa_evaluation_make(call, interpreter->registers, NULL), NULL,
		residency);
}

/* Finds the table of a call as a function of one column; else returns NULL. */
static const WaLookupTable *
find_column_table(const WaInterpreter *interpreter,
				  const WaSourceColumns *named, const WaResidency *columns,
				  const WaCallExpression *call, int *column)
{
	WaColumnFunction function;
	WaTextColumn of;

	if (!find_function(interpreter, call, &function, column))
		return NULL;
	if (function.kind != WA_VECTOR_TEXT)
		return find_range_table(interpreter, &function, &columns[*column]);
	of = (WaTextColumn){&named->relation, &named->columns[*column],
						&columns[*column]};
	return wa_text_table_find(&function, &of, false, InvalidOid);
}

/*
 * Finds the table of a call, and the register that it is looked up at: what the call is
 * given, or else the one column that this is computed from.  Returns NULL if there is
 * none.
 */
static const WaLookupTable *
find_table(const WaInterpreter *interpreter, const WaSourceColumns *named,
		   const WaResidency *columns, const WaInstruction *instruction,
		   int *number)
{
	const WaInterpreterCall *call = &interpreter->calls[instruction->extra];
	const WaRegisterRanges ranges = {interpreter->compiler, columns,
									 interpreter->registers};
	const WaLookupTable *table = NULL;
	WaResidency range;

	*number = instruction->a;
	if (wa_range_table_is_possible(call->expression) &&
		wa_register_range(&ranges, instruction->a, &range))
	{
		table = wa_range_table_find(call->expression, call->evaluation,
									call->buckets, &range);
		if (call->buckets != NULL)
			wa_buckets_use_table(call->buckets, table);
	}
	return table == NULL ? find_column_table(interpreter, named, columns,
											 call->expression, number)
						 : table;
}

/*
 * Finds the table from keys, of a register, to the rows of a join.  Returns NULL if there is
 * none.
 */
static const WaLookupTable *
find_rows_table(const WaInterpreter *interpreter, const WaSourceColumns *named,
				const WaResidency *columns, const WaInstruction *instruction)
{
	const WaCallExpression *call =
		interpreter->calls[instruction->extra].expression;
	const WaKeyRows *rows = &interpreter->joined->rows[call->join];
	const int number = instruction->a;
	WaLookupTable *table;
	WaTextColumn of;

	if (rows->is_text)
	{
		of = (WaTextColumn){&named->relation, &named->columns[number],
							&columns[number]};
		return wa_text_table_of_rows(rows, &of);
	}
	table = palloc(sizeof(WaLookupTable));
	*table = wa_key_rows_table(rows);
	return table;
}

/* Tells whether all tables of a program can be sent with it, or kept. */
static bool
can_send_tables(const WaLookupTable *tables, int count)
{
	for (int i = 0; i < count; i++)
		if (tables[i].nentries > (wa_digest_is_set(&tables[i].digest)
									  ? WA_MAX_KEPT_ENTRIES
									  : WA_MAX_ENTRIES))
			return false;
	return true;
}

/*
 * Has a query look up tables where the program calls, beside those that it looks up
 * anyway.
 */
static bool
describe_calls(const WaInterpreter *interpreter, const WaSourceColumns *named,
			   const WaResidency *columns, WaQuery *query)
{
	const size_t bytes =
		sizeof(WaInstruction) * interpreter->program.ninstructions;
	const int njoined = interpreter->joined == NULL
							? 0
							: list_length(interpreter->compiler->joins->values);
	WaInstruction *instructions = palloc(bytes);
	WaLookupTable *tables =
		palloc0(sizeof(WaLookupTable) * (njoined + interpreter->ncalls));

	if (njoined > 0 && !can_send_tables(interpreter->program.tables, njoined))
		return false;
	if (njoined > 0)
		memcpy(tables, interpreter->program.tables,
			   sizeof(WaLookupTable) * njoined);
	memcpy(instructions, interpreter->program.instructions, bytes);
	for (size_t i = 0; i < interpreter->program.ninstructions; i++)
	{
		WaInstruction *instruction = &instructions[i];
		const WaLookupTable *table;
		int number;

		if (instruction->code != WA_CODE_CALL)
			continue;
		number = instruction->a;
		if (interpreter->calls[instruction->extra].expression->kind ==
			WA_CALL_ROWS)
			table = find_rows_table(interpreter, named, columns, instruction);
		else
			table =
				find_table(interpreter, named, columns, instruction, &number);
		if (table == NULL || !can_send_tables(table, 1))
			return false;
		instruction->extra += (uint32) njoined;
		tables[instruction->extra] = *table;
		instruction->code = WA_CODE_LOOK_UP;
		instruction->a = (uint16_t) number;
	}
	query->program.instructions = instructions;
	query->program.tables = tables;
	query->ntables = (uint32_t) (njoined + interpreter->ncalls);
	return true;
}

bool
wa_interpreter_describe(const WaInterpreter *interpreter,
						const WaSourceColumns *named,
						const WaResidency *columns, WaQuery *query)
{
	WaQueryConstant *constants =
		palloc(sizeof(WaQueryConstant) * (interpreter->nconstants + 1));

	for (int i = 0; i < interpreter->nconstants; i++)
	{
		const uint16 number = interpreter->constants[i].constant->number;

		describe_constant(interpreter, number, &constants[i]);
	}
	wa_tables_begin();
	query->program = interpreter->program;
	query->nlists = (uint32_t) list_length(interpreter->compiler->lists);
	query->ninputs = (uint16_t) interpreter->compiler->ncolumns;
	query->nconstants = (uint32_t) interpreter->nconstants;
	query->constants = constants;
	return (interpreter->ncalls == 0 && interpreter->joined == NULL) ||
		   describe_calls(interpreter, named, columns, query);
}

/* Adds a look-up, and a register for its result; returns the register. */
static int
add_look_up(WaQuery *query, int column, const WaLookupTable *table)
{
	WaProgram *program = &query->program;
	const uint16 number = program->nregisters++;
	WaVectorKind *kinds = palloc(sizeof(WaVectorKind) * program->nregisters);
	WaInstruction *instructions =
		palloc(sizeof(WaInstruction) * (program->ninstructions + 1));
	WaLookupTable *tables =
		palloc(sizeof(WaLookupTable) * (query->ntables + 1));

	memcpy(kinds, program->kinds, sizeof(WaVectorKind) * number);
	kinds[number] = WA_VECTOR_INT;
	if (program->ninstructions > 0)
		memcpy(instructions, program->instructions,
			   sizeof(WaInstruction) * program->ninstructions);
	instructions[program->ninstructions++] =
		(WaInstruction){.code = WA_CODE_LOOK_UP,
						.out = number,
						.a = (uint16) column,
						.extra = query->ntables};
	if (query->ntables > 0)
		memcpy(tables, program->tables, sizeof(WaLookupTable) * query->ntables);
	tables[query->ntables] = *table;
	tables[query->ntables].results = WA_LOOKUP_WORDS;
	tables[query->ntables].ntexts = 0;
	query->ntables++;
	program->kinds = kinds;
	program->instructions = instructions;
	program->tables = tables;
	return number;
}

int
wa_interpreter_describe_ranks(const WaInterpreter *interpreter,
							  const WaSourceColumns *named,
							  const WaResidency *columns, int number,
							  const Var *column, Oid collation, WaQuery *query,
							  const WaLookupTable **table)
{
	const WaCallExpression *call =
		wa_compiler_call_of(interpreter->compiler, number);
	WaColumnFunction function;
	WaTextColumn of;
	int place = number;

	if (query->program.nregisters == PG_UINT16_MAX ||
		(number < interpreter->compiler->ncolumns
			 ? !wa_column_function_of_column(column, &function)
			 : !find_function(interpreter, call, &function, &place)) ||
		function.kind != WA_VECTOR_TEXT)
		return -1;
	of = (WaTextColumn){&named->relation, &named->columns[place],
						&columns[place]};
	*table = wa_text_table_find(&function, &of, true, collation);
	return *table == NULL ? -1 : add_look_up(query, place, *table);
}
