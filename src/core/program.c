/*
 * program.c
 *		Running query programs: the table of the instructions, and NULLs.
 *
 * The loops of the strict instructions, most of them, run over all rows and
 * know nothing of NULLs.  They find 0 in the NULL rows of arguments; what they
 * leave in those of results becomes 0 again here.
 */
#include <string.h>

#include "core/program_internal.h"

/* What an argument or a result may be: a bit for each kind. */
enum
{
	NONE = 0,
	INT = 1 << WA_VECTOR_INT,
	FLOAT = 1 << WA_VECTOR_FLOAT,
	DECIMAL = 1 << WA_VECTOR_DECIMAL,
	BOOL = 1 << WA_VECTOR_BOOL,
	TEXT = 1 << WA_VECTOR_TEXT,
	CODED = INT | TEXT,
	ANY = INT | FLOAT | DECIMAL | BOOL | TEXT,
	CHOSEN = ANY + 1 /* of the kind extra */
};

/* What extra may be. */
typedef enum Extra
{
	ANYTHING,
	INT_BYTES,
	FLOAT_BYTES,
	COMPARISON,
	ROUNDING,
	KIND,
	NEVER /* the instruction itself is not sound */
} Extra;

/* How an instruction works. */
typedef struct Opcode
{
	WaOperation operation;
	uint8_t out;
	uint8_t a;
	uint8_t b;
	uint8_t c;
	uint8_t extra; /* Extra */
	bool loose;    /* sets has_nulls, valid; else NULL where an argument is */
	bool safe;     /* never traps */
	WaOperation wide; /* of wide arguments, or results; NULL: there are none */
} Opcode;

/* Lets the function of an instruction compute it. */
static bool
run_call(const WaStep *step)
{
	const WaCall *call = &step->program->calls[step->extra];

	return call->function(call->context, step->a, step->out, step->nrows);
}

/* Looks the results up in a table. */
static bool
run_look_up(const WaStep *step)
{
	return wa_lookup_table_call(&step->program->tables[step->extra], step->a,
								step->out, step->nrows);
}

static const Opcode opcodes[WA_OPCODE_COUNT] = {
	[WA_CODE_INT_ADD] = {wa_int_add, INT, INT, INT, .extra = INT_BYTES},
	[WA_CODE_INT_SUBTRACT] = {wa_int_subtract, INT, INT, INT,
							  .extra = INT_BYTES},
	[WA_CODE_INT_MULTIPLY] = {wa_int_multiply, INT, INT, INT,
							  .extra = INT_BYTES},
	[WA_CODE_INT_DIVIDE] = {wa_int_divide, INT, INT, INT, .extra = INT_BYTES},
	[WA_CODE_INT_REMAINDER] = {wa_int_remainder, INT, INT, INT,
							   .extra = INT_BYTES},
	[WA_CODE_INT_NEGATE] = {wa_int_negate, INT, INT, .extra = INT_BYTES},
	[WA_CODE_INT_ABS] = {wa_int_abs, INT, INT, .extra = INT_BYTES},
	[WA_CODE_INT_NARROW] = {wa_int_narrow, INT, INT, .extra = INT_BYTES},
	[WA_CODE_FLOAT_ADD] = {wa_float_add, FLOAT, FLOAT, FLOAT,
						   .extra = FLOAT_BYTES},
	[WA_CODE_FLOAT_SUBTRACT] = {wa_float_subtract, FLOAT, FLOAT, FLOAT,
								.extra = FLOAT_BYTES},
	[WA_CODE_FLOAT_MULTIPLY] = {wa_float_multiply, FLOAT, FLOAT, FLOAT,
								.extra = FLOAT_BYTES},
	[WA_CODE_FLOAT_DIVIDE] = {wa_float_divide, FLOAT, FLOAT, FLOAT,
							  .extra = FLOAT_BYTES},
	[WA_CODE_FLOAT_NEGATE] = {wa_float_negate, FLOAT, FLOAT, .safe = true},
	[WA_CODE_FLOAT_ABS] = {wa_float_abs, FLOAT, FLOAT, .safe = true},
	[WA_CODE_FLOAT_FLOOR] = {wa_float_floor, FLOAT, FLOAT},
	[WA_CODE_FLOAT_CEIL] = {wa_float_ceil, FLOAT, FLOAT},
	[WA_CODE_FLOAT_NARROW] = {wa_float_narrow, FLOAT, FLOAT},
	[WA_CODE_FLOAT_HIGH_PART] = {wa_float_high_part, FLOAT, FLOAT, FLOAT},
	[WA_CODE_FLOAT_LOW_PART] = {wa_float_low_part, FLOAT, FLOAT, FLOAT},
	[WA_CODE_DECIMAL_ADD] = {wa_decimal_add, DECIMAL, DECIMAL, DECIMAL,
							 .wide = wa_wide_add},
	[WA_CODE_DECIMAL_SUBTRACT] = {wa_decimal_subtract, DECIMAL, DECIMAL,
								  DECIMAL, .wide = wa_wide_subtract},
	[WA_CODE_DECIMAL_MULTIPLY] = {wa_decimal_multiply, DECIMAL, DECIMAL,
								  DECIMAL, .wide = wa_wide_multiply},
	[WA_CODE_DECIMAL_DIVIDE] = {wa_decimal_divide, DECIMAL, DECIMAL, DECIMAL,
								.wide = wa_decimal_divide},
	[WA_CODE_DECIMAL_REMAINDER] = {wa_decimal_remainder, DECIMAL, DECIMAL,
								   DECIMAL, .wide = wa_decimal_remainder},
	[WA_CODE_DECIMAL_DIVIDE_WHOLE] = {wa_decimal_divide_whole, DECIMAL, DECIMAL,
									  DECIMAL, .wide = wa_decimal_divide_whole},
	[WA_CODE_DECIMAL_NEGATE] = {wa_decimal_negate, DECIMAL, DECIMAL,
								.wide = wa_wide_negate},
	[WA_CODE_DECIMAL_ABS] = {wa_decimal_abs, DECIMAL, DECIMAL,
							 .wide = wa_wide_abs},
	[WA_CODE_DECIMAL_FLOOR] = {wa_decimal_floor, DECIMAL, DECIMAL,
							   .wide = wa_wide_floor},
	[WA_CODE_DECIMAL_CEIL] = {wa_decimal_ceil, DECIMAL, DECIMAL,
							  .wide = wa_wide_ceil},
	[WA_CODE_DECIMAL_ROUND] = {wa_decimal_round, DECIMAL, DECIMAL,
							   .extra = ROUNDING, .wide = wa_wide_round},
	[WA_CODE_DECIMAL_FLOOR_DIVIDE] = {wa_decimal_floor_divide, DECIMAL, DECIMAL,
									  DECIMAL, .wide = wa_wide_floor_divide},
	[WA_CODE_INT_TO_FLOAT] = {wa_int_to_float, FLOAT, INT,
							  .extra = FLOAT_BYTES},
	[WA_CODE_INT_TO_DECIMAL] = {wa_int_to_decimal, DECIMAL, INT},
	[WA_CODE_FLOAT_TO_INT] = {wa_float_to_int, INT, FLOAT, .extra = INT_BYTES},
	[WA_CODE_DECIMAL_TO_INT] = {wa_decimal_to_int, INT, DECIMAL,
								.extra = INT_BYTES, .wide = wa_wide_to_int},
	[WA_CODE_DECIMAL_TO_FLOAT] = {wa_decimal_to_float, FLOAT, DECIMAL,
								  .extra = FLOAT_BYTES,
								  .wide = wa_wide_to_float},
	[WA_CODE_DATE_TO_TIMESTAMP] = {wa_date_to_timestamp, INT, INT},
	[WA_CODE_TIMESTAMP_TO_DATE] = {wa_timestamp_to_date, INT, INT},
	[WA_CODE_TIMESTAMP_TO_DECIMAL] = {wa_timestamp_to_decimal, DECIMAL, INT},
	[WA_CODE_TIMESTAMP_TO_FLOAT] = {wa_timestamp_to_float, FLOAT, INT},
	[WA_CODE_DECIMAL_SCALE] = {wa_decimal_scale, INT, DECIMAL,
							   .wide = wa_decimal_scale},
	[WA_CODE_COMPARE_INT] = {wa_compare_int, BOOL, INT, INT,
							 .extra = COMPARISON, .safe = true},
	[WA_CODE_COMPARE_FLOAT] = {wa_compare_float, BOOL, FLOAT, FLOAT,
							   .extra = COMPARISON, .safe = true},
	[WA_CODE_COMPARE_DECIMAL] = {wa_compare_decimal, BOOL, DECIMAL, DECIMAL,
								 .extra = COMPARISON, .safe = true,
								 .wide = wa_compare_decimal},
	[WA_CODE_COMPARE_BOOL] = {wa_compare_bool, BOOL, BOOL, BOOL,
							  .extra = COMPARISON, .safe = true},
	[WA_CODE_COMPARE_TEXT] = {wa_compare_text, BOOL, TEXT, TEXT,
							  .extra = COMPARISON, .safe = true},
	[WA_CODE_TRIM] = {wa_trim_text, TEXT, TEXT, .loose = true},
	[WA_CODE_IN_INT] = {wa_in_int, BOOL, INT, .safe = true},
	[WA_CODE_AND] = {wa_bool_and, BOOL, BOOL, BOOL, .loose = true,
					 .safe = true},
	[WA_CODE_OR] = {wa_bool_or, BOOL, BOOL, BOOL, .loose = true, .safe = true},
	[WA_CODE_NOT] = {wa_bool_not, BOOL, BOOL, .safe = true},
	[WA_CODE_IS_NULL] = {wa_is_null, BOOL, ANY, .loose = true, .safe = true,
						 .wide = wa_is_null},
	[WA_CODE_IS_NOT_NULL] = {wa_is_not_null, BOOL, ANY, .loose = true,
							 .safe = true, .wide = wa_is_not_null},
	[WA_CODE_IS_TRUE] = {wa_is_true, BOOL, BOOL, .loose = true, .safe = true},
	[WA_CODE_SELECT] = {wa_select, CHOSEN, BOOL, CHOSEN, CHOSEN, .extra = KIND,
						.loose = true, .wide = wa_wide_select},
	[WA_CODE_LOOK_UP] = {run_look_up, ANY, CODED, .loose = true},
	[WA_CODE_CALL] = {run_call, ANY, ANY, .extra = NEVER, .loose = true,
					  .wide = run_call},
};

/* Ands bytes to others. */
WA_VECTORISED static void
and_bytes(uint8_t *restrict bytes, const uint8_t *restrict others,
		  size_t nbytes)
{
	for (size_t i = 0; i < nbytes; i++)
		bytes[i] &= others[i];
}

/* Makes the rows of the result NULL where one of up to two arguments is. */
static void
combine_nulls(const WaStep *step)
{
	const WaVector *a = step->a;
	const WaVector *b = step->b;
	bool b_has_nulls = b != NULL && b->has_nulls;
	uint8_t *restrict valid = step->out->valid;

	step->out->has_nulls = a->has_nulls || b_has_nulls;
	if (a->has_nulls)
		memcpy(valid, a->valid, step->nrows);
	else if (b_has_nulls)
		memcpy(valid, b->valid, step->nrows);
	if (a->has_nulls && b_has_nulls)
		and_bytes(valid, b->valid, step->nrows);
}

/* Copies 64-bit values, but puts others to the NULL rows. */
WA_VECTORISED static void
copy_valid(WaWord *restrict out, const WaWord *restrict values,
		   const uint8_t *restrict valid, uint64_t other, size_t nrows)
{
	for (size_t i = 0; i < nrows; i++)
		out[i] = other ^ ((values[i] ^ other) & (0 - (uint64_t) valid[i]));
}

/*
 * Runs an instruction of two 64-bit arguments over the rows that are not NULL,
 * as others may have made it trap: 0 - NULL's 0 does not, but the smallest of
 * the integers, subtracted from NULL's 0, does.  With 0 and 1 no instruction
 * traps.
 */
static bool
run_without_nulls(WaOperation operation, const WaStep *step, WaVectorKind kind)
{
	WaWord values[2][WA_VECTOR_ROWS];
	WaVector a = *step->a;
	WaVector b = *step->b;
	WaStep without = *step;
	uint64_t one = 1;

	if (kind == WA_VECTOR_FLOAT)
	{
		const double one_float = 1.0;

		memcpy(&one, &one_float, sizeof(one));
	}
	copy_valid(values[0], a.values, step->out->valid, 0, step->nrows);
	copy_valid(values[1], b.values, step->out->valid, one, step->nrows);
	a.values = values[0];
	b.values = values[1];
	without.a = &a;
	without.b = &b;
	return operation(&without);
}

/* Makes the values of NULL rows 0; what makes wide values does so itself. */
WA_VECTORISED static void
clear_nulls(WaVector *out, WaVectorKind kind, size_t nrows)
{
	const uint8_t *restrict valid = out->valid;

	WaWord *restrict values = out->values;

	if (out->wide)
		return;
	if (kind == WA_VECTOR_BOOL)
		and_bytes(wa_vector_bools(out), valid, nrows);
	else
		for (size_t i = 0; i < nrows; i++)
			values[i] &= 0 - (uint64_t) valid[i];
}

/* Tells whether an argument is wide. */
static bool
has_wide(const WaStep *step)
{
	return step->a->wide || (step->b != NULL && step->b->wide) ||
		   (step->c != NULL && step->c->wide);
}

/* Computes a strict instruction over values of 64 bits; kind: of its last argument. */
static bool
compute_narrow(const Opcode *opcode, const WaStep *step, WaVectorKind kind)
{
	return opcode->operation(step) ||
		   (opcode->b != NONE && step->out->has_nulls &&
			run_without_nulls(opcode->operation, step, kind));
}

/* What 64 bits are not enough for is computed in 128. */
static bool
compute(const Opcode *opcode, const WaStep *step, WaVectorKind kind)
{
	if (opcode->operation != opcode->wide && !has_wide(step))
	{
		if (opcode->loose ? opcode->operation(step)
						  : compute_narrow(opcode, step, kind))
			return true;
		step->out->mixed = false;
		step->out->scale = 0;
	}
	return opcode->wide != NULL && opcode->wide(step);
}

/* Runs one instruction. */
static bool
run_instruction(const WaProgram *program, const WaInstruction *instruction,
				WaVector *registers, size_t nrows)
{
	const Opcode *opcode = &opcodes[instruction->code];
	WaVector *out = &registers[instruction->out];
	WaStep step = {.program = program,
				   .a = &registers[instruction->a],
				   .out = out,
				   .nrows = nrows,
				   .extra = instruction->extra};

	if (opcode->b != NONE)
		step.b = &registers[instruction->b];
	if (opcode->c != NONE)
		step.c = &registers[instruction->c];
	out->has_nulls = false;
	out->mixed = false;
	out->wide = false;
	out->scale = 0;
	if (!opcode->loose)
		combine_nulls(&step);
	if (!compute(opcode, &step,
				 program->kinds[opcode->b != NONE ? instruction->b
												  : instruction->a]))
		return false;
	if (!opcode->loose && out->has_nulls)
		clear_nulls(out, program->kinds[instruction->out], nrows);
	return true;
}

bool
wa_program_run(const WaProgram *program, size_t begin, size_t end,
			   WaVector *registers, size_t nrows)
{
	for (size_t i = begin; i < end; i++)
		if (!run_instruction(program, &program->instructions[i], registers,
							 nrows))
			return false;
	return true;
}

int
wa_instruction_arguments(const WaInstruction *instruction,
						 uint16_t arguments[3])
{
	const Opcode *opcode = &opcodes[instruction->code];
	int narguments = 1;

	arguments[0] = instruction->a;
	if (opcode->b != NONE)
		arguments[narguments++] = instruction->b;
	if (opcode->c != NONE)
		arguments[narguments++] = instruction->c;
	return narguments;
}

bool
wa_instruction_may_trap(const WaInstruction *instruction)
{
	return !opcodes[instruction->code].safe;
}

static bool
extra_is_sound(Extra what, uint32_t extra)
{
	switch (what)
	{
		case INT_BYTES:
			return extra == 2 || extra == 4 || extra == 8;
		case FLOAT_BYTES:
			return extra == 4 || extra == 8;
		case COMPARISON:
			return extra <= WA_GREATER_OR_EQUAL;
		case ROUNDING:
			return extra % 256 <= WA_DECIMAL_MAX_SCALE && extra / 256 <= 255;
		case KIND:
			return extra <= WA_VECTOR_TEXT;
		case NEVER:
			return false;
		default:
			return true;
	}
}

/* Tells whether a register is there and of a kind that may stand in the place. */
static bool
may_stand(const WaProgram *program, uint16_t number, uint8_t place,
		  uint32_t extra)
{
	if (number >= program->nregisters)
		return false;
	if (place == CHOSEN)
		return (uint32_t) program->kinds[number] == extra;
	return (place >> program->kinds[number] & 1) != 0;
}

bool
wa_instruction_is_sound(const WaProgram *program,
						const WaInstruction *instruction)
{
	const uint32_t extra = instruction->extra;
	const Opcode *opcode;
	uint16_t arguments[3];
	int narguments;

	if (instruction->code >= WA_OPCODE_COUNT)
		return false;
	opcode = &opcodes[instruction->code];
	narguments = wa_instruction_arguments(instruction, arguments);
	for (int i = 0; i < narguments; i++)
	{
		const uint8_t places[3] = {opcode->a, opcode->b, opcode->c};

		if (arguments[i] == instruction->out ||
			!may_stand(program, arguments[i], places[i], extra))
			return false;
	}
	return may_stand(program, instruction->out, opcode->out, extra) &&
		   extra_is_sound((Extra) opcode->extra, extra);
}
