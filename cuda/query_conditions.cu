//
// query_conditions.cu
//		From clauses of WHERE to conditions; see query/conditions.h.
//
#include "query/conditions.h"

#include <algorithm>

#include "core/batch.h"
#include "core/decimal.h"
#include "keys.h"
#include "warp/shuffle.cuh"

// A warp has a strip of neighbouring rows, and of these each lane every 32nd.
constexpr unsigned kConditionRows = 8;

// A condition as the kernel takes it; the limits are values of the form.
struct WaQueryRangeTest
{
	WaColumnForm form;
	const void *d_values;
	const uint64_t *d_validity; // NULL: no row is NULL
	int64_t least;
	int64_t most;
};

// What the kernel takes.
struct WaQueryConditionArgs
{
	unsigned count;
	uint32_t nrows;
	uint32_t *mask; // 32-bit words of the bitmap
	WaQueryRangeTest tests[WA_QUERY_CONDITIONS];
};

// Returns which of a thread's rows, from `row` on, lie in the range, of those that
// a mask has.
template <typename Stored>
__device__ __forceinline__ unsigned
wa_query_rows_between(const WaQueryRangeTest &test, uint32_t row,
					  unsigned wanted)
{
	const Stored *from = static_cast<const Stored *>(test.d_values) + row;
	const Stored least = (Stored) test.least;
	const Stored most = (Stored) test.most;
	Stored stored[kConditionRows];
	unsigned between = 0;

#pragma unroll
	for (unsigned i = 0; i < kConditionRows; i++)
		stored[i] =
			(wanted >> i & 1) != 0 ? __ldcs(from + i * kWarpLanes) : Stored(0);
#pragma unroll
	for (unsigned i = 0; i < kConditionRows; i++)
		between |= (unsigned) (stored[i] >= least && stored[i] <= most) << i;
	return wanted & between;
}

// Returns which of a thread's rows fulfil a condition, likewise.
__device__ __forceinline__ unsigned
wa_query_test_rows(const WaQueryRangeTest &test, uint32_t row, unsigned wanted)
{
	unsigned valid = wanted;

	if (test.d_validity != NULL)
#pragma unroll
		for (unsigned i = 0; i < kConditionRows; i++)
			if ((wanted >> i & 1) != 0 &&
				!wa_row_is_valid(test.d_validity, row + i * kWarpLanes))
				valid &= ~(1u << i);
	switch (test.form)
	{
		case WA_COLUMN_I16:
			return wa_query_rows_between<int16_t>(test, row, valid);
		case WA_COLUMN_I32:
			return wa_query_rows_between<int32_t>(test, row, valid);
		case WA_COLUMN_U32:
			return wa_query_rows_between<uint32_t>(test, row, valid);
		default:
			return wa_query_rows_between<int64_t>(test, row, valid);
	}
}

// Takes rows that do not fulfil all conditions from a bitmap.  Any grid of whole
// warps; deterministic.
__global__ void
__launch_bounds__(kQueryThreads) wa_query_conditions_kernel(
	const __grid_constant__ WaQueryConditionArgs args)
{
	const unsigned lane = wa_warp_lane();
	const uint32_t words = (args.nrows + 63) / 64 * 2;
	const uint32_t warps = gridDim.x * (blockDim.x / kWarpLanes);

	for (uint32_t word = (blockIdx.x * blockDim.x + threadIdx.x) / kWarpLanes *
						 kConditionRows;
		 word < words; word += warps * kConditionRows)
	{
		const uint32_t row = word * kWarpLanes + lane;
		unsigned live = 0;
		uint32_t mine = 0;

#pragma unroll
		for (unsigned i = 0; i < kConditionRows; i++)
			if (word + i < words)
				live |= (args.mask[word + i] >> lane & 1) << i;
		for (unsigned i = 0;
			 i < args.count && __ballot_sync(kFullMask, live != 0) != 0; i++)
			live = wa_query_test_rows(args.tests[i], row, live);
#pragma unroll
		for (unsigned i = 0; i < kConditionRows; i++)
		{
			const uint32_t bits =
				__ballot_sync(kFullMask, (live >> i & 1) != 0);

			if (lane == i)
				mine = bits;
		}
		if (lane < kConditionRows && word + lane < words)
			args.mask[word + lane] = mine;
	}
}

// Microseconds of a day: of those a date becomes a timestamp.
static const int64_t kDayUnits = INT64_C(86400) * 1000 * 1000;

// What a register is, as far as conditions go.
struct Meaning
{
	const WaCudaColumn
		*column; // integers: the column's, times the unit; or NULL
	int64_t unit;
	const WaProgramConstant *constant; // or NULL
	bool is_test; // a BOOL that is true where all these are fulfilled
	std::vector<WaQueryCondition> tests;
};

// What is known while clauses are looked at.
struct Reading
{
	const WaCudaQuery *query;
	std::vector<Meaning> registers;
};

// Tells whether a column is one of integers.
static bool
is_integral(const WaCudaQuery *query, const WaCudaColumn *column)
{
	const WaVectorKind kind = query->program.kinds[column->number];

	return (kind == WA_VECTOR_INT || kind == WA_VECTOR_DECIMAL) &&
		   column->form <= WA_COLUMN_U32;
}

// Makes a condition that all values of a column fulfil.
static WaQueryCondition
any_value(const WaCudaColumn *column)
{
	const WaKeyRange range = wa_keys_form_range(column->form);

	return {column, range.smallest, range.largest};
}

// Leaves of a condition what lies between two numbers, too.  If that is nothing
// the limits are 1 and 0, which all forms have.
static void
restrict_to(WaQueryCondition *condition, __int128 least, __int128 most)
{
	least = std::max(least, (__int128) condition->least);
	most = std::min(most, (__int128) condition->most);
	condition->least = least <= most ? (int64_t) least : 1;
	condition->most = least <= most ? (int64_t) most : 0;
}

// Returns the quotient, rounded down; the divisor is positive.
static __int128
divide_down(__int128 number, __int128 divisor)
{
	return number / divisor - (number % divisor < 0);
}

// Leaves of a condition the values that, times a unit, fulfil a comparison with a
// bound.  Returns false if these are no range.
static bool
restrict_by(WaQueryCondition *condition, uint32_t comparison, __int128 unit,
			__int128 bound)
{
	const __int128 down = divide_down(bound, unit);
	const __int128 up = down + (down * unit != bound);

	switch (comparison)
	{
		case WA_EQUAL:
			restrict_to(condition, up, down);
			return true;
		case WA_LESS:
			restrict_to(condition, INT64_MIN, up - 1);
			return true;
		case WA_LESS_OR_EQUAL:
			restrict_to(condition, INT64_MIN, down);
			return true;
		case WA_GREATER:
			restrict_to(condition, down + 1, INT64_MAX);
			return true;
		case WA_GREATER_OR_EQUAL:
			restrict_to(condition, up, INT64_MAX);
			return true;
		default:
			return false;
	}
}

// Notes what a comparison of a column with a constant tests.
static void
read_comparison(const Meaning &column, const Meaning &constant,
				uint32_t comparison, Meaning *out)
{
	const unsigned column_scale = column.column->scale;
	const unsigned scale = constant.constant->scale;
	const int64_t value = constant.constant->value.i;
	WaQueryCondition condition = any_value(column.column);

	if (constant.constant->is_null)
		restrict_to(&condition, 1, 0);
	else if (column.unit != 1 && (value == INT64_MIN || value == INT64_MAX))
		return; // infinity, which only dates that are infinite are equal to
	else if (!restrict_by(
				 &condition, comparison,
				 (__int128) column.unit *
					 wa_powers_of_ten[scale - std::min(scale, column_scale)],
				 (__int128) value *
					 wa_powers_of_ten[column_scale -
									  std::min(scale, column_scale)]))
		return;
	out->is_test = true;
	out->tests = {condition};
}

// Returns what an argument is.  Instructions may name any register where they take
// no argument.
static Meaning
argument(const Reading *reading, uint16_t number)
{
	return number < reading->registers.size() ? reading->registers[number]
											  : Meaning{};
}

// Finds out what an instruction makes of its register.
static void
read_instruction(Reading *reading, const WaInstruction *instruction)
{
	const Meaning a = argument(reading, instruction->a);
	const Meaning b = argument(reading, instruction->b);
	Meaning out = {};

	switch (instruction->code)
	{
		case WA_CODE_COMPARE_INT:
		case WA_CODE_COMPARE_DECIMAL:
			if (a.column != NULL && b.constant != NULL)
				read_comparison(a, b, instruction->extra, &out);
			else if (b.column != NULL && a.constant != NULL)
				read_comparison(b, a, wa_comparison_turned(instruction->extra),
								&out);
			break;
		case WA_CODE_DATE_TO_TIMESTAMP:
			out.column = a.unit == 1 ? a.column : NULL;
			out.unit = kDayUnits;
			break;
		case WA_CODE_IS_NOT_NULL:
			out.is_test = a.column != NULL && a.unit == 1;
			if (out.is_test)
				out.tests = {any_value(a.column)};
			break;
		case WA_CODE_IS_TRUE:
			out.is_test = a.is_test;
			out.tests = a.tests;
			break;
		case WA_CODE_AND:
			out.is_test = a.is_test && b.is_test;
			out.tests = a.tests;
			out.tests.insert(out.tests.end(), b.tests.begin(), b.tests.end());
			break;
		default:
			break;
	}
	reading->registers[instruction->out] = out;
}

bool
wa_query_is_wide_constant(const WaProgramConstant *constant)
{
	return constant->is_wide || constant->scale > WA_DECIMAL_MAX_SCALE;
}

// Notes what columns and constants are.
static void
read_inputs(Reading *reading)
{
	const WaCudaQuery *query = reading->query;

	reading->registers.resize(query->program.nregisters);
	for (unsigned i = 0; i < query->ncolumns; i++)
		if (is_integral(query, &query->columns[i]))
		{
			Meaning *meaning = &reading->registers[query->columns[i].number];

			meaning->column = &query->columns[i];
			meaning->unit = 1;
		}
	for (unsigned i = 0; i < query->nconstants; i++)
		if (!wa_query_is_wide_constant(&query->constants[i]))
			reading->registers[query->constants[i].number].constant =
				&query->constants[i];
}

// Adds a test to those of the same column; false if there is no room.
static bool
add_test(WaQueryConditions *conditions, const WaQueryCondition &test)
{
	unsigned i = 0;

	while (i < conditions->count &&
		   conditions->conditions[i].column != test.column)
		i++;
	if (i == WA_QUERY_CONDITIONS)
		return false;
	if (i == conditions->count)
		conditions->conditions[conditions->count++] = test;
	else
		restrict_to(&conditions->conditions[i], test.least, test.most);
	return true;
}

// Adds the tests of a clause; false, and nothing is added, if it has others.
static bool
add_clause(WaQueryConditions *conditions, const Meaning &meaning)
{
	WaQueryConditions added = *conditions;

	if (!meaning.is_test)
		return false;
	for (const WaQueryCondition &test : meaning.tests)
		if (!add_test(&added, test))
			return false;
	added.nclauses++;
	*conditions = added;
	return true;
}

WaQueryConditions
wa_query_find_conditions(const WaCudaQuery *query)
{
	Reading reading = {query, {}};
	WaQueryConditions conditions = {};
	size_t next = 0;

	if (query->nclauses == 0)
		return conditions;
	read_inputs(&reading);
	for (unsigned i = 0; i < query->nclauses; i++)
	{
		const WaProgramClause *clause = &query->clauses[i];

		for (; next < clause->end; next++)
			read_instruction(&reading, &query->program.instructions[next]);
		if (!add_clause(&conditions, reading.registers[clause->number]))
			break;
	}
	return conditions;
}

void
wa_query_note_arguments(const WaInstruction *instruction,
						std::vector<bool> *read)
{
	for (uint16_t number : {instruction->a, instruction->b, instruction->c})
		if (number < read->size())
			(*read)[number] = true;
}

// Notes which instructions some clauses need; read: the registers that are read in the
// end.
static std::vector<bool>
find_needed(const WaCudaQuery *query, unsigned first_clause,
			unsigned end_clause, std::vector<bool> read)
{
	const WaProgram *program = &query->program;
	std::vector<bool> needed(program->ninstructions);
	unsigned clause = end_clause;

	for (size_t i = program->ninstructions; i-- > 0;)
	{
		const WaInstruction *instruction = &program->instructions[i];

		for (; clause > first_clause && query->clauses[clause - 1].end > i;
			 clause--)
			read[query->clauses[clause - 1].number] = true;
		needed[i] = read[instruction->out];
		if (!needed[i])
			continue;
		read[instruction->out] = false;
		wa_query_note_arguments(instruction, &read);
	}
	return needed;
}

void
wa_query_drop_clauses(const WaCudaQuery *query, unsigned first_clause,
					  unsigned end_clause, const std::vector<bool> &outputs,
					  std::vector<WaInstruction> *instructions,
					  std::vector<WaProgramClause> *clauses)
{
	const std::vector<bool> needed =
		find_needed(query, first_clause, end_clause, outputs);
	unsigned clause = first_clause;

	for (size_t i = 0; i <= needed.size(); i++)
	{
		for (; clause < end_clause && query->clauses[clause].end == i; clause++)
			clauses->push_back(
				{instructions->size(), query->clauses[clause].number});
		if (i < needed.size() && needed[i])
			instructions->push_back(query->program.instructions[i]);
	}
}

std::vector<WaInstruction>
wa_query_find_needed(const WaCudaQuery *query, unsigned first_clause,
					 std::vector<bool> *is_read)
{
	std::vector<WaInstruction> instructions;
	std::vector<WaProgramClause> clauses;

	is_read->assign(query->program.nregisters, false);
	for (unsigned i = 0; i < query->nkeys; i++)
		(*is_read)[query->keys[i]] = true;
	if (query->values != NULL)
		(*is_read)[query->values->number] = true;
	for (unsigned i = 0; i < query->naggregates; i++)
		for (int number :
			 {query->aggregates[i].argument, query->aggregates[i].filter})
			if (number >= 0)
				(*is_read)[(size_t) number] = true;
	wa_query_drop_clauses(query, first_clause, query->nclauses, *is_read,
						  &instructions, &clauses);
	for (const WaInstruction &instruction : instructions)
		wa_query_note_arguments(&instruction, is_read);
	for (const WaProgramClause &clause : clauses)
		(*is_read)[clause.number] = true;
	return instructions;
}

void
wa_query_start_conditions(const WaQueryWork *work,
						  const WaQueryConditions *conditions, uint64_t *d_mask)
{
	WaQueryConditionArgs args = {};

	if (conditions->count == 0)
		return;
	args.count = conditions->count;
	args.nrows = work->nrows;
	args.mask = reinterpret_cast<uint32_t *>(d_mask);
	for (unsigned i = 0; i < args.count; i++)
	{
		const WaQueryCondition *condition = &conditions->conditions[i];

		args.tests[i] = {condition->column->form, condition->column->d_values,
						 condition->column->d_validity, condition->least,
						 condition->most};
	}
	wa_query_launch(work, wa_query_conditions_kernel,
					work->nrows / kConditionRows, 0, args);
}
