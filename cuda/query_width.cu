//
// query_width.cu
//		With how many digits a query computes DECIMALs.
//
// With 64 bits at first, as long as nothing in the query says that these are not
// enough.  If they turn out not to be, the query is computed again with 128.  If then
// rows of quotients have more digits than was guessed, or fewer, so that they might
// fit, it is computed once more with what they have.
//
#include "query/conditions.h"
#include "query/work.h"

// Tells whether an instruction is one that 64 bits may not be enough for.
static bool
computes_decimals(const WaCudaQuery *, const WaInstruction *instruction)
{
	switch (instruction->code)
	{
		case WA_CODE_DECIMAL_TO_INT:
		case WA_CODE_DECIMAL_TO_FLOAT:
			return true;
		case WA_CODE_SELECT:
			return instruction->extra == WA_VECTOR_DECIMAL;
		default:
			return instruction->code >= WA_CODE_DECIMAL_ADD &&
				   instruction->code <= WA_CODE_DECIMAL_ROUND;
	}
}

// Tells whether a register is a column of 128 bits.
static bool
is_wide_column(const WaCudaQuery *query, int number)
{
	for (unsigned i = 0; i < query->ncolumns; i++)
		if (query->columns[i].form == WA_COLUMN_I128 &&
			query->columns[i].number == number)
			return true;
	return false;
}

// Tells whether an instruction computes with a column of 128 bits, or divides.
static bool
is_wide(const WaCudaQuery *query, const WaInstruction *instruction)
{
	uint16_t arguments[3];
	const int count = wa_instruction_arguments(instruction, arguments);

	switch (instruction->code)
	{
		case WA_CODE_DECIMAL_DIVIDE:
		case WA_CODE_DECIMAL_REMAINDER:
		case WA_CODE_DECIMAL_DIVIDE_WHOLE:
			return true;
		case WA_CODE_IS_NULL:
		case WA_CODE_IS_NOT_NULL:
			return false;
		default:
			break;
	}
	for (int i = 0; i < count; i++)
		if (is_wide_column(query, arguments[i]))
			return true;
	return false;
}

// Tells whether an instruction that a query needs is such a one.
static bool
has_instruction(const WaCudaQuery *query,
				bool (*is_one)(const WaCudaQuery *query,
							   const WaInstruction *instruction))
{
	std::vector<bool> is_read;

	for (const WaInstruction &instruction :
		 wa_query_find_needed(query, 0, &is_read))
		if (is_one(query, &instruction))
			return true;
	return false;
}

// Tells whether an aggregated column has 128 bits.
static bool
aggregates_wide(const WaCudaQuery *query)
{
	for (unsigned i = 0; i < query->naggregates; i++)
		if (is_wide_column(query, query->aggregates[i].argument))
			return true;
	return false;
}

// Tells whether 64 bits have no room for a constant.
static bool
has_wide_constant(const WaCudaQuery *query)
{
	for (unsigned i = 0; i < query->nconstants; i++)
		if (wa_query_is_wide_constant(&query->constants[i]))
			return true;
	return false;
}

WaQueryWidth
wa_query_first_width(const WaCudaQuery *query)
{
	return {
		has_wide_constant(query) || has_instruction(query, is_wide), false, {}};
}

// Notes the digits that the rows of quotients were found to show.  Returns false if
// these are what they were stored with.
static bool
find_scales(const WaQueryWork *work, WaQueryWidth *width)
{
	bool differ = false;

	width->scales.resize(work->outputs.size(), (uint8_t) WA_ANY_SCALE);
	for (size_t i = 0; i < work->outputs.size(); i++)
	{
		const WaQuerySource *source = work->output_sources[i];

		if (source->form != WA_COLUMN_I128 || !source->mixed ||
			work->digits[i] == 0)
			continue;
		width->scales[i] = (uint8_t) work->digits[i];
		differ |= work->digits[i] != source->scale;
	}
	return differ;
}

bool
wa_query_next_width(const WaQueryWork *work, cudaError_t error, bool trapped,
					WaQueryWidth *width)
{
	*width = work->width;
	if (!width->is_wide)
	{
		const bool has_failed =
			error == cudaErrorNotSupported && !work->has_started;

		width->is_wide = true;
		return (has_failed || (error == cudaSuccess && trapped)) &&
			   (has_instruction(work->query, computes_decimals) ||
				aggregates_wide(work->query));
	}
	width->is_final = true;
	return error == cudaSuccess && trapped && !work->width.is_final &&
		   find_scales(work, width);
}
