//
// program_decimals.cu
//		The steps of programs that are wide, over DECIMALs; see program/plan.h.
//
// Scales are not settled here as they are of 64 bits: a row is in units of what it
// is shown with where that differs from row to row, as it does behind a division.
// The scale of such a value is a guess, which outputs are stored with.
//
#include "program/plan.h"

#include <algorithm>

// Digits after the point that most quotients have at most: numeric_div gives 16
// significant ones to those of 1 and more, and 20 to those down to 0.0001.
constexpr uint8_t kQuotientScale = 20;

uint8_t
wa_program_max_scale(WaColumnForm form)
{
	return form == WA_COLUMN_I128 ? WA_WIDE_MAX_SCALE : WA_DECIMAL_MAX_SCALE;
}

bool
wa_program_find_scale(const WaPlanner *planner, int number,
					  const WaProgramOutput *output, uint8_t *scale)
{
	const WaPlanValue *value = &planner->values[number];

	*scale =
		planner->query->is_wide && value->mixed && output->scale != WA_ANY_SCALE
			? output->scale
			: value->scale;
	return output->d_values == NULL || value->kind != WA_VECTOR_DECIMAL ||
		   *scale <= wa_program_max_scale(output->form);
}

bool
wa_program_is_wide_step(const WaPlanStep *step, WaVectorKind kind)
{
	switch (step->op.code)
	{
		case WA_CODE_DECIMAL_TO_INT:
		case WA_CODE_DECIMAL_TO_FLOAT:
		case WA_CODE_COMPARE_DECIMAL:
			return true;
		case WA_CODE_SELECT:
			return kind == WA_VECTOR_DECIMAL;
		default:
			return step->op.unit == WA_UNIT_DECIMAL ||
				   step->op.unit == WA_UNIT_WIDE;
	}
}

// Gives a result of up to 38 digits its scale.
static cudaError_t
set_scale(int scale, bool mixed, WaPlanValue *out)
{
	out->mixed = mixed;
	out->scale = (uint8_t) std::min(scale, WA_WIDE_MAX_SCALE);
	return scale <= WA_WIDE_MAX_SCALE || mixed ? cudaSuccess
											   : cudaErrorNotSupported;
}

// What takes two decimals and gives one.
static cudaError_t
finish_arithmetic(const WaPlanStep *step, const WaPlanValue *a,
				  const WaPlanValue *b, WaPlanValue *out)
{
	const int larger = std::max(a->scale, b->scale);
	const bool mixed = a->mixed || b->mixed;

	switch (step->op.code)
	{
		case WA_CODE_DECIMAL_DIVIDE:
			return set_scale(std::max(larger, (int) kQuotientScale), true, out);
		case WA_CODE_DECIMAL_MULTIPLY:
			return set_scale(a->scale + b->scale, mixed, out);
		case WA_CODE_DECIMAL_DIVIDE_WHOLE:
		case WA_CODE_DECIMAL_FLOOR_DIVIDE:
			return set_scale(0, false, out);
		default: // ADD, SUBTRACT, REMAINDER
			return set_scale(larger, mixed, out);
	}
}

// A choice: the condition goes last.
static cudaError_t
finish_select(const WaPlanner *planner, WaPlanStep *step, WaPlanValue *out)
{
	const int condition = step->a;
	const WaPlanValue *b = &planner->values[step->b];
	const WaPlanValue *c = &planner->values[step->c];

	step->a = step->b;
	step->b = step->c;
	step->c = condition;
	return set_scale(std::max(b->scale, c->scale),
					 b->mixed || c->mixed || b->scale != c->scale, out);
}

cudaError_t
wa_program_finish_wide(const WaPlanner *planner, uint32_t extra,
					   WaPlanStep *step, WaPlanValue *out)
{
	const WaPlanValue *a = &planner->values[step->a];

	step->op.unit = WA_UNIT_WIDE;
	out->wide = true;
	switch (step->op.code)
	{
		case WA_CODE_COMPARE_DECIMAL:
			out->wide = false;
			wa_program_turn_comparison(extra, step);
			return cudaSuccess;
		case WA_CODE_DECIMAL_TO_INT:
		case WA_CODE_DECIMAL_TO_FLOAT:
			out->wide = false;
			return cudaSuccess;
		case WA_CODE_SELECT:
			return finish_select(planner, step, out);
		case WA_CODE_DECIMAL_ROUND:
			step->op.factor_a = extra % 256;
			step->op.factor_b = extra / 256;
			return set_scale((int) step->op.factor_a, false, out);
		case WA_CODE_DECIMAL_NEGATE:
		case WA_CODE_DECIMAL_ABS:
			return set_scale(a->scale, a->mixed, out);
		case WA_CODE_DECIMAL_FLOOR:
		case WA_CODE_DECIMAL_CEIL:
			return set_scale(0, false, out);
		default:
			return finish_arithmetic(step, a, &planner->values[step->b], out);
	}
}
