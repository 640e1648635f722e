//
// program_units.cu
//		Which part of the kernels runs an instruction, what memory its list takes, and
//		comparisons in terms of two of them.
//
#include "program/plan.h"

WaProgramUnit
wa_program_unit(uint16_t code)
{
	switch (code)
	{
		case WA_CODE_INT_ADD:
		case WA_CODE_INT_SUBTRACT:
		case WA_CODE_INT_MULTIPLY:
		case WA_CODE_INT_DIVIDE:
		case WA_CODE_INT_REMAINDER:
		case WA_CODE_INT_NEGATE:
		case WA_CODE_INT_ABS:
		case WA_CODE_INT_NARROW:
			return WA_UNIT_INT;
		case WA_CODE_FLOAT_ADD:
		case WA_CODE_FLOAT_SUBTRACT:
		case WA_CODE_FLOAT_MULTIPLY:
		case WA_CODE_FLOAT_DIVIDE:
		case WA_CODE_FLOAT_NEGATE:
		case WA_CODE_FLOAT_ABS:
		case WA_CODE_FLOAT_FLOOR:
		case WA_CODE_FLOAT_CEIL:
		case WA_CODE_FLOAT_NARROW:
		case WA_CODE_FLOAT_HIGH_PART:
		case WA_CODE_FLOAT_LOW_PART:
			return WA_UNIT_FLOAT;
		case WA_CODE_DECIMAL_ADD:
		case WA_CODE_DECIMAL_SUBTRACT:
		case WA_CODE_DECIMAL_MULTIPLY:
		case WA_CODE_DECIMAL_FLOOR_DIVIDE:
		case WA_CODE_DECIMAL_NEGATE:
		case WA_CODE_DECIMAL_ABS:
		case WA_CODE_DECIMAL_FLOOR:
		case WA_CODE_DECIMAL_CEIL:
		case WA_CODE_DECIMAL_ROUND:
			return WA_UNIT_DECIMAL;
		case WA_CODE_DECIMAL_DIVIDE:
		case WA_CODE_DECIMAL_REMAINDER:
		case WA_CODE_DECIMAL_DIVIDE_WHOLE:
			return WA_UNIT_WIDE;
		case WA_CODE_INT_TO_DECIMAL:
			return WA_UNIT_COPY;
		case WA_CODE_INT_TO_FLOAT:
		case WA_CODE_FLOAT_TO_INT:
		case WA_CODE_DECIMAL_TO_INT:
		case WA_CODE_DECIMAL_TO_FLOAT:
		case WA_CODE_DATE_TO_TIMESTAMP:
		case WA_CODE_TIMESTAMP_TO_DATE:
		case WA_CODE_TIMESTAMP_TO_DECIMAL:
		case WA_CODE_TIMESTAMP_TO_FLOAT:
			return WA_UNIT_CONVERT;
		case WA_CODE_DECIMAL_SCALE:
			return WA_UNIT_SCALE;
		case WA_CODE_COMPARE_INT:
		case WA_CODE_COMPARE_FLOAT:
		case WA_CODE_COMPARE_DECIMAL:
		case WA_CODE_IN_INT:
			return WA_UNIT_COMPARE;
		case WA_CODE_COMPARE_BOOL:
		case WA_CODE_AND:
		case WA_CODE_OR:
		case WA_CODE_NOT:
		case WA_CODE_IS_TRUE:
		case WA_CODE_IS_NULL:
		case WA_CODE_IS_NOT_NULL:
			return WA_UNIT_LOGIC;
		case WA_CODE_SELECT:
			return WA_UNIT_SELECT;
		case WA_CODE_LOOK_UP:
			return WA_UNIT_STEPS;
		default:
			return WA_UNIT_NONE;
	}
}

// Words for so many bytes: an even number, so that all is aligned to 16 bytes.
static size_t
even_words(size_t bytes)
{
	return (bytes + 15) / 16 * 2;
}

size_t
wa_program_list_words(const WaProgram *program,
					  const WaInstruction *instruction)
{
	switch (instruction->code)
	{
		case WA_CODE_IN_INT:
			return even_words(program->lists[instruction->extra].nvalues *
							  sizeof(int64_t));
		case WA_CODE_LOOK_UP:
			return even_words(sizeof(WaLookup));
		default:
			return 0;
	}
}

size_t
wa_program_entry_words(const WaProgramQuery *query,
					   const WaInstruction *instruction)
{
	return instruction->code != WA_CODE_LOOK_UP ||
				   wa_program_kept_table(query, instruction) != NULL
			   ? 0
			   : even_words(wa_lookup_bytes(
					 &query->program->tables[instruction->extra]));
}

const WaLookup *
wa_program_kept_table(const WaProgramQuery *query,
					  const WaInstruction *instruction)
{
	return query->kept == NULL ? NULL : query->kept[instruction->extra];
}

// A comparison in terms of = and <, either way round, or the opposite of that.
void
wa_program_turn_comparison(uint32_t comparison, WaPlanStep *step)
{
	if (comparison == WA_GREATER || comparison == WA_LESS_OR_EQUAL)
	{
		const int a = step->a;

		step->a = step->b;
		step->b = a;
	}
	step->op.is_order = comparison != WA_EQUAL && comparison != WA_NOT_EQUAL;
	step->op.is_negated = comparison == WA_NOT_EQUAL ||
						  comparison == WA_LESS_OR_EQUAL ||
						  comparison == WA_GREATER_OR_EQUAL;
}
