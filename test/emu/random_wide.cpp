//
// random_wide.cpp
//		Random programs over DECIMALs of up to 38 digits; see random_wide.h.
//
#include "random_wide.h"

#include <algorithm>
#include <stdlib.h>
#include <string.h>

#include "core/decimal.h"

static const size_t kMaxColumns = 6;
static const size_t kMaxConstants = 5;
static const size_t kInstructions = 8;
static const size_t kOutputs = 4;
static const size_t kFewRows = 8;

const std::vector<WideCase> &
wide_cases()
{
	static const std::vector<uint32_t> kComparisons = {
		WA_EQUAL,         WA_NOT_EQUAL, WA_LESS,
		WA_LESS_OR_EQUAL, WA_GREATER,   WA_GREATER_OR_EQUAL};
	static const std::vector<uint32_t> kRounds = {
		255 * 256, 255 * 256 + 2, 255 * 256 + 18, 255 * 256 + 12,
		3 * 256,   20 * 256 + 4,  30 * 256,       256 + 18};
	static const std::vector<WideCase> kCases = {
		{WA_CODE_DECIMAL_ADD, "ddd", true, {0}},
		{WA_CODE_DECIMAL_SUBTRACT, "ddd", true, {0}},
		{WA_CODE_DECIMAL_MULTIPLY, "ddd", true, {0}},
		{WA_CODE_DECIMAL_DIVIDE, "ddd", true, {0}},
		{WA_CODE_DECIMAL_REMAINDER, "ddd", true, {0}},
		{WA_CODE_DECIMAL_DIVIDE_WHOLE, "ddd", true, {0}},
		{WA_CODE_DECIMAL_FLOOR_DIVIDE, "ddd", true, {0}},
		{WA_CODE_DECIMAL_NEGATE, "dd", true, {0}},
		{WA_CODE_DECIMAL_ABS, "dd", true, {0}},
		{WA_CODE_DECIMAL_FLOOR, "dd", false, {0}},
		{WA_CODE_DECIMAL_CEIL, "dd", false, {0}},
		{WA_CODE_DECIMAL_ROUND, "dd", true, kRounds},
		{WA_CODE_DECIMAL_TO_INT, "di", true, {2, 4, 8}},
		{WA_CODE_DECIMAL_TO_FLOAT, "df", false, {4, 8}},
		{WA_CODE_DECIMAL_SCALE, "di", false, {0}},
		{WA_CODE_COMPARE_DECIMAL, "ddb", false, kComparisons},
		{WA_CODE_SELECT, "bddd", true, {WA_VECTOR_DECIMAL}},
		{WA_CODE_INT_TO_DECIMAL, "id", false, {0}},
		{WA_CODE_IS_NULL, "db", false, {0}},
	};

	return kCases;
}

// Makes a program, piece by piece.
class WideMaker
{
  public:
	WideMaker(size_t nrows, Random &random)
		: is_tame_(nrows > kFewRows), random_(random)
	{
		program_.nrows = nrows;
	}

	WideProgram &
	program()
	{
		return program_;
	}

	void add_instruction(const WideCase &which);
	void add_clause();
	void add_output(uint16_t number);

  private:
	uint16_t add_register(WaVectorKind kind);
	uint16_t add_column(WaVectorKind kind);
	uint16_t add_constant(WaVectorKind kind);
	uint16_t argument(WaVectorKind kind);
	int find(WaVectorKind kind);
	__int128 value(unsigned most_digits);
	void fill(WideColumn &column, unsigned most_digits);

	const bool is_tame_; // so that not every tile traps
	Random &random_;
	WideProgram program_;
};

uint16_t
WideMaker::add_register(WaVectorKind kind)
{
	program_.kinds.push_back(kind);
	return (uint16_t) (program_.kinds.size() - 1);
}

// Returns a number of up to so many digits: 0 at times, or next to a power of ten.
__int128
WideMaker::value(unsigned most_digits)
{
	const __int128 end =
		wa_wide_power_of_ten((int) random_.below(most_digits + 1));
	__int128 number = (__int128) (((unsigned __int128) random_.bits() << 62 |
								   random_.bits() >> 2) %
								  (unsigned __int128) end);

	if (random_.below(6) == 0)
		number = std::max(end - (__int128) random_.below(3), (__int128) 1) - 1;
	else if (random_.below(8) == 0)
		number = (__int128) random_.below(30);
	if (number == 0 && is_tame_ && random_.below(1000) != 0)
		number = 7;
	return random_.below(3) == 0 ? -number : number;
}

// Tells whether a number is one of the form.
static bool
fits(WaColumnForm form, __int128 number)
{
	switch (form)
	{
		case WA_COLUMN_I16:
			return number == (int16_t) number;
		case WA_COLUMN_I32:
			return number == (int32_t) number;
		case WA_COLUMN_I64:
			return number == (int64_t) number;
		default:
			return true;
	}
}

static size_t
width_of(WaColumnForm form)
{
	switch (form)
	{
		case WA_COLUMN_I16:
			return 2;
		case WA_COLUMN_I32:
			return 4;
		case WA_COLUMN_I128:
			return 16;
		default:
			return 8;
	}
}

// Draws the rows of a column; those that show fewer digits end with zeros.
void
WideMaker::fill(WideColumn &column, unsigned most_digits)
{
	const size_t width = width_of(column.form);
	const bool is_mixed = column.scale > 0 && random_.below(3) == 0;

	column.stored.resize(program_.nrows * width);
	if (random_.below(2) == 0)
		column.validity.resize(program_.nrows / 64 + 1);
	for (uint64_t &word : column.validity)
		word = random_.bits() | random_.bits() | random_.bits();
	for (size_t row = 0; row < program_.nrows; row++)
	{
		const int shown = is_mixed ? (int) random_.below(column.scale + 1u)
								   : (int) column.scale;
		const __int128 power = wa_wide_power_of_ten(column.scale - shown);
		__int128 number = value(most_digits) / power * power;

		if (!fits(column.form, number))
			number = 0;
		memcpy(column.stored.data() + row * width, &number, width);
		column.values.push_back(number);
		if (is_mixed)
			column.display.push_back((uint8_t) shown);
	}
}

uint16_t
WideMaker::add_column(WaVectorKind kind)
{
	static const WaColumnForm forms[] = {WA_COLUMN_I16, WA_COLUMN_I32,
										 WA_COLUMN_I64, WA_COLUMN_I128,
										 WA_COLUMN_I128};
	WideColumn column = {};
	unsigned most_digits = 1 + (unsigned) random_.below(18);

	column.number = add_register(kind);
	column.form = WA_COLUMN_I64;
	if (kind == WA_VECTOR_DECIMAL)
	{
		column.form = forms[random_.below(5)];
		column.scale = (uint8_t) random_.below(column.form == WA_COLUMN_I128
												   ? 1 + random_.below(30)
												   : 1 + random_.below(19));
		if (column.form == WA_COLUMN_I128)
			most_digits = 1 + (unsigned) random_.below(38);
		if (random_.below(is_tame_ ? 10 : 2) != 0)
		{
			most_digits = 1 + (unsigned) random_.below(most_digits) / 3;
			column.scale %= 5;
		}
	}
	if (kind == WA_VECTOR_BOOL)
	{
		column.form = WA_COLUMN_BITS;
		column.stored.resize((program_.nrows / 64 + 1) * 8);
		for (size_t row = 0; row < program_.nrows; row++)
		{
			column.values.push_back((__int128) random_.below(2));
			column.stored[row / 8] |=
				(uint8_t) ((unsigned) column.values[row] << row % 8);
		}
	}
	else
		fill(column, most_digits);
	program_.columns.push_back(column);
	return column.number;
}

uint16_t
WideMaker::add_constant(WaVectorKind kind)
{
	WaProgramConstant constant = {};

	constant.number = add_register(kind);
	constant.is_null = random_.below(15) == 0;
	constant.is_wide = kind == WA_VECTOR_DECIMAL && random_.below(3) == 0;
	if (constant.is_wide)
		constant.value.wide = wa_int128_make(value(38));
	else
		constant.value.i = (int64_t) value(18);
	if (kind == WA_VECTOR_DECIMAL)
		constant.scale = (uint8_t) random_.below(
			1 + random_.below(constant.is_wide ? 39 : 19));
	program_.constants.push_back(constant);
	return constant.number;
}

// Returns a register of the kind, or -1.
int
WideMaker::find(WaVectorKind kind)
{
	std::vector<int> fitting;

	for (size_t i = 0; i < program_.kinds.size(); i++)
		if (program_.kinds[i] == kind)
			fitting.push_back((int) i);
	return fitting.empty() ? -1 : fitting[random_.below(fitting.size())];
}

// Returns a register to compute with.
uint16_t
WideMaker::argument(WaVectorKind kind)
{
	const int found = find(kind);

	if (found >= 0 &&
		(random_.below(2) == 0 || program_.columns.size() == kMaxColumns))
		return (uint16_t) found;
	if (kind != WA_VECTOR_BOOL && random_.below(4) == 0 &&
		program_.constants.size() < kMaxConstants)
		return add_constant(kind);
	return add_column(kind);
}

static WaVectorKind
kind_of(char letter)
{
	static const char letters[] = "ifdbt";

	return (WaVectorKind) (strchr(letters, letter) - letters);
}

void
WideMaker::add_instruction(const WideCase &which)
{
	const size_t narguments = strlen(which.kinds) - 1;
	WaInstruction made = {(uint16_t) which.code,
						  0,
						  0,
						  0,
						  0,
						  which.extras[random_.below(which.extras.size())]};
	uint16_t *const places[3] = {&made.a, &made.b, &made.c};

	for (size_t i = 0; i < narguments; i++)
		*places[i] = argument(kind_of(which.kinds[i]));
	made.out = add_register(kind_of(which.kinds[narguments]));
	program_.instructions.push_back(made);
}

// Adds a clause of any BOOL that there is.
void
WideMaker::add_clause()
{
	const int number = find(WA_VECTOR_BOOL);

	if (number >= 0)
		program_.clauses.push_back(
			{program_.instructions.size(), (uint16_t) number});
}

// Has a register as an output.
void
WideMaker::add_output(uint16_t number)
{
	const int filter = random_.below(4) == 0 ? find(WA_VECTOR_BOOL) : -1;
	WideOutput output = {};

	output.number = number;
	output.filter = filter < 0 ? WA_NO_REGISTER : (uint16_t) filter;
	output.bits = random_.below(2) == 0 ? 127 : 95;
	output.mixed_bits = output.bits - 6 * (uint8_t) random_.below(2);
	output.scale = random_.below(3) != 0 ? WA_ANY_SCALE
										 : (uint8_t) (14 + random_.below(20));
	program_.outputs.push_back(output);
}

WideProgram
wide_single(const WideCase &which, Random &random)
{
	WideMaker maker(1 + random.below(kFewRows), random);

	maker.add_instruction(which);
	maker.add_output(maker.program().instructions[0].out);
	return maker.program();
}

WideProgram
wide_mixed(size_t nrows, Random &random)
{
	const std::vector<WideCase> &cases = wide_cases();
	WideMaker maker(nrows, random);
	const size_t count = 1 + random.below(kInstructions);

	for (size_t i = 0; i < count; i++)
	{
		const WideCase *which = &cases[random.below(cases.size())];

		// These trap most of the time.
		if ((which->code == WA_CODE_DECIMAL_FLOOR_DIVIDE ||
			 which->code == WA_CODE_DECIMAL_TO_INT) &&
			random.below(8) != 0)
			which = &cases[0];
		maker.add_instruction(*which);
		if (random.below(6) == 0)
			maker.add_clause();
	}
	for (size_t i = 0; i < kOutputs; i++)
		maker.add_output((uint16_t) random.below(maker.program().kinds.size()));
	return maker.program();
}

// The vectors of one row.
class WideRegisters
{
  public:
	WideRegisters(const WideProgram &program, size_t row);
	~WideRegisters();
	WideRegisters(const WideRegisters &) = delete;
	WideRegisters &operator=(const WideRegisters &) = delete;

	WideRow run();

  private:
	void set(uint16_t number, __int128 value, bool is_valid, uint8_t scale);
	bool is_true(uint16_t number) const;
	WideCell cell(const WideOutput &output) const;

	const WideProgram &program_;
	std::vector<WaVector> registers_;
};

// Sets the value of a register.
void
WideRegisters::set(uint16_t number, __int128 value, bool is_valid,
				   uint8_t scale)
{
	WaVector *vector = &registers_[number];

	vector->has_nulls = !is_valid;
	vector->valid[0] = is_valid;
	vector->scale = scale;
	value = is_valid ? value : 0;
	if (program_.kinds[number] == WA_VECTOR_BOOL)
		wa_vector_bools(vector)[0] = (uint8_t) value;
	else if (program_.kinds[number] == WA_VECTOR_DECIMAL &&
			 (value != (int64_t) value || scale > WA_DECIMAL_MAX_SCALE))
	{
		vector->wide = true;
		wa_vector_wides(vector)[0] = wa_int128_make(value);
	}
	else
		wa_vector_ints(vector)[0] = (int64_t) value;
}

WideRegisters::WideRegisters(const WideProgram &program, size_t row)
	: program_(program)
{
	for (WaVectorKind kind : program.kinds)
	{
		void *memory = NULL;
		WaVector vector;

		if (posix_memalign(&memory, 64, wa_vector_register_bytes(kind)) != 0)
			abort();
		memset(memory, 0, 64);
		wa_vector_place_register(&vector, kind, memory);
		registers_.push_back(vector);
	}
	for (const WideColumn &column : program.columns)
	{
		WaVector *vector = &registers_[column.number];

		set(column.number, column.values[row],
			column.validity.empty() ||
				wa_row_is_valid(column.validity.data(), row),
			column.scale);
		vector->mixed = !column.display.empty();
		if (vector->mixed)
			vector->display[0] = column.display[row];
	}
	for (const WaProgramConstant &constant : program.constants)
		set(constant.number,
			constant.is_wide ? wa_int128_get(constant.value.wide)
							 : constant.value.i,
			!constant.is_null, constant.scale);
}

WideRegisters::~WideRegisters()
{
	for (WaVector &vector : registers_)
		free(vector.values);
}

bool
WideRegisters::is_true(uint16_t number) const
{
	const WaVector *vector = &registers_[number];

	return wa_vector_is_valid(vector, 0) && wa_vector_bools(vector)[0] != 0;
}

WideCell
WideRegisters::cell(const WideOutput &output) const
{
	const WaVector *vector = &registers_[output.number];
	const WaVectorKind kind = program_.kinds[output.number];
	WideCell cell = {};

	cell.is_valid = wa_vector_is_valid(vector, 0) &&
					(output.filter == WA_NO_REGISTER || is_true(output.filter));
	cell.is_decimal = kind == WA_VECTOR_DECIMAL;
	cell.scale = vector->scale;
	cell.display = vector->mixed ? vector->display[0] : vector->scale;
	if (kind == WA_VECTOR_BOOL)
		cell.value = wa_vector_bools(vector)[0];
	else
		cell.value = vector->wide ? wa_int128_get(wa_vector_wides(vector)[0])
								  : wa_vector_ints(vector)[0];
	return cell;
}

WideRow
WideRegisters::run()
{
	const WaProgram program = {(uint16_t) program_.kinds.size(),
							   program_.kinds.data(),
							   program_.instructions.data(),
							   program_.instructions.size(),
							   NULL,
							   NULL,
							   NULL};
	WideRow row = {false, true, {}};
	size_t begin = 0;

	for (size_t i = 0; i <= program_.clauses.size() && row.selected; i++)
	{
		const size_t end = i < program_.clauses.size() ? program_.clauses[i].end
													   : program.ninstructions;

		row.trapped |=
			!wa_program_run(&program, begin, end, registers_.data(), 1);
		begin = end;
		if (i < program_.clauses.size() && !row.trapped)
			row.selected = is_true(program_.clauses[i].number);
	}
	for (const WideOutput &output : program_.outputs)
		row.cells.push_back(cell(output));
	return row;
}

std::vector<WideRow>
wide_on_cpu(const WideProgram &program)
{
	std::vector<WideRow> rows;

	for (size_t row = 0; row < program.nrows; row++)
		rows.push_back(WideRegisters(program, row).run());
	return rows;
}
