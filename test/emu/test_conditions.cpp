//
// test_conditions.cpp
//		Which clauses of WHERE become conditions (cuda/query/conditions.h), and
//		which values fulfil them, beside comparisons of exact fractions.
//
#include "check.h"

#include <algorithm>
#include <stdio.h>

#include "query/conditions.h"

constexpr unsigned kCases = 4000;
constexpr unsigned kClauses = 4;
constexpr int64_t kDay = INT64_C(86400) * 1000 * 1000;

// Registers: columns, their constants, and then what is computed.
constexpr uint16_t kColumns = 3;
constexpr uint16_t kConstants = 2 * kColumns;
constexpr uint16_t kComputed = kColumns + kConstants;
constexpr uint16_t kRegisters = 64;

// A comparison of a column with a constant.
struct Test
{
	uint16_t column;
	uint16_t constant;
	bool is_date; // that becomes a timestamp
	uint32_t comparison;
};

// A clause is all of its tests at once.
struct Clause
{
	std::vector<Test> tests;
};

struct Case
{
	std::vector<WaVectorKind> kinds;
	std::vector<WaCudaColumn> columns;
	std::vector<WaProgramConstant> constants;
	std::vector<WaInstruction> instructions;
	std::vector<WaProgramClause> clauses;
	std::vector<Clause> meanings;
	WaCudaQuery query;
};

static __int128
power_of_ten(unsigned exponent)
{
	__int128 power = 1;

	while (exponent-- > 0)
		power *= 10;
	return power;
}

// Tells whether a value of a column fulfils a test.
static bool
fulfils(const Case &of, const Test &test, int64_t value)
{
	const WaProgramConstant &constant = of.constants[test.constant - kColumns];
	const __int128 left = (__int128) value * (test.is_date ? kDay : 1) *
						  power_of_ten(constant.scale);
	const __int128 right =
		constant.value.i * power_of_ten(of.columns[test.column].scale);

	if (constant.is_null)
		return false;
	switch (test.comparison)
	{
		case WA_EQUAL:
			return left == right;
		case WA_LESS:
			return left < right;
		case WA_LESS_OR_EQUAL:
			return left <= right;
		case WA_GREATER:
			return left > right;
		default:
			return left >= right;
	}
}

// Makes the columns: of any form, the last of decimals.
static void
make_columns(Case &made, Random &random)
{
	const WaColumnForm forms[] = {WA_COLUMN_I16, WA_COLUMN_I32, WA_COLUMN_I64,
								  WA_COLUMN_U32};

	for (uint16_t i = 0; i < kColumns; i++)
	{
		WaCudaColumn column = {};

		column.number = i;
		column.form = forms[random.below(i == kColumns - 1 ? 3 : 4)];
		column.scale = i == kColumns - 1 ? (uint8_t) random.below(7) : 0;
		made.columns.push_back(column);
		made.kinds.push_back(i == kColumns - 1 ? WA_VECTOR_DECIMAL
											   : WA_VECTOR_INT);
	}
}

// Makes constants: two for each column, near 0, near the limits of forms, or days.
static void
make_constants(Case &made, Random &random)
{
	const int64_t bases[] = {0,          INT16_MAX,     INT32_MAX,
							 UINT32_MAX, INT64_MAX - 7, INT64_MIN + 7,
							 INT32_MIN,  INT16_MIN,     3 * kDay,
							 -5 * kDay};

	for (uint16_t i = 0; i < kConstants; i++)
	{
		WaProgramConstant constant = {};

		constant.number = kColumns + i;
		constant.is_null = random.below(15) == 0;
		constant.scale = i / 2 == kColumns - 1 ? (uint8_t) random.below(7) : 0;
		constant.value.i =
			bases[random.below(10)] + ((int64_t) random.below(13) - 6);
		made.constants.push_back(constant);
		made.kinds.push_back(made.kinds[i / 2]);
	}
}

// Adds an instruction; returns its register.
static uint16_t
add_instruction(Case &made, WaOpcode code, uint16_t a, uint16_t b,
				uint32_t extra)
{
	const uint16_t out = kComputed + (uint16_t) made.instructions.size();

	made.instructions.push_back({(uint16_t) code, out, a, b, 0, extra});
	return out;
}

// Adds a test, either way round; returns its register.
static uint16_t
add_test(Case &made, Clause &clause, Random &random)
{
	static const uint32_t comparisons[] = {WA_EQUAL, WA_LESS, WA_LESS_OR_EQUAL,
										   WA_GREATER, WA_GREATER_OR_EQUAL};
	static const uint32_t turned[] = {WA_EQUAL, WA_GREATER, WA_GREATER_OR_EQUAL,
									  WA_LESS, WA_LESS_OR_EQUAL};
	const unsigned which = (unsigned) random.below(5);
	Test test = {};
	uint16_t value;

	test.column = (uint16_t) random.below(kColumns);
	test.constant = kColumns + 2 * test.column + (uint16_t) random.below(2);
	test.is_date = test.column == 0 && random.below(3) == 0;
	test.comparison = comparisons[which];
	clause.tests.push_back(test);
	value = test.is_date ? add_instruction(made, WA_CODE_DATE_TO_TIMESTAMP,
										   test.column, 0xffff, 0)
						 : test.column;
	if (random.below(2) == 0)
		return add_instruction(made,
							   test.column == kColumns - 1
								   ? WA_CODE_COMPARE_DECIMAL
								   : WA_CODE_COMPARE_INT,
							   value, test.constant, comparisons[which]);
	return add_instruction(made,
						   test.column == kColumns - 1 ? WA_CODE_COMPARE_DECIMAL
													   : WA_CODE_COMPARE_INT,
						   test.constant, value, turned[which]);
}

// Makes a query whose clauses are conditions, but for the one with that number.
static Case
make_case(Random &random, unsigned other)
{
	Case made = {};

	make_columns(made, random);
	make_constants(made, random);
	for (unsigned i = 0; i < kClauses; i++)
	{
		Clause clause;
		uint16_t number = add_test(made, clause, random);

		if (random.below(2) == 0)
			number = add_instruction(made, WA_CODE_AND, number,
									 add_test(made, clause, random), 0);
		if (random.below(4) == 0)
			number = add_instruction(made, WA_CODE_IS_TRUE, number, 0, 0);
		if (i == other)
			number = add_instruction(
				made, random.below(2) ? WA_CODE_NOT : WA_CODE_IS_NULL, number,
				0, 0);
		made.clauses.push_back({made.instructions.size(), number});
		made.meanings.push_back(clause);
	}
	made.kinds.resize(kRegisters, WA_VECTOR_BOOL);
	for (const WaInstruction &instruction : made.instructions)
		if (instruction.code == WA_CODE_DATE_TO_TIMESTAMP)
			made.kinds[instruction.out] = WA_VECTOR_INT;
	return made;
}

// Describes a case, which stays where it is.
static const WaCudaQuery *
describe(Case &made)
{
	WaCudaQuery *query = &made.query;

	query->program.nregisters = kRegisters;
	query->program.kinds = made.kinds.data();
	query->program.instructions = made.instructions.data();
	query->program.ninstructions = made.instructions.size();
	query->ncolumns = (unsigned) made.columns.size();
	query->columns = made.columns.data();
	query->nconstants = (unsigned) made.constants.size();
	query->constants = made.constants.data();
	query->nclauses = (unsigned) made.clauses.size();
	query->clauses = made.clauses.data();
	return query;
}

// Tells whether a value can lie in a form.
static bool
fits(WaColumnForm form, __int128 value)
{
	switch (form)
	{
		case WA_COLUMN_I16:
			return value == (int16_t) value;
		case WA_COLUMN_I32:
			return value == (int32_t) value;
		case WA_COLUMN_U32:
			return value == (uint32_t) value;
		default:
			return value == (int64_t) value;
	}
}

// Returns values of a column on both sides of what a test compares it with.
static std::vector<int64_t>
values_near(const Case &of, const Test &test)
{
	const WaCudaColumn &column = of.columns[test.column];
	const WaProgramConstant &constant = of.constants[test.constant - kColumns];
	const __int128 middle = constant.value.i * power_of_ten(column.scale) /
							power_of_ten(constant.scale) /
							(test.is_date ? kDay : 1);
	std::vector<int64_t> values;

	for (__int128 value = middle - 3; value <= middle + 3; value++)
		if (fits(column.form, value))
			values.push_back((int64_t) value);
	for (int64_t value : {INT64_MIN, (int64_t) INT32_MIN, (int64_t) INT16_MIN,
						  (int64_t) 0, (int64_t) INT16_MAX, (int64_t) INT32_MAX,
						  (int64_t) UINT32_MAX, INT64_MAX})
		if (fits(column.form, value))
			values.push_back(value);
	return values;
}

// Tells whether conditions let a value of a column pass.
static bool
passes(const WaQueryConditions &conditions, const WaCudaColumn *column,
	   int64_t value)
{
	for (unsigned i = 0; i < conditions.count; i++)
		if (conditions.conditions[i].column == column &&
			(value < conditions.conditions[i].least ||
			 value > conditions.conditions[i].most))
			return false;
	return true;
}

// Tells whether a value of a column fulfils all tests of it in the first clauses.
static bool
fulfils_all(const Case &of, unsigned nclauses, uint16_t column, int64_t value)
{
	for (unsigned i = 0; i < nclauses; i++)
		for (const Test &test : of.meanings[i].tests)
			if (test.column == column && !fulfils(of, test, value))
				return false;
	return true;
}

// Compares conditions with the clauses that they stand for; returns how many
// values were looked at.
static unsigned
check_values(const Case &of, const WaQueryConditions &conditions, char *failure,
			 size_t failure_bytes)
{
	unsigned count = 0;

	for (unsigned i = 0; i < conditions.nclauses; i++)
		for (const Test &test : of.meanings[i].tests)
			for (int64_t value : values_near(of, test))
			{
				count++;
				if (passes(conditions, &of.columns[test.column], value) !=
					fulfils_all(of, conditions.nclauses, test.column, value))
					snprintf(failure, failure_bytes,
							 "clause %u, column %u, value %lld", i, test.column,
							 (long long) value);
			}
	return count;
}

// Looks at random queries.
static void
test_values()
{
	Random random(26);
	char failure[200] = "";
	unsigned values = 0;

	for (unsigned i = 0; i < kCases && failure[0] == '\0'; i++)
	{
		const unsigned other = (unsigned) random.below(kClauses + 1);
		Case made = make_case(random, other);
		const WaQueryConditions conditions =
			wa_query_find_conditions(describe(made));

		if (conditions.nclauses != std::min(other, kClauses))
			snprintf(failure, sizeof(failure), "case %u: %u clauses, not %u", i,
					 conditions.nclauses, other);
		else
			values += check_values(made, conditions, failure, sizeof(failure));
	}
	report_group(failure, "conditions let %u values pass as the clauses do",
				 values);
}

// A query of three clauses, the second of which is no condition and reads what was
// computed for the first.
static Case
shared_case()
{
	Case made = {};
	Clause none;
	uint16_t first;
	uint16_t both;

	made.columns = {
		{0, WA_COLUMN_I32, 0, NULL, NULL, NULL, false, 0, 0, false}};
	made.constants = {{kColumns, false, 0, false, {7}},
					  {kColumns + 1, false, 0, false, {9}}};
	made.kinds.resize(kRegisters, WA_VECTOR_INT);
	first = add_instruction(made, WA_CODE_COMPARE_INT, 0, kColumns, WA_LESS);
	made.clauses.push_back({1, first});
	both = add_instruction(made, WA_CODE_COMPARE_INT, 0, kColumns + 1,
						   WA_NOT_EQUAL);
	made.clauses.push_back(
		{3, add_instruction(made, WA_CODE_OR, first, both, 0)});
	made.clauses.push_back({4, add_instruction(made, WA_CODE_COMPARE_INT, 0,
											   kColumns + 1, WA_GREATER)});
	(void) add_instruction(made, WA_CODE_INT_ADD, 0, kColumns, 4);
	return made;
}

// Returns whether some clauses have these numbers and ends.
static bool
are_clauses(const std::vector<WaProgramClause> &clauses,
			const std::vector<WaProgramClause> &expected)
{
	return std::equal(clauses.begin(), clauses.end(), expected.begin(),
					  expected.end(),
					  [](const WaProgramClause &a, const WaProgramClause &b)
					  { return a.end == b.end && a.number == b.number; });
}

// Tests which instructions stay when the first clauses go.
static void
test_dropping()
{
	Case made = shared_case();
	const WaCudaQuery *query = describe(made);
	std::vector<bool> outputs(kRegisters);
	std::vector<WaInstruction> instructions;
	std::vector<WaProgramClause> clauses;

	report_group(wa_query_find_conditions(query).nclauses == 1 ? "" : "not one",
				 "a clause behind another one is no condition");
	wa_query_drop_clauses(query, 1, query->nclauses, outputs, &instructions,
						  &clauses);
	report_group(instructions.size() == 4 &&
						 instructions[0].code == WA_CODE_COMPARE_INT &&
						 are_clauses(clauses, {{3, made.clauses[1].number},
											   {4, made.clauses[2].number}})
					 ? ""
					 : "others stay",
				 "what a later clause reads stays");
	instructions.clear();
	clauses.clear();
	outputs[made.instructions[4].out] = true;
	wa_query_drop_clauses(query, 3, query->nclauses, outputs, &instructions,
						  &clauses);
	report_group(instructions.size() == 1 && clauses.empty() &&
						 instructions[0].code == WA_CODE_INT_ADD
					 ? ""
					 : "others stay",
				 "outputs alone stay where all clauses go");
}

// Tests dates beside infinity, which is no number of days.
static void
test_infinity()
{
	Case made = {};
	const uint16_t value =
		add_instruction(made, WA_CODE_DATE_TO_TIMESTAMP, 0, 0, 0);

	made.columns = {
		{0, WA_COLUMN_I32, 0, NULL, NULL, NULL, false, 0, 0, false}};
	made.constants = {{kColumns, false, 0, false, {INT64_MAX}}};
	made.kinds.resize(kRegisters, WA_VECTOR_INT);
	made.clauses.push_back({2, add_instruction(made, WA_CODE_COMPARE_INT, value,
											   kColumns, WA_LESS)});
	report_group(wa_query_find_conditions(describe(made)).nclauses == 0
					 ? ""
					 : "it is one",
				 "a date beside infinity is no condition");
}

int
main()
{
	test_values();
	test_dropping();
	test_infinity();
	return report_total();
}
