//
// program_values.cu
//		From registers and instructions to values and steps; see program/plan.h.
//
// Here scales are settled, which the kernel knows nothing of: constants are
// brought to the scale that they are computed with, and where scales are equal
// decimals become integers.
//
#include "program/plan.h"

#include <algorithm>
#include <string.h>

#include "core/decimal.h"
#include "program/rows.cuh"

// Adds a value that no step has used yet.
static int
add_value(WaPlanner *planner, WaVectorKind kind, uint8_t scale, bool mixed)
{
	WaPlanValue value = {};

	value.kind = kind;
	value.scale = scale;
	value.display = scale;
	value.mixed = mixed;
	value.last_step = -1;
	planner->values.push_back(value);
	return (int) planner->values.size() - 1;
}

// Adds a constant.
static int
add_constant(WaPlanner *planner, WaVectorKind kind, uint8_t scale,
			 WaProgramScalar scalar)
{
	int number = add_value(planner, kind, scale, false);
	WaProgramOperand *operand = &planner->values[number].operand;

	operand->place = WA_PLACE_CONSTANT;
	operand->number = (uint16_t) planner->plan->constants.size();
	planner->plan->constants.push_back(scalar);
	return number;
}

// Tells whether values of the kind can lie in the form.
static bool
form_fits(const WaPlanner *planner, WaColumnForm form, WaVectorKind kind)
{
	if (form == WA_COLUMN_I128)
		return planner->query->is_wide && kind == WA_VECTOR_DECIMAL;
	switch (kind)
	{
		case WA_VECTOR_INT:
		case WA_VECTOR_DECIMAL:
			return form >= WA_COLUMN_I16 && form <= WA_COLUMN_U32;
		case WA_VECTOR_FLOAT:
			return form == WA_COLUMN_F32 || form == WA_COLUMN_F64;
		case WA_VECTOR_BOOL:
			return form == WA_COLUMN_BITS;
		default:
			return false;
	}
}

// Tells whether an output of the kind can have the form.
static bool
output_fits(const WaPlanner *planner, WaColumnForm form, WaVectorKind kind)
{
	switch (kind)
	{
		case WA_VECTOR_INT:
			return form == WA_COLUMN_I64 || form == WA_COLUMN_I32;
		case WA_VECTOR_DECIMAL:
			return form ==
				   (planner->query->is_wide ? WA_COLUMN_I128 : WA_COLUMN_I64);
		case WA_VECTOR_FLOAT:
			return form == WA_COLUMN_F64;
		default:
			return form == WA_COLUMN_BITS;
	}
}

// Adds the columns of the query.
static cudaError_t
add_columns(WaPlanner *planner)
{
	const WaProgramQuery *query = planner->query;

	for (unsigned i = 0; i < query->ncolumns; i++)
	{
		const WaProgramColumn *column = &query->columns[i];
		WaProgramSource source = {};
		WaPlanValue *value;

		if (column->number >= query->program->nregisters ||
			!form_fits(planner, column->form,
					   query->program->kinds[column->number]) ||
			column->scale > wa_program_max_scale(column->form))
			return cudaErrorInvalidValue;
		planner->registers[column->number] =
			add_value(planner, query->program->kinds[column->number],
					  column->scale, column->d_display != NULL);
		value = &planner->values.back();
		value->operand.place = WA_PLACE_COLUMN;
		value->operand.number = (uint16_t) i;
		value->wide = column->form == WA_COLUMN_I128;
		source.values = column->d_values;
		source.validity = column->d_validity;
		source.display = column->d_display;
		source.form = (uint8_t) column->form;
		source.scale = column->scale;
		planner->plan->columns.push_back(source);
	}
	return cudaSuccess;
}

// Returns a constant as the kernel takes it.
static WaProgramScalar
scalar_of(const WaProgramConstant *constant, WaVectorKind kind)
{
	WaProgramScalar scalar = {0, 0};

	if (constant->is_null)
		return scalar;
	scalar.value = constant->is_wide ? (int64_t) constant->value.wide.lo
									 : constant->value.i;
	if (kind == WA_VECTOR_FLOAT)
		memcpy(&scalar.value, &constant->value.f, sizeof(scalar.value));
	scalar.flags = kAllRows;
	if (kind == WA_VECTOR_BOOL && scalar.value != 0)
		scalar.flags |= kAllTrue;
	return scalar;
}

// Digits after the point of seconds.
constexpr uint8_t kSecondScale = 6;

// Adds the high word of a constant of 128 bits, which was added last.
static void
add_high_word(WaPlanner *planner, const WaProgramConstant *constant)
{
	planner->plan->constants.push_back({constant->value.wide.hi, 0});
	planner->values.back().wide = true;
}

// Tells whether a constant keeps its contract.
static bool
constant_is_sound(const WaProgramQuery *query,
				  const WaProgramConstant *constant)
{
	const WaColumnForm form = query->is_wide ? WA_COLUMN_I128 : WA_COLUMN_I64;
	WaVectorKind kind;

	if (constant->number >= query->program->nregisters)
		return false;
	kind = query->program->kinds[constant->number];
	return constant->scale <= wa_program_max_scale(form) &&
		   (!constant->is_wide ||
			(query->is_wide && kind == WA_VECTOR_DECIMAL));
}

// Adds the constants of the query.
static cudaError_t
add_constants(WaPlanner *planner)
{
	const WaProgramQuery *query = planner->query;

	for (unsigned i = 0; i < query->nconstants; i++)
		if (!constant_is_sound(query, &query->constants[i]))
			return cudaErrorInvalidValue;
	for (unsigned i = 0; i < query->nconstants; i++)
	{
		const WaProgramConstant *constant = &query->constants[i];
		const WaVectorKind kind = query->program->kinds[constant->number];

		planner->registers[constant->number] = add_constant(
			planner, kind, constant->scale, scalar_of(constant, kind));
		if (constant->is_wide)
			add_high_word(planner, constant);
	}
	return cudaSuccess;
}

// Returns the value that a register has now, or kNoValue.
static int
value_of(const WaPlanner *planner, uint16_t number)
{
	return number < planner->query->program->nregisters
			   ? planner->registers[number]
			   : kNoValue;
}

// The same of a register that has to be a BOOL.
static int
bool_of(const WaPlanner *planner, uint16_t number)
{
	const int value = value_of(planner, number);

	return value != kNoValue && planner->values[value].kind == WA_VECTOR_BOOL
			   ? value
			   : kNoValue;
}

// Brings an argument to a scale, its own or a larger one: a constant here, if it
// fits, anything else by the factor.
static int
bring_to_scale(WaPlanner *planner, int number, uint8_t scale, int64_t *factor)
{
	const WaPlanValue value = planner->values[number];
	const int64_t power = wa_powers_of_ten[scale - value.scale];
	WaProgramScalar scalar;
	int constant;

	*factor = power;
	if (power == 1 || value.operand.place != WA_PLACE_CONSTANT)
		return number;
	scalar = planner->plan->constants[value.operand.number];
	if (scalar.value > INT64_MAX / power || scalar.value < INT64_MIN / power)
		return number;
	scalar.value *= power;
	*factor = 1;
	constant = add_constant(planner, value.kind, scale, scalar);
	planner->values[constant].display = value.display;
	return constant;
}

// Brings both arguments to the larger scale and returns that.
static uint8_t
bring_to_larger_scale(WaPlanner *planner, WaPlanStep *step)
{
	const uint8_t scale_a = planner->values[step->a].scale;
	const uint8_t scale_b = planner->values[step->b].scale;
	const uint8_t scale = scale_a > scale_b ? scale_a : scale_b;

	step->a = bring_to_scale(planner, step->a, scale, &step->op.factor_a);
	step->b = bring_to_scale(planner, step->b, scale, &step->op.factor_b);
	return scale;
}

// Has a step computed like one over integers.
static void
make_int(WaPlanStep *step, WaProgramUnit unit, WaOpcode code)
{
	step->op.unit = (uint8_t) unit;
	step->op.code = (uint16_t) code;
	step->op.bytes = sizeof(int64_t);
}

// A sum, a difference, a product or a quotient of decimals.
static cudaError_t
finish_decimal_arithmetic(WaPlanner *planner, WaPlanStep *step,
						  WaPlanValue *out)
{
	const WaPlanValue *a = &planner->values[step->a];
	const WaPlanValue *b = &planner->values[step->b];

	out->mixed =
		step->op.code != WA_CODE_DECIMAL_FLOOR_DIVIDE && (a->mixed || b->mixed);
	if (out->mixed)
		step->op.how_display = step->op.code == WA_CODE_DECIMAL_MULTIPLY
								   ? WA_DISPLAY_SUM
								   : WA_DISPLAY_LARGER;
	if (step->op.code == WA_CODE_DECIMAL_MULTIPLY)
	{
		if (a->scale + b->scale > WA_DECIMAL_MAX_SCALE)
			return cudaErrorNotSupported;
		out->scale = a->scale + b->scale;
		make_int(step, WA_UNIT_INT, WA_CODE_INT_MULTIPLY);
		return cudaSuccess;
	}
	if (step->op.code == WA_CODE_DECIMAL_FLOOR_DIVIDE)
	{
		(void) bring_to_larger_scale(planner, step);
		return cudaSuccess;
	}
	out->scale = bring_to_larger_scale(planner, step);
	if (step->op.factor_a == 1 && step->op.factor_b == 1)
		make_int(step, WA_UNIT_INT,
				 step->op.code == WA_CODE_DECIMAL_ADD ? WA_CODE_INT_ADD
													  : WA_CODE_INT_SUBTRACT);
	return cudaSuccess;
}

// A decimal rounded to a number of digits.
static void
finish_decimal_round(const WaPlanValue *a, uint32_t extra, WaPlanStep *step,
					 WaPlanValue *out)
{
	const unsigned scale = extra % 256;
	const unsigned digits = extra / 256;

	out->scale = (uint8_t) scale;
	step->op.factor_a = scale < a->scale ? -wa_powers_of_ten[a->scale - scale]
										 : wa_powers_of_ten[scale - a->scale];
	step->op.factor_b = digits == 255 || digits + scale > WA_DECIMAL_MAX_SCALE
							? 0
							: wa_powers_of_ten[digits + scale];
}

// What takes one decimal and gives one.
static void
finish_decimal_function(WaPlanner *planner, uint32_t extra, WaPlanStep *step,
						WaPlanValue *out)
{
	const WaPlanValue *a = &planner->values[step->a];

	switch (step->op.code)
	{
		case WA_CODE_DECIMAL_ROUND:
			finish_decimal_round(a, extra, step, out);
			break;
		case WA_CODE_DECIMAL_NEGATE:
		case WA_CODE_DECIMAL_ABS:
			out->scale = a->scale;
			out->mixed = a->mixed;
			if (out->mixed)
				step->op.how_display = WA_DISPLAY_FIRST;
			make_int(step, WA_UNIT_INT,
					 step->op.code == WA_CODE_DECIMAL_NEGATE
						 ? WA_CODE_INT_NEGATE
						 : WA_CODE_INT_ABS);
			break;
		default: // FLOOR, CEIL
			step->op.factor_a = wa_powers_of_ten[a->scale];
			break;
	}
}

// A comparison of any values.
static void
finish_compare(WaPlanner *planner, uint32_t comparison, WaPlanStep *step)
{
	if (step->op.code != WA_CODE_IN_INT)
		wa_program_turn_comparison(comparison, step);
	if (step->op.code != WA_CODE_COMPARE_DECIMAL)
		return;
	(void) bring_to_larger_scale(planner, step);
	if (step->op.factor_a == 1 && step->op.factor_b == 1)
		make_int(step, WA_UNIT_COMPARE, WA_CODE_COMPARE_INT);
}

// A choice: the condition goes last.
static void
finish_select(WaPlanner *planner, uint32_t kind, WaPlanStep *step,
			  WaPlanValue *out)
{
	const int condition = step->a;
	const WaPlanValue *b = &planner->values[step->b];
	const WaPlanValue *c = &planner->values[step->c];

	out->mixed = kind == WA_VECTOR_DECIMAL &&
				 (b->mixed || c->mixed || b->scale != c->scale);
	if (out->mixed)
		step->op.how_display = WA_DISPLAY_CHOICE;
	step->a = step->b;
	step->b = step->c;
	step->c = condition;
	if (kind == WA_VECTOR_DECIMAL)
		out->scale = bring_to_larger_scale(planner, step);
}

// A look-up in a table.
static cudaError_t
finish_lookup(const WaPlanner *planner, const WaInstruction *instruction,
			  WaPlanValue *out)
{
	const WaLookupTable *table =
		&planner->query->program->tables[instruction->extra];
	const WaVectorKind kind = planner->query->program->kinds[instruction->out];

	if (kind == WA_VECTOR_BOOL ||
		(wa_program_kept_table(planner->query, instruction) == NULL &&
		 !wa_lookup_table_is_sound(table)) ||
		(kind != WA_VECTOR_DECIMAL && table->scale != 0))
		return cudaErrorInvalidValue;
	out->scale = table->scale;
	return cudaSuccess;
}

// Sets what is particular to an instruction.
static cudaError_t
finish_step(WaPlanner *planner, const WaInstruction *instruction,
			WaPlanStep *step, WaPlanValue *out)
{
	const WaVectorKind kind = planner->query->program->kinds[instruction->out];

	if (planner->query->is_wide && wa_program_is_wide_step(step, kind))
		return wa_program_finish_wide(planner, instruction->extra, step, out);
	switch (step->op.unit)
	{
		case WA_UNIT_WIDE:
			return cudaErrorNotSupported;
		case WA_UNIT_DECIMAL:
			if (step->b != kNoValue)
				return finish_decimal_arithmetic(planner, step, out);
			finish_decimal_function(planner, instruction->extra, step, out);
			return cudaSuccess;
		case WA_UNIT_CONVERT:
			step->op.factor_a =
				wa_powers_of_ten[planner->values[step->a].scale];
			if (step->op.code == WA_CODE_TIMESTAMP_TO_DECIMAL)
				out->scale = kSecondScale;
			return cudaSuccess;
		case WA_UNIT_STEPS:
			return finish_lookup(planner, instruction, out);
		case WA_UNIT_COMPARE:
		case WA_UNIT_LOGIC:
			finish_compare(planner, instruction->extra, step);
			return cudaSuccess;
		case WA_UNIT_SELECT:
			finish_select(planner, instruction->extra, step, out);
			return cudaSuccess;
		default:
			return cudaSuccess;
	}
}

// Gives an IN or LOOK_UP its place among the lists.
static void
take_list(WaPlanner *planner, const WaInstruction *instruction,
		  WaPlanStep *step)
{
	const WaProgram *program = planner->query->program;

	step->op.list = planner->list_values;
	if (instruction->code == WA_CODE_IN_INT)
		step->op.list_values =
			(uint32_t) program->lists[instruction->extra].nvalues;
	planner->list_values +=
		(uint32_t) wa_program_list_words(program, instruction);
	planner->entry_words += wa_program_entry_words(planner->query, instruction);
}

// Finds the arguments of a step.  Tells whether they are what they should be.
static bool
find_arguments(const WaPlanner *planner, const WaInstruction *instruction,
			   WaPlanStep *step)
{
	int *const values[3] = {&step->a, &step->b, &step->c};
	uint16_t numbers[3];
	const int count = wa_instruction_arguments(instruction, numbers);

	for (int i = 0; i < count; i++)
	{
		*values[i] = value_of(planner, numbers[i]);
		if (*values[i] == kNoValue)
			return false;
	}
	return wa_instruction_is_sound(planner->query->program, instruction);
}

// Adds a step without arguments.
static WaPlanStep *
add_step(WaPlanner *planner, uint16_t code, WaProgramUnit unit)
{
	WaPlanStep step = {};

	step.op.code = code;
	step.op.unit = (uint8_t) unit;
	step.op.factor_a = 1;
	step.op.factor_b = 1;
	step.a = kNoValue;
	step.b = kNoValue;
	step.c = kNoValue;
	step.out = kNoValue;
	planner->steps.push_back(step);
	return &planner->steps.back();
}

// Adds the step of an instruction.
static cudaError_t
add_instruction(WaPlanner *planner, const WaInstruction *instruction)
{
	const WaProgramUnit unit = wa_program_unit(instruction->code);
	const WaVectorKind *kinds = planner->query->program->kinds;
	WaPlanValue out = {};
	WaPlanStep *step;
	cudaError_t error;

	if (unit == WA_UNIT_NONE)
		return cudaErrorNotSupported;
	step = add_step(planner, instruction->code, unit);
	if (!find_arguments(planner, instruction, step))
		return cudaErrorInvalidValue;
	step->op.bytes = (uint8_t) instruction->extra;
	step->op.takes_values =
		unit != WA_UNIT_LOGIC && unit != WA_UNIT_SCALE &&
		!(unit == WA_UNIT_SELECT && instruction->extra == WA_VECTOR_BOOL);
	step->op.gives_values = kinds[instruction->out] != WA_VECTOR_BOOL;
	take_list(planner, instruction, step);
	error = finish_step(planner, instruction, step, &out);
	step->out =
		add_value(planner, kinds[instruction->out], out.scale, out.mixed);
	planner->values[step->out].wide = out.wide;
	planner->registers[instruction->out] = step->out;
	return error;
}

// Adds the step of a clause whose instructions there are.
static cudaError_t
add_clause(WaPlanner *planner, const WaProgramClause *clause)
{
	WaPlanStep *step;

	step = add_step(planner, WA_CODE_IS_TRUE, WA_UNIT_KEEP);
	step->a = bool_of(planner, clause->number);
	return step->a != kNoValue ? cudaSuccess : cudaErrorInvalidValue;
}

// Adds the steps of the program.
static cudaError_t
add_steps(WaPlanner *planner)
{
	const WaProgramQuery *query = planner->query;
	cudaError_t error = cudaSuccess;
	unsigned clause = 0;

	for (size_t i = 0; i <= query->program->ninstructions; i++)
	{
		while (error == cudaSuccess && clause < query->nclauses &&
			   query->clauses[clause].end <= i)
			error = add_clause(planner, &query->clauses[clause++]);
		if (error == cudaSuccess && i < query->program->ninstructions)
			error = add_instruction(planner, &query->program->instructions[i]);
		if (error != cudaSuccess)
			return error;
	}
	return clause == query->nclauses ? cudaSuccess : cudaErrorInvalidValue;
}

// Finds the values of the outputs.
static cudaError_t
find_outputs(WaPlanner *planner)
{
	for (unsigned i = 0; i < planner->query->noutputs; i++)
	{
		const WaProgramOutput *output = &planner->query->outputs[i];
		const int value = value_of(planner, output->number);

		if (value == kNoValue ||
			!output_fits(planner, output->form, planner->values[value].kind))
			return cudaErrorInvalidValue;
		planner->outputs[i] = value;
		planner->filters[i] = kNoValue;
		planner->plan->mixed[i] = planner->values[value].mixed;
		if (!wa_program_find_scale(planner, value, output,
								   &planner->plan->scales[i]))
			return cudaErrorNotSupported;
		if (output->filter == WA_NO_REGISTER)
			continue;
		planner->filters[i] = bool_of(planner, output->filter);
		if (planner->filters[i] == kNoValue)
			return cudaErrorInvalidValue;
	}
	return cudaSuccess;
}

// Makes room for all values and steps: an instruction has a result, and may have its
// arguments brought to another scale.
static void
make_room(WaPlanner *planner)
{
	const WaProgramQuery *query = planner->query;
	const size_t ninstructions = query->program->ninstructions;

	planner->registers.assign(query->program->nregisters, kNoValue);
	planner->values.reserve(query->ncolumns + query->nconstants +
							3 * ninstructions);
	planner->steps.reserve(ninstructions + query->nclauses);
}

cudaError_t
wa_program_find_values(WaPlanner *planner)
{
	const WaProgramQuery *query = planner->query;
	cudaError_t error;

	if (query->noutputs > WA_PROGRAM_MAX_OUTPUTS)
		return cudaErrorNotSupported;
	make_room(planner);
	error = add_columns(planner);
	if (error == cudaSuccess)
		error = add_constants(planner);
	if (error == cudaSuccess)
		error = add_steps(planner);
	if (error == cudaSuccess)
		error = find_outputs(planner);
	if (error == cudaSuccess &&
		std::max(planner->plan->columns.size(),
				 planner->plan->constants.size()) > kMaxOperands)
		return cudaErrorNotSupported;
	return error;
}
